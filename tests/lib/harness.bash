# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What every .bats file that starts a program needs:  load ../lib/harness
#
# start_cloud starts a fake cloud, run_ank runs a program against it in an empty
# environment and checks every line of its report; the rest reads
# reports and the cloud's log. README.md in tests/cloud tells scenarios.

HARNESS_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ANK_BUILD=${ANK_BUILD:-$HARNESS_TOP}
PYTHON=${PYTHON:-/usr/bin/python3}

TEST_KEY=AKIDANKTEST
TEST_SECRET=ank/test+SECRET/key0123456789abcdefghijk
AZURE_ACCOUNT=ankacct
AZURE_KEY=YW5rIHRlc3QgYWNjb3VudCBrZXkgMDEyMzQ1Njc4OQ==
FAKE_NOW=${FAKE_NOW:-1700000000000}     # 2023-11-14T22:13:20Z

setup() { harness_setup; }
teardown() { harness_teardown; }

# --- a test's beginning and end ---------------------------------------------

harness_setup() {
  T=$BATS_TEST_TMPDIR
  CLOUD_PIDS=()
  CLOUD_DIRS=()
  ANK_PID=
  UNSIGNED_OK=
  FAKE_DICE=${FAKE_DICE-}
  SLEEPS=$T/sleeps
  OUT=$T/stdout ERR=$T/stderr REPORT=$T/report
  ANK_ENV=()
  mkdir -p "$T/home"
  cd "$T" || return 1
}

harness_teardown() {
  local dir bad=0
  [ -z "$ANK_PID" ] || kill -KILL "$ANK_PID" 2>/dev/null || true
  stop_clouds
  [ -n "${BATS_TEST_COMPLETED-}" ] || harness_tell
  for dir in "${CLOUD_DIRS[@]}"; do
    if [ -s "$dir/err" ]; then cat "$dir/err" >&2; bad=1; fi
    [ -n "$UNSIGNED_OK" ] || all_signed "$dir" || bad=1
  done
  return "$bad"
}

# What a failed test shows.
harness_tell() {
  local dir
  if [ -e "$OUT" ]; then echo "--- standard output"; head -c 2000 "$OUT"; fi
  if [ -e "$ERR" ]; then echo "--- standard error"; head -c 2000 "$ERR"; fi
  for dir in "${CLOUD_DIRS[@]}"; do
    echo "--- $dir/log.ndjson"
    jq -c '{n, op, method, target, conn, signature, signature_why, rule,
            status, ending, body_len, body_complete}' "$dir/log.ndjson" | tail -30
  done
}

# Every signature in a cloud's log was computed well. What a scenario sets up to
# be refused (region, clock, token) is not meant; nor a test with UNSIGNED_OK=1.
all_signed() {
  local bad
  bad=$(jq -c 'select(.signature | IN("SignatureDoesNotMatch", "AccessDenied",
          "InvalidRequest", "InvalidAccessKeyId"))
        | {n, op, target, signature, signature_why}' "$1/log.ndjson")
  [ -z "$bad" ] || { printf 'badly signed: %s\n' "$bad" >&2; return 1; }
}

# --- the cloud ----------------------------------------------------------------

# start_cloud [OPTION...] [SCENARIO]: SCENARIO is JSON text, a file, or - for
# standard input; options are cloud.py's (--fake, --tls CERT KEY …). Sets
# CLOUD_DIR, CLOUD_PORT, CLOUD_URL, CLOUD_TLS_URL, CLOUD_ENDPOINT. A test may start several.
start_cloud() {
  local options=() scenario='{}'
  while [ $# -gt 0 ]; do
    case $1 in
      --tls) options+=("$1" "$2" "$3"); shift 3 ;;
      --fake | --anonymous) options+=("$1"); shift ;;
      --*) options+=("$1" "$2"); shift 2 ;;
      -) scenario=$(cat); shift ;;
      '{'*) scenario=$1; shift ;;
      *) scenario=$(cat "$1") || return 1; shift ;;
    esac
  done
  CLOUD_DIR=$T/cloud${#CLOUD_DIRS[@]}
  mkdir -p "$CLOUD_DIR"
  printf '%s\n' "$scenario" >"$CLOUD_DIR/scenario.json"
  "$PYTHON" "$HARNESS_TOP/tests/cloud/cloud.py" --dir "$CLOUD_DIR" \
    --scenario "$CLOUD_DIR/scenario.json" --fake-now "$FAKE_NOW" \
    --fake-log "$SLEEPS" "${options[@]}" 2>"$CLOUD_DIR/err" 3>&- &
  CLOUD_PID=$!
  CLOUD_PIDS+=("$CLOUD_PID")
  CLOUD_DIRS+=("$CLOUD_DIR")
  await_file "$CLOUD_DIR/port" "$CLOUD_PID" || { cat "$CLOUD_DIR/err" >&2; return 1; }
  CLOUD_PORT=$(<"$CLOUD_DIR/port")
  CLOUD_URL=http://127.0.0.1:$CLOUD_PORT
  CLOUD_PORT2=$(<"$CLOUD_DIR/port2")
  cloud_endpoint "$scenario"
  if [ -e "$CLOUD_DIR/tls_port" ]; then
    CLOUD_TLS_PORT=$(<"$CLOUD_DIR/tls_port")
    CLOUD_TLS_URL=https://127.0.0.1:$CLOUD_TLS_PORT
  fi
  if [ -e "$CLOUD_DIR/blackhole_port" ]; then
    BLACKHOLE_URL=http://127.0.0.1:$(<"$CLOUD_DIR/blackhole_port")
  fi
  export CLOUD_DIR CLOUD_PID CLOUD_PORT CLOUD_PORT2 CLOUD_URL CLOUD_TLS_PORT \
    CLOUD_TLS_URL BLACKHOLE_URL
}

