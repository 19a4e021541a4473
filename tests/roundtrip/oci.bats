#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Between our programs, a server that checks signatures by npm's http-signature,
# the fake cloud, and Oracle's own client, both ways.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031

load ../lib/harness

bats_require_minimum_version 1.5.0

setup_file() {
  # shellcheck source=tests/servers/oci.bash
  . "$BATS_TEST_DIRNAME/../servers/oci.bash"
  oci_start "$BATS_FILE_TMPDIR" ||
    export OCI_SKIP='node, http-signature or the client cannot be installed'
}

teardown_file() {
  # shellcheck source=tests/servers/oci.bash
  . "$BATS_TEST_DIRNAME/../servers/oci.bash"
  oci_stop "$BATS_FILE_TMPDIR"
}

setup() {
  [ -z "${OCI_SKIP-}" ] || skip "$OCI_SKIP"
  harness_setup
  way=$OCI_HTTP
}

# fake: the fake cloud is the server.
fake() {
  start_cloud '{"service": "oci", "min_part": 1}'
  way=$CLOUD_URL
}

# sdk COMMAND ARG...: Oracle's client; oci-sdk.mjs says what it can.
sdk() {
  env -i PATH="$PATH" HOME="$OCI_HOME" NODE_NO_WARNINGS=1 \
    node "$HARNESS_TOP/tests/roundtrip/oci-sdk.mjs" "$OCI_NODE" "$way" "$@"
}

# ours PROGRAM ARG...
ours() {
  run_ank HOME="$OCI_HOME" ANK_NO_STATE=1 ANK_ENDPOINT="$way" "$@" || return 1
  [ "$status" = 0 ] || { cat "$OUT" "$ERR"; return 1; }
}

URL=oci://anknamespace/bucket

# both_ways KEY FILE
both_ways() {
  rm -f got
  ours ankput "$2" "$URL/$1"
  sdk get "$1" got
  assert_same "$2" got
  sdk put "$1" "$2"
  ours ankget "$URL/$1" got
  assert_same "$2" got
}

# parts_both_ways KEY FILE
parts_both_ways() {
  rm -f got
  ours ankput --part-size 5M --multipart-threshold 5M "$2" "$URL/$1"
  sdk get "$1" got
  assert_same "$2" got
  sdk put-parts "$1" "$2" 6000000
  ours ankget "$URL/$1" got
  assert_same "$2" got
}

all_sizes() {
  local size
  for size in 0 1 1000 1048576; do
    both_ways sized "$(new_file "$size")"
  done
  parts_both_ways sized "$(new_file 20971521)"
}

# The client leaves ' ( ) ! * as they are, and its transport folds dots.
all_keys() {
  local key file n=0
  file=$(new_file 100)
  for key in 'a b' a//b /lead a/b/c 100%25 a+b 'q?x=1&y=2#z' a%2Fb $'caf\xc3\xa9' \
    $'\xf0\x9f\x98\x80' "it's" '(x)!*' ',;:@[]$=' '"\<>^`{|}' ..a a/../b a/./b; do
    n=$((n + 1))
    both_ways "$key" "$(new_file 100 file "$n")" || { echo "key: $key"; return 1; }
  done
}

@test "the verifying server: sizes, in one request and in parts" {
  all_sizes
  run ! grep -q ' 401 ' "$BATS_FILE_TMPDIR/log"
}

@test "the verifying server: keys that clients get wrong" {
  all_keys
}

@test "the fake cloud: sizes, in one request and in parts" {
  fake
  all_sizes
}

@test "the fake cloud: keys that clients get wrong" {
  fake
  all_keys
}

@test "an awkward key travels in parts, too" {
  local file
  file=$(new_file 10000000)
  parts_both_ways 'a b/c?d&é"' "$file"
  fake
  parts_both_ways 'a b/c?d&é"' "$file"
}

@test "type and metadata that we give their client reads, and the sums" {
  local file
  file=$(new_file 12)
  for way in "$OCI_HTTP" fake; do
    [ "$way" != fake ] || fake
    ours ankput --content-type text/x --metadata note=v1 "$file" "$URL/facts"
    assert_eq "$(sdk facts facts)" \
      "12 text/x $(openssl md5 -binary "$file" | base64) {\"opc-meta-note\":\"v1\"}"
    ours ankput --multipart-threshold 1 --content-type text/x --metadata note=v1 \
      "$file" "$URL/facts"
    assert_contains "$(sdk facts facts)" \
      "12 text/x $(openssl md5 -binary "$file" | openssl md5 -binary | base64)-1"
    assert_contains "$(sdk facts facts)" '"opc-meta-note":"v1"'
  done
}

@test "a namespace that the URL lacks is what their client is told" {
  assert_eq "$(sdk namespace)" anknamespace
  ours ankput "$(new_file 10)" oci://bucket@/asked
  ours ankget "$URL/asked" got
}

@test "what is there already is not overwritten, and nobody is taken for us" {
  sdk put once "$(new_file 10)"
  run_ank HOME="$OCI_HOME" ANK_NO_STATE=1 ANK_ENDPOINT="$way" \
    ankput --no-clobber "$(new_file 10 other 2)" "$URL/once"
  assert_exit 7
  run_ank HOME="$OCI_HOME" ANK_NO_STATE=1 ANK_ENDPOINT="$way" \
    ankput --no-clobber "$(new_file 10)" "$URL/once"
  assert_exit 0
  assert_json result settled same_object
}
