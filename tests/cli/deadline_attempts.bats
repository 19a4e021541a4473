#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 3: one deadline for all, the limits of an attempt, the stall rule.

load ../lib/harness
load policy

# over OUTCOME MS: how it ended, and when, to the millisecond of virtual time.
over() {
  case $1 in deadline) ends 13 deadline ;; unavailable) ends 10 unavailable ;; esac
  assert_json result elapsed_ms "$2"
}

# --- the deadline ---------------------------------------------------------------

@test "--deadline 0, or a moment that has passed: nothing is sent" {
  local d
  rules
  for d in 0 0s @1699999999 @1700000000 @0 @1699999999.999; do
    put k --deadline "$d"
    over deadline 0
    assert_json result attempts 0
    get k --deadline "$d"
    over deadline 0
  done
  facts k --deadline 0
  over deadline 0
  put ANK_DEADLINE=@1 k
  over deadline 0
  assert_eq "$(requests)" 0
  [ ! -e "$T/got" ]
}

@test "a duration in each unit, and @EPOCH with a fraction, end when they say" {
  local d
  rules '{"hang_at": "status"}'
  for d in 7:7000 7s:7000 1500ms:1500 2m:120000 @1700000007.25:7250 @1700000001:1000; do
    get k --deadline "${d%:*}" --retries 0
    ends 13 deadline
    assert_json result elapsed_ms "${d#*:}"
    assert_eq "$(told verdict)" deadline
    assert_eq "$(told error)" deadline
  done
  get ANK_DEADLINE=@1700000003.5 k --retries 0
  over deadline 3500
}

@test "a deadline that is none is a usage error that names its source" {
  local d
  rules
  for d in -1 x '' @ @x 1y 1.5.5 @-1 @1e9; do
    put k "--deadline=$d"
    ends 2 usage
    assert_contains "$(cat "$ERR")" '--deadline'
  done
  put ANK_DEADLINE=soon k
  ends 2 usage
  assert_contains "$(cat "$ERR")" ANK_DEADLINE
  assert_eq "$(requests)" 0
}

@test "the deadline covers hashing: each MiB takes 2 s here" {
  rules
  new_file 8000000 "$T/source" >/dev/null
  put ANK_FAKE_STEP=2000 k --deadline 11s
  ends 13 deadline
  assert_eq "$(requests)" 0
  assert_json result attempts 0
  assert_contains "$(cat "$ERR")" deadline
}

@test "the deadline covers connecting: a silent address (cases 18, 23)" {
  SETTINGS='"blackhole": true' rules
  put k --endpoint "$BLACKHOLE_URL" --deadline 10s --retries 5 --connect-timeout-ms 0
  over deadline 10000
  assert_json result attempts 1
  # With a limit of connecting there are some attempts, and waits between.
  FAKE_DICE=max put k --endpoint "$BLACKHOLE_URL" --deadline 10s --retries 50 \
    --connect-timeout-ms 3000
  over deadline 10000
  assert_eq "$(told error)" 'connect_timeout connect_timeout deadline'
  # 3 s, 200 ms, 3 s, 1 s: 2.8 s are left.
  assert_eq "$(told timeout_ms)" '10000 6800 2800'
  assert_eq "$(told deadline_left_ms)" '7000 3800 0'
}

@test "one attempt of 1 s to a silent address ends after 1 s (case 23)" {
  SETTINGS='"blackhole": true' rules
  for run in put get facts; do
    "$run" k --endpoint "$BLACKHOLE_URL" --retries 0 --connect-timeout-ms 1000
    over unavailable 1000
    assert_json result attempts 1
  done
}

@test "the deadline covers sending, waiting and receiving" {
  rules '{"op": "put", "key": "send", "hang_at": "request:1048576"}' \
    '{"op": "put", "key": "wait", "hang_at": "status"}' \
    '{"op": "get", "hang_at": 500}'
  new_file 12000000 "$T/source" >/dev/null
  put send --deadline 8s
  over deadline 8000
  new_file 100 "$T/source" >/dev/null
  put wait --deadline 8s
  over deadline 8000
  seed
  get k --deadline 8s
  over deadline 8000
  [ ! -e "$T/got" ]
}

