#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ank(7) tells the policy that the programs have: its tables are asked of the
# code row by row, and what it says of answers, of creates whose answer got
# lost and of pipes is run.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and harness set

load ../lib/harness
load ../cli/policy

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# policy WHAT [FILE]: policy.py of the tree, or of $tree.
policy() {
  run "$PYTHON" -B "$BATS_TEST_DIRNAME/policy.py" "${tree:-$top}" "$1" \
    "$ANK_BUILD/ank-test" "${@:2}"
}

agrees() {
  policy "$@"
  assert_eq "$output" ''
  assert_eq "$status" 0
}

# explained: $T/explained is what --explain says of a run with all defaults.
explained() {
  NO_STATE=
  rules
  put k --explain
  cp "$ERR" "$T/explained"
}

@test "every status from 200 to 599 is retried, counted and ended as the page says" {
  agrees answers
}

@test "every code of S3 is in the page, does what it says, and no other is" {
  agrees codes
}

@test "every failure without an answer is in the page and does what it says" {
  agrees failures
}

@test "every reason not to take an answer is in the page, and no other" {
  agrees refusals
}

@test "every fault of the file that runs share is in the page, and no other" {
  agrees faults
}

@test "every exit status is in the page" {
  agrees exits
}

@test "every option, field and word that the page names is there" {
  agrees words
}

@test "the numbers are those of --help, --explain and the code" {
  explained
  agrees numbers "$T/explained"
}

# notices PAGE-OR-SOURCE SED-SCRIPT WHAT WORDS: a planted difference is found.
notices() {
  tree=$T/tree$((++trees))
  mkdir "$tree"
  cp -r "$top/src" "$top/man" "$tree/"
  sed -i "$2" "$tree/$1"
  run ! cmp -s "$top/$1" "$tree/$1"
  policy "$3" "$T/explained"
  assert_eq "$status" 1
  assert_contains "$output" "$4"
}

@test "the comparisons notice what they are for" {
  trees=0
  explained
  notices man/ank.7 's/^\.It 412 Ta no/.It 412 Ta yes/' answers 'answers: 412'
  notices man/ank.7 's/^\.It 429 Ta yes Ta nothing/.It 429 Ta yes Ta failure/' answers 'answers: 429'
  notices man/ank.7 's/^\.It 404, 410 /.It 404 /' answers 'answers: 410'
  notices man/ank.7 '/^\.It 503 with Retry-After/d' answers 'answers: 503 with Retry-After'
  notices src/policy/verdict.c 's/{408, 408, {VERDICT/{418, 418, {VERDICT/' answers 'answers: 418 has no row'
  notices man/ankget.1 's/^The statuses 408, /The statuses /' answers 'ankget(1): "The statuses 429'
  notices man/ankput.1 's/^Failed are 408, /Failed are /' answers 'ankput(1): "Failed are 500'
  notices man/ank.7 's/^\.It BadDigest \(.*\) 9/.It BadDigest \1 8/' codes BadDigest
  notices man/ank.7 's/^The first [a-z]* ask/The first two ask/' codes 'ask to slow down'
  notices man/ank.7 's/^\.It ExpiredToken Ta credentials/.It ExpiredToken Ta clock/' codes 'repairs: ExpiredToken'
  notices src/cloud/prov_s3.c 's/"OperationAborted"/"OperationEnded"/' codes OperationEnded
  notices man/ank.7 's/^\.It stall Ta yes/.It stall Ta no/' failures 'stall:'
  notices src/policy/verdict.c 's/"garbled"/"muddled"/' failures muddled
  notices src/flow/get_read.c 's/"wrong_range"/"odd_range"/' refusals odd_range
  notices src/io/state.c 's/"state_damaged"/"state_torn"/' faults state_torn
  notices man/ank.7 's/Cm throttled$/Cm busy/' exits 'exits: 11'
  notices man/ank.7 's/Fl -limit-rate/Fl -rate-limit/' words 'no option --rate-limit'
  notices man/ank.7 's/Cm waited_ms/Cm slept_ms/' words 'nothing is called slept_ms'
  notices man/ank.7 's/^\(\.It retries of a request Ta\) 2/\1 3/' numbers 'numbers: retries'
  notices man/ank.7 's/200 ms, 1 s, 5 s/200 ms, 2 s, 5 s/' numbers 'numbers: backoff'
  notices man/ank.7 's/^\(\.It lease of the probe Ta\) 45s/\1 44s/' numbers 'numbers: breaker lease'
  notices man/ank.7 '/^\.It connecting, TLS included/d' numbers 'numbers: connect-timeout-ms is not'
  notices src/flow/admission.c 's/OPEN_PATIENCE_MS = 60000/OPEN_PATIENCE_MS = 50000/' numbers 'wait of a run that sent'
  notices src/cli/options.def '/^OPT(BREAKER_WAIT/s/BREAKER_WAIT, 0, "breaker-wait"/BREAKER_WAIT, 0, "breaker-pause"/' numbers 'breaker-pause is not'
  notices man/ankput.1 's/gap=60s/gap=61s/' numbers 'numbers: gap: ankput(1)'
}