# cloud_endpoint SCENARIO: CLOUD_ENDPOINT is what --endpoint is to be; Azure's ends
# in the account.
cloud_endpoint() {
  CLOUD_ENDPOINT=$CLOUD_URL
  [ "$(jq -r '.service // "s3"' <<<"$1")" != azure ] ||
    CLOUD_ENDPOINT=$CLOUD_URL/$AZURE_ACCOUNT
  export CLOUD_ENDPOINT
}

# await_file FILE PID: until FILE is there or PID is not.
await_file() {
  local i
  for ((i = 0; i < 500; i++)); do
    [ ! -e "$1" ] || return 0
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.01
  done
  return 1
}

stop_clouds() {
  local pid
  for pid in "${CLOUD_PIDS[@]}"; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  CLOUD_PIDS=()
}

# closed_port: the number of a port that refuses.
closed_port() {
  "$PYTHON" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# object_id BUCKET KEY: the name of its file below objects/.
object_id() {
  printf '%s/%s' "$1" "$2" | sha256sum | cut -d' ' -f1
}

# seed_object BUCKET KEY FILE [META-JSON]: puts an object there. META is
# {"headers": {...}, "checksums": {...}, "etag": "\"…\""}, all optional.
seed_object() {
  local path
  path=$CLOUD_DIR/objects/$(object_id "$1" "$2")
  cp -- "$3" "$path"
  rm -f "$path.json"
  [ -z "${4-}" ] || jq --arg etag "\"$(md5sum <"$3" | cut -d' ' -f1)\"" \
    --argjson now "$(date +%s)" \
    '{etag: $etag, modified: $now, headers: {}, checksums: {}} + .' \
    <<<"$4" >"$path.json"
}

# stored_object BUCKET KEY: the path of its bytes; fails when it is not there.
stored_object() {
  local path
  path=$CLOUD_DIR/objects/$(object_id "$1" "$2")
  [ -e "$path" ] && printf '%s\n' "$path"
}

# stored_meta BUCKET KEY FILTER: what the cloud keeps beside the bytes.
stored_meta() {
  jq -r "$3" "$CLOUD_DIR/objects/$(object_id "$1" "$2").json"
}

# uploads: the IDs of the uploads that are neither completed nor aborted.
uploads() {
  local file
  for file in "$CLOUD_DIR"/uploads/*/upload.json; do
    [ ! -e "$file" ] || jq -r .id "$file"
  done
}

# upload_folder ID: where its parts lie, each a file named by its number.
upload_folder() {
  local file
  for file in "$CLOUD_DIR"/uploads/*/upload.json; do
    [ "$(jq -r .id "$file")" != "$1" ] || { dirname "$file"; return; }
  done
  return 1
}

# upload_parts ID: a line a stored part: number, size, SHA-256.
upload_parts() {
  local folder
  folder=$(upload_folder "$1") || return 1
  find "$folder" -name '[0-9]*.json' -exec cat {} + |
    jq -sr 'sort_by(.number)[] | "\(.number) \(.size) \(.sha256)"'
}

# part_requests [N]: how many requests for parts (for part N) arrived.
part_requests() {
  log_settled
  jq -s --arg n "${1-}" 'map(select(.op == "part"
    and ($n == "" or (.part | tostring) == $n))) | length' "$CLOUD_DIR/log.ndjson"
}

# requests [OP]: how many requests arrived (and connections refused by rule).
requests() {
  log_settled
  jq -s --arg op "${1-}" 'map(select($op == "" or .op == $op)) | length' \
    "$CLOUD_DIR/log.ndjson"
}

