# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# What the tests of bytes, files, names and reports share, beside the harness:
#   load ../lib/harness
#   load bytes

# cloud RULE...: a cloud with these rules; FAKE=1: for the -fake programs.
cloud() {
  start_cloud ${FAKE:+--fake} "${CLOUD_OPTIONS[@]}" \
    "{${CLOUD_SETTINGS:+$CLOUD_SETTINGS,} \"rules\": [$(IFS=,; echo "$*")]}"
}

# seed SIZE [KEY [META]]: an object of that many bytes, also in $T/object.
seed() {
  new_file "$1" "$T/object" >/dev/null
  seed_object bucket "${2:-k}" "$T/object" "${3-}"
}

# assert_stored KEY FILE: the cloud has exactly the bytes of FILE there.
assert_stored() {
  local path
  path=$(stored_object bucket "$1") || { echo "no object $1" >&2; return 1; }
  assert_same "$path" "$2"
}

refute_stored() {
  ! stored_object bucket "$1" >/dev/null || { echo "stored: $1" >&2; return 1; }
}

# refute COMMAND...: it fails, as it should.
refute() {
  ! "$@" || { echo "unexpected: $*" >&2; return 1; }
}

# assert_human TEXT: standard error is one line that holds it.
assert_human() {
  assert_eq "$(wc -l <"$ERR")" 1
  assert_contains "$(cat "$ERR")" "$1"
}

# assert_usage TEXT: refused with one line that names TEXT, nothing sent.
assert_usage() {
  assert_exit 2
  assert_contains "$(json result message)" "$1"
  assert_json result outcome usage
  assert_json result attempts 0
  [ -z "${CLOUD_DIR-}" ] || assert_eq "$(requests)" 0
}

# assert_no_leftovers [DIR]: no temporary file stays behind.
assert_no_leftovers() {
  assert_eq "$(find "${1:-$T}" -maxdepth 1 -name '.*.ank-*')" ""
}

# unprivileged COMMAND...: as a user whom file modes concern.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then
    chmod a+x "$T" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* 2>/dev/null || true
    ANK_WRAP='setpriv --reuid=65534 --regid=65534 --clear-groups' "$@"
  else
    "$@"
  fi
}

# await TEXT FILE: until FILE holds TEXT.
await() {
  local i
  for ((i = 0; i < 500; i++)); do
    ! grep -qs -- "$1" "$2" || return 0
    sleep 0.01
  done
  echo "no '$1' in $2" >&2
  return 1
}

# await_hang: until the cloud is silent on purpose.
await_hang() {
  local i
  for ((i = 0; i < 500; i++)); do
    [ ! -e "$CLOUD_DIR/hang" ] || return 0
    sleep 0.01
  done
  echo 'no silence' >&2
  return 1
}

# result_is_last: the last line of the report is the one result.
result_is_last() {
  assert_eq "$(tail -n 1 "$REPORT" | jq -r .event)" result
  assert_eq "$(jq -s 'map(select(.event == "result")) | length' "$REPORT")" 1
}
