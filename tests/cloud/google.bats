#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# Google's own client (npm @google-cloud/storage) against the fake cloud: what it
# sends is understood, and what it is answered it believes, checksums included.
# GOOGLE_MODULES is a folder whose node_modules holds it; else npm fetches it.

load ../lib/harness

bats_require_minimum_version 1.5.0

setup_file() {
  command -v node >/dev/null && command -v npm >/dev/null || return 0
  if [ -z "${GOOGLE_MODULES-}" ]; then
    GOOGLE_MODULES=$BATS_FILE_TMPDIR
    npm install --prefix "$GOOGLE_MODULES" --ignore-scripts --no-audit --no-fund \
      --silent @google-cloud/storage@7 >"$BATS_FILE_TMPDIR/npm" 2>&1 || true
  fi
  export GOOGLE_MODULES
}

# google DO FILE [KEY]: what it prints is in the file said.
google() {
  [ -d "${GOOGLE_MODULES-}/node_modules/@google-cloud/storage" ] ||
    skip 'no @google-cloud/storage'
  env -i PATH="$PATH" HOME="$T/home" GOOGLE_MODULES="$GOOGLE_MODULES" \
    timeout 60 node "$HARNESS_TOP/tests/cloud/google.mjs" "$CLOUD_URL" \
    ya29.ank-test-token "$@" >said 2>&1
}

AWKWARD='a=b/c+d e%20f*@:!~&;,$/ü 日本.bin'

@test "it puts, describes, gets and deletes an object with an awkward key" {
  start_cloud '{"service": "gcs"}'
  new_file 70000 f >/dev/null
  google put f "$AWKWARD" || { cat said; false; }
  assert_same f "$(stored_object bucket "$AWKWARD")"
  google head - "$AWKWARD"
  assert_eq "$(jq -r '"\(.size) \(.contentType) \(.metadata.a)"' said)" "70000 text/x b"
  google get out "$AWKWARD"
  assert_same f out
  google part out "$AWKWARD"
  assert_same <(tail -c +6 f | head -c 5) out
  google drop - "$AWKWARD"
  run -1 google get out "$AWKWARD"
  assert_contains "$(cat said)" 404
}

# To another endpoint than Google's it sends no token when it begins a session.
@test "it uploads by a session, at once and in chunks" {
  start_cloud --anonymous '{"service": "gcs"}'
  new_file 1000000 f >/dev/null
  google resume f one || { cat said; false; }
  assert_same f "$(stored_object bucket one)"
  google chunks f many || { cat said; false; }
  assert_same f "$(stored_object bucket many)"
  assert_eq "$(requests part)" 3
}

@test "it goes on where a session is, and starts another for a lost one" {
  start_cloud --anonymous '{"service": "gcs", "rules": [
    {"op": "part", "nth": 2, "status": 503},
    {"op": "part", "nth": 3, "persist": 0}]}'
  new_file 1000000 f >/dev/null
  google chunks f k || { cat said; false; }
  assert_same f "$(stored_object bucket k)"
  [ "$(requests status)" -ge 1 ]
}

@test "it is told that an object is there, and a wrong hash it notices" {
  start_cloud --anonymous '{"service": "gcs"}'
  new_file 10 f >/dev/null
  google once f
  run -1 google once f
  assert_contains "$(cat said)" '412 conditionNotMet'
}
