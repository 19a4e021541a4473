# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Installs the packages of tests/packages that this machine lacks. Sourced by
# quickstart and run-tests; asks dpkg first, so a complete machine needs
# neither apt nor a network.

deps_list=$(dirname "${BASH_SOURCE[0]}")/packages

# deps_of KIND...: the packages of these kinds, one a line.
deps_of() {
  local kind
  for kind in "$@"; do
    awk -v kind="$kind" '$1 == kind { print $2 }' "$deps_list"
  done
}

# deps_have PACKAGE: it, or the command that the list says does as well (a Node
# from elsewhere brings its own npm, and excludes Debian's).
deps_have() {
  local command
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" != installed ] ||
    return 0
  command=$(awk -v package="$1" '$2 == package { print $3 }' "$deps_list")
  [ -n "$command" ] && command -v "$command" >/dev/null
}

# deps_missing KIND...: those of deps_of that are not installed.
deps_missing() {
  local package
  for package in $(deps_of "$@"); do
    deps_have "$package" || printf '%s\n' "$package"
  done
}

# deps_known PACKAGE: does apt know where to get it?
deps_known() {
  apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

# deps_listed: has apt the list of any archive? Without one it knows of nothing
# but what is installed.
deps_listed() {
  apt-cache policy 2>/dev/null | grep '^ *release ' | grep -qv 'a=now$'
}

# deps_as_root COMMAND...: as root, or by sudo; status 77 when neither works.
deps_as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    return 77
  elif sudo -n true 2>/dev/null; then
    sudo -n "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    return 77
  fi
}

# deps_apt ARG...: apt-get that asks nothing, whoever runs it.
deps_apt() {
  deps_as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a \
    apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" \
    </dev/null
}

# deps_by_hand PACKAGE...: the one line that a person has to run. Of the peers
# it names those that the distribution has, which without lists nobody knows
# before the line is run.
deps_by_hand() {
  local package peers='' words=''
  for package in "$@"; do
    if ! deps_listed && deps_of peer | grep -qxF "$package"; then
      peers+=" $package"
    else
      words+=" $package"
    fi
  done
  [ -z "$peers" ] ||
    words+=" \$(apt-cache madison$peers | awk '{ print \$1 }')"
  echo 'Some packages are missing, and this user may not install them. Run:' >&2
  echo "  apt-get update && apt-get install --no-install-recommends$words" >&2
  return 1
}

# deps_drop_unknown: leaves out of $wanted the peers this distribution has
# not; their tests skip themselves. Anything else unknown is apt's to report,
# and so is everything where apt has no lists yet.
deps_drop_unknown() {
  local package kept=()
  deps_listed || return 0
  for package in "${wanted[@]}"; do
    if deps_known "$package" || ! deps_of peer | grep -qxF "$package"; then
      kept+=("$package")
    else
      echo "not in this distribution, its tests are skipped: $package" >&2
    fi
  done
  wanted=("${kept[@]+"${kept[@]}"}")
}

# deps_install KIND...: installs what is missing, and only that. Where nothing
# is but what the distribution has not, apt is asked for nothing.
deps_install() {
  local wanted=() status=0
  mapfile -t wanted < <(deps_missing "$@")
  [ "${#wanted[@]}" -gt 0 ] || return 0
  command -v apt-get >/dev/null || { deps_by_hand "${wanted[@]}"; return 1; }
  deps_drop_unknown
  [ "${#wanted[@]}" -gt 0 ] || return 0
  echo "looking for: ${wanted[*]}" >&2
  deps_apt update >&2 || status=$?
  deps_drop_unknown
  [ "${#wanted[@]}" -gt 0 ] || return 0
  [ "$status" != 77 ] || { deps_by_hand "${wanted[@]}"; return 1; }
  deps_apt install --no-install-recommends "${wanted[@]}" >&2
}

# deps_bats: is this bats new enough? It knew no tags before 1.8.
deps_bats() {
  local version
  version=$(bats --version)
  version=${version#* }
  [ "$(printf '%s\n' 1.8 "$version" | sort -V | head -n 1)" = 1.8 ] || {
    echo "the tests need bats 1.8, as in Debian 12 or Ubuntu 24.04;" \
      "here it is $version" >&2
    return 1
  }
}
