#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The report: where its lines go, that they are whatever happens, that nothing
# else is on their stream and nothing secret in them.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# --- where -------------------------------------------------------------------

@test "the report is all there is on standard output, unless the object is" {
  cloud
  run_ank ankput "$(new_file 10 "$T/source")" s3://bucket/k
  assert_exit 0
  assert_eq "$(jq -r .event "$OUT" | tr '\n' ' ')" 'attempt result '
  assert_eq "$(wc -c <"$ERR")" 0
  run_ank ankget s3://bucket/k out
  assert_eq "$(jq -r .event "$OUT" | tr '\n' ' ')" 'attempt result '
  assert_eq "$(wc -c <"$ERR")" 0
  run_ank ankget s3://bucket/k
  assert_same "$OUT" "$T/source"
  assert_eq "$(jq -r .event "$ERR" | tr '\n' ' ')" 'attempt result '
}

@test "--report FILE appends to it, and both streams stay clean" {
  cloud
  seed 10
  run_ank ankget --report "$T/r" s3://bucket/k out
  assert_exit 0
  assert_eq "$(cat "$OUT" "$ERR" | wc -c)" 0
  cp r one
  ank_prepare ankget --report "$T/r" s3://bucket/k out
  "${ANK_COMMAND[@]}"
  cmp -n "$(stat -c %s one)" r one
  assert_eq "$(wc -l <r)" 4
  assert_eq "$(jq -r .run r | uniq -c | awk '{print $1}' | tr '\n' ' ')" '2 2 '
  assert_eq "$(stat -c %a r)" "$(printf '%o' $((0666 & ~$(umask))))"
}

@test "--report N is a descriptor" {
  cloud
  seed 10
  ank_prepare ankget --report 7 s3://bucket/k
  "${ANK_COMMAND[@]}" 7>lines >"$OUT" 2>"$ERR"
  assert_same "$OUT" "$T/object"
  assert_eq "$(jq -r .event lines | tr '\n' ' ')" 'attempt result '
  assert_eq "$(wc -c <"$ERR")" 0
  run_ank ankget --report 1 s3://bucket/k out
  assert_eq "$(wc -l <"$OUT")" 2
  run_ank ankput --report 2 "$T/object" s3://bucket/k
  assert_eq "$(wc -l <"$ERR") $(wc -c <"$OUT")" '2 0'
}

@test "--report none: silent when all goes well, one line when not" {
  cloud
  seed 10
  run_ank ankget --report none s3://bucket/k out
  assert_exit 0
  assert_eq "$(cat "$OUT" "$ERR" | wc -c)" 0
  run_ank ankget --report none s3://bucket/none out
  assert_exit 6
  assert_eq "$(wc -c <"$OUT")" 0
  assert_human 'ankget: s3://bucket/none: the server answered 404 NoSuchKey: The specified key'
}

@test "a descriptor that is not open is refused, and said where the report is" {
  cloud
  run_ank ankput --report 9 /etc/passwd s3://bucket/k || true
  assert_exit 2
  assert_human "--report: '9' is not an open descriptor"
  assert_eq "$(tail -n 1 "$OUT" | jq -r .outcome)" usage
  assert_eq "$(requests)" 0
}

@test "a report that cannot be opened costs one warning, not the transfer" {
  local file
  cloud
  seed 10
  mkfifo fifo
  for file in "$T/no/such/dir/r" "$T" "$T/fifo"; do
    ANK_TIMEOUT=5 run_ank ankget --report "$file" s3://bucket/k out
    assert_exit 0
    assert_same out "$T/object"
    assert_human "warning: report $file: "
  done
  run_ank ankget -s --report "$T/no/such" s3://bucket/k out
  assert_exit 0
  assert_eq "$(wc -c <"$ERR")" 0
}

@test "a report that cannot be written costs one warning, not the exit code" {
  FAKE=1 cloud '{"op": "get", "nth": 1, "s3_error": "SlowDown"}'
  seed 10
  run_ank ankget-fake --report /dev/full s3://bucket/k out
  assert_exit 0
  assert_same out "$T/object"
  assert_human 'warning: report: No space left on device'
  run_ank ankget-fake --report /dev/full s3://bucket/none out
  assert_exit 6
  assert_eq "$(wc -l <"$ERR")" 2
}

@test "a reader of the report that has gone costs one warning" {
  cloud
  seed 10
  ank_prepare ankget s3://bucket/k out
  { code=0; "${ANK_COMMAND[@]}" 2>"$ERR" || code=$?; echo "$code" >code; } | true
  await . code
  assert_eq "$(cat code)" 0
  assert_same out "$T/object"
  assert_human 'warning: report: Broken pipe'
}

