# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of the retry policy share, beside the harness. The programs
# live in virtual time; where real time must pass, a test says so.
#   load ../lib/harness
#   load policy

# The policy of one run: none of them learns what the one before it met.
# shellcheck disable=SC2034 # read by the harness
NO_STATE=1

# rules RULE...: a cloud in the client's time with these rules; SETTINGS holds
# further words of the scenario: '"region": "eu-west-1"'.
rules() {
  local IFS=,
  start_cloud --fake "${CLOUD_OPTIONS[@]}" \
    "{${SETTINGS:+$SETTINGS,} \"rules\": [$*]}"
}

# put, get, facts [NAME=VALUE...] KEY OPTION...: one run. put sends $T/source,
# get writes $T/got.
put() { run_key ankput-fake "$@"; }
get() { run_key ankget-fake "$@"; }
facts() { run_key ankget-fake "$@" -I; }

run_key() {
  local program=$1 set=() key
  shift
  while [[ $1 == *=* || $1 == -* ]]; do
    set+=("$1")
    shift
  done
  key=s3://bucket/$1
  shift
  [ -e "$T/source" ] || new_file 1000 "$T/source" >/dev/null
  if [ "$program" = ankput-fake ]; then
    run_ank "${set[@]}" "$program" "$@" "$T/source" "$key"
  elif [[ " $* " == *' -I '* ]]; then
    run_ank "${set[@]}" "$program" "$@" "$key"
  else
    run_ank "${set[@]}" "$program" "$@" "$key" "$T/got"
  fi
}

# seed [SIZE [KEY]]: an object of that many bytes, also in $T/object.
seed() {
  new_file "${1:-1000}" "$T/object" 7 >/dev/null
  seed_object bucket "${2:-k}" "$T/object"
}

# asked KEY: how many requests were made for it.
asked() {
  log_settled
  jq -s --arg key "$1" 'map(select(.key == $key)) | length' \
    "$CLOUD_DIR/log.ndjson"
}

# told FIELD: that field of every attempt, in order, "-" where absent.
told() {
  jq -rs --arg f "$1" 'map(select(.event == "attempt") | .[$f]
    | if . == null then "-" else tostring end) | join(" ")' "$REPORT"
}

# op_told OP FIELD: that field of the attempts of one operation, in order.
op_told() {
  jq -rs --arg op "$1" --arg f "$2" 'map(select(.event == "attempt" and .op == $op)
    | .[$f] | if . == null then "-" else tostring end) | join(" ")' "$REPORT"
}

# logged FIELD: that field of every request, in order.
logged() {
  log_settled
  jq -rs --arg f "$1" 'map(.[$f] | tostring) | join(" ")' \
    "$CLOUD_DIR/log.ndjson"
}

# headers NAME: that header of every request, in order, "-" where absent.
headers() {
  log_settled
  jq -rs --arg name "${1,,}" 'map([.headers[]
      | select((.[0] | ascii_downcase) == $name)][0][1] // "-") | join(" ")' \
    "$CLOUD_DIR/log.ndjson"
}

# ends EXIT OUTCOME: how the run ended, by status and by report.
ends() {
  assert_exit "$1"
  assert_json result outcome "$2"
}

# stored KEY: the cloud has the bytes of $T/source there.
stored() {
  local path
  path=$(stored_object bucket "$1") || { echo "no object $1" >&2; return 1; }
  assert_same "$path" "$T/source"
}

refute_stored() {
  ! stored_object bucket "$1" >/dev/null || { echo "stored: $1" >&2; return 1; }
}

# await_requests N: until that many requests were logged.
await_requests() {
  local i
  for ((i = 0; i < 500; i++)); do
    [ "$(wc -l <"$CLOUD_DIR/log.ndjson")" -lt "$1" ] || return 0
    sleep 0.01
  done
  echo "fewer than $1 requests" >&2
  return 1
}

# silence: the client's clock runs though no cloud said that it is silent.
silence() { : >"${CLOUD_DIR-$T}/hang"; }

# now_ms: the machine's monotonic clock.
now_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }
