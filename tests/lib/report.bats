#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034,SC2016
# SPDX-License-Identifier: MIT
# The report's checker refuses what it should, and the harness runs it always.

load harness

bats_require_minimum_version 1.5.0

TIME='"time":"2026-01-02T03:04:05.678Z","run":"0123456789abcdef"'
ATTEMPT='{"event":"attempt",'$TIME',"op":"put","attempt":1,"of":3,"method":"PUT","url":"http://h/b/k","verdict":"ok","status":200,"next":"done"}'
RESULT='{"event":"result",'$TIME',"ok":true,"exit":0,"outcome":"ok","attempts":1,"metadata":{"a":"b"}}'

check() {
  printf '%s\n' "$@" >lines
  check_bytes
}

check_bytes() {
  run "$PYTHON" "$HARNESS_TOP/tests/lib/check_report.py" \
    "$HARNESS_TOP/man/ank-report.schema.json" lines
}

# refused WORD LINE...: the checker says no, and why.
refused() {
  local word=$1
  shift
  check "$@"
  assert_eq "$status" 1
  assert_contains "$output" "$word"
}

# changed LINE FILTER: the line after a jq filter.
changed() { jq -c "$2" <<<"$1"; }

@test "good lines of each event pass" {
  check "$ATTEMPT" '{"event":"wait",'"$TIME"',"wait_ms":5,"why":"probe"}' \
    '{"event":"breaker",'"$TIME"',"scope":"http://h b","from":"closed","to":"open","open_ms":5000}' \
    '{"event":"warning",'"$TIME"',"why":"state_unreadable","file":"/x"}' "$RESULT"
  assert_eq "$status $output" "0 "
  check "$(changed "$RESULT" '.ok=false | .exit=143 | .outcome="interrupted"')"
  assert_eq "$status" 0
}

@test "fields that are unknown, missing, of another type or range are refused" {
  refused 'extra does not belong' "$(changed "$ATTEMPT" '.extra=1')" "$RESULT"
  refused 'verdict is missing' "$(changed "$ATTEMPT" 'del(.verdict)')" "$RESULT"
  refused 'no integer' "$(changed "$ATTEMPT" '.wait_ms=1.5')" "$RESULT"
  refused 'no integer' "$(changed "$ATTEMPT" '.attempt=true')" "$RESULT"
  refused 'no integer' "$(changed "$ATTEMPT" '.status="200"')" "$RESULT"
  refused 'no string' "$(changed "$ATTEMPT" '.code=null')" "$RESULT"
  refused 'below 0' "$(changed "$ATTEMPT" '.bytes_sent=-1')" "$RESULT"
  refused 'none of the known' "$(changed "$ATTEMPT" '.verdict="fine"')" "$RESULT"
  refused 'none of the known' "$(changed "$ATTEMPT" '.next="wait"')" "$RESULT"
  refused 'look right' "$(changed "$ATTEMPT" '.time="2026-01-02T03:04:05Z"')" "$RESULT"
  refused 'metadata.a' "$(changed "$RESULT" '.metadata.a=1')"
  refused 'is not' "$(changed "$ATTEMPT" '.event="other"')" "$RESULT"
}

@test "an outcome goes with its exit code, and ok with both" {
  refused 'is not 5' "$(changed "$RESULT" '.ok=false | .exit=6 | .outcome="denied"')"
  refused 'is not' "$(changed "$RESULT" '.exit=1')"
  refused 'is not' "$(changed "$RESULT" '.ok=false')"
  refused 'is not' "$(changed "$RESULT" '.ok=false | .exit=15 | .outcome="interrupted"')"
  refused 'throttled_seconds is missing' \
    "$(changed "$RESULT" '.ok=false | .exit=11 | .outcome="throttled"')"
}

@test "a line is one object, ended, with each name once and no NaN" {
  refused 'not JSON' 'hello' "$RESULT"
  refused 'not JSON' '' "$RESULT"
  refused 'not an object' '[]' "$RESULT"
  refused 'not JSON' "${RESULT}${RESULT}"
  refused 'appears twice' '{"event":"wait","event":"wait"}' "$RESULT"
  refused 'NaN' '{"event":"wait","wait_ms":NaN}' "$RESULT"
  refused 'not JSON' "$(printf '{"event":"\xff"}')" "$RESULT"
  printf '%s' "$RESULT" >lines
  check_bytes
  assert_contains "$output" 'has no end'
}

@test "one run, one result, and it is the last line" {
  refused 'no result' "$ATTEMPT"
  refused '2 results' "$RESULT" "$RESULT"
  refused 'not the last' "$RESULT" "$ATTEMPT"
  refused 'more than one run' "$(changed "$ATTEMPT" '.run="fedcba9876543210"')" "$RESULT"
  : >lines
  check_bytes
  assert_eq "$status" 1
}

# program BODY: a shell script in place of ankput and ankget.
program() {
  ANK_BUILD=$T/bin
  mkdir -p bin
  printf '#!/bin/sh\n%s\n' "$1" >bin/ankput
  chmod +x bin/ankput
  cp bin/ankput bin/ankget
  cp bin/ankput bin/ankput-fake
}

@test "run_ank checks the report wherever it is" {
  program "echo '$RESULT'"
  run_ank ankput a b
  assert_exit 0
  assert_json result outcome ok
  assert_eq "$(attempts)" 0
  program "echo '$ATTEMPT'; echo '$RESULT'; echo oops"
  run run_ank ankput a b
  assert_eq "$status" 1
  assert_contains "$output" 'not JSON'
  program "echo '$RESULT' >&2; echo the object"
  run_ank ankget x
  program "echo bad >&2; echo the object"
  run run_ank ankget x
  assert_eq "$status" 1
  program "echo '$RESULT' >\$2; echo anything"
  run_ank ankput --report there x
  assert_json result exit 0
  program "echo '$RESULT'; exit 1"
  run run_ank ankput x
  assert_contains "$output" 'the program 1'
  program 'echo no report'
  run_ank ankput --report none x
  run_ank ankput --help
}

@test "programs run in a clean environment, those with fake time told of it" {
  export HIDDEN=1
  program 'env'
  FAKE_DICE=max
  run_ank SHOWN=2 -AWS_REGION ankput --report none
  run ! grep -q HIDDEN "$OUT"
  run ! grep -q 'AWS_REGION\|ANK_FAKE' "$OUT"
  grep -qx SHOWN=2 "$OUT"
  grep -qx "HOME=$T/home" "$OUT"
  program 'env; echo sleep 200 >>$ANK_FAKE_LOG; echo sleep 30 >>$ANK_FAKE_LOG'
  run_ank ankput-fake --report none
  grep -qx ANK_FAKE_DICE=max "$OUT"
  assert_eq "$(slept) $(sleeps | tr '\n' ' ')" "230 200 30 "
}

@test "a program in the background can be killed; its report may be partial" {
  program "echo '$ATTEMPT'; exec sleep 30"
  start_ank ankput x
  until [ -s "$OUT" ]; do sleep 0.01; done
  kill -KILL "$ANK_PID"
  wait_ank
  assert_exit 137
  assert_eq "$(attempts)" 1
}
