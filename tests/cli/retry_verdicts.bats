#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# policy.md 1: what each answer means, what is tried again and what is not.

load ../lib/harness
load policy

# Every answer is one key's: the rule answers all requests for it.
answer() { printf '{"key": "%s", %s}' "$1" "$2"; }

# each RUN EXIT OUTCOME VERDICT REQUESTS KEY...: RUN (put, get, facts) of each.
each() {
  local run=$1 exit=$2 outcome=$3 verdict=$4 n=$5 key before
  shift 5
  for key; do
    before=$(asked "$key")
    echo "# $run $key" >&2
    "$run" "$key" || return 1
    ends "$exit" "$outcome" || return 1
    assert_json attempt verdict "$verdict" || return 1
    assert_eq "$(($(asked "$key") - before))" "$n" || return 1
    assert_json result attempts "$n" || return 1
    assert_json result retries "$((n - 1))" || return 1
  done
}

@test "408, 429, 500, 502, 503 and 504 are tried again, by PUT, GET and HEAD" {
  local s all=()
  for s in 408 429 500 502 503 504; do all+=("$(answer "$s" "\"status\": $s")"); done
  rules "${all[@]}"
  for run in put get facts; do
    each "$run" 10 unavailable transient 3 408 500 502 503 504
    each "$run" 10 unavailable throttled 3 429
  done
}

@test "any other 4xx or 5xx is returned at once, by PUT, GET and HEAD" {
  local s all=() plain='402 405 413 416 451'
  for s in $plain 400 403 404 409 410 412 501 505 507; do
    all+=("$(answer "$s" "\"status\": $s")")
  done
  rules "${all[@]}"
  # shellcheck disable=SC2086  # words
  each put 8 rejected permanent 1 $plain 400 409 501 505 507
  each put 5 denied permanent 1 403
  each put 6 not_found permanent 1 404 410
  each put 7 exists permanent 1 412
  for run in get facts; do
    each "$run" 8 rejected permanent 1 416 501 507
    each "$run" 5 denied permanent 1 403
    each "$run" 6 not_found permanent 1 404
    each "$run" 7 exists permanent 1 412
  done
}

@test "401 is returned at once when there are no other credentials" {
  rules '{"status": 401}'
  for run in put get facts; do each "$run" 5 denied reauth 1 k; done
}

@test "304 is a success of its own" {
  rules '{"status": 304}'
  for run in get facts; do
    "$run" k
    ends 0 not_modified
    assert_json result ok true
    assert_json result attempts 1
  done
  [ ! -e "$T/got" ]
}

@test "a provider's code outranks its status" {
  rules "$(answer timeout '"s3_error": "RequestTimeout"')" \
    "$(answer aborted '"s3_error": "OperationAborted"')" \
    "$(answer conflict '"s3_error": "ConditionalRequestConflict"')" \
    "$(answer inside '"status": 200, "s3_error": "InternalError"')" \
    "$(answer slow400 '"status": 400, "s3_error": "SlowDown"')" \
    "$(answer slow200 '"status": 200, "s3_error": "SlowDown"')" \
    "$(answer slow '"s3_error": "SlowDown"')" \
    "$(answer many '"s3_error": "TooManyRequests"')" \
    "$(answer unavailable '"s3_error": "ServiceUnavailable"')"
  each put 10 unavailable transient 3 timeout aborted conflict inside unavailable
  each put 10 unavailable throttled 3 slow400 slow200 slow many
  each get 10 unavailable transient 3 timeout aborted unavailable
  each get 10 unavailable throttled 3 slow400 slow many
  refute_stored inside
}

@test "RequestTimeout, InternalError in a 200 and 409 OperationAborted end well" {
  local key
  rules '{"key": "a", "nth": 1, "s3_error": "RequestTimeout"}' \
    '{"key": "b", "nth": 1, "status": 200, "s3_error": "InternalError"}' \
    '{"key": "c", "nth": [1, 2], "s3_error": "OperationAborted"}'
  for key in a b; do
    put "$key"
    ends 0 ok
    assert_eq "$(asked "$key")" 2
    stored "$key"
  done
  put c
  ends 0 ok
  assert_eq "$(told code)" 'OperationAborted OperationAborted -'
  stored c
}