@test "a usage error whose report nobody reads still ends with 2" {
  ank_prepare ankget --bad
  mkfifo fifo
  : <fifo & exec 7>fifo
  wait $!
  status=0
  "${ANK_COMMAND[@]}" --report 7 2>"$ERR" 7>&7 || status=$?
  assert_exit 2
  ank_prepare ankput --bad
  status=0
  "${ANK_COMMAND[@]}" 2>"$ERR" >&7 || status=$?
  exec 7>&-
  assert_exit 2
}

@test "a full pipe that nobody reads costs one warning, not the transfer" {
  cloud
  seed 10
  mkfifo fifo
  exec 7<>fifo
  head -c 65536 /dev/zero >&7
  ank_prepare ankget --report 7 s3://bucket/k out
  status=0
  timeout --foreground 10 "${ANK_COMMAND[@]}" 2>"$ERR" 7>&7 || status=$?
  exec 7>&-
  assert_exit 0
  assert_same out "$T/object"
  assert_human 'warning: report: the reader is not reading'
}

# --- closed descriptors (case 25) --------------------------------------------

@test "ankput works with descriptors 0 to 2 closed (case 25)" {
  cloud
  new_file 1000 "$T/source" >/dev/null
  ank_prepare ankput --report "$T/r" "$T/source" s3://bucket/k
  "${ANK_COMMAND[@]}" <&- >&- 2>&-
  assert_stored k "$T/source"
  assert_eq "$(jq -rs '.[-1].ok' r)" true
  "${ANK_COMMAND[@]/--report/--region}" <&- >&- 2>&- || true
  assert_same "$(stored_object bucket k)" "$T/source"
  ank_prepare ankput "$T/source" s3://bucket/k2
  "${ANK_COMMAND[@]}" <&- >&- 2>&-
  assert_stored k2 "$T/source"
}

@test "ankget works with descriptors 0 to 2 closed, and keeps them apart (case 25)" {
  cloud
  seed 100000
  ank_prepare ankget s3://bucket/k out
  "${ANK_COMMAND[@]}" <&- >&- 2>&-
  assert_same out "$T/object"
  assert_no_leftovers
}

@test "an object for a standard output that is closed is an error, not lost (case 25)" {
  cloud
  seed 10
  ank_prepare ankget s3://bucket/k
  status=0
  "${ANK_COMMAND[@]}" >&- 2>"$ERR" || status=$?
  assert_exit 3
  assert_contains "$(cat "$ERR")" 'standard output is closed'
  assert_eq "$(requests)" 0
}

# --- what for a person --------------------------------------------------------

@test "a failure is one line for a person, unless the report is there" {
  cloud
  run_ank ankget s3://bucket/none out
  assert_human 'ankget: '
  run_ank ankget s3://bucket/none
  assert_exit 6
  assert_eq "$(jq -r .event "$ERR" | tr '\n' ' ')" 'attempt result '
  run_ank ankget --report 2 s3://bucket/none out
  assert_eq "$(jq -r .event "$ERR" | tr '\n' ' ')" 'attempt result '
  run_ank ankget --report "$T/r" s3://bucket/none
  assert_human 'NoSuchKey'
}

@test "-s silences warnings, not the report nor the failure line" {
  cloud
  run_ank ankget --silent -k s3://bucket/none out
  assert_exit 6
  assert_human NoSuchKey
  assert_eq "$(jq -r .event "$OUT" | tr '\n' ' ')" 'warning attempt result '
  run_ank ankget -k s3://bucket/none out
  assert_eq "$(wc -l <"$ERR")" 2
}

@test "control characters and escapes of a server are shown, not obeyed" {
  cloud '{"op": "get", "status": 403, "body":
    "<Error><Code>Acc\u001b[31mess</Code><Message>a\u009b31mb&#10;ankget: all is well&#13;\u007f</Message></Error>"}' \
    '{"op": "put", "status": 400, "headers": {"x-amz-request-id": "\u001b]0;x\u0007"},
      "body": "<Error><Code>Bad</Code><Message>one&#10;two&#x9b;3&#x202e;</Message></Error>"}'
  run_ank ankget s3://bucket/k out
  assert_exit 5
  assert_eq "$(wc -l <"$ERR")" 1
  assert_eq "$(tr -dc '\001-\011\013-\037\177' <"$ERR" | wc -c)" 0
  run_ank ankput "$(new_file 1)" s3://bucket/k
  assert_exit 8
  assert_human 'one\x0atwo'
  assert_eq "$(tr -dc '\001-\011\013-\037\177' <"$OUT" | wc -c)" 0
}

