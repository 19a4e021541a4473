#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# io/state: one file that all runs share, and every way it can be disturbed.
# shellcheck disable=SC2030,SC2031 # each test is a process of its own

setup() {
  T=$BATS_TEST_TMPDIR
  S=$T/dir/state.ndjson
  mkdir "$T/dir"
}

# state WORD...: one line to `ank-test state`; its answer in $output.
state() {
  output=$(env -i HOME="$T/home" "${ENVIRONMENT[@]}" \
    "${ANK_BUILD:-.}/ank-test" state <<<"$*")
}

# says TEXT: what the last line was answered.
says() {
  [ "$output" = "$1" ] || {
    printf 'got:  %s\nwant: %s\n' "$output" "$1"
    return 1
  }
}

@test "what one run stored the next one reads, and other scopes stay as they are" {
  state "$S bump http://a:80/x"; says 1
  state "$S bump http://b:80/y"; says 1
  state "$S bump http://a:80/x"; says 2
  state "$S peek http://b:80/y"; says 1
  state "$S peek http://c:80/z"; says 0
  state "$S names"; says 'http://b:80/y=1 http://a:80/x=2'
  [ "$(head -n 1 "$S")" = '{"ank_state":1}' ]
  [ "$(stat -c %a "$S")" = 600 ]
}

@test "a missing file and missing folders are made without a word" {
  S=$T/new/er/state.ndjson
  state "$S peek a"; says 0
  [ ! -e "$T/new" ]
  state "$S bump a"; says 1
  [ "$(stat -c %a "$T/new/er")" = 700 ]
}

@test "a file torn at any byte costs one warning and at most the torn scopes" {
  local size at
  state "$S bump one"
  state "$S bump two"
  cp "$S" "$T/whole"
  size=$(stat -c %s "$T/whole")
  for ((at = 0; at < size; at += 7)); do
    head -c "$at" "$T/whole" >"$S"
    state "$S bump three"
    [[ $output == '1, state_damaged:'* ]] || [ "$output" = 1 ] || says "torn at $at"
    state "$S peek three"; says 1
  done
}

@test "random bytes, emptiness and a file far too large are replaced" {
  : >"$S"
  state "$S bump a"; says '1, state_damaged: is empty'
  head -c 5000 /dev/urandom >"$S"
  state "$S bump a"; says '1, state_damaged: is damaged'
  truncate -s 1G "$S"
  state "$S bump a"; says '1, state_damaged: is too large'
  state "$S bump a"; says 2
}

@test "a newer version is left alone" {
  printf '{"ank_state":2}\n{"scope":"a","requests":7}\n' >"$S"
  cp "$S" "$T/was"
  state "$S bump a"; says '1 not stored, state_version: is of another version'
  cmp "$S" "$T/was"
}

@test "a torn version line is damage, with its newline too, and is replaced" {
  printf '{"ank_state":\n' >"$S"
  state "$S bump a"; says '1, state_damaged: is damaged'
  state "$S bump a"; says 2
}

@test "links, folders, FIFOs and devices are refused and never written" {
  state "$T/other bump a"
  ln -s "$T/other" "$S"
  state "$S bump a"; says '1 not stored, state_refused: is a symbolic link'
  rm "$S"
  ln "$T/other" "$S"
  state "$S bump a"; says '1 not stored, state_refused: has more than one name'
  rm "$S"
  mkdir "$S"
  state "$S bump a"; says '1 not stored, state_refused: is not a regular file'
  rmdir "$S"
  mkfifo "$S"
  state "$S bump a"; says '1 not stored, state_refused: is not a regular file'
  state "/dev/null peek a"; says '0, state_refused: is not a regular file'
}

@test "a folder that cannot be made is told as such" {
  : >"$T/file"
  state "$T/file/x/state.ndjson bump a"
  [[ $output == '1 not stored, state_'* ]]
}

@test "a lock held by another process is waited for, then the update is dropped" {
  state "$S bump a"
  exec 9<>"$S.lock"
  flock 9
  state "$S bump a"
  says '2 not stored, state_not_updated: its lock is held by another process'
  state "$S peek a"; says 1
  exec 9>&-
  state "$S bump a"; says 2
}

@test "a step of all scopes is one write: damaged lines go, no scope comes" {
  state "$S bump-all"; says ''
  state "$S names"; says ''
  state "$S bump one"
  state "$S bump two"
  printf 'torn\n{"scope":"odd","requests":}\n' >>"$S"
  state "$S bump-all"; says '22'
  state "$S names"; says 'one=2 two=2'
  rm "$S"
  mkdir "$S"
  state "$S bump-all"
  says 'not stored: is not a regular file, state_refused: is not a regular file'
  rmdir "$S"
  exec 9<>"$S.lock"
  flock 9
  state "$S bump-all"
  says "not stored: its lock is held by another process, $(
    )state_not_updated: its lock is held by another process"
  exec 9>&-
}

