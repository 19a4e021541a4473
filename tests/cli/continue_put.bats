#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# ankput --continue: an upload goes on where an earlier run stopped, with bytes
# that are proved to be the file's, or it starts over and says why.

load ../lib/harness
load bytes
load continue

bats_require_minimum_version 1.5.0

# --- going on -----------------------------------------------------------------

@test "a killed upload goes on: only the missing parts are sent" {
  local before
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  assert_eq "$(journaled)" '1 2'
  before=$(requests)
  put_again
  assert_exit 0
  assert_stored k "$T/source"
  assert_json result resumed_from $((10 << 20))
  assert_json result bytes $((16 << 20))
  assert_eq "$(sent_parts "$before")" '3 4'
  assert_eq "$(ops "$before")" 'complete list_parts part'
  assert_eq "$(requests create)" 1
  assert_eq "$(uploads)" ''
  no_journal
  assert_careful
}

@test "parts that several slots sent out of order are kept, too" {
  local before i
  source_file 26
  cloud "$(hang_at_part 2)"
  start_ank ankput "${PARTED[@]}" -P 4 "$T/source" s3://bucket/k
  for ((i = 0; i < 500; i++)); do
    [ "$(journaled 2>/dev/null | wc -w)" -lt 5 ] || break
    sleep 0.01
  done
  kill -KILL "$ANK_PID"
  wait_ank
  assert_eq "$(journaled | tr ' ' '\n' | sort -n | paste -sd' ')" '1 3 4 5 6'
  before=$(requests)
  put_again -P 4
  assert_exit 0
  assert_stored k "$T/source"
  assert_eq "$(sent_parts "$before")" 2
  assert_json result resumed_from $((21 << 20))
}

# bats test_tags=valgrind
@test "a run that fails keeps its upload and says so, and the next goes on" {
  local id
  source_file
  cloud '{"op": "part", "part": 3, "nth": 1, "status": 403}'
  put_again
  assert_exit 5
  assert_json result aborted false
  id=$(json result upload_id)
  assert_eq "$(uploads)" "$id"
  assert_eq "$(requests abort)" 0
  put_again
  assert_exit 0
  assert_eq "$(json result upload_id)$(json result aborted)" ''
  assert_json result resumed_from $((10 << 20))
  assert_stored k "$T/source"
  assert_eq "$(part_requests)" 5
}

@test "a signal and a deadline keep the upload, at once" {
  source_file
  cloud "$(hang_at_part 2)" '{"op": "part", "part": 3, "nth": 1, "hang_at": "status"}'
  start_ank ankput "${PARTED[@]}" "$T/source" s3://bucket/k
  await_hang
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result aborted false
  assert_eq "$(uploads)" "$(json result upload_id)"
  put_again --deadline 1500ms
  assert_exit 13
  assert_json result aborted false
  assert_json result resumed_from $((5 << 20))
  put_again
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
  assert_stored k "$T/source"
  assert_eq "$(requests create) $(requests abort)" '1 0'
}

@test "without --continue nothing is kept and no journal is looked at" {
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  run_ank ankput -P 1 --part-size 5M --multipart-threshold 5M "$T/source" s3://bucket/k
  assert_exit 0
  assert_json result resumed_from ''
  assert_eq "$(requests create) $(requests list_parts)" '2 0'
  assert_eq "$(journaled)" '1 2'
}

@test "a list of several pages is read to its end" {
  local before
  source_file 36
  CLOUD_SETTINGS='"list_page": 2' cloud "$(hang_at_part 6)"
  put_killed
  before=$(requests)
  put_again
  assert_exit 0
  assert_json result resumed_from $((25 << 20))
  assert_eq "$(requests list_parts)" 3
  assert_eq "$(sent_parts "$before")" '6 7 8'
  assert_stored k "$T/source"
}

@test "an ID that must be encoded is kept as it is" {
  source_file
  CLOUD_SETTINGS='"awkward_ids": true' cloud "$(hang_at_part 3)"
  put_killed
  put_again
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
  assert_careful
}