@test "a hash the server computed otherwise is retried, then integrity" {
  rules "$(answer digest '"s3_error": "BadDigest"')" \
    "$(answer sha '"s3_error": "XAmzContentSHA256Mismatch"')"
  each put 9 integrity integrity 3 digest sha
}

@test "codes S3 knows to be final are returned at once" {
  rules "$(answer denied '"s3_error": "AccessDenied"')" \
    "$(answer key '"s3_error": "InvalidAccessKeyId"')" \
    "$(answer sig '"s3_error": "SignatureDoesNotMatch"')" \
    "$(answer nobucket '"s3_error": "NoSuchBucket"')" \
    "$(answer nokey '"s3_error": "NoSuchKey"')" \
    "$(answer state '"s3_error": "InvalidObjectState"')" \
    "$(answer large '"status": 400, "s3_error": "EntityTooLarge"')" \
    "$(answer method '"s3_error": "MethodNotAllowed"')"
  each put 5 denied permanent 1 denied key sig
  each put 6 not_found permanent 1 nobucket
  each put 8 rejected permanent 1 large method
  each get 6 not_found permanent 1 nokey nobucket
  each get 5 denied permanent 1 state denied
}

@test "--retry-on adds statuses and classes, --no-retry-on takes them away" {
  local s all=()
  for s in 403 404 418 500 503 507; do all+=("$(answer "$s" "\"status\": $s")"); done
  rules "${all[@]}"
  put 404 --retry-on 404
  ends 6 not_found
  assert_eq "$(told verdict)" 'permanent permanent permanent'
  put 507 --retry-on 5xx,418
  ends 8 rejected
  assert_json result attempts 3
  put 418 --retry-on 5xx,418
  assert_json result attempts 3
  put 403 --retry-on 5xx,418
  assert_json result attempts 1
  put 503 --no-retry-on 503
  ends 10 unavailable
  assert_json result attempts 1
  put 500 --no-retry-on 503
  assert_json result attempts 3
  put 500 --no-retry-on 5xx
  assert_json result attempts 1
  put ANK_RETRY_ON=404 404
  assert_json result attempts 3
  put 404 --retry-on 404 --no-retry-on 404
  assert_json result attempts 1
}

@test "a provider's codes are beyond the reach of either list" {
  rules "$(answer slow '"s3_error": "SlowDown"')" \
    "$(answer timeout '"s3_error": "RequestTimeout"')" \
    "$(answer aborted '"s3_error": "OperationAborted"')" \
    "$(answer digest '"s3_error": "BadDigest"')"
  for key in slow timeout aborted digest; do
    put "$key" --no-retry-on 4xx,5xx,transport
    assert_json result attempts 3
  done
}

@test "--no-retry-on transport takes away the failures without a status" {
  rules '{"op": "put", "close_at": "status"}'
  put k
  ends 10 unavailable
  assert_eq "$(op_told put verdict)" 'transient transient transient'
  put k --no-retry-on transport
  ends 10 unavailable
  assert_eq "$(op_told put verdict)" transient
  put k --no-retry-on 5xx
  assert_eq "$(op_told put verdict)" "transient transient transient"
}

@test "always 503 is no success, without any flag (case 90)" {
  rules '{"status": 503}'
  put k
  ends 10 unavailable
  assert_json result ok false
  refute_stored k
  get k
  ends 10 unavailable
  [ ! -e "$T/got" ]
  assert_contains "$(cat "$ERR")" 503
}

# --- below HTTP ---

@test "an empty reply, a reset and a cut head are tried again" {
  rules '{"key": "empty", "nth": 1, "close_at": "status"}' \
    '{"key": "reset", "nth": 1, "rst_at": "status"}' \
    '{"key": "half", "nth": 1, "raw": "HTTP/1.1 20"}' \
    '{"key": "junk", "nth": 1, "raw": "nonsense\r\n\r\n"}'
  for key in empty reset half junk; do
    seed 1000 "$key"
    get "$key"
    ends 0 ok
    assert_eq "$(asked "$key")" 2
    assert_json attempt verdict transient 1
    assert_json attempt next retry 1
    assert_json result retries 1
    assert_same "$T/got" "$T/object"
  done
  facts empty
  ends 0 ok
}

