#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Options: each has an effect, each error is one line that names the flag or the
# variable, and nothing is sent after one.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# options PROGRAM: the long options of the list, one a line.
options() {
  "$PYTHON" - "$HARNESS_TOP/src/cli/options.def" "$1" <<'EOF2'
import re, sys
text = open(sys.argv[1]).read()
here = {"ankput": ("PUT", "BOTH", "ALL"), "ankget": ("GET", "BOTH", "ALL"),
        "ankbreaker": ("STATE", "ALL")}[sys.argv[2]]
for m in re.finditer(r'^OPT\((\w+),\s*(\S+),\s*"([^"]+)",\s*(\w+),\s*("[^"]*"|NULL),\s*("[^"]*"|NULL),\s*(\w+),', text, re.M):
    ident, short, name, kind, arg, default, programs = m.groups()
    if programs in here:
        print(name, kind, "-" if arg == "NULL" else "arg", programs)
EOF2
}

@test "each option of the list is used by some test" {
  local program name rest
  for program in ankput ankget ankbreaker; do
    while read -r name rest; do
      grep -qrE -- "--$name\\b|ANK_$(tr 'a-z-' 'A-Z_' <<<"$name")=" \
        "$BATS_TEST_DIRNAME" || { echo "nobody tries --$name"; return 1; }
    done < <(options "$program")
  done
}

# wrong_value KIND: one that the kind does not take.
wrong_value() {
  case $1 in
    FLAG) echo maybe ;;
    COUNT | MILLIS) echo -1 ;;
    DURATION | DEADLINE) echo 10x ;;
    RATE) echo 0 ;;
    RANGE) echo 9-1 ;;
    STATUSES) echo 404,often ;;
    BREAKER) echo failures=0 ;;
    BACKOFF) echo exp:1s,x0 ;;
    BUDGET) echo 1001 ;;
    POLICY) echo none ;;
    ADDRESSING) echo both ;;
    SSE) echo ROT13 ;;
    LIST | TEXT) printf 'a\nb' ;;
  esac
}

