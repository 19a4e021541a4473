#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# The file that runs share, when writers are killed, and when there are many:
# many runs, many buckets. Takes minutes.

load ../lib/harness
load ../cli/policy
load ../cli/faults

bats_require_minimum_version 1.5.0

# --- killed -----------------------------------------------------------------------

# one_failing [WRAP...]: a run whose only attempt is refused a connection.
one_failing() {
  ank_prepare "${STATE[@]}" ANK_ENDPOINT="$CLOUD_URL" ankput-fake --retries 0 \
    "$T/source" s3://ill/1
  "$@" "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
}

# no_server: a place where nobody listens, and a state that knows it.
no_server() {
  CLOUD_URL=http://127.0.0.1:$(closed_port)
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson
  STATE=(ANK_STATE_FILE="$S" ASAN_OPTIONS=detect_leaks=0)
  place && keep
}

# calls_after_open: "NAME N" of each system call once the state was opened: the
# N-th of that name.
calls_after_open() {
  one_failing strace -f -o "$T/trace" || true
  awk -v file="\"$S\"" '{
      name = $2
      sub(/\(.*/, "", name)
      if ($0 !~ /^[0-9]+ +[a-z_0-9]+\(/) next
      n[name]++
      if (index($0, file)) after = 1
      if (after && name != "exit_group") print name, n[name]
    }' "$T/trace"
}

# names: each scope and its requests, and what is wrong with the file.
names() { "$ANK_BUILD/ank-test" state <<<"$S names"; }

# whole: the file is as it was or as the run would have left it.
whole() {
  local was="$CLOUD_URL/other=7 $CLOUD_URL/well=7 $CLOUD_URL/ill="
  [[ "$(names)" = "${was}7" || "$(names)" = "${was}8" ]] || {
    echo "$1: $(names)" >&2
    return 1
  }
}

@test "a writer killed at any system call leaves the old file or the new, and no lock" {
  local name n killed=0
  no_server
  calls_after_open >"$T/calls"
  grep -q '^rename ' "$T/calls" && grep -q '^flock ' "$T/calls"
  while read -r name n; do
    place
    status=0
    one_failing strace -f -o /dev/null -e "inject=$name:signal=KILL:when=$n" ||
      status=$?
    [ "$status" = 10 ] || killed=$((killed + 1))
    whole "killed at $name $n"
    status=0
    one_failing || status=$?
    assert_exit 10
    assert_eq "$(grep -c warning "$OUT" || true)" 0
    assert_eq "$(names | grep -c "$CLOUD_URL/ill=[89]$")" 1
    [ ! -e "$S.new" ]
  done <"$T/calls"
  echo "# killed at $killed of $(wc -l <"$T/calls") system calls" >&3
  [ "$killed" -gt $(($(wc -l <"$T/calls") * 3 / 4)) ]
}

# await_lease: until a probe is under way.
await_lease() {
  local i
  for ((i = 0; i < 500; i++)); do
    ! grep -q '"lease_ms":45000' "$S" || return 0
    sleep 0.01
  done
  return 1
}

@test "when the prober is killed, another probes after its lease" {
  rules '{"nth": 1, "delay_ms": 4000}'
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson
  STATE=(ANK_STATE_FILE="$S")
  place "$(open_since $((FAKE_NOW - 6000)))"
  mv "$S" "$T/kept"
  sed "s|/well\"|/bucket\"|" "$T/kept" >"$S"
  chmod 600 "$S"
  start_ank "${STATE[@]}" ankput-fake "$T/source" s3://bucket/1
  await_lease
  kill -KILL "$ANK_PID"
  wait "$ANK_PID" || true
  ANK_PID=
  FAKE_NOW=$((FAKE_NOW + 44000))
  run_ank "${STATE[@]}" ankput-fake "$T/source" s3://bucket/2
  ends 12 breaker_open
  FAKE_NOW=$((FAKE_NOW + 2000))
  run_ank "${STATE[@]}" ankput-fake "$T/source" s3://bucket/3
  ends 0 ok
  run_ank "${STATE[@]}" ankput-fake "$T/source" s3://bucket/4
  ends 0 ok
  refute_stored 2
}

# --- many -------------------------------------------------------------------------

@test "ten thousand buckets: 256 stay, and no run takes longer than one before" {
  local round i begin took=()
  S=$T/state.ndjson
  for ((round = 0; round < 10; round++)); do
    begin=${EPOCHREALTIME/./}
    for ((i = 0; i < 1000; i++)); do
      echo "$S bump https://s3.example:443/bucket-number-$round-$i"
    done | "$ANK_BUILD/ank-test" state >"$T/answers"
    took+=($(((${EPOCHREALTIME/./} - begin) / 1000)))
    assert_eq "$(sort -u "$T/answers")" 1
    assert_eq "$(grep -c '"scope"' "$S")" 256
    [ "$(stat -c %s "$S")" -lt 1048576 ]
  done
  echo "# us for each of 1000 runs: ${took[*]}" >&3
  # The first begins with an empty file.
  assert_between "${took[9]}" 0 $((took[1] * 3))
}

# two_hundred STATUS COMMAND...: at once, and all end so.
two_hundred() {
  local want=$1 i pids=()
  shift
  for ((i = 0; i < 200; i++)); do
    "$@" >"$T/out$i" 2>"$T/err$i" 3>&- &
    pids+=($!)
  done
  for i in "${pids[@]}"; do
    status=0
    wait "$i" || status=$?
    assert_exit "$want" || return 1
  done
}

# of FIELD: of the scope of bucket.
of() { grep '/bucket"' "$S" | jq ".$1"; }

# clocks: sets FAKETIME_LIBRARY, or skips. (Its own program would open a shared
# memory for each.)
clocks() {
  FAKETIME_LIBRARY=$(compgen -G '/usr/lib/*/faketime/libfaketime.so.1') ||
    skip 'no libfaketime'
}

@test "two hundred failing at once, twice: no failure is lost, no file is torn" {
  local round
  no_server
  rm "$S"
  ank_prepare "${STATE[@]}" ankput --retries 0 --breaker failures=1000,calls=1000 \
    "$T/source" s3://bucket/1
  for round in 1 2; do
    two_hundred 10 "${ANK_COMMAND[@]}"
    assert_eq "$(cat "$T"/err* | grep -c warning || true)" 0
    assert_eq "$(of failures)" $((200 * round))
    assert_eq "$(of attempts)" $((200 * round))
    assert_eq "$(wc -l <"$S")" 2
    [ ! -e "$S.new" ]
  done
}

@test "two hundred failing at once open it, and each opening is told by one of them" {
  local i pids=() opened
  no_server
  rm "$S"
  ank_prepare "${STATE[@]}" ankput --retries 0 "$T/source" s3://bucket/1
  for ((i = 0; i < 200; i++)); do
    "${ANK_COMMAND[@]}" >"$T/out$i" 2>"$T/err$i" 3>&- &
    pids+=($!)
  done
  wait "${pids[@]}" || true
  opened=$(of opened)
  echo "# opened $opened times" >&3
  # Once, and once more for each probe of a machine that is slow.
  assert_between "$opened" 1 4
  assert_eq "$(cat "$T"/out* | jq -c 'select(.event == "breaker" and .to == "open")' |
    wc -l)" "$opened"
  assert_eq "$(of open)" 1
  assert_eq $(($(of attempts) + $(of rejected))) 200
}

