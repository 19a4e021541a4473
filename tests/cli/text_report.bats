#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# --text: the report in words.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

AT=2023-11-14T22:13

# words: the lines of standard output, with sizes of errors, digests and
# milliseconds of real time taken out.
words() {
  sed -E -e 's/sha256:[0-9a-f]{64}/SUM/; s/"[0-9a-f]{32}"/ETAG/' \
    -e "s/^$AT/AT/; s/127.0.0.1:[0-9]+/HOST/" \
    -e 's/ in [0-9]+ ms;/ in MS;/; s/, 206 bytes received//' "$OUT"
}

@test "a line an attempt, and one for the result" {
  rules '{"op": "put", "nth": 1, "s3_error": "SlowDown", "headers": {"Retry-After": "2"}}' \
    '{"op": "put", "nth": 2, "status": 500}'
  put k --text
  assert_exit 0
  assert_eq "$(words)" "AT:20.000Z put attempt 1/3: 503 SlowDown: Please reduce your request rate, 1000 bytes sent in MS; retry in 2.1 s
AT:22.149Z put attempt 2/3: 500, 1000 bytes sent in MS; retry in 971 ms
AT:23.120Z put attempt 3/3: 200, 1000 bytes sent in MS; done
AT:23.120Z ok s3://bucket/k, 1000 bytes, etag ETAG, SUM; 3 attempts in 3.1 s"
}

@test "a failure says why, and the line on standard error stays" {
  rules
  get nothing --text
  assert_exit 6
  assert_eq "$(tail -n 1 "$OUT")" "$AT:20.000Z not_found (exit 6) s3://bucket/nothing: the server answered 404 NoSuchKey: The specified key does not exist; 1 attempt in 0 ms"
  assert_eq "$(cat "$ERR")" \
    'ankget: s3://bucket/nothing: the server answered 404 NoSuchKey: The specified key does not exist.'
}

@test "failures below HTTP, throttles and usage errors have their words" {
  CLOUD_URL=http://127.0.0.1:$(closed_port)
  CLOUD_ENDPOINT=$CLOUD_URL
  put k --text --retries 0
  assert_exit 10
  [[ $(head -n 1 "$OUT") == *' put attempt 1/1: connect: '*'; stop, retries_spent' ]]
  rules '{"op": "put", "status": 429, "headers": {"Retry-After": "600"}}'
  put k --text
  assert_exit 11
  [[ $(tail -n 1 "$OUT") == *'retry_after_does_not_fit; come back in 600 s; 1 attempt in '* ]]
  run_ank ankput-fake --text
  assert_exit 2
  [[ $(cat "$OUT") == "$AT:20.000Z usage (exit 2): one FILE and one URL are needed"* ]]
}

@test "breaker and hold-off have their words" {
  NO_STATE=
  rules '{"op": "put", "status": 503}'
  put k --text --breaker failures=2
  assert_exit 10
  [[ $(words | grep -m 1 breaker) == *'Z breaker of http://HOST/bucket: closed -> open for 5.0 s' ]]
  [[ $(words | grep -m 1 waiting) == *'Z waiting '*': breaker' ]]
  [[ $(words | grep -m 1 warning) == *'Z warning: breaker_opened' ]]
}

@test "-I tells the object's facts, and an object on standard output keeps it to itself" {
  rules
  seed 1000
  facts k --text
  assert_exit 0
  [[ $(tail -n 1 "$OUT") == *' ok s3://bucket/k, 1000 bytes, last modified '*', etag '* ]]
  run_ank ankget-fake --text s3://bucket/k
  assert_same "$OUT" "$T/object"
  [[ $(tail -n 1 "$ERR") == *' ok s3://bucket/k, 1000 bytes, etag '* ]]
}

@test "nothing that a server or a key says steers the terminal, and no secret is told" {
  rules '{"op": "put", "status": 403, "body": "<Error><Code>No</Code><Message>a\u009bb '"$TEST_SECRET"'</Message></Error>"}'
  put $'k\e[2J' --text
  assert_exit 5
  run ! grep -q -e "$TEST_SECRET" -e $'\e' -e $'\u9b' "$OUT" "$ERR"
  grep -qF 'k\x1b[2J' "$OUT"
  grep -q REDACTED "$OUT"
}

@test "--json has the last word over a variable, a file and itself" {
  local source
  rules
  source=$(new_file 10)
  # says WORD...: the first line of a run with these before the operands.
  says() {
    ank_prepare "$@" --retries 0 "$source" s3://bucket/k
    "${ANK_COMMAND[@]}" | head -n 1
  }
  [[ $(says ANK_TEXT=1 ankput-fake) == "$AT"* ]]
  [[ $(says ANK_TEXT=1 ankput-fake --json) == '{"event":'* ]]
  [[ $(says ankput-fake --text --json) == '{"event":'* ]]
  [[ $(says ANK_JSON=1 ankput-fake --text) == "$AT"* ]]
  mkdir -p "$T/home/.config/ank"
  echo 'text = yes' >"$T/home/.config/ank/config"
  [[ $(says ankput-fake) == "$AT"* ]]
  [[ $(says ankput-fake --json) == '{"event":'* ]]
}
