#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2317
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# What a parent may leave behind: closed, full or too many descriptors, limits,
# signals that are ignored. No byte lands where it does not belong.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

# The state file is one of the places where bytes could go astray.
NO_STATE=

setup() {
  harness_setup
  STATE=$T/home/.local/state/ank/state.ndjson
}
teardown() { harness_teardown; }

# closing FDS: the last prepared program without the descriptors named in FDS
# ("02"); the others are files.
closing() {
  local closed=$1
  (
    exec 0<"$T/input" 1>"$OUT" 2>"$ERR" 3>&-
    [[ $closed != *0* ]] || exec 0<&-
    [[ $closed != *1* ]] || exec 1>&-
    [[ $closed != *2* ]] || exec 2>&-
    exec "${ANK_COMMAND[@]}"
  )
}

# each COMMAND...: after COMMAND prepared a program, for each set of descriptors
# closed: CLOSED; status is the run's. check FDS is called after each.
each() {
  local CLOSED
  echo 'input that nobody reads' >"$T/input"
  for CLOSED in '' 0 1 2 01 02 12 012; do
    "$@" || return 1
    status=0
    closing "$CLOSED" || status=$?
    if ! { check "$CLOSED" && unharmed; }; then
      echo "closed: $CLOSED" >&2
      return 1
    fi
  done
}

# unharmed: the state file holds nothing but its lines, the input is what it was,
# every request was one (the teardown looks at signatures), nothing is left.
unharmed() {
  assert_eq "$(jq -r 'if .ank_state then "head" elif .scope then "scope" else "?" end' \
    "$STATE" | sort | uniq -c | tr -s ' \n' ' ')" ' 1 head 1 scope ' || return 1
  assert_eq "$(cat "$T/input")" 'input that nobody reads' || return 1
  assert_eq "$(find "$T" -maxdepth 1 -name '.*ank-*')" '' || return 1
  assert_eq "$(jq -c 'select(.status >= 400 and .rule == 0) | .target' \
    "$CLOUD_DIR/log.ndjson")" ''
}

# only_report FILE: nothing but the lines of a report, a result the last.
only_report() {
  "$PYTHON" "$HARNESS_TOP/tests/lib/check_report.py" --exit "$status" \
    "$HARNESS_TOP/man/ank-report.schema.json" "$1"
}

# empty FILE: nothing was written there.
empty() { [ ! -s "$1" ] || { echo "in $1:" && head -c 300 "$1" && return 1; } >&2; }

# --- each set of closed descriptors ------------------------------------------------

@test "ankput: whatever is closed, the object is stored and the report is where it should be" {
  rules '{"op": "put", "nth": 1, "status": 503}'
  new_file 100000 "$T/source" >/dev/null
  one() { ank_prepare ankput-fake -v "$T/source" "s3://bucket/k$CLOSED"; }
  check() {
    assert_exit 0 || return 1
    stored "k$1" || return 1
    [[ $1 == *1* ]] || only_report "$OUT" || return 1
    [[ $1 == *2* ]] || ! grep -aq '^{' "$ERR"
  }
  each one
}