@test "names with blanks, quotes, newlines and bytes that are no UTF-8" {
  local name=$'a "b\n\xff%41'
  source_file
  mv source "$name"
  cloud "$(hang_at_part 3)"
  start_ank ankput "${PARTED[@]}" "$name" $'s3://bucket/k \xff"%41'
  await_hang
  kill -KILL "$ANK_PID"
  wait_ank
  run_ank ankput "${PARTED[@]}" "$T/$name" $'s3://bucket/k \xff"%41'
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
}

@test "of several files each has its own journal" {
  local before
  new_file $((11 << 20)) a >/dev/null
  new_file $((11 << 20)) b 2 >/dev/null
  cloud '{"op": "part", "key": "d/b", "nth": 2, "hang_at": "status"}'
  start_ank ankput "${PARTED[@]}" a b s3://bucket/d/
  await_hang
  kill -KILL "$ANK_PID"
  wait_ank
  before=$(requests)
  run_ank ankput "${PARTED[@]}" a b s3://bucket/d/
  assert_exit 0
  assert_stored d/a a
  assert_stored d/b b
  assert_eq "$(sent_parts "$before")" '1 2 3 2 3'
  no_journal
}

@test "a file that is small travels as without, and leaves no journal" {
  new_file 1000 "$T/source" >/dev/null
  cloud
  run_ank ankput -C "$T/source" s3://bucket/k
  assert_exit 0
  assert_eq "$(requests)" 1
  [ ! -e "$T/$UPLOADS" ]
}

@test "what comes once cannot be continued" {
  cloud
  run_ank ankput -C - s3://bucket/k </dev/null
  assert_usage --continue
  run_ank ankput s3://bucket/k -C -- cat /dev/null
  assert_usage --continue
  run_ank ANK_CONTINUE=1 ankput - s3://bucket/k </dev/null
  assert_usage ANK_CONTINUE
}

# --- each kept part is proved ---------------------------------------------------

@test "a part whose bytes have changed under the same date is sent again" {
  local before
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  touch -r source date
  printf x | dd of=source bs=1 seek=100 conv=notrunc status=none
  touch -r date source
  before=$(requests)
  put_again
  assert_exit 0
  assert_json result resumed_from $((5 << 20))
  assert_eq "$(sent_parts "$before")" '1 3 4'
  assert_stored k "$T/source"
}

@test "a part that the server lists with another ETag or size, or not at all, is sent again" {
  local before folder
  source_file 26
  cloud "$(hang_at_part 5)"
  put_killed
  folder=$(upload_folder "$(uploads)")
  rm "$folder/1" "$folder/1.json"
  jq -c '.etag = "\"other\""' "$folder/2.json" >new && mv new "$folder/2.json"
  jq -c '.size = 5' "$folder/3.json" >new && mv new "$folder/3.json"
  before=$(requests)
  put_again
  assert_exit 0
  assert_eq "$(sent_parts "$before")" '1 2 3 5 6'
  assert_json result resumed_from $((5 << 20))
  assert_stored k "$T/source"
}

@test "a part that the journal has not is sent again, though the server has it" {
  local before
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  sed -i '/"part":"1"/d' "$(journal)"
  before=$(requests)
  put_again
  assert_exit 0
  assert_eq "$(sent_parts "$before")" '1 3 4'
  assert_stored k "$T/source"
}

@test "a torn last line costs its part alone, and what is written behind it is whole" {
  local before
  source_file
  cloud "$(hang_at_part 3)" "$(hang_at_part 4)"
  put_killed
  truncate -s -20 "$(journal)"
  before=$(requests)
  put_killed
  assert_eq "$(sent_parts "$before")" '2 3 4'
  assert_eq "$(journaled)" '1 2 3'
  put_again
  assert_exit 0
  assert_json result resumed_from $((15 << 20))
  assert_stored k "$T/source"
}

@test "lines that a loss of power filled with zeros cost no more than their parts" {
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  { head -c 200 /dev/zero; echo; } >>"$(journal)"
  put_again
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
}

@test "an answer that is no list is asked for again, then the run ends and keeps all" {
  source_file
  cloud "$(hang_at_part 3)" \
    '{"op": "list_parts", "nth": "1-3", "status": 200, "body": "<ListPartsResult>"}'
  put_killed
  put_again
  assert_exit 10
  assert_json result aborted false
  assert_eq "$(requests list_parts)" 3
  put_again
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
}