# request N FILTER: a jq filter over the log's N-th line, from 1.
request() {
  log_settled
  jq -rs ".[$1 - 1] | $2" "$CLOUD_DIR/log.ndjson"
}

# request_header N NAME: a header of the N-th request; fails when absent.
request_header() {
  log_settled
  jq -res --arg name "${2,,}" ".[$1 - 1].headers
    | map(select((.[0] | ascii_downcase) == \$name))[0][1]" \
    "$CLOUD_DIR/log.ndjson"
}

# assert_careful: every path was sent as it was signed, and no header that can be
# signed was left out.
assert_careful() {
  assert_eq "$(jq -c 'select(.canonical == false or (.unsigned // [] | length > 0))
    | {n, target, unsigned}' "$CLOUD_DIR/log.ndjson")" ""
}

# A request answered before its body was read is logged a little late.
log_settled() {
  local i
  for ((i = 0; i < 300; i++)); do
    [ -e "$CLOUD_DIR/busy" ] || return 0
    sleep 0.01
  done
}

# --- the programs -----------------------------------------------------------

# run_ank [NAME=VALUE...|-NAME...] PROGRAM ARG...: runs it to its end. Sets
# status; standard output is in $OUT, standard error in $ERR, the report, each
# line checked, in $REPORT. -NAME takes a variable out of the environment.
run_ank() {
  ank_prepare "$@" || return 1
  status=0
  timeout --foreground -k 1 "${ANK_TIMEOUT:-30}" "${ANK_COMMAND[@]}" \
    >"$OUT" 2>"$ERR" || status=$?
  if [ "$status" = 124 ]; then echo "it hangs: $*" >&2; return 1; fi
  check_report
}

# start_ank …: like run_ank, but goes on at once; the process is $ANK_PID.
start_ank() {
  ank_prepare "$@" || return 1
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
}

# wait_ank: waits for it, then as run_ank. SIGKILL leaves a partial report.
wait_ank() {
  status=0
  wait "$ANK_PID" || status=$?
  ANK_PID=
  check_report
}

# Builds ANK_COMMAND from environment words, the program and its arguments.
ank_prepare() {
  local set=() unset=() program
  while [ $# -gt 0 ]; do
    case $1 in
      -*) unset+=(-u "${1#-}") ;;
      *=*) set+=("$1") ;;
      *) break ;;
    esac
    shift
  done
  program=$1
  shift
  [ -x "$ANK_BUILD/$program" ] || { echo "no $ANK_BUILD/$program" >&2; return 1; }
  ank_environment "$program"
  ANK_ARGS=("$@")
  ANK_PROGRAM=$program
  # shellcheck disable=SC2206  # ANK_WRAP is a command with words
  ANK_COMMAND=(env -i "${ANK_BASE[@]}" "${ANK_ENV[@]}" "${set[@]}"
    env "${unset[@]}" ${ANK_WRAP-} "$ANK_BUILD/$program" "$@")
  rm -f "$REPORT" "$OUT" "$ERR"
}

ank_environment() {
  local name
  ANK_BASE=(PATH="$PATH" HOME="$T/home" LC_ALL=C.UTF-8
    AWS_ACCESS_KEY_ID="$TEST_KEY" AWS_SECRET_ACCESS_KEY="$TEST_SECRET"
    AWS_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true
    AZURE_TOKEN_CREDENTIALS=EnvironmentCredential METADATA_SERVER_DETECTION=none
    AZURE_STORAGE_ACCOUNT="$AZURE_ACCOUNT" AZURE_STORAGE_KEY="$AZURE_KEY")
  [ -z "${NO_STATE-}" ] || ANK_BASE+=(ANK_NO_STATE=1)
  [ -z "${CLOUD_URL-}" ] || ANK_BASE+=(ANK_ENDPOINT="$CLOUD_ENDPOINT")
  for name in ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS LLVM_PROFILE_FILE; do
    [ -z "${!name-}" ] || ANK_BASE+=("$name=${!name}")
  done
  [[ $1 == *-fake ]] || return 0
  : >"$SLEEPS"
  ANK_BASE+=(ANK_FAKE_NOW="$FAKE_NOW" ANK_FAKE_LOG="$SLEEPS"
    ANK_FAKE_HANG="${CLOUD_DIR-$T}/hang")
  if [ -n "$FAKE_DICE" ]; then
    ANK_BASE+=(ANK_FAKE_DICE="$FAKE_DICE")
  else
    ANK_BASE+=(ANK_FAKE_SEED="${FAKE_SEED:-1}")
  fi
}

# Puts the report of the last run into $REPORT and checks every line of it.
check_report() {
  local options=(--exit "$status")
  [ "$status" -ne 137 ] || options=(--partial)
  report_source || return 0
  "$PYTHON" "$HARNESS_TOP/tests/lib/check_report.py" "${options[@]}" \
    "$HARNESS_TOP/man/ank-report.schema.json" "$REPORT"
}