@test "ankget to a file: the same" {
  rules '{"op": "get", "nth": 1, "close_at": 50000}'
  seed 100000
  one() { rm -f "$T/got"; ank_prepare ankget-fake -v s3://bucket/k "$T/got"; }
  check() {
    assert_exit 0 || return 1
    assert_same "$T/got" "$T/object" || return 1
    [[ $1 == *1* ]] || only_report "$OUT" || return 1
    [[ $1 == *2* ]] || ! grep -aq '^{' "$ERR"
  }
  each one
}

@test "ankget to standard output: the object there alone, or nothing and status 3" {
  rules '{"op": "get", "nth": 1, "close_at": 50000}'
  seed 100000
  one() { ank_prepare ankget-fake s3://bucket/k; before=$(requests); }
  check() {
    [[ $1 == *2* ]] || only_report "$ERR" 2>/dev/null || [ "$status" = 3 ] || return 1
    if [[ $1 == *1* ]]; then
      assert_exit 3 && assert_eq "$(requests)" "$before"
    else
      assert_exit 0 && assert_same "$OUT" "$T/object"
    fi
  }
  each one
}

@test "a failed run: its exit status is the same, and its line nowhere else" {
  rules '{"op": "put", "s3_error": "AccessDenied"}'
  new_file 1000 "$T/source" >/dev/null
  one() { ank_prepare ankput-fake "$T/source" s3://bucket/k; }
  check() {
    assert_exit 5 || return 1
    [[ $1 == *1* ]] || only_report "$OUT" || return 1
    [[ $1 == *2* ]] || assert_eq "$(grep -c 'AccessDenied' "$ERR")" 1
  }
  each one
}

@test "ankbreaker: its answer, or status 3 where there is no place for it" {
  rules '{"status": 503}'
  new_file 10 "$T/source" >/dev/null
  put k --retries 1
  one() { ank_prepare ankbreaker-fake list --json; }
  check() {
    if [[ $1 == *1* ]]; then
      assert_exit 3 || return 1
      [[ $1 == *2* ]] || assert_contains "$(cat "$ERR")" 'standard output'
    else
      assert_exit 0 || return 1
      jq -e '.scope' "$OUT" >/dev/null || return 1
      [[ $1 == *2* ]] || empty "$ERR"
    fi
  }
  each one
}

# --- descriptors that cannot be written -----------------------------------------

@test "standard error on a full device changes nothing" {
  rules '{"op": "put", "nth": 1, "status": 503}'
  new_file 1000 "$T/source" >/dev/null
  ank_prepare ankput-fake -v "$T/source" s3://bucket/k
  "${ANK_COMMAND[@]}" >"$OUT" 2>/dev/full
  stored k
  status=0
  only_report "$OUT"
}

@test "a report on a full device is one warning, and no more" {
  rules '{"op": "put", "nth": 1, "status": 503}'
  new_file 1000 "$T/source" >/dev/null
  ank_prepare ankput-fake "$T/source" s3://bucket/k
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR"
  stored k
  assert_eq "$(cat "$ERR")" 'ankput: warning: report: No space left on device'
  "${ANK_COMMAND[@]}" >/dev/full 2>/dev/full
}

@test "an object for a full device, or for one opened to be read, is status 3" {
  rules
  seed 100000
  ank_prepare ankget s3://bucket/k
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR" || status=$?
  assert_exit 3
  only_report "$ERR"
  assert_contains "$(cat "$ERR")" 'standard output: No space left on device'
  status=0
  "${ANK_COMMAND[@]}" 1</dev/null 2>"$ERR" || status=$?
  assert_exit 3
  only_report "$ERR"
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>/dev/full || status=$?
  assert_exit 3
}

@test "a report on a descriptor opened to be read is one warning" {
  rules
  new_file 1000 "$T/source" >/dev/null
  ank_prepare ankput "$T/source" s3://bucket/k
  "${ANK_COMMAND[@]}" 1</dev/null 2>"$ERR"
  stored k
  assert_eq "$(wc -l <"$ERR")" 1
  assert_contains "$(cat "$ERR")" 'ankput: warning: report: '
}

# --- how many -------------------------------------------------------------------

@test "a few descriptors too few: done, or a line that names the cause, and nothing half" {
  local n ended=()
  rules
  seed 100000
  new_file 100000 "$T/source" >/dev/null
  for n in 4 5 6 7 8 9 10 12 16; do
    # looking for leaks takes descriptors of its own
    ANK_ENV=(ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0")
    ANK_WRAP="prlimit --nofile=$n"
    ank_prepare ankput-fake --retries 1 "$T/source" s3://bucket/new
    settle "$n" || return 1
    ended+=("$status")
    [ "$status" != 0 ] || stored new || return 1
    ank_prepare ankget-fake --retries 1 s3://bucket/k "$T/got"
    settle "$n" || return 1
    [ "$status" != 0 ] || assert_same "$T/got" "$T/object" || return 1
    rm -f "$T/got"
    ank_prepare ankbreaker-fake list
    settle "$n" || return 1
  done
  # both ends were met
  assert_contains "${ended[*]}" 3
  assert_eq "${ended[-1]}" 0
}

# settle N: runs it with that many; its end is one of the two.
settle() {
  status=0
  timeout -k 1 30 "${ANK_COMMAND[@]}" </dev/null >"$OUT" 2>"$ERR" 3>&- || status=$?
  [ -z "$(find "$T" -maxdepth 1 -name '.*ank-*')" ] || return 1
  case $status in
    0) return 0 ;;
    # 4: the credentials could not be read
    3 | 4) grep -q 'Too many open files' "$ERR" && return 0 ;;
  esac
  echo "$1 descriptors: status $status" >&2
  return 1
}

# many COMMAND...: COMMAND inherits 1100 descriptors of a file; poll knows more
# than the 1024 that select does.
many() {
  "$PYTHON" - "$T/inherited" "$@" <<'EOF2'
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048))
first = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
for fd in range(3, 1103):
    if fd != first:
        os.dup2(first, fd)
    os.set_inheritable(fd, True)
os.execvp(sys.argv[2], sys.argv[2:])
EOF2
}

