#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Slow producers: no request is open while one is waited for, and deadline and
# signals hold all the same.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

# later: real time passes for those who count it.
later() { read -r -t "$1" <>"$T/never" || true; }

@test "no request is opened before its bytes are there (case 34)" {
  FAKE=1 cloud
  new_file $((7 * MIB)) "$T/source" >/dev/null
  mkfifo "$T/never"
  feed ankput-fake --part-size 5M - s3://bucket/k
  head -c $((5 * MIB)) "$T/source" >&8
  later 0.2
  assert_eq "$(requests)" 0
  tail -c +5242881 "$T/source" | head -c "$MIB" >&8
  await '"part":1' "$OUT"
  later 0.2
  assert_eq "$(ops)" 'create part'
  tail -c "$MIB" "$T/source" >&8
  exec 8>&-
  wait_ank
  came "$T/source"
  assert_eq "$(ops)" 'create part part complete'
}

# In real time: a virtual clock has nothing to run to.
@test "a producer slower than the stall time is no stall and costs no attempt (case 34)" {
  NO_STATE=1 cloud
  new_file 300000 "$T/source" >/dev/null
  mkfifo "$T/never"
  feed ankput --stall-timeout 200ms --upload-timeout-ms 2000 --timeout-ms 2000 \
    --retries 0 - s3://bucket/k
  head -c 100000 "$T/source" >&8
  later 0.7
  tail -c +100001 "$T/source" >&8
  later 0.5
  exec 8>&-
  wait_ank
  came "$T/source"
  assert_json result attempts 1
}

@test "a kept connection that the server closed meanwhile costs no attempt" {
  FAKE=1 cloud '{"op": "part", "nth": 1, "then": "stale-close"}'
  new_file $((7 * MIB)) "$T/source" >/dev/null
  feed ankput-fake --retries 0 --part-size 5M - s3://bucket/k
  head -c $((6 * MIB)) "$T/source" >&8
  await '"part":1' "$OUT"
  tail -c "$MIB" "$T/source" >&8
  exec 8>&-
  wait_ank
  came "$T/source"
}

@test "the deadline ends the wait for the first bytes, and for further ones" {
  FAKE=1 cloud
  : >"$CLOUD_DIR/hang"
  feed ankput-fake --deadline 90s - s3://bucket/k
  printf 'a few' >&8
  wait_ank
  exec 8>&-
  assert_exit 13
  assert_json result outcome deadline
  assert_json result elapsed_ms 90000
  assert_eq "$(requests)" 0
  rm "$CLOUD_DIR/hang"
  feed ankput-fake --deadline 90s --part-size 5M - s3://bucket/k
  head -c $((6 * MIB)) /dev/zero >&8
  await '"part":1' "$OUT"
  : >"$CLOUD_DIR/hang"
  wait_ank
  exec 8>&-
  assert_exit 13
  assert_json result aborted true
  nothing_left
}

@test "a signal ends the wait for the first bytes, and for further ones" {
  local signal
  FAKE=1 cloud
  for signal in TERM HUP; do
    feed ankput-fake - s3://bucket/k
    printf 'a few' >&8
    awake
    kill -"$signal" "$ANK_PID"
    wait_ank
    exec 8>&-
    assert_exit $((128 + $(kill -l "$signal")))
    assert_json result outcome interrupted
  done
  assert_eq "$(requests)" 0
  feed ankput-fake --part-size 5M - s3://bucket/k
  head -c $((6 * MIB)) /dev/zero >&8
  await '"part":1' "$OUT"
  kill -TERM "$ANK_PID"
  wait_ank
  exec 8>&-
  assert_exit 143
  assert_json result aborted true
  nothing_left
}

# awake: until it has read what was written, so that it catches signals.
awake() {
  "$PYTHON" -c '
import array, fcntl, termios, time
for _ in range(1000):
    n = array.array("i", [1])
    fcntl.ioctl(8, termios.FIONREAD, n)
    if not n[0]:
        raise SystemExit(0)
    time.sleep(0.01)
raise SystemExit(1)'
}

@test "signals that others handle do not break a read (EINTR)" {
  FAKE=1 cloud
  new_file $((6 * MIB)) "$T/source" >/dev/null
  feed ankput-fake --part-size 5M - s3://bucket/k
  head -c 100000 "$T/source" >&8
  awake
  for _ in 1 2 3 4 5; do
    kill -STOP "$ANK_PID"
    kill -CONT "$ANK_PID"
    kill -WINCH "$ANK_PID"
  done
  tail -c +100001 "$T/source" >&8
  exec 8>&-
  wait_ank
  came "$T/source"
}

@test "a stream that ends while its parts are retried loses none of them" {
  FAKE=1 cloud '{"op": "part", "nth": "1-3", "status": 503, "headers": {"Retry-After": "20"}}'
  from "$(new_file $((16 * MIB)) "$T/source")" --part-size 5M
  came "$T/source"
}

@test "while the first part of a stream is read, a line tells how far that is" {
  local slowly='cat source; read -r -t 1 <>never || true; cat source'
  start_cloud
  new_file $((2 * MIB)) source >/dev/null
  mkfifo never
  ank_prepare ankput s3://bucket/k -- bash -c "$slowly"
  "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" "${ANK_COMMAND[@]}" >"$T/screen"
  tr '\r' '\n' <"$T/screen" | grep -qE '^k reading [0-9.]+[KM]'
  ank_prepare ankput --expected-size 4M s3://bucket/k -- bash -c "$slowly"
  "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" "${ANK_COMMAND[@]}" >"$T/screen"
  tr '\r' '\n' <"$T/screen" | grep -qE '^k reading +[0-9]+% [0-9.]+[KM]/4\.0M'
}

@test "the progress line of a stream has bytes, and no percent" {
  start_cloud '{"rules": [{"op": "part", "read_ms": 40, "read_bytes": 400000}]}'
  new_file $((11 * MIB)) "$T/source" >/dev/null
  ank_prepare ankput --part-size 5M s3://bucket/k -- cat "$T/source"
  "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" "${ANK_COMMAND[@]}" >"$T/screen"
  tr '\r' '\n' <"$T/screen" | sed 's/ *$//' >"$T/lines"
  grep -qE '^k [0-9.]+[KM]( [0-9.]+[KM]/s)?$' "$T/lines"
  run ! grep -q '%' "$T/lines"
  ank_prepare ankput --part-size 5M --expected-size 11M s3://bucket/k -- cat "$T/source"
  "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" "${ANK_COMMAND[@]}" >"$T/screen"
  tr '\r' '\n' <"$T/screen" | grep -qE '^k +[0-9]+% [0-9.]+[KM]/11\.0M'
}