@test "a wait that does not fit returns the last answer, at once (case 19)" {
  rules '{"status": 503}'
  FAKE_DICE=max put k --retries 9 --deadline 6s
  over unavailable 1200
  # 200 ms, 1 s; the next 5 s do not fit into 4.8 s.
  assert_eq "$(told wait_ms)" '200 1000 -'
  assert_json result why wait_does_not_fit
  assert_eq "$(told status)" '503 503 503'
  assert_contains "$(cat "$ERR")" 503
  FAKE_DICE=max put k --deadline 200ms
  over unavailable 0
  assert_json result attempts 1
  FAKE_DICE=max put k --deadline 201ms --retries 1
  over unavailable 200
  assert_json result attempts 2
}

@test "a refused connection within a deadline of 10 s says which wait does not fit (case 19)" {
  FAKE_DICE=max put ANK_ENDPOINT="http://127.0.0.1:$(closed_port)" k \
    --retries 10 --deadline 10s
  over unavailable 6200
  assert_json result attempts 4
  assert_json result why wait_does_not_fit
}

@test "whatever the answers, nothing begins after the deadline (case 18)" {
  local seed
  rules '{"nth": "1-", "status": 503}'
  for seed in 1 2 3 4 5 6; do
    FAKE_SEED=$seed put k --retries 100 --deadline 9s
    ends 10 unavailable
    [ "$(json result elapsed_ms)" -lt 9000 ]
    # The last x-amz-date lies before 22:13:29.
    [[ "$(headers x-amz-date | tr ' ' '\n' | tail -1)" < 20231114T221329Z ]]
  done
}

@test "the wall clock may jump: the deadline stands, the signature is mended" {
  SETTINGS='"clock": {"fake": true}' rules '{"nth": 1, "status": 503}'
  FAKE_DICE=max put ANK_FAKE_JUMP=3600000 k --deadline 10s
  ends 0 ok
  assert_eq "$(told verdict)" 'transient reclock ok'
  assert_json result elapsed_ms 200
  FAKE_DICE=max put ANK_FAKE_JUMP=86400000 k2 --deadline @1700000010
  ends 0 ok
  SETTINGS='"anonymous": true' rules '{"nth": 1, "status": 503}' '{"hang_at": "status"}'
  FAKE_DICE=max put ANK_FAKE_JUMP=3600000 k --deadline @1700000010 --no-sign
  over deadline 10000
}

@test "a far deadline is no near one" {
  local d
  # Beyond 32 bits of milliseconds; in real time.
  start_cloud '{"rules": [{"delay_ms": 900}]}'
  for d in 4294967s @99999999999; do
    run_ank ankput --deadline "$d" "$(new_file 10)" s3://bucket/k
    ends 0 ok
    assert_json result attempts 1
  done
}

# --- resolving ------------------------------------------------------------------

# slow_resolver: sets hang, an environment whose getaddrinfo never comes back.
slow_resolver() {
  cat >"$T/slow.c" <<'EOF_C'
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *n, const char *s, const struct addrinfo *h,
                struct addrinfo **r)
{
  (void)n; (void)s; (void)h; (void)r;
  for (;;)
    pause();
}
EOF_C
  "${CC:-cc}" -shared -fPIC -o "$T/slow.so" "$T/slow.c"
  # A sanitizer wants to be first, and the thread is left behind.
  hang=(LD_PRELOAD="$T/slow.so"
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0")
}

@test "the deadline and the connect timeout cover resolving (case 18)" {
  slow_resolver
  silence
  put "${hang[@]}" k --endpoint http://name.example --deadline 5s \
    --connect-timeout-ms 0
  over deadline 5000
  put "${hang[@]}" k --endpoint http://name.example --retries 1 \
    --connect-timeout-ms 2000
  ends 10 unavailable
  assert_eq "$(told error)" 'connect_timeout connect_timeout'
}

