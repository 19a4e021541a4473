#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Locale and time zone change nothing: numbers, dates, letters, the state file
# and what is sent are those of LC_ALL=C in UTC.
#
# The programs never call setlocale (tests/lint bans it), so LC_ALL alone is
# not much of a trial. A library that is linked in could call it one day: here a
# preloaded one does, before main, and says that the locale is in force.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

# The runs of a transcript learn from one another.
NO_STATE=

setup_file() {
  local locale
  mkdir "$BATS_FILE_TMPDIR/locales"
  for locale in de_DE tr_TR fa_IR; do
    localedef --no-archive -c -i "$locale" -f UTF-8 \
      "$BATS_FILE_TMPDIR/locales/$locale.UTF-8" || return 1
  done
  cat >"$BATS_FILE_TMPDIR/speak.c" <<'EOF2'
#define _GNU_SOURCE
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wctype.h>

__attribute__((constructor)) static void speak(void)
{
  const char *name = getenv("SPEAK_LOG");
  FILE *log = name ? fopen(name, "we") : NULL;
  const char *now = setlocale(LC_ALL, "");
  if (log) {
    fprintf(log, "%s %.1f %s%s %s\n", now ? now : "none", 1.5,
            nl_langinfo(_NL_CTYPE_OUTDIGIT1_MB),
            nl_langinfo(_NL_CTYPE_OUTDIGIT5_MB),
            towupper(L'i') == L'I' ? "same" : "differ");
    fclose(log);
  }
}
EOF2
  cc -shared -fPIC -w -o "$BATS_FILE_TMPDIR/speak.so" "$BATS_FILE_TMPDIR/speak.c"
}

setup() {
  harness_setup
  FAKE_SEED=7
  new_file 100000 "$T/source" >/dev/null
}
teardown() { harness_teardown; }

# Each line is compared; whether it follows the schema others have checked.
check_report() { return 0; }

# --- a transcript ---------------------------------------------------------------

# Header names in capitals, of which Turkish makes other small ones; dates in
# the three forms; sizes that the progress line writes with a fraction.
scenario() {
  rules \
    '{"key": "title", "nth": 1, "status": 503, "headers": {"RETRY-AFTER": "{date+3}"}}' \
    '{"key": "title", "nth": 2, "status": 503, "headers": {"RETRY-AFTER": "{rfc850+4}"}}' \
    '{"key": "title", "nth": 3, "status": 503, "headers": {"RETRY-AFTER": "{asctime+5}"}}' \
    '{"key": "title", "nth": 4, "s3_error": "SlowDown", "headers": {"RETRY-AFTER": "1.5"}}' \
    '{"key": "ID", "op": "get", "nth": 1, "status": 500}' \
    '{"key": "ill", "s3_error": "InternalError", "message": "\u0130\u0131 \u06f1\u06f5 1,5"}' \
    '{"key": "fixed", "op": "head", "status": 200, "headers": {"LAST-MODIFIED": "Sun, 06 Nov 1994 08:49:37 GMT", "ETAG": "\"I\"", "CONTENT-LENGTH": "1500000", "X-AMZ-META-TITLE": "I"}}'
}

# say NAME: what the last run answered and printed, with what no two runs have in
# common taken out: ports, times of libcurl's, the signature (which the cloud
# has checked) and the cloud's own request ids.
say() {
  printf '== %s: %s\n' "$1" "$status"
  cat "$OUT" "$ERR" | sed -E \
    -e "s/:$CLOUD_PORT\\b/:PORT/g; s|$T|DIR|g" \
    -e 's/"(dns|connect|tls|first_byte|total)_ms":[0-9]+,/"\1_ms":0,/g' \
    -e 's/ in [0-9.]+ m?s;/ in TIME;/' \
    -e 's/Signature=[0-9a-f]+/Signature=S/; s/^ *[0-9a-f]{64}$/HASH/' \
    -e 's/"request_id":"[^"]*"/"request_id":"X"/; s/"[0-9a-f]{32}/"ETAG/; s/\\"[0-9a-f]{32}/\\"ETAG/' \
    -e '/^< (x-amz-|Date:|Connection|Server|ETag|Last-Mod)/Id' \
    -e 's/(time|last_modified)":"2026-[^"]*"/\1":"NOW"/'
}

# transcript [NAME=VALUE...]: all that is to be compared, for one environment.
transcript() {
  local words=("$@") key
  scenario
  trip() { run_ank "${words[@]}" ANK_STATE_FILE="$T/state" "$@"; }
  trip ankput-fake --retries 4 --deadline 1.5h --stall-timeout 7.25 \
    --limit-rate 1.5G -H 'X-AMZ-META-TITLE: I' -H 'CONTENT-DISPOSITION: INLINE' \
    "$T/source" s3://bucket/title
  say dates
  cmp "$T/source" "$(stored_object bucket title)"
  trip ANK_NO_SIGN=No ANK_SILENT=FALSE ankget-fake --range 10-29 \
    --if-match '"ID"' s3://bucket/title
  say precondition
  trip ankput-fake --text "$T/source" s3://bucket/ID
  say text
  trip ankget-fake --text s3://bucket/ID "$T/got"
  say 'text, again'
  cmp "$T/source" "$T/got"
  trip ankget-fake -I s3://bucket/fixed
  say facts
  trip ankget-fake -I --text s3://bucket/fixed
  say 'facts, for a person'
  for key in $'\xc4\xb0\xc4\xb1/\xdb\xb1' $'\xff\xfe' 'I i'; do
    trip ankput-fake "$T/source" "s3://bucket/$key"
    say "key $key"
    cmp "$T/source" "$(stored_object bucket "$key")"
  done
  trip ankput-fake --breaker failures=3,ratio=0.5 "$T/source" s3://bucket/ill
  say failure
  trip ankput-fake -v --explain --dry-run "$T/source" s3://bucket/title
  say explained
  refusals
  shown
}