@test "each failure of a connection has its word" {
  rules '{"key": "empty", "close_at": "status"}' \
    '{"key": "reset", "rst_at": "status"}' \
    '{"key": "junk", "raw": "nonsense\r\n\r\n"}' \
    '{"key": "short", "close_at": 500}' \
    '{"key": "shortrst", "rst_at": 500}'
  seed 1000 short
  seed 1000 shortrst
  get empty --retries 0
  assert_eq "$(told error)" empty_reply
  get reset --retries 0
  assert_eq "$(told error)" receive
  assert_json attempt errno ECONNRESET
  get junk --retries 0
  assert_eq "$(told error)" garbled
  get short --retries 0
  assert_eq "$(told error)" short_body
  assert_eq "$(told status)" 200
  get shortrst --retries 0
  ends 10 unavailable
  assert_eq "$(told verdict)" transient
}

@test "a body cut short is asked for again" {
  rules '{"op": "get", "nth": 1, "close_at": 600}'
  seed 1000
  get k
  ends 0 ok
  assert_eq "$(told error)" 'short_body -'
  assert_same "$T/got" "$T/object"
}

@test "a refused connection is tried again, and standard error says so (case 28)" {
  local port
  port=$(closed_port)
  put ANK_ENDPOINT="http://127.0.0.1:$port" k
  ends 10 unavailable
  assert_eq "$(told error)" 'connect connect connect'
  assert_json attempt errno ECONNREFUSED
  assert_json result attempts 3
  assert_eq "$(sleeps | wc -l)" 2
  assert_contains "$(cat "$ERR")" "127.0.0.1"
  assert_contains "$(cat "$ERR")" "$port"
}

@test "all addresses are tried within one attempt (case 28)" {
  rules
  seed
  # Nobody listens on 127.0.0.9; and ::1 refuses too.
  get k --endpoint "http://cloud.test:$CLOUD_PORT" \
    --resolve "cloud.test:$CLOUD_PORT:127.0.0.9,127.0.0.1"
  ends 0 ok
  assert_json result attempts 1
  assert_same "$T/got" "$T/object"
}

@test "an IPv6 address that is silent does not keep IPv4 from working (case 28)" {
  SETTINGS='"blackhole": true' rules
  seed
  rm -f "$CLOUD_DIR/hang"
  # 100::/64 is the prefix that discards; where there is no IPv6, it refuses.
  get k --endpoint "http://cloud.test:$CLOUD_PORT" \
    --resolve "cloud.test:$CLOUD_PORT:100::1,127.0.0.1"
  ends 0 ok
  assert_json result attempts 1
}

@test "a name that does not resolve is tried again" {
  get k --endpoint http://no-such-host.invalid
  ends 10 unavailable
  assert_eq "$(told error)" 'resolve resolve resolve'
  assert_eq "$(told verdict)" 'transient transient transient'
  assert_contains "$(cat "$ERR")" no-such-host.invalid
}

# --- this node's own trouble ---

@test "without descriptors the trouble is this node's, retried, and local" {
  rules
  # From too few to begin with, up to the first number that lets it ask.
  local n
  for n in 6 7 8 9 10 11 12; do
    # LeakSanitizer needs a descriptor as well.
    ANK_WRAP="prlimit --nofile=$n" put \
      ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" k
    [ "$(json attempt error)" != node ] || break
  done
  ends 3 local
  assert_eq "$(told verdict)" 'local local local'
  assert_eq "$(told errno)" 'EMFILE EMFILE EMFILE'
}

@test "no route is this node's trouble" {
  unshare -n true 2>/dev/null || skip "needs a network namespace"
  ANK_WRAP='unshare -n' put k --endpoint http://192.0.2.1:9
  ends 3 local
  assert_eq "$(told verdict)" 'local local local'
  assert_eq "$(told errno)" 'ENETUNREACH ENETUNREACH ENETUNREACH'
  assert_json result attempts 3
}