# --- answers that are not taken, run ------------------------------------------

# row WHY: what the page says of it: tried again, breaker, exit status.
row() {
  sed -n "/^\.Ss Answers that are not taken/,/^\.El/s/^\.It $1 Ta //p" \
    "$top/man/ank.7" | sed 's/ Ta / /g'
}

# meets WHY RULE RUN...: after one failure, a run that ends with WHY: what the
# report's last attempt, the breaker and the exit status say of it.
meets() {
  local why=$1 rule=$2
  shift 2
  rm -rf "$T/home/.local"
  rules '{"key": "bad", "status": 503}' "$rule"
  seed 1000
  put bad --retries 0
  "$@"
  assert_json attempt why "$why"
  assert_eq "$why $(behind)" "$why $(row "$why")"
}

# behind: of the last attempt: is it worth a retry, what has the breaker
# counted, how did the run end. One failure was counted before the run.
behind() {
  jq -rs --arg status "$status" 'map(select(.event == "attempt"))
    | (.[-2].failures // 1) as $before | last
    | [if .verdict == "permanent" then "no" else "yes" end,
       (.failures // $before) as $n
       | if $n > $before then "failure" elif $n == $before then "nothing"
         else "success" end, $status] | join(" ")' "$REPORT"
}

# put_changing: the file changes while the answer is on its way (in real time).
put_changing() {
  start_ank ankput-fake "$T/source" s3://bucket/k
  await_requests 2
  echo other >"$T/source"
  wait_ank
}

# twice RUN...: of two attempts at most.
twice() { "$@" --retries 1; }

@test "the answers that are not taken do what the page says, every row" {
  local short changed
  NO_STATE=
  short='HTTP/1.1 206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes 0-99/1000\r\nContent-Length: 5\r\n\r\nhello'
  changed='{"key": "k", "nth": 1, "close_at": 500}, {"key": "k", "nth": 2, "replace_object": {"flip": true}}'
  meets unexpected_answer '{"op": "put", "raw": "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"}' twice put k
  meets wrong_range '{"key": "k", "range": {"shift": 5}}' twice get k --range 10-20
  meets no_length '{"key": "k", "range": "ignore", "length": "chunked"}' twice get k --range 10-20
  meets short_body '{"key": "k", "raw": "'"$short"'"}' get k --retries 0 --range 0-99
  meets object_changed "$changed" twice get k
  meets checksum_mismatch '{"key": "k", "headers": {"x-amz-checksum-crc32c": "AAAAAA=="}}' twice get k
  meets range_not_satisfiable '{"key": "k", "range": "ignore"}' twice get k --range 5000-
  meets no_checksum '{"key": "none"}' twice get k --checksum crc32c
  meets source_changed '{"key": "k", "s3_error": "BadDigest", "delay_ms": 400}' put_changing
  # No row is left over.
  assert_eq "$(sed -n '/^\.Ss Answers that are not taken/,/^\.El/p' "$top/man/ank.7" |
    grep -c '^\.It [a-z_]* Ta')" 9
}

# --- what else the page says, run -------------------------------------------------

@test "a create whose answer got lost meets its own object: success, confirmed" {
  rules '{"op": "put", "nth": 1, "store": true, "close_at": "status"}'
  put k --if-none-match '*'
  ends 0 ok
  assert_json result retries 1
  assert_json result confirmed_by head
  stored k
}

@test "a wait that does not fit ends the run early, with the last answer" {
  rules '{"status": 503}'
  put k --deadline 1 --retries 9
  ends 10 unavailable
  assert_json result why wait_does_not_fit
  [ "$(json result elapsed_ms)" -lt 1000 ]
}

@test "on a pipe that has had bytes neither a change nor a checksum is tried again" {
  rules '{"op": "get", "nth": 1, "close_at": 500}' \
    '{"op": "get", "nth": 2, "replace_object": {"flip": true}}'
  seed 1000
  run_ank ankget-fake s3://bucket/k
  assert_exit 9
  assert_json result why object_changed
  rules '{"op": "get", "headers": {"x-amz-checksum-crc32c": "AAAAAA=="}}'
  seed 1000
  run_ank ankget-fake s3://bucket/k
  assert_exit 9
  assert_json result why checksum_mismatch
  assert_json result attempts 1
}

@test "a run that ends early leaves nothing to go on from" {
  rules '{"op": "get", "nth": "1-2", "close_at": 500}'
  seed 1000
  get k --retries 0
  ends 10 unavailable
  assert_eq "$(find "$T" -maxdepth 1 -name '.got*')" ''
  get k --retries 1
  ends 0 ok
  assert_eq "$(headers range)" '- - bytes=500-'
}