@test "two hundred succeeding at once, twice: each is counted" {
  local round
  start_cloud
  new_file 1000 "$T/source" >/dev/null
  S=$T/state.ndjson STATE=(ANK_STATE_FILE="$T/state.ndjson")
  ank_prepare "${STATE[@]}" ankput "$T/source" s3://bucket/1
  for round in 1 2; do
    two_hundred 0 "${ANK_COMMAND[@]}"
    assert_eq "$(cat "$T"/err*)" ''
    assert_eq "$(of requests)" $((200 * round))
    assert_eq "$(requests)" $((200 * round))
  done
}

@test "two hundred at once when a breaker may be probed: one request" {
  local i ends pids=()
  start_cloud '{"rules": [{"delay_ms": 10000}]}'
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson STATE=(ANK_STATE_FILE="$T/dir/state.ndjson")
  place
  { echo '{"ank_state":1}'
    scope bucket "$(open_since $(($(date +%s%3N) - 6000)))"; } >"$S"
  ank_prepare "${STATE[@]}" ankput "$T/source" s3://bucket/1
  for ((i = 0; i < 200; i++)); do
    "${ANK_COMMAND[@]}" >"$T/out$i" 2>"$T/err$i" 3>&- &
    pids+=($!)
  done
  for i in "${pids[@]}"; do
    status=0
    wait "$i" || status=$?
    ends[status]=$((${ends[status]:-0} + 1))
  done
  assert_eq "${!ends[*]}: ${ends[*]}" '0 12: 1 199'
  assert_eq "$(requests)" 1
  assert_eq "$(of rejected)" 199
}

