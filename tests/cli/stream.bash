# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of streams and commands share, beside the harness and bytes.
#   load ../lib/harness
#   load bytes
#   load stream

# The policy of one run: none of them learns what the one before it met.
NO_STATE=1

MIB=$((1024 * 1024))

# from FILE OPTION...: FILE goes up through a pipe, in virtual time.
from() {
  local file=$1
  shift
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat "$file" | run_piped ankput-fake "$@" - s3://bucket/k || return 1
  status=$(<"$T/status")
}

# run_piped …: run_ank behind a pipe, where its variables would be lost.
run_piped() {
  run_ank "$@" || return 1
  printf '%s\n' "$status" >"$T/status"
}

# feed NAME...: starts it with standard input from a pipe that stays open here
# as descriptor 8; >&8 writes to it, exec 8>&- ends it.
feed() {
  [ -p "$T/pipe" ] || mkfifo "$T/pipe"
  ank_prepare "$@" || return 1
  "${ANK_COMMAND[@]}" <"$T/pipe" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  exec 8>"$T/pipe"
}

# start_command …: start_ank with our standard input left alone.
start_command() {
  ank_prepare "$@" || return 1
  "${ANK_COMMAND[@]}" </dev/null >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
}

# ops: what was asked of the cloud, in order of arrival, parts as part.
ops() {
  log_settled
  jq -rs 'map(.op) | join(" ")' "$CLOUD_DIR/log.ndjson"
}

# sizes: bytes of each part, in the order of their numbers, of the last upload.
sizes() {
  log_settled
  jq -rs 'map(select(.op == "part" and .status == 200)) | sort_by(.part)
    | map(.body_len | tostring) | join(" ")' "$CLOUD_DIR/log.ndjson"
}

# framed: every body came with a length, none in chunks, and came whole.
framed() {
  log_settled
  assert_eq "$(jq -c 'select(.method == "PUT" or .method == "POST")
    | select([.headers[][0] | ascii_downcase]
        | (index("content-length") | not) or index("transfer-encoding"))
    | {n, op}' "$CLOUD_DIR/log.ndjson")" ''
}

# came FILE: it is stored, the report tells its size and digest.
came() {
  assert_exit 0
  assert_stored k "$1"
  assert_json result bytes "$(stat -Lc %s "$1")"
  assert_json result checksum "$(digest "$1")"
  framed
}

digest() { printf 'sha256:%s\n' "$(sha256sum <"$1" | cut -d' ' -f1)"; }

# nothing_left: no object, no upload.
nothing_left() {
  refute_stored k
  assert_eq "$(uploads)" ''
}

# asleep: until the program waits, which it does for our bytes.
asleep() {
  local i
  for ((i = 0; i < 500; i++)); do
    ! grep -qs 'poll' "/proc/$ANK_PID/wchan" || return 0
    [[ $(cut -d' ' -f3 "/proc/$ANK_PID/stat") != S ]] || return 0
    sleep 0.01
  done
  return 1
}

# gone PID: until that process is no more.
gone() {
  local i
  for ((i = 0; i < 500; i++)); do
    kill -0 "$1" 2>/dev/null || return 0
    [[ $(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null) != Z ]] || return 0
    sleep 0.01
  done
  echo "process $1 is still there" >&2
  return 1
}
