# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of --continue share, beside the harness and `bytes`:
#   load continue

PARTED=(-C -P 1 --part-size 5M --multipart-threshold 5M)
UPLOADS=home/.local/state/ank/uploads

# source_file [MIB [SEED]]: $T/source, by default in parts of 5, 5, 5 and 1 MiB.
source_file() {
  new_file $((${1:-16} << 20)) "$T/source" "${2:-1}" >/dev/null
}

# hang_at_part N: a rule: the first request for it is never answered.
hang_at_part() {
  printf '{"op": "part", "part": %d, "nth": 1, "hang_at": "status"}' "$1"
}

# put_killed [OPTION...]: a run that is killed while the cloud is silent.
put_killed() {
  start_ank ankput "${PARTED[@]}" "$@" "$T/source" s3://bucket/k
  await_hang
  kill -KILL "$ANK_PID"
  wait_ank
  assert_exit 137
}

# put_again [OPTION...]: a run to its end.
put_again() { run_ank ankput "${PARTED[@]}" "$@" "$T/source" s3://bucket/k; }

# journal: the one journal.
journal() {
  local files=("$T/$UPLOADS"/*.ndjson)
  { [ ${#files[@]} = 1 ] && [ -e "${files[0]}" ]; } ||
    { echo 'no journal' >&2; return 1; }
  printf '%s\n' "${files[0]}"
}

# no_journal: none is left.
no_journal() {
  assert_eq "$(find "$T/$UPLOADS" -name '*.ndjson')" ''
}

# journaled: the numbers of its parts.
journaled() { jq -r '.part // empty' "$(journal)" | paste -sd' '; }

# sent_parts FROM: the numbers of the parts asked for by requests behind the
# FROM-th.
sent_parts() {
  log_settled
  jq -rs ".[$1:] | map(select(.op == \"part\") | .part | tostring) | join(\" \")" \
    "$CLOUD_DIR/log.ndjson"
}

# ops FROM: the operations of the requests behind the FROM-th, each once.
ops() {
  log_settled
  jq -rs ".[$1:] | map(.op) | unique | join(\" \")" "$CLOUD_DIR/log.ndjson"
}

# warned WHY: the run has one warning, and that is why.
warned() {
  assert_eq "$(jq -rs 'map(select(.event == "warning") | .why) | join(" ")' \
    "$REPORT")" "$1"
}

# --- downloads ------------------------------------------------------------------

# cut_at N [MORE]: a rule: the first GET falls silent behind N bytes.
cut_at() { printf '{"op": "get", "nth": 1, "hang_at": %d%s}' "$1" "${2-}"; }

# get_killed [OPTION...]: a run that is killed while the cloud is silent.
get_killed() {
  start_ank ankget -C "$@" s3://bucket/k "$T/out"
  await_hang
  await_size "$T/.out.ank-part"
  kill -KILL "$ANK_PID"
  wait_ank
  assert_exit 137
}

# await_size FILE: until it has the bytes that the cloud has sent.
await_size() {
  local i want
  want=$(jq '.rules[0].hang_at // 0' "$CLOUD_DIR/scenario.json")
  for ((i = 0; i < 500; i++)); do
    [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -lt "$want" ] || return 0
    sleep 0.01
  done
  echo "$1 is short" >&2
  return 1
}

# get_again [OPTION...]: a run to its end.
get_again() { run_ank ankget -C "$@" s3://bucket/k "$T/out"; }

# got: the object is there, and nothing else is left.
got() {
  assert_exit 0
  assert_same "$T/out" "$T/object"
  assert_no_leftovers
}