@test "a value that an option does not take is refused, naming flag or variable (case 94)" {
  local program name kind arg programs value variable
  cloud
  for program in ankput ankget; do
    while read -r name kind arg programs; do
      # those of both are tried with one
      [[ "$program $programs" != 'ankput '[BA]* ]] || continue
      value=$(wrong_value "$kind")
      # where that report goes is tried elsewhere
      [ -n "$value" ] && [ "$name" != report ] || continue
      if [ "$arg" = arg ]; then
        run_ank "$program" "--$name" "$value" /etc/passwd s3://bucket/k
        assert_exit 2
        assert_contains "$(json result message)" "--$name: "
      fi
      # a list is one element a line there
      [ "$kind" != LIST ] || continue
      variable=ANK_${name^^}
      variable=${variable//-/_}
      run_ank "$variable=$value" "$program" s3://bucket/k out
      assert_exit 2
      assert_contains "$(json result message)" "$variable: "
      assert_eq "$(json result message | wc -l)" 1
    done < <(options "$program")
  done
  assert_eq "$(requests)" 0
}

@test "a value that an option of ankbreaker does not take is refused, too" {
  local name kind arg programs value variable
  while read -r name kind arg programs; do
    value=$(wrong_value "$kind")
    [ -n "$value" ] || continue
    if [ "$arg" = arg ]; then
      run_ank ankbreaker "--$name" "$value"
      assert_exit 2
      assert_human "--$name: "
    fi
    variable=ANK_${name^^}
    variable=${variable//-/_}
    run_ank "$variable=$value" ankbreaker
    assert_exit 2
    assert_human "$variable: "
  done < <(options ankbreaker)
}

@test "numbers out of range, signs, fractions and units are refused (case 94)" {
  local value
  for value in abc -1 1e9 '' ' 1' 1.5 +1 0x10 9223372036854775808 1K; do
    run_ank ankget --retries "$value" s3://bucket/k
    assert_usage --retries
  done
  for value in -1 1s 2147483648 1e3; do
    run_ank ankget "--timeout-ms=$value" s3://bucket/k
    assert_usage --timeout-ms
  done
  for value in -1s 1x 1h30m '' s 99999999999999999999s; do
    run_ank ankget --stall-timeout "$value" s3://bucket/k
    assert_usage --stall-timeout
  done
  for value in @ @x @-1 tomorrow 1d1; do
    run_ank ankget --deadline "$value" s3://bucket/k
    assert_usage --deadline
  done
}

@test "an option that is not known, or not of this program, is refused" {
  local option
  cloud
  for option in --nope -Z --Retries --retries_ --; do
    run_ank ankget "$option" s3://bucket/k out extra
    assert_exit 2
  done
  run_ank ankput --range 0-1 /etc/passwd s3://bucket/k
  assert_usage '--range: unknown option'
  run_ank ankget --content-type a/b s3://bucket/k out
  assert_usage '--content-type: unknown option'
  run_ank ankget -sZ s3://bucket/k out
  assert_usage -sZ
}

@test "abbreviations are refused: a new option must not change an old script" {
  local option
  for option in --retr --retr=1 --head=1 --verb --dead=1 --dry; do
    run_ank ankget "$option" s3://bucket/k out
    assert_exit 2
    assert_json result outcome usage
  done
}

@test "a flag takes no value, another option needs one" {
  run_ank ankget --head=yes s3://bucket/k
  assert_usage --head
  run_ank ankget s3://bucket/k out --retries
  assert_usage --retries
  run_ank ankget s3://bucket/k -o
  assert_usage -o
}

@test "variables: the flag wins, empty is unset, booleans have their words" {
  FAKE=1 cloud '{"op": "get", "s3_error": "SlowDown"}' '{"op": "head", "s3_error": "SlowDown"}'
  run_ank ANK_RETRIES=0 ankget-fake s3://bucket/k out
  assert_eq "$(attempts)" 1
  run_ank ANK_RETRIES=0 ankget-fake --retries 1 s3://bucket/k out
  assert_eq "$(attempts)" 2
  run_ank ANK_RETRIES= ankget-fake s3://bucket/k out
  assert_eq "$(attempts)" 3
  local word
  for word in 1 yes true; do
    run_ank ANK_HEAD=$word ANK_RETRIES=0 ankget-fake s3://bucket/k
    assert_json attempt op head
  done
  for word in 0 no false ''; do
    run_ank ANK_HEAD=$word ANK_RETRIES=0 ankget-fake s3://bucket/k out
    assert_json attempt op get
  done
  # a variable of the other program is nothing to this one
  run_ank ANK_CONTENT_TYPE=x ANK_SSE=ROT13 ANK_RETRIES=0 ankget-fake s3://bucket/k out
  assert_exit 10
}

@test "given twice, the last word counts; headers and metadata add up" {
  FAKE=1 cloud '{"op": "get", "s3_error": "SlowDown"}'
  run_ank ankget-fake --retries 5 --retries 0 s3://bucket/k out
  assert_eq "$(attempts)" 1
  run_ank ankput-fake -H 'X-Amz-Meta-A: 1' -H 'X-Amz-Meta-B: 2' --metadata c=3 \
    --metadata d=4 "$(new_file 1)" s3://bucket/m
  assert_exit 0
  assert_eq "$(stored_meta bucket m '.headers | keys | join(" ")')" \
    'x-amz-meta-a x-amz-meta-b x-amz-meta-c x-amz-meta-d'
  run_ank ANK_METADATA=$'a=1\nb=2' ankput-fake "$T/file-1" s3://bucket/m
  assert_eq "$(stored_meta bucket m '.headers | keys | join(" ")')" 'x-amz-meta-a x-amz-meta-b'
  run_ank ANK_METADATA=$'a=1\nb=2' ankput-fake --metadata c=3 "$T/file-1" s3://bucket/m
  assert_eq "$(stored_meta bucket m '.headers | keys | join(" ")')" x-amz-meta-c
}

@test "-k and --version have no variable" {
  run_ank ANK_VERSION=1 ANK_INSECURE=1 ankget --endpoint "http://127.0.0.1:$(closed_port)" \
    --retries 0 s3://bucket/k out
  assert_exit 10
  assert_eq "$(jq -r .event "$REPORT" | tr '\n' ' ')" 'attempt result '
}

@test "options may stand behind operands, and end at --" {
  cloud
  seed 10
  run_ank ankget s3://bucket/k out --retries 0
  assert_exit 0
  cp object ./-I
  run_ank ankput --retries 0 -- -I s3://bucket/dash
  assert_exit 0
  assert_stored dash object
  run_ank ankget -- s3://bucket/k -I
  assert_exit 0
  run_ank POSIXLY_CORRECT=1 ankget s3://bucket/k out --head
  assert_exit 2
}

@test "URL -- begins a command, which is not to be missing" {
  cloud
  run_ank ankput s3://bucket/k --
  assert_usage 'the command is missing'
  run_ank ankput --abort-upload x s3://bucket/k -- echo hello
  assert_usage --abort-upload
}

@test "operands: one too few or too many is refused" {
  cloud
  run_ank ankput
  assert_usage 'usage: ankput'
  run_ank ankget
  assert_usage 'usage: ankget'
  run_ank ankput /etc/passwd
  assert_usage FILE
  run_ank ankput s3://bucket/k
  assert_usage FILE
  run_ank ankput s3://bucket/k /etc/passwd
  assert_usage "FILE comes first"
  run_ank ankput /etc/passwd /etc/group s3://bucket/k
  assert_usage 'the URL ends in /'
  run_ank ankget out s3://bucket/k
  assert_usage 'out: not an object URL'
}

@test "options that exclude or need one another say so" {
  run_ank ankget -4 -6 s3://bucket/k out
  assert_usage --ipv6
  run_ank ankget --key /etc/passwd s3://bucket/k out
  assert_usage --key
  run_ank ankget -I --range 0-1 s3://bucket/k
  assert_usage --range
  run_ank ankget --cert /no/such s3://bucket/k
  assert_usage '--cert: cannot read /no/such'
  run_ank ANK_CACERT=/no/such ankget s3://bucket/k
  assert_usage 'ANK_CACERT: cannot read /no/such'
  run_ank AWS_CA_BUNDLE=/no/such ankget s3://bucket/k
  assert_usage 'AWS_CA_BUNDLE: cannot read /no/such'
}

# groups PROGRAM: how many groups its options are in.
groups() {
  case $1 in
    ankbreaker) echo 4 ;;
    *) echo 8 ;;
  esac
}

