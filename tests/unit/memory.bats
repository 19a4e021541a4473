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
  starved target target-complete endpoint build complete-body relocate
}

@test "answers outlive a failed allocation" {
  starved s3-read retry-after
}

@test "a signature is whole or not there" {
  local line='method=PUT host=h path=/k query=a=1&b=2 header=x-amz-meta-a:1
    region=r date=20130524T000000Z id=a secret=b token=c body=d'
  line=$(tr -s '\n ' '  ' <<<"$line")
  memory sign-v4 <<<"$line"
  [ "$(answers sign-v4 <<<"$line")" = "$(tail -n 1 "$BATS_TEST_TMPDIR/got")" ]
  head -n -1 "$BATS_TEST_TMPDIR/got" | sort -u >"$BATS_TEST_TMPDIR/failed"
  [ "$(cat "$BATS_TEST_TMPDIR/failed")" = 'internal: out of memory' ]
}
