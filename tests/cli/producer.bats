#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2016
# SPDX-License-Identifier: MIT
# ankput URL -- COMMAND: what it prints becomes the object, if it ends well.

load ../lib/harness
load bytes
load stream

bats_require_minimum_version 1.5.0

# runs WORD...: a command, its output stored as k, in virtual time.
runs() { run_ank ankput-fake --part-size 5M s3://bucket/k -- "$@"; }

# failed STATUS: it ended with that status, so nothing is stored.
failed() {
  assert_exit 3
  assert_json result outcome local
  assert_json result why producer_failed
  assert_json result producer_exit "$1"
  nothing_left
}

# tells: shell text that leaves its process in the file pid.
tells='echo $$ >pid.new && mv pid.new pid; '

await_pid() {
  local i
  for ((i = 0; i < 500; i++)); do
    [ ! -s pid ] || return 0
    sleep 0.01
  done
  return 1
}

# bats test_tags=valgrind
@test "what a command prints is stored, in one request or in parts" {
  FAKE=1 cloud
  printf 'a few bytes' >"$T/source"
  runs printf '%s' 'a few bytes'
  came "$T/source"
  assert_eq "$(ops)" put
  assert_json result producer_exit 0
  runs cat "$(new_file $((11 * MIB)) "$T/source")"
  came "$T/source"
  assert_eq "$(sizes)" "$((5 * MIB)) $((5 * MIB)) $MIB"
  assert_json result producer_exit 0
}

@test "a command that prints nothing and ends well is an empty object" {
  FAKE=1 cloud
  runs true
  came /dev/null
}

@test "a command that fails stores nothing: few bytes are never sent (case 32)" {
  FAKE=1 cloud
  runs sh -c 'echo half; exit 1'
  failed 1
  assert_human 'sh: '
  assert_human 'status 1'
  assert_eq "$(requests)" 0
  runs false
  failed 1
  runs sh -c 'exit 255'
  failed 255
  assert_eq "$(requests)" 0
}

# bats test_tags=valgrind
@test "a command that fails behind its parts: they are dropped (case 32)" {
  FAKE=1 cloud
  new_file $((11 * MIB)) "$T/source" >/dev/null
  runs sh -c 'cat source; exit 7'
  failed 7
  assert_json result aborted true
  assert_eq "$(requests complete)" 0
  assert_eq "$(requests abort)" 1
}

@test "a command that fails while its parts wait for a retry ends them at once" {
  start_cloud '{"rules": [{"op": "part", "s3_error": "SlowDown", "headers": {"Retry-After": "20"}}]}'
  # The second part's bytes stay in the pipe: the command is not held up.
  new_file $((5 * MIB + 10000)) "$T/source" >/dev/null
  mkfifo never
  run_ank ankput --no-state --part-size 5M --parallel 1 s3://bucket/k -- \
    bash -c 'cat source; read -r -t 0.3 <>never; exit 3'
  failed 3
  assert_json result aborted true
  assert_between "$(json result elapsed_ms)" 0 8000
}

@test "a command killed by a signal: 128+n" {
  FAKE=1 cloud
  runs sh -c 'echo half; kill -KILL $$'
  failed 137
  runs sh -c 'echo half; kill -TERM $$'
  failed 143
  assert_eq "$(requests)" 0
}

@test "a command that cannot be run: 127 and 126, and its name" {
  FAKE=1 cloud
  runs no-such-command-at-all x
  failed 127
  assert_human 'no-such-command-at-all: No such file or directory'
  runs /no/such/path
  failed 127
  echo data >"$T/plain"
  runs "$T/plain"
  failed 126
  assert_human "$T/plain: "
  runs /
  failed 126
  assert_eq "$(requests)" 0
}

@test "a pipeline is published only if all of it ended well" {
  FAKE=1 cloud
  runs bash -o pipefail -c 'false | cat'
  failed 1
  runs bash -o pipefail -c 'echo x | cat'
  assert_exit 0
}

@test "what it writes to standard error passes through, not into the object" {
  FAKE=1 cloud
  runs sh -c 'echo seen >&2; printf x'
  assert_exit 0
  printf x >"$T/source"
  came "$T/source"
  assert_eq "$(cat "$ERR")" seen
}

@test "it reads our standard input; ours may be closed" {
  FAKE=1 cloud
  new_file 300000 "$T/source" >/dev/null
  runs cat <"$T/source"
  came "$T/source"
  runs cat <&-
  came /dev/null
}

@test "it closes its output and works on: its status is waited for" {
  FAKE=1 cloud
  mkfifo "$T/go"
  ank_prepare ankput-fake s3://bucket/k -- sh -c 'echo x; exec >&-; read -r line <go; exit 9'
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  echo on >"$T/go"
  wait_ank
  failed 9
  assert_eq "$(requests)" 0
}

@test "deadline and signals apply to one that works on" {
  FAKE=1 cloud
  runs_on='echo x; exec >&-; exec sleep 300'
  ANK_TIMEOUT=20 run_ank ankput-fake --deadline 2s s3://bucket/k -- sh -c "$tells$runs_on"
  assert_exit 13
  gone "$(<pid)"
  rm pid
  start_command ankput-fake s3://bucket/k -- sh -c "$tells$runs_on"
  await_pid
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  gone "$(<pid)"
  assert_eq "$(requests)" 0
}

@test "deadline and signals apply while it prints nothing" {
  FAKE=1 cloud
  : >"$CLOUD_DIR/hang"
  ANK_TIMEOUT=20 run_ank ankput-fake --deadline 30s s3://bucket/k -- sh -c "$tells exec sleep 300"
  assert_exit 13
  assert_json result elapsed_ms 30000
  gone "$(<pid)"
  rm pid "$CLOUD_DIR/hang"
  for signal in INT TERM HUP; do
    # Shells start what runs beside them with SIGINT ignored.
    ANK_WRAP='env --default-signal=INT' \
      start_command ankput-fake s3://bucket/k -- sh -c "trap 'echo $signal >got; exit' $signal; $tells"'while :; do sleep 0.02; done'
    await_pid
    kill -"$signal" "$ANK_PID"
    wait_ank
    assert_exit $((128 + $(kill -l "$signal")))
    assert_json result outcome interrupted
    assert_eq "$(<got)" "$signal"
    gone "$(<pid)"
    rm pid got
  done
  assert_eq "$(requests)" 0
}

@test "a signal between the parts: aborted, the command ended" {
  FAKE=1 cloud
  new_file $((11 * MIB)) "$T/source" >/dev/null
  start_command ankput-fake --part-size 5M s3://bucket/k -- sh -c "$tells"'cat source; exec sleep 300'
  await '"op":"part","part":2' "$OUT"
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result aborted true
  nothing_left
  gone "$(<pid)"
}

@test "a signal to all of us at once is told as one to us" {
  FAKE=1 cloud
  runs sh -c 'echo x; kill -TERM "$PPID"; kill -TERM $$'
  assert_exit 143
  assert_json result outcome interrupted
  runs sh -c 'cat "$1"; kill -TERM "$PPID"; kill -TERM $$' - "$(new_file $((6 * MIB)))"
  assert_exit 143
  assert_json result aborted true
  nothing_left
}

@test "one that ignores SIGTERM is killed after a second" {
  FAKE=1 cloud
  start_command ankput-fake s3://bucket/k -- sh -c "trap '' TERM INT; $tells"'while :; do sleep 0.02; done'
  await_pid
  SECONDS=0
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  gone "$(<pid)"
  assert_between "$SECONDS" 0 4
}

@test "a stopped command is ended, too" {
  FAKE=1 cloud
  start_command ankput-fake s3://bucket/k -- sh -c "$tells"'kill -STOP $$; echo x'
  await_pid
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  gone "$(<pid)"
}

@test "the whole group is ended when the upload fails (case 26)" {
  FAKE=1 cloud '{"op": "part", "part": 1, "s3_error": "AccessDenied"}'
  new_file $((6 * MIB)) "$T/source" >/dev/null
  runs sh -c "$tells"'sleep 300 & echo $! >child; cat source source; sleep 300' # real time
  assert_exit 5
  assert_json result aborted true
  nothing_left
  gone "$(<pid)"
  gone "$(<child)"
}

@test "what it left behind is ended with it, and keeps the stream open until then" {
  FAKE=1 cloud
  : >"$CLOUD_DIR/hang"
  ANK_TIMEOUT=20 run_ank ankput-fake --deadline 30s s3://bucket/k -- \
    sh -c 'sleep 300 & echo $! >child; echo x'
  assert_exit 13
  gone "$(<child)"
  assert_eq "$(requests)" 0
}

@test "a command that failed is not waited for, whoever holds its output open" {
  FAKE=1 cloud
  : >"$CLOUD_DIR/hang"
  ANK_TIMEOUT=20 run_ank ankput-fake --deadline 300s s3://bucket/k -- \
    sh -c 'sleep 300 & echo $! >child; echo x; exit 4'
  assert_exit 3
  assert_json result producer_exit 4
  assert_between "$(json result elapsed_ms)" 0 5000
  gone "$(<child)"
  assert_eq "$(requests)" 0
}

@test "what it left behind may still print: nothing of it is lost" {
  FAKE=1 cloud
  mkfifo "$T/go"
  ank_prepare ankput-fake s3://bucket/k -- sh -c 'printf "one "; (read -r line <go; printf "%s" "$line") &'
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  echo two >"$T/go"
  wait_ank
  printf 'one two' >"$T/source"
  came "$T/source"
}

@test "a daemon that it started and that lets go of the output lives on" {
  FAKE=1 cloud
  runs sh -c 'sleep 300 >/dev/null 2>&1 3>&- & echo $! >child; printf x'
  assert_exit 0
  kill "$(<child)"
}

# ignored: a command that prints which signals it ignores; among: which of
# SIGPIPE, SIGINT and SIGHUP the last one did.
among() { printf '%x\n' $((0x$(<"$(stored_object bucket k)") & 0x1003)); }
ignored='while read -r name mask; do [ "$name" != SigIgn: ] || printf "%s" "$mask"; done </proc/self/status'

@test "SIGPIPE has its default action, what was ignored stays ignored" {
  FAKE=1 cloud
  cat >"$T/parent" <<'END'
import os, signal, sys
for name in sys.argv[1].split(","):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
os.execvp(sys.argv[2], sys.argv[2:])
END
  ANK_WRAP="$PYTHON $T/parent SIGPIPE" runs bash -c "$ignored"
  assert_exit 0
  assert_eq "$(among)" 0
  ANK_WRAP="$PYTHON $T/parent SIGPIPE,SIGHUP,SIGINT" runs bash -c "$ignored"
  assert_exit 0
  assert_eq "$(among)" 3
}

@test "its status is known though SIGCHLD was ignored at our start" {
  FAKE=1 cloud
  cat >"$T/parent" <<'END'
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])
END
  ANK_WRAP="$PYTHON $T/parent" runs sh -c 'echo half; exit 4'
  failed 4
  ANK_WRAP="$PYTHON $T/parent" runs printf x
  assert_exit 0
}