# --- what does not fit ----------------------------------------------------------

# misfit WHY [OPTION...]: the old upload is dropped, a new one made, once.
misfit() {
  local why=$1
  put_again "${@:2}"
  assert_exit 0
  warned "$why"
  assert_json result resumed_from ''
  assert_eq "$(requests create) $(requests abort)" '2 1'
  assert_eq "$(uploads)" ''
  assert_stored k "$T/source"
  no_journal
  [ -e "$(echo "$T/$UPLOADS"/*.ndjson.old)" ]
}

interrupted() {
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
}

@test "another size of the file: a new upload, and why" {
  interrupted
  printf x >>source
  misfit journal_other_source
}

@test "another date of the file: a new upload, and why" {
  interrupted
  touch -d '2001-01-01 00:00:00.5' source
  misfit journal_other_source
}

@test "other properties of the object: a new upload, and why" {
  interrupted
  misfit journal_other_options --metadata a=b
}

@test "other parts: a new upload, and why" {
  interrupted
  misfit journal_other_parts --part-size 6M
}

@test "a damaged head: a new upload, and why; nothing tells which one to drop" {
  interrupted
  sed -i '2s/"size":/"siez":/;3s/.*/{}/' "$(journal)"
  put_again
  assert_exit 0
  warned journal_damaged
  assert_eq "$(grep -o "$(json warning file)" "$ERR" | wc -l)" 1
  assert_eq "$(requests create) $(requests abort)" '2 0'
}

@test "another version: a new upload, and why" {
  interrupted
  sed -i '1s/.*/{"ank_upload":"2"}/' "$(journal)"
  put_again
  assert_exit 0
  warned journal_version
  assert_eq "$(requests create) $(requests abort)" '2 0'
}

@test "another target inside: a new upload, and the other one is let alone" {
  interrupted
  sed -i '2s/"bucket":"bucket"/"bucket":"other"/' "$(journal)"
  put_again
  assert_exit 0
  warned journal_other_target
  assert_eq "$(requests create) $(requests abort)" '2 0'
}

@test "an upload that somebody dropped: a new one, and why" {
  source_file
  cloud "$(hang_at_part 3)" '{"op": "list_parts", "nth": 1, "abort_upload": true}'
  put_killed
  put_again
  assert_exit 0
  warned journal_upload_gone
  assert_eq "$(requests create) $(requests abort)" '2 0'
  assert_stored k "$T/source"
}

@test "an upload that is lost on the way starts over as without" {
  source_file
  cloud "$(hang_at_part 3)" '{"op": "part", "part": 4, "nth": 1, "abort_upload": true}'
  put_killed
  put_again
  assert_exit 0
  assert_eq "$(requests create)" 2
  assert_stored k "$T/source"
  no_journal
}

@test "a server that does not list parts: a new upload, and why" {
  source_file
  cloud "$(hang_at_part 3)" '{"op": "list_parts", "status": 403}'
  put_killed
  misfit journal_not_listed
}

@test "a file that changes while it is sent is not kept" {
  source_file
  cloud "$(hang_at_part 3)"
  start_ank ankput "${PARTED[@]}" "$T/source" s3://bucket/k
  await_hang
  touch source
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result aborted true
  assert_eq "$(uploads)" ''
  no_journal
}

@test "an upload that may overwrite nothing is dropped when something is there" {
  source_file
  cloud '{"op": "complete", "replace_object": {"text": "other"}}'
  put_again --no-clobber
  assert_exit 7
  assert_eq "$(uploads)" ''
  no_journal
}

# --- a completion that nobody heard of ----------------------------------------

@test "a run killed behind its completion: the next one finds the object, sends nothing" {
  local before
  source_file
  cloud '{"op": "complete", "nth": 1, "store": true, "hang_at": "status"}'
  put_killed
  before=$(requests)
  put_again
  assert_exit 0
  assert_json result confirmed_by head
  assert_json result bytes $((16 << 20))
  assert_eq "$(ops "$before")" 'head list_parts'
  assert_stored k "$T/source"
  no_journal
}

@test "an object that somebody else put there meanwhile is not ours" {
  source_file
  cloud '{"op": "complete", "nth": 1, "store": true, "hang_at": "status"}'
  put_killed
  echo other >other
  seed_object bucket k other
  put_again
  assert_exit 0
  warned journal_upload_gone
  assert_stored k "$T/source"
  assert_eq "$(requests create)" 2
}

