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