@test "it has none of our descriptors, and those that were meant for it" {
  local list='for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done'
  FAKE=1 cloud
  exec 7<"$T"
  run_ank ankput-fake --report "$T/r" s3://bucket/k -- sh -c "$list"
  assert_exit 0
  (sh -c "$list") >"$T/source"
  exec 7<&-
  grep -qx 7 "$T/source"
  assert_stored k "$T/source"
}

@test "its environment is the shell's: no more, no less" {
  FAKE=1 cloud
  ank_prepare ankput-fake s3://bucket/k -- env
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  env -i "${ANK_BASE[@]}" env >"$T/source"
  assert_stored k "$T/source"
  grep -q '^AWS_SECRET_ACCESS_KEY=' "$(stored_object bucket k)"
}

@test "its arguments are its own, as they were given" {
  FAKE=1 cloud
  run_ank ankput-fake -H 'x-amz-meta-key: abc' s3://bucket/k -- \
    sh -c 'tr "\0" "\n" </proc/$$/cmdline' - 'x-amz-meta-key: abc' -v --retries 9
  assert_exit 0
  printf '%s\n' sh -c 'tr "\0" "\n" </proc/$$/cmdline' - 'x-amz-meta-key: abc' -v --retries 9 >"$T/source"
  assert_stored k "$T/source"
  assert_eq "$(cat "$ERR")" ''
}

