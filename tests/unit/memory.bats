#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory that is out, anywhere: each allocation fails once.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

# starved NAME...: every line of these tables, one allocation failing.
starved() {
  local name
  for name; do
    split "$name" | cut -f 2 | memory "$name"
  done
}

@test "buffers, lists and messages outlive a failed allocation" {
  starved buf kv message hash combine base64 unbase64 percent unpercent visible \
    json-visible
}

@test "URLs outlive a failed allocation" {
  starved uri redact
}

@test "small files outlive a failed allocation" {
  starved ini ini-get xml xml-escape
}

@test "addresses, requests and redirects outlive a failed allocation" {
  starved target target-complete weburl weburl-mask sas endpoint build complete-body relocate
}

@test "answers outlive a failed allocation" {
  starved s3-read retry-after
}

@test "requests for credentials and their answers outlive a failed allocation" {
  starved token-build token-read
}

# whole COMMAND LINE: as memory, and whatever fails, nothing but the whole
# signature or a word about memory comes out.
whole() {
  memory "$1" <<<"$2"
  [ "$(answers "$1" <<<"$2")" = "$(tail -n 1 "$BATS_TEST_TMPDIR/got")" ]
  head -n -1 "$BATS_TEST_TMPDIR/got" | sort -u >"$BATS_TEST_TMPDIR/failed"
  [ "$(cat "$BATS_TEST_TMPDIR/failed")" = 'internal: out of memory' ]
}

@test "a signature is whole or not there" {
  whole sign-v4 'method=PUT host=h path=/k query=a=1&b=2 header=x-amz-meta-a:1 region=r date=20130524T000000Z id=a secret=b token=c body=d'
  whole sign-azure 'method=PUT path=/c/k query=comp=block&blockid=a header=x-ms-version:1 id=acc secret=YW5r body=d date=Fri,\s26\sJun\s2015\s23:39:12\sGMT'
}