@test "a server's message is told up to 512 characters, and never torn" {
  local long
  long=$(printf 'ü%.0s' {1..3000})
  cloud "{\"op\": \"get\", \"s3_error\": \"AccessDenied\", \"message\": \"$long\"}"
  run_ank ankget s3://bucket/k out
  assert_exit 5
  assert_eq "$(json attempt message)" "${long:0:512}"
}

# --- every line -----------------------------------------------------------------

@test "an attempt line has what is known, and nothing that is not" {
  cloud
  seed 1000
  run_ank ankget --deadline 60 s3://bucket/k out
  assert_json attempt op get
  grep -q '"attempt":1,' "$REPORT"
  assert_json attempt of 3
  assert_json attempt method GET
  assert_json attempt url "$CLOUD_URL/bucket/k"
  assert_json attempt endpoint "$CLOUD_URL"
  assert_json attempt provider s3
  assert_json attempt bucket bucket
  assert_json attempt key k
  assert_json attempt verdict ok
  assert_json attempt status 200
  assert_json attempt bytes_received 1000
  assert_json attempt bytes_sent 0
  assert_json attempt remote_ip 127.0.0.1
  assert_json attempt http_version 1.1
  assert_json attempt reused false
  assert_json attempt next 'done'
  assert_contains "$(json attempt request_id)" REQ
  assert_between "$(json attempt deadline_left_ms)" 1 60000
  assert_between "$(json attempt total_ms)" 0 30000
  local absent
  for absent in code message error errno offset wait_ms why retry_after_ms; do
    assert_eq "$(json attempt $absent)" ''
  done
  result_is_last
}

@test "a connection that is refused is told as such" {
  run_ank ankget --retries 0 --endpoint "http://127.0.0.1:$(closed_port)" s3://bucket/k out
  assert_exit 10
  assert_json attempt error connect
  assert_json attempt errno ECONNREFUSED
  assert_eq "$(json attempt status)$(json attempt http_version)$(json attempt reused)" ''
  assert_json result outcome unavailable
}

@test "retries without end have no last one" {
  run_ank ankget --retries 9223372036854775807 --deadline 0.3 \
    --endpoint "http://127.0.0.1:$(closed_port)" s3://bucket/k out
  assert_exit 10
  grep -q '"attempt":1,' "$REPORT"
  refute grep -q '"of":' "$REPORT"
}

@test "the schema and the table of fields agree" {
  "$PYTHON" - "$HARNESS_TOP" <<'EOF2'
import json, re, sys
top = sys.argv[1]
defs = json.load(open(top + "/man/ank-report.schema.json"))["$defs"]
letters = {"A": "attempt", "W": "wait", "B": "breaker", "G": "warning",
           "R": "result"}
own = {"event", "time", "run"}
# fields that the lines of parts, streams and the retry budget will have
later = {"attempt": {"part", "budget"},
         "result": {"settled", "confirmed_by", "guarded", "resumed_from",
                    "upload_id", "aborted", "leftover", "producer_exit"}}
table = {name: {} for name in letters.values()}
for name, kind, events in re.findall(
        r'^FIELD\(\w+,\s+"(\w+)",\s+(\w+),\s+"(\w+)"\)',
        open(top + "/src/flow/report.def").read(), re.M):
    for letter in events:
        table[letters[letter]][name] = kind
kinds = {"TEXT": ["string"], "NUMBER": ["integer", "number"], "FLAG": ["boolean"],
         "MAP": ["object"]}
bad = []
for event, fields in table.items():
    schema = defs[event]["properties"]
    for name in set(schema) - own - set(fields) - later.get(event, set()):
        bad.append("%s.%s: not in report.def" % (event, name))
    for name, kind in fields.items():
        if name not in schema:
            bad.append("%s.%s: not in the schema" % (event, name))
            continue
        sub = schema[name]
        while "$ref" in sub:
            sub = defs[sub["$ref"].rsplit("/", 1)[1]]
        if sub.get("type", "string") not in kinds[kind]:
            bad.append("%s.%s: %s is %s" % (event, name, kind, sub))
sys.exit("\n".join(bad) or 0)
EOF2
}

# --- secrets (case 71) -------------------------------------------------------------

SESSION=session/TOKEN+of/these==
SSE_C=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=

# no_secrets FILE...: none of them holds one.
no_secrets() {
  local secret
  for secret in "$TEST_SECRET" "$SESSION" "$SSE_C" hunter2-proxy Credential= \
    AWS4-HMAC; do
    refute grep -aF -- "$secret" "$@" || { echo "told: $secret" >&2; return 1; }
  done
}

