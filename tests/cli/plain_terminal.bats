#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# Plain characters on any terminal: no colours, no escape sequences, and what
# the environment says of them changes nothing.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

NO_STATE=

# on_terminal [NAME=VALUE...|-NAME...] PROGRAM ARG...: both outputs are one
# terminal; what was written there is added to $T/screen.
on_terminal() {
  ank_prepare "$@" || return 1
  timeout --foreground -k 1 30 "$PYTHON" "$HARNESS_TOP/tests/lib/on_pty.py" \
    --stdout "${ANK_COMMAND[@]}" |
    sed -E 's/"(dns|connect|tls|first_byte|total)_ms":[0-9]+/"\1_ms":0/g; s/ in [0-9.]+ m?s;//
      s/ [0-9.]+[KM]?\/s [0-9:]+ left//g; s/"request_id":"[^"]*"//g; s/"run":"[^"]*"//
      s/Signature=[0-9a-f]*//; s/^ *[0-9a-f]{64}$//; s/^< .*//' | sed "s/$CLOUD_PORT/PORT/g" >>"$T/screen"
}

# session [NAME=VALUE...|-NAME...]: all that draws or tells, good and bad.
session() {
  rm -rf "$T/screen" "${T:?}/home"
  mkdir "$T/home"
  rules '{"key": "k", "op": "put", "nth": 1, "status": 503, "headers": {"Retry-After": "2"}}' \
    '{"key": "evil", "s3_error": "AccessDenied", "message": "\u009b31m\u007fred"}' \
    '{"key": "page", "status": 403, "headers": {"Content-Type": "text/html", "X-Evil": "\u009b2J"}, "body": "<html><title>\u001b[1m bold</title></html>"}'
  new_file 1000 "$T/source" >/dev/null
  on_terminal "$@" ankput-fake "$T/source" s3://bucket/k
  on_terminal "$@" ankput-fake --text --progress -v --explain "$T/source" s3://bucket/evil
  on_terminal "$@" ankput-fake --retries 0 "$T/source" s3://bucket/page
  on_terminal "$@" ankput-fake "$T/source" s3://bucket/evil
  on_terminal "$@" ankget-fake --text -k s3://bucket/k "$T/got"
  on_terminal "$@" ankget-fake -I $'s3://bucket/\e[31mkey'
  on_terminal "$@" ankget-fake $'--no-such-\e[31moption' s3://bucket/k
  on_terminal "$@" ankget-fake $'--region=\e[31m\x9b31m' s3://bucket/k
  on_terminal "$@" ankbreaker-fake
  on_terminal "$@" ankbreaker-fake --json
  on_terminal "$@" ankbreaker-fake $'\e[31mlist'
  on_terminal "$@" ankput-fake --help
  on_terminal "$@" ankget-fake --version
  on_terminal "$@" ankput-fake --show-config --metadata $'a=\e[1m' "$T/source" s3://bucket/k
}

# plain FILE: no escape, no 8-bit control sequence, no other control character
# than a line's end and its beginning. (Help and completion have tabs.)
plain() {
  local bad
  bad=$(LC_ALL=C tr -d '\r\n -~\200-\377' <"$1" | od -c | head -n 3)
  assert_eq "$bad" 0000000 || return 1
  refute_c1 "$1"
}

# C1 control characters, as U+0080 to U+009F or as bytes that are no UTF-8.
refute_c1() {
  "$PYTHON" -c '
import sys
text = open(sys.argv[1], "rb").read().decode("utf-8")
sys.exit(any(0x7F <= ord(c) < 0xA0 for c in text))' "$1"
}

@test "no escape sequence is written to a terminal, whatever a server or a word holds" {
  session TERM=xterm-256color
  plain "$T/screen"
  # it did draw, tell and fail
  grep -q 'waiting 2 s' "$T/screen"
  grep -qF '\xc2\x9b31m\x7fred' "$T/screen"
  grep -qF '"message":"\u009b31m\u007fred"' "$T/screen"
}

@test "NO_COLOR, CLICOLOR, FORCE_COLOR and TERM change nothing" {
  local words
  session -TERM
  mv "$T/screen" "$T/want"
  plain "$T/want"
  for words in TERM=dumb TERM= TERM=xterm-256color 'NO_COLOR=1 TERM=xterm' \
    'CLICOLOR=1 CLICOLOR_FORCE=1 FORCE_COLOR=3 COLORTERM=truecolor TERM=xterm' \
    'COLUMNS=20 LINES=5 TERM=no-such-terminal'; do
    # shellcheck disable=SC2086 # words
    session $words
    diff -a "$T/want" "$T/screen"
  done
}
