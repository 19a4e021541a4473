# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of the breaker and the hold-off share: runs that know of one
# another, by the state file below $T/home.
#   load ../lib/harness
#   load breaker

load policy

NO_STATE=
STATE_PLACE=home/.local/state/ank/state.ndjson

# answers STATUS...: a cloud that answers keys by their names, s503 with a 503,
# those of $RULES as these say, and others as S3 would.
answers() {
  local status list=()
  for status; do list+=("{\"key\": \"s$status\", \"status\": $status}"); done
  rules "${list[@]}" "${RULES[@]}"
}

# scope: its name; $ENDPOINT and $BUCKET stand for others than the usual.
scope() { printf '%s/%s\n' "${ENDPOINT:-$CLOUD_URL}" "${BUCKET:-bucket}"; }

# later MS: the next run begins so much later than the one before began.
later() { FAKE_NOW=$((FAKE_NOW + $1)); }

# known FIELD...: what the state file says of $BUCKET's scope, 0 where nothing.
known() {
  jq -rs --arg scope "$(scope)" 'map(select(.scope == $scope))[0] as $s
    | [$ARGS.positional[] | $s[.] // 0 | tostring] | join(" ")' \
    "$T/$STATE_PLACE" --args "$@"
}

# knows FILTER: all that is known is this of the scope, where $now is the time
# of the next run: knows '{failures: 4, failed_at: ($now - 1000)}'
knows() {
  mkdir -p "$T/${STATE_PLACE%/*}"
  {
    printf '{"ank_state":1}\n'
    jq -nc --arg scope "$(scope)" --argjson now "$FAKE_NOW" \
      "{scope: \$scope} + ($1)"
  } >"$T/$STATE_PLACE"
}

# was_opened AGO [LENGTH [FILTER]]: it opened so many ms before the next run.
was_opened() {
  knows "{open: 1, failures: 5, opened_at: (\$now - $1), open_ms: ${2:-5000}}
    + (${3:-{\}})"
}

# probed AGO [LENGTH]: its time is over, and a probe has had the lease since.
probed() {
  was_opened 60000 5000 "{lease_at: (\$now - $1), lease_ms: ${2:-45000},
    holder: 4711}"
}

nothing_known() { rm -rf "$T/home/.local"; }

# lines EVENT: how many there are.
lines() { jq -s --arg e "$1" 'map(select(.event == $e)) | length' "$REPORT"; }

# of EVENT FIELD: that field of each line of an event, in order.
of() {
  jq -rs --arg e "$1" --arg f "$2" 'map(select(.event == $e) | .[$f]
    | if . == null then "-" else tostring end) | join(" ")' "$REPORT"
}

# order: the events of the report, in order.
order() { jq -rs 'map(.event) | join(" ")' "$REPORT"; }

# has EVENT FIELD=VALUE...: the event's last line, all in one look.
has() {
  local event=$1
  shift
  assert_eq "$(jq -rs --arg e "$event" 'map(select(.event == $e))[-1] as $l
      | $ARGS.positional[] | (. / "=")[0] as $f
      | $f + "=" + ($l[$f] | if . == null then "" else tostring end)' \
    "$REPORT" --args "$@")" "$(printf '%s\n' "$@")"
}

# refused: the run ended because of the breaker, without a request.
refused() {
  assert_exit 12
  has result outcome=breaker_open attempts=0 retries=0
  if grep '"event":"attempt"' "$REPORT"; then return 1; fi
}

# writes: how often the last run, made with $TRACED, replaced the state file.
# The sanitizer of leaks cannot work under another's trace.
TRACED='env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=rename,renameat,renameat2 -o trace'
writes() { grep -c 'state\.ndjson"' "$T/trace" || true; }

# begin KEY OPTION...: a put that stands still once its request has arrived,
# until the test lets it go_on. The cloud's answer should take a little.
begin() { begin_key ankput-fake "$@"; }

begin_key() {
  local program=$1 key=$2 n
  shift 2
  n=$(wc -l <"$CLOUD_DIR/log.ndjson")
  [ -e "$T/source" ] || new_file 1000 "$T/source" >/dev/null
  case $program in
    ankput-fake) start_ank "$program" "$@" "$T/source" "s3://bucket/$key" ;;
    *) start_ank "$program" "$@" "s3://bucket/$key" ;;
  esac
  await_requests $((n + 1))
  kill -STOP "$ANK_PID"
  BEGUN=$ANK_PID
}

go_on() {
  kill -CONT "$BEGUN"
  wait_ank
}

# aside COMMAND...: a run of its own while another stands still.
aside() {
  local OUT=$T/out2 ERR=$T/err2 ANK_PID=
  "$@"
}

# terminated KEY [OPTION...]: a put that is ended by SIGTERM before its answer.
terminated() {
  begin "$@"
  kill -TERM "$ANK_PID"
  go_on
}