# --- the file -----------------------------------------------------------------

@test "a second run of the same upload ends at once and says why" {
  source_file
  cloud "$(hang_at_part 3)"
  start_ank ankput "${PARTED[@]}" --report first "$T/source" s3://bucket/k
  await_hang
  put_second
  kill -TERM "$ANK_PID"
  wait "$ANK_PID" || true
  ANK_PID=
  put_again
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
}

# put_second: while the first still runs.
put_second() {
  local first=$ANK_PID
  put_again
  ANK_PID=$first
  assert_exit 3
  assert_json result why journal_held
  assert_json result attempts 0
  assert_human 'another run continues this upload'
  run_ank ankput "${PARTED[@]}" "$T/source" s3://bucket/other
  ANK_PID=$first
  assert_exit 0
}

@test "the journal is the user's alone, in a folder of its own" {
  interrupted
  assert_eq "$(stat -c %a "$T/$UPLOADS")" 700
  assert_eq "$(stat -c %a "$(journal)")" 600
}

@test "beside a state file of one's own, and with --no-state as well" {
  source_file
  cloud "$(hang_at_part 3)"
  put_killed --state-file "$T/mine/state.ndjson" --no-state
  [ -e "$(echo "$T"/mine/uploads/*.ndjson)" ]
  put_again --state-file "$T/mine/state.ndjson"
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
}

@test "a link, another user's file, one with two names: set aside, told, not touched" {
  local path
  interrupted
  path=$(journal)
  mv "$path" "$T/elsewhere"
  ln -s "$T/elsewhere" "$path"
  cp elsewhere copy
  put_again
  assert_exit 0
  warned journal_refused
  assert_same elsewhere copy
  [ -L "$path.old" ]
  ln elsewhere "$path"
  put_again
  assert_exit 0
  warned journal_refused
  assert_same elsewhere copy
  [ "$(id -u)" = 0 ] || skip 'only root can give files away'
  cp copy "$path"
  chown 65534 "$path"
  put_again
  assert_exit 0
  warned journal_refused
}

@test "a folder that others may write is not used; the upload is as without" {
  source_file
  cloud '{"op": "part", "part": 3, "nth": 1, "status": 403}'
  mkdir -p "$T/$UPLOADS"
  chmod 777 "$T/$UPLOADS"
  put_again
  assert_exit 5
  warned journal_not_kept
  assert_json result aborted true
  put_again
  assert_exit 0
  assert_stored k "$T/source"
}

@test "a full disk costs the journal, never the upload" {
  source_file
  cloud
  printf '#!/bin/bash\nset -o pipefail\ntrap "" XFSZ\n(ulimit -f 0; exec "$@") | cat\n' \
    >limited
  chmod +x limited
  ANK_WRAP=$T/limited put_again --silent --no-state
  assert_exit 0
  warned journal_not_kept
  assert_stored k "$T/source"
}

@test "journals that nobody has written to for 7 days go, others and what is held stay" {
  local dir=$T/$UPLOADS name held
  source_file
  cloud "$(hang_at_part 3)"
  put_killed
  touch -d '8 days ago' "$(journal)"
  for name in a b c d; do
    printf '{}\n' >"$dir/$(printf "$name%.0s" {1..64}).ndjson"
  done
  cd "$dir"
  name=$(printf 'b%.0s' {1..64}).ndjson
  mv "$name" "$name.old"
  : >mine.ndjson
  ln -s "$T/source" "$(printf 'e%.0s' {1..64}).ndjson"
  touch -h -d '8 days ago' aaaa* bbbb* dddd* eeee* mine.ndjson
  touch -d '6 days ago' cccc*
  held=$(printf 'd%.0s' {1..64}).ndjson
  exec 7<"$held"
  flock 7
  cd "$T"
  put_again
  exec 7<&-
  assert_exit 0
  assert_json result resumed_from $((10 << 20))
  assert_eq "$(cd "$dir" && printf '%s\n' * | cut -c1-4 | paste -sd' ')" 'cccc dddd eeee mine'
  assert_stored k "$T/source"
}