# Finds the report by the options given; fails when the run has none.
report_source() {
  local i source=
  # ankbreaker answers; it has no report
  [[ $ANK_PROGRAM != ankbreaker* ]] || return 1
  for ((i = 0; i < ${#ANK_ARGS[@]}; i++)); do
    case ${ANK_ARGS[i]} in
      --) break ;;
      --text | -h | --help | -V | --version | --show-config | --completion) return 1 ;;
      --help=* | --completion=* | -h?*) return 1 ;;
      --report) source=${ANK_ARGS[i + 1]-} ;;
      --report=*) source=${ANK_ARGS[i]#--report=} ;;
    esac
  done
  case $source in
    none) return 1 ;;
    2) source=$ERR ;;
    '' | 1) source=$OUT; ! report_on_stderr || source=$ERR ;;
  esac
  [ -f "$source" ] || return 1
  cp -- "$source" "$REPORT"
}

# ankget that writes the object to standard output reports on standard error.
report_on_stderr() {
  [[ $ANK_PROGRAM == ankget* ]] && [ "$(head -c 2 "$ERR" 2>/dev/null)" = '{"' ]
}

# --- reading a report -------------------------------------------------------

# json EVENT FIELD [N]: a field of the N-th (default: last) line of an event;
# nothing when absent.
json() {
  jq -rs --arg event "$1" --arg field "$2" --argjson n "${3:-0}" '
    map(select(.event == $event)) | .[$n - 1][$field]
    | if . == null then empty else . end' "$REPORT"
}

# attempts: how many attempt lines there are.
attempts() { jq -s 'map(select(.event == "attempt")) | length' "$REPORT"; }

# slept: milliseconds of virtual sleep in the last run; sleeps: one a line.
slept() { awk '$1 == "sleep" { n += $2 } END { print n + 0 }' "$SLEEPS"; }
sleeps() { awk '$1 == "sleep" { print $2 }' "$SLEEPS"; }

# --- assertions ---------------------------------------------------------------

assert_eq() {
  [ "$1" = "$2" ] || { printf 'got:  %s\nwant: %s\n' "$1" "$2" >&2; return 1; }
}

# assert_between VALUE LOW HIGH
assert_between() {
  { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; } ||
    { printf 'got: %s\nwant: %s to %s\n' "$1" "$2" "$3" >&2; return 1; }
}

assert_exit() {
  [ "$status" -eq "$1" ] || { printf 'exit %s, not %s\n' "$status" "$1" >&2; return 1; }
}

assert_json() { assert_eq "$(json "$1" "$2" "${4-}")" "$3"; }

assert_same() {
  cmp -- "$1" "$2" || return 1
}

assert_contains() {
  [[ $1 == *"$2"* ]] || { printf 'got:  %s\nwithout: %s\n' "$1" "$2" >&2; return 1; }
}

# --- data ---------------------------------------------------------------------

# new_file SIZE [NAME [SEED]]: a file with always the same bytes; prints it.
new_file() {
  local name=${2:-$T/file-$1}
  openssl enc -aes-128-ctr -nosalt -iv 0 -K "$(printf '%032x' "${3:-1}")" \
    -in /dev/zero 2>/dev/null | head -c "$1" >"$name"
  printf '%s\n' "$name"
}

# make_certificates: in $T, ca.pem (a private authority) and NAME.pem, NAME.key
# for good (127.0.0.1, localhost, *.s3.localhost), wrong (another host),
# expired, and client (for --cert).
make_certificates() {
  local san='IP:127.0.0.1,IP:::1,DNS:localhost,DNS:*.s3.localhost'
  new_key ca
  openssl req -x509 -new -key "$T/ca.key" -days 30 -subj /CN=ank-test-authority \
    -out "$T/ca.pem" 2>/dev/null || return 1
  issue good "$san" 30 && issue wrong DNS:other.example 30 &&
    issue expired "$san" -1 && issue client DNS:client 30
}

new_key() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$T/$1.key" 2>/dev/null
}

# issue NAME SUBJECT-ALT-NAME DAYS: a certificate of the authority; with
# negative DAYS one that ended.
issue() {
  new_key "$1"
  printf 'subjectAltName=%s\n' "$2" >"$T/$1.ext"
  openssl req -new -key "$T/$1.key" -subj "/CN=$1" -out "$T/$1.csr" 2>/dev/null
  openssl x509 -req -in "$T/$1.csr" -CA "$T/ca.pem" -CAkey "$T/ca.key" \
    -CAcreateserial -days "$3" -extfile "$T/$1.ext" -out "$T/$1.pem" 2>/dev/null
}