@test "a look-up that hangs does not keep the shipped program from ending" {
  slow_resolver
  local begun
  begun=$(now_ms)
  ANK_TIMEOUT=8 run_ank "${hang[@]}" ankput --deadline 400ms \
    --endpoint http://name.example "$(new_file 10)" s3://bucket/k
  ends 13 deadline
  assert_between $(($(now_ms) - begun)) 400 2500
}

# --- limits of an attempt -------------------------------------------------------

@test "--timeout-ms is the limit of HEAD, 10 s by default, 0 is none" {
  rules '{"op": "head", "hang_at": "status"}'
  facts k --retries 0
  over unavailable 10000
  assert_eq "$(told error)" timeout
  assert_eq "$(told timeout_ms)" 10000
  facts k --retries 0 --timeout-ms 2500
  over unavailable 2500
  facts k --retries 0 --timeout-ms 0
  over unavailable 120000
  assert_eq "$(told error)" first_byte_timeout
  assert_eq "$(told timeout_ms)" -
}

@test "each attempt has its own limit, within the time left (case 18)" {
  rules '{"op": "head", "hang_at": "status"}'
  FAKE_DICE=max facts k --deadline 25s --retries 9
  over deadline 25000
  # 10 s, 200 ms, 10 s, 1 s: 3.8 s are left.
  assert_eq "$(told error)" 'timeout timeout deadline'
  assert_eq "$(told timeout_ms)" '10000 10000 3800'
}

@test "--timeout-ms is none of an object's, --upload-timeout-ms is, either way" {
  rules '{"op": "put", "hang_at": "status"}' '{"op": "get", "hang_at": "status"}' \
    '{"op": "head", "key": "facts", "hang_at": "status"}'
  put k --retries 0 --timeout-ms 1000
  assert_eq "$(op_told put error)" first_byte_timeout
  assert_eq "$(op_told put timeout_ms)" -
  put k --retries 0 --upload-timeout-ms 3000
  over unavailable 3000
  assert_eq "$(op_told put error)" timeout
  get k --retries 0 --upload-timeout-ms 4000
  over unavailable 4000
  facts facts --retries 0 --upload-timeout-ms 4000
  over unavailable 10000
}

@test "--connect-timeout-ms ends connecting, TLS included; 10 s by default" {
  make_certificates
  CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
  rules '{"op": "accept", "hang_at": "accept"}'
  put k --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem" --retries 0
  over unavailable 10000
  assert_eq "$(told error)" connect_timeout
  put k --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem" --retries 1 --connect-timeout-ms 700
  assert_eq "$(told error)" 'connect_timeout connect_timeout'
  assert_eq "$(told verdict)" 'transient transient'
}

@test "in real time too: one attempt of 300 ms to a silent address (case 23)" {
  start_cloud '{"blackhole": true}'
  local begun
  begun=$(now_ms)
  run_ank ankput --endpoint "$BLACKHOLE_URL" --retries 0 --connect-timeout-ms 300 \
    "$(new_file 10)" s3://bucket/k
  ends 10 unavailable
  assert_eq "$(told error)" connect_timeout
  assert_between $(($(now_ms) - begun)) 300 1500
}

@test "in real time too: ten retries within a deadline of 700 ms (case 18)" {
  start_cloud '{"blackhole": true}'
  local begun
  begun=$(now_ms)
  run_ank ankput --endpoint "$BLACKHOLE_URL" --retries 10 --connect-timeout-ms 200 \
    --deadline 700ms "$(new_file 10)" s3://bucket/k
  [ "$status" = 13 ] || [ "$status" = 10 ]
  assert_between $(($(now_ms) - begun)) 200 2000
  assert_between "$(json result elapsed_ms)" 200 800
}

