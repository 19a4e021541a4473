#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Signals and consumers that go: the result is written, nothing is left behind,
# and the shell sees which signal it was.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# raised SIGNAL MARKER COMMAND...: the signal once MARKER is there; how it ended.
raised() {
  "$PYTHON" -c '
import os, signal, subprocess, sys, time
want, marker, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
p = subprocess.Popen(command, stdout=open("out-lines", "w"), stderr=open("err-lines", "w"))
end = time.time() + 10
while not os.path.exists(marker) and time.time() < end:
    time.sleep(0.01)
p.send_signal(want)
print(p.wait(10))' "$@"
}

@test "SIGINT, SIGTERM and SIGHUP: a result line, then the signal itself (case 91)" {
  local signal
  for signal in 2 15 1; do
    cloud '{"hang_at": "status"}'
    ank_prepare ankget --report "$T/r$signal" s3://bucket/k out
    assert_eq "$(raised "$signal" "$CLOUD_DIR/hang" "${ANK_COMMAND[@]}")" "-$signal"
    cp "r$signal" "$REPORT"
    result_is_last
    assert_json result exit $((128 + signal))
    assert_json result outcome interrupted
    assert_json attempt verdict interrupted
    assert_json attempt next stop
    assert_eq "$(wc -l <err-lines)" 1
    [ ! -e out ]
    assert_no_leftovers
    assert_eq "$(requests)" 1
    stop_clouds
  done
}

@test "a signal in the middle of an upload stores nothing" {
  cloud '{"op": "put", "hang_at": "request:100000"}'
  start_ank ankput "$(new_file 5000000)" s3://bucket/k
  await_hang
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result outcome interrupted
  refute_stored k
  assert_eq "$(requests)" 1
}

@test "a signal while it waits for a retry ends it without another attempt" {
  cloud '{"s3_error": "SlowDown", "headers": {"Retry-After": "60"}}'
  start_ank ankget --report "$T/r" s3://bucket/k out
  await '"retry"' r
  kill -INT "$ANK_PID" 2>/dev/null
  kill -TERM "$ANK_PID"
  wait_ank
  [ "$status" -eq 143 ] || [ "$status" -eq 130 ]
  assert_eq "$(requests)" 1
}

@test "a signal while it hashes a large file ends it before a request" {
  cloud
  truncate -s 4G big
  start_ank ankput --report "$T/r" --multipart-threshold 5G big s3://bucket/k
  await_open big
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_eq "$(jq -r .outcome r)" interrupted
  assert_eq "$(requests)" 0
}