@test "a file that is not to be read is not an empty list" {
  state "$S bump a"
  truncate -s 2M "$S"
  state "$S names"; says 'unreadable, state_damaged: is too large'
}

@test "what a killed writer left does not stop the next" {
  state "$S bump a"
  echo half >"$S.new"
  state "$S bump a"; says 2
  [ ! -e "$S.new" ]
}

@test "at most 256 scopes: the one not used for longest goes" {
  local i
  for ((i = 0; i < 258; i++)); do echo "$S bump s$i"; done |
    env -i HOME="$T/home" "${ANK_BUILD:-.}/ank-test" state >/dev/null
  [ "$(grep -c '"scope"' "$S")" = 256 ]
  state "$S peek s0"; says 0
  state "$S peek s257"; says 1
}

# full FIELDS: 256 scopes s0 to s255, seen in this order, with these fields.
full() {
  local i
  echo '{"ank_state":1}'
  for ((i = 0; i < 256; i++)); do
    printf '{"scope":"s%d","seen":%d,"requests":1%s}\n' "$i" "$((${SEEN:-1} + i))" "${1-}"
  done
}

@test "a closed scope goes before an open one that was not used for longer" {
  full >"$S"
  sed -i '2s/}$/,"open":1,"opened_at":1,"open_ms":60000}/' "$S"
  state "$S bump new"; says 1
  state "$S peek s0"; says 1
  state "$S peek s1"; says 0
  state "$S peek s2"; says 1
  # Where all are open the one not used for longest goes all the same.
  full ',"open":1' >"$S"
  state "$S bump new"; says 1
  state "$S peek s0"; says 0
  state "$S peek s1"; says 1
  state "$S peek new"; says 1
}

@test "scopes that were seen in the future do not drive out those in use" {
  SEEN=4300000000000 full >"$S"
  state "$S bump a"; says 1
  state "$S bump b"; says 1
  state "$S bump a"; says 2
  state "$S bump b"; says 2
  [ "$(grep -c '"scope"' "$S")" = 256 ]
}

@test "what an older version left out is nothing, and what it says holds" {
  # No more than a name; a breaker without window, hold-off, budget or counters.
  printf '%s\n' '{"ank_state":1}' '{"scope":"bare"}' \
    '{"scope":"open","open":1,"failures":5,"opened_at":1,"open_ms":5000}' >"$S"
  state "$S bump bare"; says 1
  state "$S bump open"; says 1
  state "$S names"; says 'bare=1 open=1'
  grep -q '"open":1,.*"failures":5,.*"opened_at":1,"open_ms":5000' "$S"
}

@test "what a newer program adds or means otherwise is passed over, without a word" {
  local line='{"scope":"theirs","colour":{"a":[1,{}]},"requests":3,"window":[1,2]}'
  printf '%s\n' '{"ank_state":1}' "$line" \
    '{"scope":"ours","requests":7,"failures":"five","open":true,"window":[1],"hold_ms":null,"last_error":5,"new":[]}' >"$S"
  state "$S bump ours"; says 8
  # Another's line is no business of ours: it stays to the byte.
  grep -qxF "$line" "$S"
  state "$S bump theirs"; says 4
  state "$S names"; says 'ours=8 theirs=4'
}

@test "a field of zero is not written" {
  state "$S bump a"
  if grep ':0[,}]' "$S"; then return 1; fi
  jq -e -s '.[1] | keys == ["requests", "scope", "seen", "success_at"]' "$S"
}

@test "fifty processes at once lose no update" {
  local i pids=()
  for ((i = 0; i < 50; i++)); do
    env -i HOME="$T/home" "${ANK_BUILD:-.}/ank-test" state \
      <<<"$S bump a"$'\n'"$S bump a" >/dev/null &
    pids+=($!)
  done
  wait "${pids[@]}"
  state "$S peek a"; says 100
}

@test "its place: systemd's folder, then XDG's, then HOME's" {
  ENVIRONMENT=(STATE_DIRECTORY="$T/sys:$T/no" XDG_STATE_HOME="$T/xdg")
  state "'' bump a"; says 1
  [ -e "$T/sys/state.ndjson" ]
  ENVIRONMENT=(XDG_STATE_HOME="$T/xdg")
  state "'' bump a"; says 1
  [ -e "$T/xdg/ank/state.ndjson" ]
  ENVIRONMENT=(XDG_STATE_HOME=relative)
  state "'' bump a"; says 1
  [ -e "$T/home/.local/state/ank/state.ndjson" ]
}