@test "eleven hundred inherited descriptors are in nobody's way, and stay as they were" {
  [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 2048 ] ||
    skip 'not so many may be open here'
  start_cloud
  seed 100000
  new_file 100000 "$T/source" >/dev/null
  ank_prepare ankput "$T/source" s3://bucket/new
  many "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  stored new
  empty "$ERR"
  ank_prepare ankget s3://bucket/k
  many "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  assert_same "$OUT" "$T/object"
  ank_prepare ankbreaker list
  many "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  grep -q '/bucket  closed' "$OUT"
  [ ! -s "$T/inherited" ]
}

# --- limits and signals ---------------------------------------------------------

# as SIGNAL=ACTION... COMMAND...: COMMAND starts with SIGNAL ignored ("ign") or
# at its default ("dfl").
as() {
  "$PYTHON" -c '
import os, signal, sys
words = sys.argv[1:]
while "=" in words[0] and words[0].startswith("SIG"):
    name, action = words.pop(0).split("=")
    signal.signal(getattr(signal, name),
                  signal.SIG_IGN if action == "ign" else signal.SIG_DFL)
os.execvp(words[0], words)' "$@"
}

@test "a file that may not grow further is status 3 and gone, whatever SIGXFSZ does" {
  local action
  rules
  seed 100000
  for action in dfl ign; do
    ank_prepare ankget-fake s3://bucket/k "$T/got"
    status=0
    as SIGXFSZ="$action" prlimit --fsize=40960 "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" ||
      status=$?
    assert_exit 3
    only_report "$OUT"
    assert_contains "$(cat "$ERR")" 'got: File too large'
    [ ! -e "$T/got" ]
    assert_eq "$(find "$T" -maxdepth 1 -name '.*ank-*')" ''
  done
  ank_prepare ankget-fake s3://bucket/k
  status=0
  as SIGXFSZ=dfl prlimit --fsize=40960 "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" ||
    status=$?
  assert_exit 3
  only_report "$ERR"
}

@test "a report and a state that may not grow cost a warning, not the transfer" {
  rules
  new_file 1000 "$T/source" >/dev/null
  ank_prepare ankput-fake --report "$T/lines" "$T/source" s3://bucket/k
  as SIGXFSZ=dfl prlimit --fsize=0 "${ANK_COMMAND[@]}" 2>&1 | cat >"$ERR"
  stored k
  grep -q 'warning: report: File too large' "$ERR"
  grep -q 'warning: .*state.ndjson: ' "$ERR"
  assert_eq "$(find "$T/home" -name '*.tmp*' -o -name '*.new*')" ''
  put k2
  ank_prepare ankbreaker-fake trip s3://bucket 1h
  status=0
  set -o pipefail
  as SIGXFSZ=dfl prlimit --fsize=10 "${ANK_COMMAND[@]}" 2>&1 | cat >"$ERR" ||
    status=$?
  assert_exit 3
  assert_eq "$(sed 's/.*: //' "$ERR")" 'File too large'
  assert_eq "$(find "${STATE%/*}" -type f | sed 's/.*\///' | sort | tr '\n' ' ')" \
    'state.ndjson state.ndjson.lock '
}

@test "a reader that has gone is 141 in silence, SIGPIPE ignored or not" {
  local action
  rules
  seed 5000000
  for action in dfl ign; do
    for program in "ankget s3://bucket/k" "ankget --help" "ankbreaker list"; do
      # shellcheck disable=SC2086 # words
      ank_prepare $program
      as SIGPIPE="$action" "${ANK_COMMAND[@]}" 2>"$ERR" 1> >(exec true) || true
    done
    ank_prepare ankget s3://bucket/k
    mkfifo "$T/fifo.$action"
    # shellcheck disable=SC2094 # no bytes move
    exec 8<>"$T/fifo.$action" 9>"$T/fifo.$action" 8<&-
    status=0
    as SIGPIPE="$action" "${ANK_COMMAND[@]}" >&9 2>"$ERR" || status=$?
    exec 9>&-
    assert_exit 141
    only_report "$ERR"
    assert_eq "$(grep -vc '^{' "$ERR" || true)" 0
  done
}

@test "ignored SIGCHLD, SIGALRM and SIGUSR1 change nothing" {
  local words=(SIGCHLD=ign SIGALRM=ign SIGUSR1=ign SIGPIPE=ign SIGXFSZ=ign)
  rules '{"op": "get", "nth": 1, "close_at": 50000}'
  seed 100000
  new_file 100000 "$T/source" >/dev/null
  ank_prepare ankput-fake "$T/source" s3://bucket/new
  as "${words[@]}" "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  stored new
  ank_prepare ankget-fake s3://bucket/k "$T/got"
  as "${words[@]}" "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR"
  assert_same "$T/got" "$T/object"
}