# await_open NAME: until the program has that file open.
await_open() {
  local i
  for ((i = 0; i < 500; i++)); do
    ! readlink "/proc/$ANK_PID"/fd/* 2>/dev/null | grep -q "/$1\$" || return 0
    sleep 0.01
  done
  return 1
}

@test "a second signal ends it at once, though the report cannot be written" {
  cloud '{"hang_at": "status"}'
  mkfifo fifo
  exec 7<>fifo
  head -c 65536 /dev/zero >&7
  ank_prepare ankget --report 7 s3://bucket/k out
  "${ANK_COMMAND[@]}" 7>&7 2>"$ERR" 3>&- &
  ANK_PID=$!
  await_hang
  kill -TERM "$ANK_PID"
  sleep 0.1
  kill -TERM "$ANK_PID"
  SECONDS=0
  status=0
  wait "$ANK_PID" || status=$?
  exec 7>&-
  assert_exit 143
  assert_between "$SECONDS" 0 1
}

@test "SIGHUP ignored by nohup stays ignored" {
  cloud '{"nth": 1, "hang_at": "status"}'
  seed 10
  ANK_WRAP='nohup' start_ank ankget --report "$T/r" --upload-timeout-ms 700 s3://bucket/k out
  await_hang
  kill -HUP "$ANK_PID"
  wait "$ANK_PID"
  ANK_PID=
  assert_same out "$T/object"
  assert_eq "$(requests)" 2
}

# --- consumers -------------------------------------------------------------------

@test "a consumer that closes early: 141, quiet, stdout_closed, no retry (case 86)" {
  cloud
  seed 5000000
  ank_prepare ankget --report "$T/r" s3://bucket/k
  { code=0; "${ANK_COMMAND[@]}" 2>"$ERR" || code=$?; echo "$code" >code; } |
    head -c 10 >ten
  await . code
  assert_eq "$(cat code)" 141
  cmp ten <(head -c 10 "$T/object")
  assert_eq "$(wc -c <"$ERR")" 0
  cp r "$REPORT"
  assert_json result exit 141
  assert_json result outcome interrupted
  assert_json result why stdout_closed
  assert_eq "$(attempts)" 1
  assert_eq "$(requests)" 1
  result_is_last
}

@test "a consumer that closes early and the report beside it: still the result last" {
  cloud
  seed 5000000
  ank_prepare ankget s3://bucket/k
  { code=0; "${ANK_COMMAND[@]}" 2>lines || code=$?; echo "$code" >code; } | true
  await . code
  assert_eq "$(cat code)" 141
  cp lines "$REPORT"
  result_is_last
  assert_json result why stdout_closed
}

# In real time: a virtual clock has nothing to run to while all is paused.
@test "a slow consumer is no stall: it gets every byte when it reads" {
  cloud
  seed 3000000
  mkfifo fifo
  ank_prepare ankget --stall-timeout 500ms --retries 0 s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>lines 3>&- &
  ANK_PID=$!
  exec 8<fifo
  await_sent
  sleep 1.2  # real time
  cat <&8 >got
  exec 8<&-
  wait "$ANK_PID"
  ANK_PID=
  assert_same got "$T/object"
  assert_eq "$(jq -r .event lines | tr '\n' ' ')" 'attempt result '
}

@test "signals work while the consumer does not read" {
  cloud
  seed 3000000
  mkfifo fifo
  ank_prepare ankget --report "$T/r" s3://bucket/k
  "${ANK_COMMAND[@]}" >fifo 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8<fifo
  await_sent
  kill -TERM "$ANK_PID"
  status=0
  wait "$ANK_PID" || status=$?
  ANK_PID=
  exec 8<&-
  assert_exit 143
  assert_eq "$(jq -rs '.[-1].outcome' r)" interrupted
}

# await_sent: until the pipe on descriptor 8 is full.
await_sent() {
  "$PYTHON" -c '
import array, fcntl, termios, time
for _ in range(500):
    n = array.array("i", [0])
    fcntl.ioctl(8, termios.FIONREAD, n)
    if n[0] >= 65536:
        raise SystemExit(0)
    time.sleep(0.01)
raise SystemExit(1)'
}

@test "a consumer that shares descriptor 1 finds it as it was: still blocking" {
  cloud
  seed 300000
  mkfifo fifo
  cat fifo >got &
  cat=$!
  exec 8>fifo
  ank_prepare ankget --report none s3://bucket/k
  "${ANK_COMMAND[@]}" >&8
  "$PYTHON" -c 'import fcntl, os; raise SystemExit(fcntl.fcntl(8, fcntl.F_GETFL) & os.O_NONBLOCK)'
  exec 8>&-
  wait "$cat"
  assert_same got "$T/object"
}

@test "standard output that is a file, appended to, and a full one (case 83)" {
  cloud
  seed 300000
  ank_prepare ankget --report none s3://bucket/k
  echo first >out
  "${ANK_COMMAND[@]}" >>out
  cmp out <(echo first; cat "$T/object")
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR" || status=$?
  assert_exit 3
  assert_human 'standard output: No space left on device'
  assert_eq "$(requests)" 2
}

# --- exit codes (cases 88, 90) ------------------------------------------------------

# ends EXIT OUTCOME COMMAND...: it ends so, in every place that says so.
ends() {
  local exit=$1 outcome=$2
  shift 2
  run_ank "$@"
  assert_exit "$exit"
  assert_json result exit "$exit"
  assert_json result outcome "$outcome"
  assert_json result ok "$([ "$exit" = 0 ] && echo true || echo false)"
  [ "$exit" = 0 ] || report_on_stderr || assert_human 'ankget: '
}

@test "each way to fail has its exit code, the same in the report (cases 88, 90)" {
  FAKE=1 cloud '{"key": "403", "s3_error": "AccessDenied"}' \
    '{"key": "401", "status": 401}' '{"key": "410", "status": 410}' \
    '{"key": "412", "s3_error": "PreconditionFailed"}' \
    '{"key": "400", "s3_error": "MalformedXML"}' \
    '{"key": "501", "s3_error": "NotImplemented"}' \
    '{"key": "405", "s3_error": "MethodNotAllowed"}' \
    '{"key": "503", "s3_error": "ServiceUnavailable"}' \
    '{"key": "429", "status": 429}' '{"key": "500", "status": 500}' \
    '{"key": "408", "status": 408}' \
    '{"key": "429a", "status": 429, "headers": {"Retry-After": "900"}}' \
    '{"key": "sum", "op": "get", "headers": {"x-amz-checksum-crc32": "AAAAAA=="}}' \
    '{"key": "304", "status": 304}'
  seed 10 sum
  seed 10 good
  ends 0 ok ankget-fake s3://bucket/good out
  ends 0 not_modified ankget-fake s3://bucket/304 out
  ends 2 usage ankget-fake --no-such-option s3://bucket/k
  ends 3 local ankget-fake s3://bucket/good no/such/dir
  ends 4 credentials -AWS_ACCESS_KEY_ID ankget-fake s3://bucket/k out
  ends 5 denied ankget-fake s3://bucket/403 out
  ends 5 denied ankget-fake s3://bucket/401 out
  ends 6 not_found ankget-fake s3://bucket/nokey out
  ends 6 not_found ankget-fake s3://nobucket/k out
  ends 6 not_found ankget-fake s3://bucket/410 out
  ends 7 exists ankget-fake s3://bucket/412 out
  ends 8 rejected ankget-fake s3://bucket/400 out
  ends 8 rejected ankget-fake s3://bucket/405 out
  ends 8 rejected ankget-fake s3://bucket/501 out
  ends 9 integrity ankget-fake s3://bucket/sum out
  ends 10 unavailable ankget-fake s3://bucket/503 out
  ends 10 unavailable ankget-fake s3://bucket/429 out
  ends 10 unavailable ankget-fake s3://bucket/500 out
  ends 10 unavailable ankget-fake s3://bucket/408 out
  ends 10 unavailable ankget-fake --retries 0 --endpoint http://no-such-host.invalid s3://b/k out
  ends 10 unavailable ankget-fake --endpoint "http://127.0.0.1:$(closed_port)" s3://b/k out
  ends 11 throttled ankget-fake s3://bucket/429a out
  assert_json result throttled_seconds 900
  ends 13 deadline ankget-fake --deadline 0 s3://bucket/good out
  ends 15 tls ankget-fake --endpoint "https://127.0.0.1:$CLOUD_PORT" s3://b/k out
}