# Digits and points of other lands are none here, and a header is ours however
# it is written.
refusals() {
  local wrong
  for wrong in '--deadline 1,5h' '--deadline ۱۵' '--retries ١٥' \
    '--breaker ratio=0,5' '-H AUTHORIZATION:I' '-H RANGE:I' '--limit-rate 1,5M' '--range ۱-۵'; do
    # shellcheck disable=SC2086 # two words
    trip ankget-fake $wrong s3://bucket/k
    assert_exit 2
    say "$wrong"
  done
}

shown() {
  local words_of
  for words_of in list --json 'show s3://bucket' 'trip s3://bucket 1.5h' list \
    'trip s3://bucket 1,5h' reset; do
    # shellcheck disable=SC2086 # words
    trip ankbreaker-fake $words_of
    say "ankbreaker $words_of"
  done
  status=0
  printf '== state\n'
  sed "s/:$CLOUD_PORT\\b/:PORT/g" "$T/state"
  trip ankput-fake --help
  say help
  trip ankget-fake --version
  say version
  trip ANK_SILENT=YES ANK_EXPLAIN=oFF ANK_INTERFACE=I ankput-fake \
    --deadline 1.5h --region EU-WEST-1 --show-config "$T/source" s3://bucket/k
  say config
}

# screens [NAME=VALUE...]: what stands on a terminal during a wait.
screens() {
  scenario
  ank_prepare "$@" ankput-fake "$T/source" s3://bucket/title
  "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" "${ANK_COMMAND[@]}" |
    tr '\r' '\n' | sed -E 's/ [0-9.]+[KM]?\/s [0-9:]+ left//; s/ +$//' | uniq
}

# all_of [NAME=VALUE...]: both, without what runs before them have left.
all_of() {
  rm -rf "$T/state" "${T:?}/home"
  mkdir "$T/home"
  transcript "$@" && screens "$@"
}

# same_as_c [NAME=VALUE...]: nothing is other than under LC_ALL=C, in UTC.
same_as_c() {
  local want=$BATS_FILE_TMPDIR/want
  if [ ! -e "$want" ]; then
    all_of LC_ALL=C -TZ >"$T/want" || { tail -n 20 "$T/want" >&2; return 1; }
    mv "$T/want" "$want"
  fi
  all_of "$@" >"$T/have" || { tail -n 20 "$T/have" >&2; return 1; }
  diff "$want" "$T/have" >&2
}

# The sanitizers' library wants to be the first, and libc leaks LOCPATH.
SANITIZE=ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0

# spoken LOCALE WORDS: a program said WORDS when the locale was set in it.
spoken() {
  SPOKEN=("LC_ALL=$1" LANGUAGE= LOCPATH="$BATS_FILE_TMPDIR/locales"
    LD_PRELOAD="$BATS_FILE_TMPDIR/speak.so" SPEAK_LOG="$T/spoken"
    "$SANITIZE")
  run_ank "${SPOKEN[@]}" ankput --version
  assert_exit 0
  assert_eq "$(cat "$T/spoken")" "$1 $2"
  same_as_c "${SPOKEN[@]}"
}

# --- locales --------------------------------------------------------------------

@test "the transcript is twice the same, and says what it should" {
  local want=$BATS_FILE_TMPDIR/want
  same_as_c LC_ALL=C -TZ
  assert_eq "$(grep -ao '"retry_after_ms":[0-9]*' "$want" | head -n 3 | tr '\n' ' ')" \
    '"retry_after_ms":3000 "retry_after_ms":4000 "retry_after_ms":5000 '
  grep -aq '"last_modified":"1994-11-06T08:49:37' "$want"
  grep -aq '"key_b64":"//4="' "$want"
  grep -aq '^http://127.0.0.1:PORT/bucket: open for 1h30m' "$want"
  grep -aq '^title  *0% 0/97\.7K attempt 2/3 waiting 3 s' "$want"
  grep -aq '^== state$' "$want"
}

@test "German, whose fractions have a comma" {
  spoken de_DE.UTF-8 '1,5 15 same'
}

@test "Turkish, whose I is no i" {
  spoken tr_TR.UTF-8 '1,5 15 differ'
}

@test "Persian, which has digits of its own" {
  spoken fa_IR.UTF-8 '1.5 ۱۵ same'
}

@test "a locale that is asked for but not set, and none that exists" {
  same_as_c LC_ALL=tr_TR.UTF-8 LANG=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 \
    LOCPATH="$BATS_FILE_TMPDIR/locales" LANGUAGE=de "$SANITIZE"
  same_as_c LC_ALL=xx_YY.KOI8-R LANG=/etc/passwd LC_CTYPE=
}

# --- zones ----------------------------------------------------------------------

@test "zones of odd hours and of the other side of the date line" {
  # the zone is one: its clock is not UTC's
  assert_eq "$(TZ=Asia/Kathmandu date -d @0 +%H:%M)" 05:30
  same_as_c LC_ALL=C TZ=Asia/Kathmandu
  same_as_c LC_ALL=C TZ=America/St_Johns
  same_as_c LC_ALL=C TZ=Pacific/Apia
}

@test "zones that are none, that count leap seconds, that change each hour" {
  same_as_c LC_ALL=C TZ=Nowhere/Land
  same_as_c LC_ALL=C TZ=:/etc/passwd
  same_as_c LC_ALL=C 'TZ=<-25>25:59:59<+24>-24,J1/0,J365/23'
  same_as_c LC_ALL=C TZ=right/Europe/Berlin
}