# dropped: how many of the two hundred did not get the lock within two seconds
# and said so, as on a machine with much else to do. Each keeps its own tokens.
dropped() {
  DROPPED=$(grep -lF 'lock is held' "$T"/err* | wc -l)
  assert_eq "$(cat "$T"/err* | grep -c warning || true)" "$DROPPED" || return 1
  echo "# $DROPPED of 200 updates were dropped, with a warning each" >&3
  assert_between "$DROPPED" 0 20
}

@test "two hundred failing with a retry budget: no token is lost, none is spent twice" {
  local retries
  start_cloud '{"rules": [{"status": 503}]}'
  new_file 1000 "$T/source" >/dev/null
  S=$T/state.ndjson STATE=(ANK_STATE_FILE="$T/state.ndjson")
  ank_prepare "${STATE[@]}" ankput --retries 1 --no-breaker --retry-budget 100 \
    "$T/source" s3://bucket/1
  two_hundred 10 "${ANK_COMMAND[@]}"
  dropped
  # The 50th failure leaves half of them: before it each may be tried again.
  retries=$(of retries_transient)
  echo "# $retries retries" >&3
  assert_between "$retries" $((25 - DROPPED)) 49
  assert_between "$(requests)" $((200 + retries)) $((200 + retries + DROPPED))
  assert_between $(($(requests) - $(of attempts))) 0 $((2 * DROPPED))
  assert_between $((200 - retries - $(of suppressed))) 0 "$DROPPED"
  assert_eq "$(of budget_spent)" 100000
}

@test "two hundred succeeding with a retry budget: each earns its tenth" {
  start_cloud
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson STATE=(ANK_STATE_FILE="$T/dir/state.ndjson")
  place
  { echo '{"ank_state":1}'
    scope bucket "\"budget_spent\":90000,\"budget_max\":100000,\"budget_at\":$(date +%s%3N)"; } >"$S"
  ank_prepare "${STATE[@]}" ankput --retry-budget 100 "$T/source" s3://bucket/1
  two_hundred 0 "${ANK_COMMAND[@]}"
  dropped
  assert_eq "$(of budget_spent)" $((70000 + DROPPED * 100))
  assert_eq "$(of attempts)" $((200 - DROPPED))
}

@test "two hundred whose clocks differ by an hour: none waits, none is lost" {
  local i hours=(-1h +0h +1h) pids=()
  start_cloud '{"clock": {"max_age": 100000}, "rules": [{"status": 500}]}'
  new_file 1000 "$T/source" >/dev/null
  S=$T/state.ndjson STATE=(ANK_STATE_FILE="$T/state.ndjson")
  ank_prepare "${STATE[@]}" ankput --retries 0 --breaker failures=1000,calls=1000 \
    "$T/source" s3://bucket/1
  clocks
  for ((i = 0; i < 200; i++)); do
    env FAKETIME="${hours[i % 3]}" LD_PRELOAD="$FAKETIME_LIBRARY" FAKETIME_DONT_FAKE_MONOTONIC=1 \
      "${ANK_COMMAND[@]}" >"$T/out$i" 2>"$T/err$i" 3>&- &
    pids+=($!)
  done
  for i in "${pids[@]}"; do
    status=0
    wait "$i" || status=$?
    assert_exit 10 || return 1
  done
  dropped
  assert_eq "$(of requests) $(of attempts)" "$((200 - DROPPED)) $((200 - DROPPED))"
  assert_eq "$(requests)" 200
  assert_eq "$(wc -l <"$S")" 2
  # A row that another hour's failure has begun anew.
  assert_between "$(of failures)" 1 200
}

@test "two hundred on a breaker of another hour: none is kept waiting, and it closes" {
  local i ends pids=()
  start_cloud '{"clock": {"max_age": 100000}}'
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson STATE=(ANK_STATE_FILE="$T/dir/state.ndjson")
  place
  { echo '{"ank_state":1}'
    scope bucket "$(open_since $(($(date +%s%3N) + 3600000)) 60000)"; } >"$S"
  ank_prepare "${STATE[@]}" ankput "$T/source" s3://bucket/1
  for ((i = 0; i < 200; i++)); do
    "${ANK_COMMAND[@]}" >"$T/out$i" 2>"$T/err$i" 3>&- &
    pids+=($!)
  done
  for i in "${pids[@]}"; do
    status=0
    wait "$i" || status=$?
    ends[status]=$((${ends[status]:-0} + 1))
  done
  # Until the one probe has closed it others may be refused.
  echo "# ended: ${!ends[*]}: ${ends[*]}" >&3
  assert_eq $((ends[0] + ${ends[12]:-0})) 200
  assert_eq "$(requests)" "${ends[0]}"
  assert_eq "$(of open)" null
  run_ank "${STATE[@]}" ankput "$T/source" s3://bucket/1
  ends 0 ok
}