@test "-- begins a command only behind one URL; options may stand around it" {
  FAKE=1 cloud
  printf x >"$T/source"
  run_ank ankput-fake s3://bucket/k --retries 1 -- printf x
  came "$T/source"
  run_ank ankput-fake --retries 1 s3://bucket/k -- printf x
  came "$T/source"
  run_ank ankput-fake -- source s3://bucket/k
  came "$T/source"
  run_ank ankput-fake source -- s3://bucket/k
  came "$T/source"
  run_ank ankput-fake source s3://bucket/k --
  came "$T/source"
  rm "$(stored_object bucket k)"
  local before
  before=$(requests)
  run_ank ankput-fake source s3://bucket/k -- printf x
  assert_exit 2
  run_ank ankput-fake s3://bucket/k --
  assert_exit 2
  assert_human 'the command is missing'
  run_ank ankput-fake -- s3://bucket/k printf
  assert_exit 2
  run_ank ankput-fake s3://bucket/k s3://bucket/l -- printf x
  assert_exit 2
  run_ank ankput-fake --abort-upload id s3://bucket/k -- printf x
  assert_exit 2
  assert_eq "$(requests)" "$before"
}

@test "no zombie and no process is left while the upload goes on" {
  FAKE=1 cloud '{"op": "put", "hang_at": "status"}'
  start_ank ankput s3://bucket/k -- sh -c "$tells echo x"
  await_hang
  kill -TERM "$ANK_PID"
  wait_ank
  gone "$(<pid)"
  assert_exit 143
}