@test "from the last byte sent to the first byte of the answer: 120 s" {
  rules '{"op": "put", "hang_at": "status"}' '{"op": "get", "hang_at": "status"}'
  put k --retries 0
  ends 10 unavailable
  assert_eq "$(op_told put error)" first_byte_timeout
  assert_between "$(json result elapsed_ms)" 120000 128000
  get k --retries 0 --stall-timeout 0
  over unavailable 120000
  put k --retries 0 --stall-timeout 0
  assert_eq "$(op_told put error)" first_byte_timeout
  assert_between "$(json result elapsed_ms)" 120000 128000
}

@test "1xx are no first byte of the answer" {
  rules '{"interim": [100, 103, {"status": 102}], "hang_at": "status"}'
  get k --retries 0
  over unavailable 120000
  assert_eq "$(told error)" first_byte_timeout
}

# --- the stall rule (case 21) ---------------------------------------------------

@test "a server that stops reading is a stall, tried again (case 21)" {
  rules '{"op": "put", "nth": 1, "hang_at": "request:1048576"}'
  new_file 12000000 "$T/source" >/dev/null
  put k
  ends 0 ok
  assert_eq "$(told error)" 'stall -'
  assert_eq "$(told verdict)" 'transient ok'
  assert_between "$(json result elapsed_ms)" 30000 39000
  stored k
}

@test "a server that stops sending is a stall, tried again (case 21)" {
  rules '{"op": "get", "nth": 1, "hang_at": 500}'
  seed
  FAKE_DICE=min get k
  ends 0 ok
  assert_eq "$(told error)" 'stall -'
  assert_json result elapsed_ms 30000
  assert_same "$T/got" "$T/object"
}

@test "--stall-timeout sets it, 0 switches it off" {
  rules '{"op": "get", "hang_at": 500}'
  seed
  get k --retries 0 --stall-timeout 5s
  over unavailable 5000
  get k --retries 0 --stall-timeout 1500ms
  over unavailable 1500
  get k --retries 0 --stall-timeout 0 --deadline 2h
  over deadline 7200000
}

@test "an error document that stalls does not hide its status" {
  rules '{"status": 404, "body_size": 5000, "hang_at": 100}'
  get k
  ends 6 not_found
  assert_json result attempts 1
}

@test "what rests in the kernel is little, so that it is not taken for sent" {
  strace -o /dev/null true 2>/dev/null || skip 'nothing can be traced here'
  rules
  ANK_WRAP='env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o trace -e trace=setsockopt' put k
  ends 0 ok
  grep -q 'TCP_NOTSENT_LOWAT, \[131072\], 4) = 0' "$T/trace"
}

# From here in real time.

# slow PROGRAM ARG...: a run with a stall timeout of 1 s.
slow() { run_ank "$1" --stall-timeout "${STALL:-1s}" --retries 0 "${@:2}"; }

@test "a download that is slow but moves is not punished (case 21)" {
  start_cloud '{"rules": [{"op": "get", "dribble_ms": 300, "dribble_bytes": 900}]}'
  seed 4500
  slow ankget s3://bucket/k "$T/got"
  ends 0 ok
  assert_same "$T/got" "$T/object"
}

@test "a download of less than 1 KiB in the stall time is a stall (case 21)" {
  start_cloud '{"rules": [{"op": "get", "dribble_ms": 200, "dribble_bytes": 100}]}'
  seed 2500
  slow ankget s3://bucket/k "$T/got"
  ends 10 unavailable
  assert_eq "$(told error)" stall
}

@test "an upload that is slow but moves is not punished (case 21)" {
  # 160 KiB a second, through a receive buffer of 32 KiB.
  start_cloud '{"rules": [{"op": "put", "read_ms": 25, "read_bytes": 4096}]}'
  new_file 400000 "$T/source" >/dev/null
  slow ankput "$T/source" s3://bucket/k
  ends 0 ok
  stored k
}