@test "--help tells of each option, in at most 79 columns, and its groups" {
  local program name rest
  for program in ankput ankget ankbreaker; do
    run_ank "$program" --help
    assert_exit 0
    assert_eq "$(awk 'length > 79' "$OUT")" ''
    assert_eq "$(wc -c <"$ERR")" 0
    for name in s3://BUCKET gs://BUCKET az://ACCOUNT oci://NAMESPACE https://; do
      assert_contains "$(sed '/^[a-z]*:$/q' "$OUT")" "$name"
    done
    while read -r name rest; do
      grep -qE -- "--$name( |\$)" "$OUT" || { echo "no --$name"; return 1; }
    done < <(options "$program")
    assert_eq "$(grep -oE -- '--[a-z0-9-]+' "$OUT" | sort -u | wc -l)" \
      "$(options "$program" | wc -l)"
    # defaults
    [ "$program" = ankbreaker ] || grep -qF '[2]' "$OUT"
    assert_eq "$(grep -cE '^[a-z ]+:$' "$OUT")" "$(groups "$program")"
  done
  run_ank ankget -h retry
  assert_exit 0
  grep -q -- --retries "$OUT"
  refute grep -q -- --endpoint "$OUT"
  run_ank ankget --help=network
  grep -q -- --proxy "$OUT"
  run_ank ankget --help 'moving bytes'
  grep -q -- --limit-rate "$OUT"
  run_ank ankget --help=nosuch || true
  assert_exit 2
  assert_contains "$(cat "$ERR")" nosuch
}