@test "a promise that cannot be kept is refused before the command is started" {
  FAKE=1 cloud
  run_ank ankput-fake --expected-size 6T s3://bucket/k -- touch "$T/ran"
  assert_exit 2
  run_ank ankput-fake --part-size 1M s3://bucket/k -- touch "$T/ran"
  assert_exit 2
  [ ! -e "$T/ran" ]
}

# What a run would not send is not worth a command that may take hours.
@test "no command is started while nothing may be sent" {
  load breaker
  answers
  printf ran >"$T/source"
  starts() { run_ank ankput-fake "$@" s3://bucket/k -- sh -c 'echo >>ran; printf ran'; }
  starts --deadline 0
  ends 13 deadline
  was_opened 1500
  starts
  refused
  has result wait_ms=3500
  assert_eq "$(known rejected)" 1
  starts --breaker-wait 1m --deadline 3500ms
  refused
  knows '{hold_at: $now, hold_ms: 60000}'
  starts --deadline 60s
  ends 11 throttled
  has result throttled_seconds=60 attempts=0
  [ ! -e ran ]
  # Its turn is waited for first.
  was_opened 1500
  starts --breaker-wait 3500ms
  came "$T/source"
  assert_eq "$(order)" 'wait breaker attempt breaker result'
  assert_eq "$(wc -l <ran)" 1
}