@test "no ports, no memory, an interface that is down: this node's trouble, no failure" {
  local error
  strace -o /dev/null true 2>/dev/null || skip 'nothing can be traced here'
  rules
  for error in EADDRNOTAVAIL ENOBUFS ENOMEM ENETDOWN; do
    ANK_WRAP="env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null -e inject=connect:error=$error" \
      NO_STATE='' put k --retries 1
    ends 3 local
    assert_eq "$(told verdict)" 'local local'
    assert_eq "$(told errno)" "$error $error"
    assert_eq "$(told failures)" '0 0'
  done
  assert_eq "$(requests)" 0
}

@test "a failed look-up without any usable address is this node's trouble" {
  unshare -n true 2>/dev/null || skip "needs a network namespace"
  ANK_WRAP='unshare -n' put k --endpoint http://no-such-host.invalid
  ends 3 local
  assert_eq "$(told verdict)" 'local local local'
}

@test "--no-retry-on transport does not reach this node's own trouble" {
  unshare -n true 2>/dev/null || skip "needs a network namespace"
  ANK_WRAP='unshare -n' put k --endpoint http://192.0.2.1:9 --no-retry-on transport
  ends 3 local
  assert_json result attempts 3
}

# --- a proxy ---

@test "a proxy that says 403 or 407 to CONNECT is final, another status is not" {
  make_certificates
  CLOUD_OPTIONS=(--tls "$T/good.pem" "$T/good.key")
  for s in 403 407 502; do
    rules "{\"op\": \"connect\", \"status\": $s}"
    put k --endpoint "$CLOUD_TLS_URL" --cacert "$T/ca.pem" --proxy "$CLOUD_URL"
    if [ "$s" = 502 ]; then
      ends 10 unavailable
      assert_eq "$(told verdict)" 'transient transient transient'
      assert_eq "$(told error)" 'proxy proxy proxy'
    else
      ends 5 denied
      assert_eq "$(told verdict)" permanent
      assert_eq "$(told error)" proxy_denied
    fi
  done
}

@test "a proxy that refuses the connection is tried again" {
  put k --endpoint https://127.0.0.1:9 --proxy "http://127.0.0.1:$(closed_port)"
  ends 10 unavailable
  assert_eq "$(told error)" 'proxy proxy proxy'
}

# --- never asked ---

@test "missing credentials, a bad URL and a bad endpoint are final, nothing sent" {
  rules
  put -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY k
  ends 4 credentials
  assert_json result attempts 0
  put k --endpoint ftp://127.0.0.1
  ends 2 usage
  assert_json result attempts 0
  assert_eq "$(requests)" 0
}

# --- our own consumer (in real time) ---

# consumed SECONDS: ankget to a pipe whose reader begins that late.
consumed() {
  ank_prepare ankget s3://bucket/k || return 1
  status=0
  { timeout 20 "${ANK_COMMAND[@]}" 2>"$ERR" || echo "$?" >"$T/status"; } |
    {
      sleep "$1"  # real time
      cat >"$OUT"
    }
  [ ! -e "$T/status" ] || status=$(<"$T/status")
  check_report
}

@test "a connection lost while our own consumer was slow is this node's trouble" {
  start_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 15000000}]}'
  seed 20000000
  consumed 1.5
  ends 0 ok
  assert_eq "$(told verdict)" 'local ok'
  assert_same "$OUT" "$T/object"
}

@test "a consumer that begins late gets the rest at once" {
  start_cloud
  seed 20000000
  local begun
  begun=$(now_ms)
  consumed 1
  ends 0 ok
  assert_same "$OUT" "$T/object"
  assert_between $(($(now_ms) - begun)) 1000 4000
}

@test "a connection lost under a quick consumer is not" {
  start_cloud '{"rules": [{"op": "get", "nth": 1, "close_at": 15000000}]}'
  seed 20000000
  consumed 0
  ends 0 ok
  assert_eq "$(told verdict)" 'transient ok'
  assert_same "$OUT" "$T/object"
}