@test "--version tells the program's and the library's" {
  run_ank ankget --version
  assert_exit 0
  [[ $(head -n 1 "$OUT") =~ ^ankget\ [0-9]+\.[0-9] ]]
  grep -q libcurl "$OUT"
  run_ank ankput -V
  [[ $(head -n 1 "$OUT") =~ ^ankput\  ]]
}

@test "--completion takes one of its shells, and has no variable" {
  run_ank ankput --completion csh
  assert_exit 2
  assert_eq "$(cat "$ERR")" "ankput: --completion: 'csh' is not bash, zsh or fish"
  run_ank ankget --completion=
  assert_exit 2
  run_ank ankget --completion
  assert_exit 2
  assert_contains "$(cat "$ERR")" '--completion: needs a value'
  # no variable can turn a backup into a script
  cloud
  run_ank ANK_COMPLETION=bash ankput "$(new_file 1)" s3://bucket/k
  assert_exit 0
  assert_eq "$(requests put)" 1
  # a shell that starts is not to suffer from the file of settings
  echo nonsense >"$T/config"
  run_ank ANK_CONFIG="$T/config" ankput --completion bash
  assert_exit 0
}

@test "a full disk under --help is an error" {
  ank_prepare ankget --help
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR" || status=$?
  assert_exit 3
}

@test "--retry-on and --no-retry-on move statuses, --max-retry-after the longest wait" {
  FAKE=1 cloud '{"key": "a", "nth": 1, "status": 404}' '{"key": "b", "status": 500}' \
    '{"key": "c", "status": 503, "headers": {"Retry-After": "9"}}'
  seed 10 a
  run_ank ankget-fake --retry-on 404 s3://bucket/a out
  assert_exit 0
  assert_eq "$(attempts)" 2
  run_ank ankget-fake --no-retry-on 5xx s3://bucket/b out
  assert_eq "$(attempts)" 1
  run_ank ankget-fake --max-retry-after 8s s3://bucket/c out
  assert_exit 11
  assert_eq "$(attempts)" 1
}

@test "--timeout-ms bounds a small request, --upload-timeout-ms one with bytes, --stall-timeout a still one" {
  FAKE=1 cloud '{"op": "head", "hang_at": "status"}' '{"op": "get", "hang_at": 5000}'
  seed 10000
  run_ank ankget-fake -I --retries 0 --timeout-ms 1234 s3://bucket/k
  assert_exit 10
  assert_json attempt error timeout
  assert_json attempt timeout_ms 1234
  run_ank ankget-fake --retries 0 --upload-timeout-ms 2345 s3://bucket/k out
  assert_json attempt error timeout
  assert_json attempt timeout_ms 2345
  run_ank ankget-fake --retries 0 --stall-timeout 3s s3://bucket/k out
  assert_json attempt error stall
  assert_between "$(json result elapsed_ms)" 3000 4000
}

@test "--connect-timeout-ms bounds the connection" {
  FAKE=1 CLOUD_SETTINGS='"blackhole": true' cloud
  run_ank ankget-fake --retries 0 --connect-timeout-ms 1500 --endpoint "$BLACKHOLE_URL" \
    s3://bucket/k out
  assert_exit 10
  assert_json attempt error connect_timeout
  assert_between "$(json result elapsed_ms)" 1500 2500
}
