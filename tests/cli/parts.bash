# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of uploads in parts and of their fate share, beside policy:
#   load ../lib/harness
#   load policy
#   load parts

MIB=1048576

# source_of SIZE: $T/source with that many bytes.
source_of() { new_file "$1" "$T/source" >/dev/null; }

# up KEY OPTION...: $T/source in parts of 5 MiB, whatever its size.
up() {
  local set=()
  while [[ $1 == *=* || $1 == -* ]]; do
    set+=("$1")
    shift
  done
  put "${set[@]}" "$1" --part-size 5M --multipart-threshold 0 "${@:2}"
}

# ops: the operations of all requests, in order.
ops() { logged op; }

# parts_told FIELD: that field of the part attempts, by part and attempt.
parts_told() {
  jq -rs --arg f "$1" 'map(select(.event == "attempt" and .op == "part"))
    | sort_by(.part, .attempt) | map(.[$f] | if . == null then "-" else tostring end)
    | join(" ")' "$REPORT"
}

# part_log FIELD: that field of the parts the cloud saw, by part.
part_log() {
  log_settled
  jq -rs --arg f "$1" 'map(select(.op == "part")) | sort_by(.part)
    | map(.[$f] | tostring) | join(" ")' "$CLOUD_DIR/log.ndjson"
}

# nothing_left: no upload, no object, and the result says so.
nothing_left() {
  assert_eq "$(uploads)" ''
  assert_json result aborted true
  refute_stored "$1"
}