# leaky RULE...: a store that quotes each secret back, in header and words.
leaky() {
  CLOUD_SETTINGS="\"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\", \"token\": \"$SESSION\"}}" \
    cloud "$@"
  ANK_ENV=(AWS_SESSION_TOKEN="$SESSION")
}

@test "no secret is told on any way to fail (case 71)" {
  local rule quote="$TEST_SECRET $SESSION $SSE_C hunter2-proxy"
  for rule in '"s3_error": "AccessDenied"' '"s3_error": "SlowDown"' \
    '"close_at": "status"' '"s3_error": "SignatureDoesNotMatch"' \
    '"status": 301, "headers": {"Location": "http://u:hunter2-proxy@x/"}' \
    '"raw": "hunter2-proxy\r\n\r\n"'; do
    leaky "{\"op\": \"any\", $rule, \"message\": \"you sent $quote\"}"
    run_ank ANK_PROXY="http://user:hunter2-proxy@127.0.0.1:$CLOUD_PORT" ankget \
      --retries 1 -H "x-amz-server-side-encryption-customer-key: $SSE_C" \
      s3://bucket/k
    [ "$status" -ne 0 ]
    no_secrets "$OUT" "$ERR"
    run_ank ankput -k --proxy "http://user:hunter2-proxy@127.0.0.1:$CLOUD_PORT" \
      -H "x-amz-server-side-encryption-customer-key: $SSE_C" \
      --retries 0 --report "$T/r" "$(new_file 9)" s3://bucket/k
    no_secrets "$OUT" "$ERR" "$T/r"
    rm "$T/r"
    stop_clouds
  done
}

@test "a proxy that is down, or a word misspelt, tells no password (case 71)" {
  run_ank ankget --retries 0 -x "http://user:hunter2-proxy@127.0.0.1:$(closed_port)" \
    --endpoint http://x.example s3://b/k out
  assert_exit 10
  no_secrets "$OUT" "$ERR"
  run_ank ankget --retries 0 -x "http://user:hunter2-proxy@no-such.invalid:1" \
    --endpoint http://x.example s3://b/k out
  no_secrets "$OUT" "$ERR"
  run_ank ankget "--proxi=http://u:hunter2-proxy@h" s3://b/k out
  assert_exit 2
  no_secrets "$OUT" "$ERR"
  run_ank ankget --proxy 'ftp://u:hunter2-proxy@h' s3://b/k out
  assert_exit 2
  no_secrets "$OUT" "$ERR"
  run_ank ankget --endpoint http://u:hunter2-proxy@h s3://b/k out
  assert_exit 2
  no_secrets "$OUT" "$ERR"
  run_ank ankget -H $'x-key: hunter2-proxy\nx: y' s3://b/k out
  assert_exit 2
  no_secrets "$OUT" "$ERR"
  run_ank ankget --retries 0 --resolve b.s3.amazonaws.com:443:127.0.0.1 \
    'https://b.s3.amazonaws.com/k?X-Amz-Signature=hunter2-proxy' out
  assert_exit 10
  no_secrets "$OUT" "$ERR"
}

@test "no secret is in /proc/PID/cmdline while it runs, and no core is left (case 71)" {
  leaky '{"hang_at": "status"}'
  start_ank ankget --proxy "http://user:hunter2-proxy@127.0.0.1:$CLOUD_PORT" \
    -H "x-amz-server-side-encryption-customer-key: $SSE_C" \
    --header="X-Amz-Meta-Secret: $SSE_C" s3://bucket/k out
  await_hang
  tr '\0' '\n' <"/proc/$ANK_PID/cmdline" >cmdline
  grep -q '^http://user:x*@127.0.0.1' cmdline
  no_secrets cmdline
  assert_eq "$(awk '/^Max core file size/ {print $5, $6}' "/proc/$ANK_PID/limits")" '0 0'
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  no_secrets "$OUT" "$ERR"
  assert_contains "$(request_header 1 proxy-authorization)" 'Basic '
  assert_eq "$(request_header 1 x-amz-server-side-encryption-customer-key)" "$SSE_C"
}

@test "credentials in files are told nowhere either (case 71)" {
  cloud
  mkdir -p home/.aws
  printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\naws_session_token = %s\n' \
    "$TEST_KEY" "$TEST_SECRET" "$SESSION" >home/.aws/credentials
  run_ank -AWS_ACCESS_KEY_ID ankget s3://bucket/k out
  assert_exit 4
  assert_json attempt code InvalidToken
  no_secrets "$OUT" "$ERR"
  printf 'aws_secret_access_key %s\n' "$SESSION" >>home/.aws/credentials
  run_ank -AWS_ACCESS_KEY_ID ankget s3://bucket/k out
  assert_exit 4
  no_secrets "$OUT" "$ERR"
}
