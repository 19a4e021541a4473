# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Servers and clients that come from npm, in a folder of the user's cache:
#
#   dir=$(npm_packages NAME azurite@3.37.0 ...)
#
# installs them once, without running what they bring, and prints the folder
# that holds node_modules; it fails where there is no node or no registry.
# ANK_TEST_CACHE names another cache.

# npm_cache NAME: where the packages called NAME are.
npm_cache() {
  printf '%s/npm/%s\n' \
    "${ANK_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ank-test}" "$1"
}

# npm_install DIR PACKAGE...: whole or not at all, several may try at once.
npm_install() {
  local dir=$1 new
  shift
  mkdir -p "${dir%/*}" && new=$(mktemp -d "$dir.XXXXXX") || return 1
  if (cd "$new" && echo '{"private": true}' >package.json &&
    timeout 600 npm install --ignore-scripts --no-audit --no-fund --save-exact \
      "$@" && printf '%s\n' "$@" >wanted) >"$new.log" 2>&1; then
    rm -rf "$dir" "$new.log" && mv -T "$new" "$dir"
  else
    tail -n 5 "$new.log" >&2
    rm -rf "$new" "$new.log"
    return 1
  fi
}

# npm_packages NAME PACKAGE@VERSION...
npm_packages() {
  local dir
  command -v node >/dev/null && command -v npm >/dev/null || return 1
  dir=$(npm_cache "$1")
  shift
  [ "$(cat "$dir/wanted" 2>/dev/null)" = "$(printf '%s\n' "$@")" ] ||
    npm_install "$dir" "$@" || return 1
  printf '%s\n' "$dir"
}

# aws_sdk: Amazon's client of S3; prints the folder that holds node_modules.
aws_sdk() {
  npm_packages aws @aws-sdk/client-s3@3.1175.0 @aws-sdk/lib-storage@3.1175.0
}
