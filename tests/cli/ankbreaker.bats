#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankbreaker: what runs share is shown as it is and changed as asked, each wrong
# word is one line, and a file that is hurt is told of.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

# These runs do learn from one another.
NO_STATE=

setup() {
  harness_setup
  STATE=$T/home/.local/state/ank/state.ndjson
}

# brk [NAME=VALUE...|-NAME...] ARG...: runs ankbreaker.
brk() {
  local set=()
  while [[ ${1-} == *=* && $1 != --* || ${1-} == -[A-Z]?* ]]; do
    set+=("$1")
    shift
  done
  run_ank "${set[@]}" ankbreaker-fake "$@"
}

# later MS: the word that lets a run begin MS after the others.
later() { echo "ANK_FAKE_NOW=$((FAKE_NOW + $1))"; }

# known LINE...: a state file with these scopes, each without its braces.
known() {
  mkdir -p "${STATE%/*}"
  { echo '{"ank_state":1}'; [ $# = 0 ] || printf '{%s}\n' "$@"; } >"$STATE"
}

# scope [BUCKET]: what a bucket of the cloud is called.
scope() { echo "$CLOUD_URL/${1-bucket}"; }

# says TEXT: all of standard output; complains TEXT: of standard error.
says() { assert_eq "$(cat "$OUT")" "$1"; }
complains() { assert_eq "$(cat "$ERR")" "ankbreaker: $1"; }

# fails EXIT TEXT: with nothing but that line.
fails() {
  assert_exit "$1"
  complains "$2"
  says ''
}

# row N COLUMN: a word of the table's N-th line below the heading.
row() { awk -v n="$1" -v c="$2" 'NR == n + 1 { print $c }' "$OUT"; }

# field NAME: of the one object that was printed.
field() { jq -r --arg f "$1" '.[$f] | if . == null then "-" else . end' "$OUT"; }

HEADING='SCOPE  STATE  FAILURES  OPEN-FOR  HELD-FOR  REQUESTS  RETRIES  LAST-ERROR'

# opened: a cloud that fails, and a breaker that two failures have opened.
opened() {
  rules '{"status": 500}'
  put k --retries 0 --breaker failures=2
  put k --retries 0 --breaker failures=2
  assert_exit 10
}

# --- list --------------------------------------------------------------------

# bats test_tags=valgrind
@test "without a file the list is empty, without a word, and none is made" {
  brk
  assert_exit 0
  says "$HEADING"
  brk list
  says "$HEADING"
  brk list --json
  assert_exit 0
  says ''
  brk show s3://bucket
  assert_exit 6
  brk reset
  assert_exit 0
  says '0 scopes reset (0 open, 0 held)'
  [ ! -e "$T/home/.local" ]
}

# bats test_tags=valgrind
@test "the table has a line a scope with what the runs have left" {
  rules '{"nth": "1-2", "status": 500}' '{"key": "f", "status": 503}'
  put k
  assert_exit 0
  put f --retries 1
  assert_exit 10
  brk "$(later 1000)"
  assert_exit 0
  assert_eq "$(cat "$ERR")" ''
  assert_eq "$(wc -l <"$OUT")" 2
  assert_eq "$(head -n 1 "$OUT" | tr -s ' ')" "$(tr -s ' ' <<<"$HEADING")"
  assert_eq "$(sed -n 2p "$OUT" | tr -s ' ')" "$(scope) closed 2 - - 2 3 503"
}

@test "columns stand below their headings, and no line ends in blanks" {
  known '"scope":"http://a:80/x","requests":123456789' \
    '"scope":"http://much-longer.example:8080/bucket","last_error":"500 InternalError"'
  brk
  assert_eq "$(cut -c 41-47 "$OUT" | tr '\n' ' ')" 'STATE   closed  closed  '
  assert_eq "$(cut -c 79-87 "$OUT" | tr '\n' ' ')" 'REQUESTS  123456789 0         '
  run ! grep -q ' $' "$OUT"
  assert_eq "$(row 1 8)" -
  grep -q '500 InternalError$' "$OUT"
}

@test "OPEN-FOR is how long requests are still refused" {
  opened
  brk
  assert_eq "$(row 1 2) $(row 1 3) $(row 1 4)" 'open 2 5s'
  brk "$(later 4200)"
  assert_eq "$(row 1 2) $(row 1 4)" 'open 800ms'
  # its time is over, and nobody has come to be the probe
  brk "$(later 6000)"
  assert_eq "$(row 1 2) $(row 1 4)" 'open 0s'
}

@test "a probe under way shows as half_open, with what is left of its lease" {
  known "\"scope\":\"http://a:80/x\",\"open\":1,\"holder\":7,\"opened_at\":$((FAKE_NOW - 6000)),\"open_ms\":5000,\"lease_at\":$FAKE_NOW,\"lease_ms\":45000"
  brk
  assert_eq "$(row 1 2) $(row 1 4)" 'half_open 45s'
  brk --json
  assert_eq "$(field state)" half_open
  assert_eq "$(field probe_left_ms)" 45000
  assert_eq "$(field open_left_ms)" 0
}

@test "HELD-FOR is what is left of a Retry-After" {
  rules '{"status": 503, "headers": {"Retry-After": "90"}}'
  put k --retries 0
  assert_exit 11
  brk
  assert_eq "$(row 1 2) $(row 1 4) $(row 1 5)" 'closed - 1m30s'
  brk "$(later 89999)"
  assert_eq "$(row 1 5)" 1ms
  brk "$(later 90000)"
  assert_eq "$(row 1 5)" -
}

@test "durations are read at a glance, and never shorter than they are" {
  local ms want
  while read -r ms want; do
    known "\"scope\":\"a\",\"open\":1,\"opened_at\":$FAKE_NOW,\"open_ms\":$ms"
    brk
    assert_eq "$ms $(row 1 4)" "$ms $want"
  done <<'END'
1 1ms
999 999ms
1000 1s
1001 2s
59000 59s
59001 1m
61000 1m1s
3599000 59m59s
3599001 1h
3660000 1h1m
3660001 1h2m
86340001 1d
90000000 1d1h
31622400000 366d
END
}

# bats test_tags=valgrind
@test "--json is one object a scope, with all that is known" {
  rules '{"nth": 1, "status": 500}' \
    '{"key": "f", "status": 503, "headers": {"Retry-After": "7"}}' \
    '{"key": "g", "s3_error": "InternalError"}'
  put k
  assert_exit 0
  put "$(later 10000)" f --retries 0
  assert_exit 11
  put "$(later 11000)" g --retries 0 --no-share-throttle --breaker failures=1
  assert_exit 10
  put "$(later 11500)" g --no-share-throttle
  assert_exit 12
  brk "$(later 12000)" --json
  assert_exit 0
  assert_eq "$(wc -l <"$OUT")" 1
  assert_eq "$(jq -Sc 'del(.bytes_received, .last_success)' "$OUT")" \
    "$(jq -Snc --arg scope "$(scope)" '{scope: $scope, state: "open", failures: 1,
      open_ms: 5000, open_left_ms: 4000, probe_left_ms: 0, hold_left_ms: 5000,
      requests: 3, attempts: 4, retries: 1, retries_transient: 1,
      retries_throttled: 0, retries_local: 0, retries_integrity: 0, opened: 1,
      rejected: 1, throttled: 1, suppressed: 0, bytes_sent: 4000, last_error: "500 InternalError",
      last_change: "2023-11-14T22:13:31.500Z"}')"
  jq -e '.bytes_received > 0 and (.last_success | startswith("2023-11-14T22:13:20."))' "$OUT"
}

@test "--json leaves out what is not known, and takes any bytes" {
  known '"scope":"a"' $'"scope":"b\xff","last_error":"\\u001b[2J\xfe"'
  brk --json
  assert_exit 0
  assert_eq "$(jq -r '.scope' "$OUT" | tr '\n' ' ')" 'a b� '
  assert_eq "$(jq -sc '.[0] | [.state, .failures, .last_error, .last_success, .last_change]' "$OUT")" \
    '["closed",0,null,null,null]'
  assert_eq "$(jq -sc '.[1].last_error' "$OUT")" '"\u001b[2J�"'
  run ! grep -q $'\x1b' "$OUT"
}

@test "control characters in the file steer no terminal" {
  known '"scope":"a\u001b[31m","last_error":"x\r\ny\u009bz\u007f"'
  brk
  assert_eq "$(row 1 1)" 'a\x1b[31m'
  assert_contains "$(cat "$OUT")" 'x\x0d\x0ay\xc2\x9bz\x7f'
  brk reset
  run ! grep -q $'\x1b' "$OUT"
}

# --- show --------------------------------------------------------------------

@test "show tells of one scope, whatever the key" {
  local url
  known "\"scope\":\"http://127.0.0.1:80/other\"" \
    "\"scope\":\"http://127.0.0.1:80/bucket\",\"requests\":7" '"scope":"c"'
  ANK_ENV=(ANK_ENDPOINT=http://127.0.0.1)
  for url in s3://bucket s3://bucket/ s3://bucket/k s3://bucket/a//../b%2F; do
    brk show "$url"
    assert_exit 0
    assert_eq "$(wc -l <"$OUT")" 2
    assert_eq "$(row 1 1) $(row 1 6)" 'http://127.0.0.1:80/bucket 7'
    brk --json show "$url"
    assert_eq "$(jq -s 'map(.requests) | add' "$OUT")" 7
  done
}

# bats test_tags=valgrind
@test "show of a scope that is not known is status 6 and one line" {
  known '"scope":"http://127.0.0.1:80/other"'
  brk ANK_ENDPOINT=http://127.0.0.1 show s3://bucket/k
  fails 6 's3://bucket/k: nothing is known of http://127.0.0.1:80/bucket'
  brk ANK_ENDPOINT=http://127.0.0.1 show --json s3://bucket/k
  fails 6 's3://bucket/k: nothing is known of http://127.0.0.1:80/bucket'
}

@test "a URL means the scope that transfers to it use" {
  local port
  rules
  port=$CLOUD_PORT
  put k --endpoint "HTTP://LocalHost:$port"
  assert_exit 0
  brk show --endpoint "http://localhost:$port" s3://bucket
  assert_eq "$(row 1 1)" "http://localhost:$port/bucket"
  put ANK_ADDRESSING=virtual k --endpoint "http://s3.localhost:$port/" \
    --resolve "bucket.s3.localhost:$port:127.0.0.1"
  brk ANK_ADDRESSING=virtual show --endpoint "http://s3.localhost:$port/" s3://bucket
  assert_exit 0
  assert_eq "$(row 1 1)" "http://s3.localhost:$port/bucket"
  # the places of other tools count too
  brk -ANK_ENDPOINT AWS_ENDPOINT_URL_S3="http://localhost:$port" show s3://bucket
  assert_exit 0
  brk -ANK_ENDPOINT AWS_ENDPOINT_URL="http://localhost:$port" show s3://bucket
  assert_exit 0
}

@test "AWS's own scope comes from the region: option, variable, profile" {
  mkdir -p "$T/home/.aws"
  printf '[profile x]\nregion = eu-west-3\n' >"$T/home/.aws/config"
  brk show s3://bucket
  assert_contains "$(cat "$ERR")" ' https://s3.us-east-1.amazonaws.com:443/bucket'
  brk show --region eu-west-1 s3://bucket
  assert_contains "$(cat "$ERR")" ' https://s3.eu-west-1.amazonaws.com:443/bucket'
  brk ANK_REGION=eu-west-2 show s3://bucket
  assert_contains "$(cat "$ERR")" ' https://s3.eu-west-2.amazonaws.com:443/bucket'
  brk -AWS_REGION show --profile x s3://bucket
  assert_contains "$(cat "$ERR")" ' https://s3.eu-west-3.amazonaws.com:443/bucket'
  brk -AWS_REGION show s3://bucket
  fails 2 "no region: give --region, AWS_REGION or a profile's region"
}

@test "no credentials are needed, and none are read" {
  known '"scope":"https://s3.us-east-1.amazonaws.com:443/bucket"'
  mkdir -p "$T/home/.aws/credentials"
  brk -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY show s3://bucket
  assert_exit 0
  brk -AWS_SECRET_ACCESS_KEY trip s3://bucket 1h
  assert_exit 0
  # one that cannot be read says where the bucket might be
  mkdir "$T/home/.aws/config"
  brk show s3://bucket
  assert_exit 4
  assert_contains "$(cat "$ERR")" .aws/config
  brk
  assert_exit 0
}

# --- reset -------------------------------------------------------------------

# bats test_tags=valgrind
@test "reset URL closes that breaker and drops its hold-off; counters stay" {
  local was
  rules '{"nth": "1-2", "status": 500}' \
    '{"nth": 3, "status": 503, "headers": {"Retry-After": "60"}}'
  put k --retries 0
  put k --retries 0 --breaker failures=2
  put k --retries 0 --no-breaker
  assert_exit 11
  put k
  assert_exit 12
  brk --json
  was=$(jq -c '[.requests, .attempts, .opened, .rejected, .throttled,
    .bytes_sent, .last_error]' "$OUT")
  assert_eq "$(field state) $(field hold_left_ms)" 'open 60000'
  brk reset s3://bucket/any
  assert_exit 0
  says "$(scope): closed (was open, held for 1m)"
  assert_eq "$(cat "$ERR")" ''
  brk --json
  assert_eq "$(field state) $(field failures) $(field open_ms) $(field hold_left_ms)" \
    'closed 0 0 0'
  assert_eq "$(jq -c '[.requests, .attempts, .opened, .rejected, .throttled,
    .bytes_sent, .last_error]' "$OUT")" "$was"
  put k
  assert_exit 0
  assert_json result attempts 1
}

@test "reset of one leaves the others as they are" {
  known "\"scope\":\"http://127.0.0.1:80/one\",\"open\":1,\"opened_at\":$FAKE_NOW,\"open_ms\":5000" \
    "\"scope\":\"http://127.0.0.1:80/two\",\"open\":1,\"opened_at\":$FAKE_NOW,\"open_ms\":5000,\"requests\":3"
  brk ANK_ENDPOINT=http://127.0.0.1 --json reset s3://one
  assert_eq "$(jq -c . "$OUT")" '{"command":"reset","scope":"http://127.0.0.1:80/one","from":"open","to":"closed","hold_left_ms":0}'
  brk
  assert_eq "$(awk 'NR > 1 { print $1, $2 }' "$OUT" | sort | tr '\n' ' ')" \
    'http://127.0.0.1:80/one closed http://127.0.0.1:80/two open '
  brk ANK_ENDPOINT=http://127.0.0.1 reset s3://one
  says 'http://127.0.0.1:80/one: closed (was closed)'
}

@test "reset of a scope that is not known is status 6, and changes nothing" {
  known '"scope":"http://127.0.0.1:80/other"'
  cp "$STATE" was
  brk ANK_ENDPOINT=http://127.0.0.1 reset s3://bucket
  fails 6 's3://bucket: nothing is known of http://127.0.0.1:80/bucket'
  assert_same "$STATE" was
}

# bats test_tags=valgrind
@test "reset closes all and drops all hold-offs" {
  known "\"scope\":\"a\",\"open\":1,\"opened_at\":$FAKE_NOW,\"open_ms\":5000,\"requests\":3" \
    "\"scope\":\"b\",\"hold_at\":$FAKE_NOW,\"hold_ms\":60000" \
    '"scope":"c","failures":4'
  brk reset
  assert_exit 0
  says '3 scopes reset (1 open, 1 held)'
  brk --json
  assert_eq "$(jq -c '[.scope, .state, .failures, .hold_left_ms, .requests]' "$OUT" | tr -d '\n')" \
    '["a","closed",0,0,3]["b","closed",0,0,0]["c","closed",0,0,0]'
  brk --json reset
  assert_eq "$(cat "$OUT")" '{"command":"reset","scopes":3,"were_open":0,"were_held":0}'
  known '"scope":"a"'
  brk reset
  says '1 scope reset (0 open, 0 held)'
}

# --- trip --------------------------------------------------------------------

# bats test_tags=valgrind
@test "trip opens for that long: nothing is sent, whatever the results were" {
  rules
  put k
  assert_exit 0
  brk trip s3://bucket/k 1h
  assert_exit 0
  says "$(scope): open for 1h (was closed)"
  assert_eq "$(cat "$ERR")" ''
  put "$(later 3599000)" k
  ends 12 breaker_open
  assert_eq "$(requests)" 1
  brk "$(later 1000)"
  assert_eq "$(row 1 2) $(row 1 4)" 'open 59m59s'
  brk --json
  assert_eq "$(field opened) $(field requests)" '1 1'
  # then one is let through, and its success closes it
  put "$(later 3600000)" k
  assert_exit 0
  brk "$(later 3600100)"
  assert_eq "$(row 1 2)" closed
}

@test "trip makes a scope that is not known, and reset ends it" {
  rules
  brk --json trip s3://new 90s
  assert_exit 0
  assert_eq "$(cat "$OUT")" \
    "{\"command\":\"trip\",\"scope\":\"$(scope new)\",\"from\":\"closed\",\"to\":\"open\",\"open_ms\":90000}"
  assert_eq "$(stat -c %a "$STATE")" 600
  brk show s3://new
  assert_eq "$(row 1 2) $(row 1 4)" 'open 1m30s'
  put k
  assert_exit 0
  brk trip s3://bucket 366d
  assert_exit 0
  says "$(scope): open for 366d (was closed)"
  put k
  assert_exit 12
  brk trip s3://bucket 10
  says "$(scope): open for 10s (was open)"
  brk reset s3://bucket
  put k
  assert_exit 0
}

@test "a run under way does not close what was tripped meanwhile" {
  rules
  seed 2000000
  mkfifo "$T/pipe"
  exec 8<>"$T/pipe"
  start_ank ankget-fake s3://bucket/k "$T/pipe"
  # it is in the middle of the object, and stays there
  head -c 1 <&8 >/dev/null
  env -i HOME="$T/home" ANK_FAKE_NOW="$FAKE_NOW" ANK_ENDPOINT="$CLOUD_URL" \
    AWS_REGION=us-east-1 "$ANK_BUILD/ankbreaker-fake" trip s3://bucket 1d >"$T/told"
  assert_eq "$(cat "$T/told")" "$(scope): open for 1d (was closed)"
  head -c 1999999 <&8 >/dev/null
  wait_ank
  assert_exit 0
  brk show s3://bucket
  assert_eq "$(row 1 2) $(row 1 4)" 'open 1d'
}

@test "a duration that is none, 0, or longer than 366 days is refused" {
  local dur
  rules
  for dur in 0 0s 0ms 367d 366.1d 99999h; do
    brk trip s3://bucket "$dur"
    fails 2 "trip: '$dur' is not more than 0 and at most 366d"
  done
  for dur in '' x 1h30m 1w ' 1s' +1s 99999999999999999999s; do
    brk trip s3://bucket "$dur"
    fails 2 "trip: '$dur' is not a duration like 90s, 15m or 2h"
  done
  brk trip s3://bucket -5s
  fails 2 '-5s: unknown option (see --help)'
  [ ! -e "$STATE" ]
}

# --- words -------------------------------------------------------------------

# bats test_tags=valgrind
@test "a wrong word, one too few or one too many is one line and status 2" {
  brk lst
  fails 2 "'lst' is no command; there are list, show URL, reset [URL], trip URL DUR and metrics"
  brk s3://bucket
  assert_exit 2
  brk ''
  assert_exit 2
  brk list s3://bucket
  fails 2 "list: 's3://bucket' is one operand too many: list"
  brk show
  fails 2 'show: an operand is missing: show URL'
  brk show s3://a s3://b
  fails 2 "show: 's3://b' is one operand too many: show URL"
  brk reset s3://a s3://b
  fails 2 "reset: 's3://b' is one operand too many: reset [URL]"
  brk trip
  fails 2 'trip: an operand is missing: trip URL DUR'
  brk trip s3://a
  fails 2 'trip: an operand is missing: trip URL DUR'
  brk trip s3://a 1s 2s
  fails 2 "trip: '2s' is one operand too many: trip URL DUR"
  [ ! -e "$STATE" ]
}

@test "a bad URL, setting or option is one line that names it, and status 2" {
  local words
  for words in 'show bucket' 'reset ftp://x/y' 'trip /etc/passwd 1h'; do
    # shellcheck disable=SC2086 # words
    brk $words
    assert_exit 2
    assert_contains "$(cat "$ERR")" 'not an object URL, which is like s3://BUCKET/KEY'
    assert_eq "$(wc -l <"$ERR")" 1
  done
  brk show s3:///key
  assert_exit 2
  assert_contains "$(cat "$ERR")" "s3:///key: the bucket is missing"
  brk show --endpoint ftp://x s3://bucket
  assert_exit 2
  assert_contains "$(cat "$ERR")" '--endpoint: '
  brk ANK_ENDPOINT=nonsense show s3://bucket
  assert_exit 2
  assert_contains "$(cat "$ERR")" 'ANK_ENDPOINT: '
  brk --region . show s3://bucket
  assert_exit 2
  assert_contains "$(cat "$ERR")" '--region: '
  brk --addressing both show s3://bucket
  assert_exit 2
  assert_contains "$(cat "$ERR")" '--addressing: '
  brk ANK_JSON=maybe
  fails 2 "ANK_JSON: 'maybe' is not 1, yes, true, 0, no or false"
  brk --retries 2
  fails 2 '--retries: unknown option (see --help)'
  # what belongs to the transfers is nothing to it
  brk ANK_RETRIES=x ANK_NO_STATE=1 ANK_REPORT=9
  assert_exit 0
}

# --- the file ----------------------------------------------------------------

@test "the file is that of --state-file, ANK_STATE_FILE, or the usual places" {
  rules
  put k --state-file "$T/one"
  put ANK_STATE_FILE="$T/two" k
  put STATE_DIRECTORY="$T/sys" k
  put XDG_STATE_HOME="$T/xdg" k
  brk
  says "$HEADING"
  brk --state-file "$T/one"
  assert_eq "$(row 1 1)" "$(scope)"
  brk ANK_STATE_FILE="$T/two"
  assert_eq "$(row 1 1)" "$(scope)"
  brk ANK_STATE_FILE="$T/two" --state-file "$T/none"
  says "$HEADING"
  brk STATE_DIRECTORY="$T/sys"
  assert_eq "$(row 1 1)" "$(scope)"
  brk XDG_STATE_HOME="$T/xdg"
  assert_eq "$(row 1 1)" "$(scope)"
}

@test "a state file without a name is refused by all programs" {
  brk --state-file '' trip s3://bucket 1h
  fails 2 '--state-file: the name is empty'
  brk --state-file=
  fails 2 '--state-file: the name is empty'
  rules
  put k --state-file ''
  ends 2 usage
  assert_eq "$(requests)" 0
}

@test "of a scope that stands there twice the last line counts, as for transfers" {
  known '"scope":"http://127.0.0.1:80/bucket","requests":1' \
    '"scope":"http://127.0.0.1:80/bucket","requests":2'
  brk ANK_ENDPOINT=http://127.0.0.1 show s3://bucket
  assert_eq "$(wc -l <"$OUT") $(row 1 6)" '2 2'
}

# bats test_tags=valgrind
@test "of a damaged file list and show tell the damage, and what is left of it" {
  known '"scope":"http://127.0.0.1:80/one","requests":1' \
    '"scope":"odd","requests":' '"scope":"http://127.0.0.1:80/two","requests":2'
  echo '{"scope":"torn","reque' >>"$STATE"
  brk
  assert_exit 0
  complains "warning: $STATE: has damaged lines"
  assert_eq "$(awk 'NR > 1 { print $1 }' "$OUT" | tr '\n' ' ')" \
    'http://127.0.0.1:80/one http://127.0.0.1:80/two '
  brk ANK_ENDPOINT=http://127.0.0.1 show s3://two
  assert_exit 0
  complains "warning: $STATE: has damaged lines"
  assert_eq "$(row 1 6)" 2
  : >"$STATE"
  brk
  assert_exit 0
  complains "warning: $STATE: is empty"
  says "$HEADING"
  head -c 5000 /dev/urandom >"$STATE"
  brk --json
  assert_exit 0
  complains "warning: $STATE: is damaged"
  says ''
}

@test "reset and trip mend a damaged file" {
  known '"scope":"a","failures":3' '"scope":"odd","requests":'
  brk reset
  assert_exit 0
  says '1 scope reset (0 open, 0 held)'
  complains "warning: $STATE: has damaged lines"
  brk
  assert_eq "$(cat "$ERR")" ''
  echo rubbish >"$STATE"
  brk reset
  assert_exit 0
  says '0 scopes reset (0 open, 0 held)'
  brk
  assert_eq "$(cat "$ERR")" ''
  echo rubbish >"$STATE"
  brk trip s3://bucket 1m
  assert_exit 0
  complains "warning: $STATE: is damaged"
  brk show s3://bucket
  assert_exit 0
  assert_eq "$(cat "$ERR")" ''
}

# refused REASON: each command fails on the file as it is, with status 3.
refused() {
  local words
  for words in list 'show s3://bucket' reset 'reset s3://bucket' 'trip s3://bucket 1m'; do
    # shellcheck disable=SC2086 # words
    brk $words
    fails 3 "$STATE: $1" || { echo "at: $words" >&2; return 1; }
  done
}

@test "a file that is refused is status 3 and one line, and is left alone" {
  known '"scope":"a"'
  mv "$STATE" "$T/real"
  ln -s "$T/real" "$STATE"
  refused 'is a symbolic link'
  rm "$STATE"
  ln "$T/real" "$STATE"
  refused 'has more than one name'
  rm "$STATE"
  mkdir "$STATE"
  refused 'is not a regular file'
  rmdir "$STATE"
  mkfifo "$STATE"
  refused 'is not a regular file'
  rm "$STATE"
  printf '{"ank_state":2}\n{"scope":"a"}\n' >"$STATE"
  cp "$STATE" was
  refused 'is of another version'
  assert_same "$STATE" was
}

@test "a file that cannot be read is status 3 for whoever needs it read" {
  known '"scope":"a"'
  truncate -s 2M "$STATE"
  local words
  for words in list 'show s3://bucket' reset 'reset s3://bucket'; do
    # shellcheck disable=SC2086 # words
    brk $words
    fails 3 "$STATE: is too large"
  done
  # as for a transfer, it is replaced by who has something to write
  brk trip s3://bucket 1m
  assert_exit 0
  complains "warning: $STATE: is too large"
  brk
  assert_eq "$(cat "$ERR")" ''
}

# bats test_tags=valgrind
@test "a change that cannot be stored is status 3, with the file and the reason" {
  known "\"scope\":\"http://127.0.0.1:80/bucket\",\"open\":1,\"opened_at\":$FAKE_NOW,\"open_ms\":5000" '"scope":"odd","x":'
  cp "$STATE" was
  ANK_ENV=(ANK_ENDPOINT=http://127.0.0.1)
  exec 9<>"$STATE.lock"
  flock 9
  brk trip s3://bucket 1h
  fails 3 "$STATE: its lock is held by another process"
  # the damage was told before
  brk reset s3://bucket
  assert_exit 3
  assert_eq "$(tail -n 1 "$ERR")" "ankbreaker: $STATE: its lock is held by another process"
  says ''
  brk reset
  assert_exit 3
  assert_eq "$(tail -n 1 "$ERR")" "ankbreaker: $STATE: its lock is held by another process"
  assert_same "$STATE" was
  exec 9>&-
  : >"$T/file"
  STATE=$T/file/x/state.ndjson
  brk --state-file "$STATE" trip s3://bucket 1h
  assert_exit 3
  assert_contains "$(cat "$ERR")" "$STATE: "
  assert_eq "$(wc -l <"$ERR")" 1
}

# --- standard output ---------------------------------------------------------

@test "a full disk under standard output is status 3, and a change was made" {
  known '"scope":"http://127.0.0.1:80/bucket"'
  ANK_ENV=(ANK_ENDPOINT=http://127.0.0.1)
  into_full list
  complains 'standard output: No space left on device'
  into_full --json
  into_full show s3://bucket
  into_full --help
  into_full --version
  into_full trip s3://bucket 1h
  complains 'standard output: No space left on device (the change is stored)'
  brk
  assert_eq "$(row 1 2)" open
  into_full reset
  complains 'standard output: No space left on device (the change is stored)'
  brk
  assert_eq "$(row 1 2)" closed
}

# into_full WORD...: its standard output is a full disk.
into_full() {
  ank_prepare ankbreaker-fake "$@"
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR" || status=$?
  assert_exit 3
  assert_eq "$(wc -l <"$ERR")" 1
}

@test "a closed standard output is status 3" {
  ank_prepare ankbreaker-fake list
  status=0
  "${ANK_COMMAND[@]}" >&- 2>"$ERR" || status=$?
  assert_exit 3
  complains 'standard output: is closed'
}

@test "a reader that has gone is no failure to tell of" {
  known '"scope":"a"'
  mkfifo "$T/pipe"
  ank_prepare ankbreaker-fake list
  # opened both ways, then the reading end is closed
  # shellcheck disable=SC2094
  exec 8<>"$T/pipe" 9>"$T/pipe" 8<&-
  status=0
  "${ANK_COMMAND[@]}" >&9 2>"$ERR" || status=$?
  assert_exit 141
  assert_eq "$(cat "$ERR")" ''
  # where somebody has had SIGPIPE ignored
  status=0
  (trap '' PIPE; exec "${ANK_COMMAND[@]}") >&9 2>"$ERR" || status=$?
  exec 9>&-
  assert_exit 141
  assert_eq "$(cat "$ERR")" ''
}

# --- help --------------------------------------------------------------------

@test "--help and --version are those of this program" {
  brk --help
  assert_exit 0
  assert_contains "$(head -n 1 "$OUT")" 'usage: ankbreaker [options] [COMMAND] [URL]'
  grep -q 'list, show URL, reset \[URL\], trip URL DUR or metrics' "$OUT"
  run ! grep -q -e --retries -e ANK_RETRIES "$OUT"
  brk --help telling
  grep -q -- --json "$OUT"
  run ! grep -q -- --endpoint "$OUT"
  brk -V
  assert_eq "$(head -n 1 "$OUT" | cut -d' ' -f1)" ankbreaker
  brk --help=nosuch
  assert_exit 2
}
