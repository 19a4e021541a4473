#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# gs://: a large object under a condition, which goes to a resumable session.

load ../lib/harness
load gcs

UNIT=262144
BIG=$((5 * UNIT + 7))

# put [OPTION...]: the file f, in chunks of a unit, when nothing is there.
put() {
  run_ank ankput-fake --no-clobber --multipart-threshold 1000 --part-size 256K \
    "$@" gs://bucket/k
}

# said NAME: of all chunks, their Content-Range.
ranges() {
  jq -r 'select(.op | IN("part", "complete", "status")) | .headers
    | map(select(.[0] | ascii_downcase == "content-range"))[0][1]' "$CLOUD_DIR/log.ndjson"
}

@test "chunks of whole units, in order, and the condition is the session's" {
  gcs_cloud
  by_token
  new_file "$BIG" f >/dev/null
  put --content-type text/x --metadata a=b f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(stored_meta bucket k '.headers["content-type"] + .headers["x-goog-meta-a"]')" text/xb
  assert_eq "$(requests create) $(requests part) $(requests complete)" "1 5 1"
  assert_contains "$(jq -r 'select(.op == "create").target' "$CLOUD_DIR/log.ndjson")" \
    'ifGenerationMatch=0'
  assert_eq "$(ranges | head -1) $(ranges | tail -1)" \
    "bytes 0-$((UNIT - 1))/$BIG bytes $((5 * UNIT))-$((BIG - 1))/$BIG"
  assert_json result bytes "$BIG"
  assert_json result version_id "$(stored_meta bucket k .generation)"
}

@test "an object of whole units, one of them, and one that is just too large" {
  local size
  for size in $UNIT $((2 * UNIT)) $((UNIT + 1)); do
    gcs_cloud
    by_token
    new_file "$size" f >/dev/null
    put f
    assert_exit 0
    assert_same f "$(stored_object bucket k)"
  done
}

@test "a stream: its end is told with the last chunk" {
  gcs_cloud
  by_token
  new_file "$BIG" f >/dev/null
  put - < <(cat f)
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_contains "$(ranges | head -1)" '/*'
  assert_eq "$(ranges | tail -1)" "bytes $((5 * UNIT))-$((BIG - 1))/$BIG"
  gcs_cloud
  new_file $((2 * UNIT)) f >/dev/null
  run_ank ankput-fake --no-clobber --multipart-threshold 1000 --part-size 256K \
    gs://bucket/c -- cat f
  assert_exit 0
  assert_same f "$(stored_object bucket c)"
}

@test "a producer that fails stores nothing, and the session is dropped" {
  gcs_cloud
  by_token
  new_file "$BIG" f >/dev/null
  run_ank ankput-fake --no-clobber --multipart-threshold 1000 --part-size 256K \
    gs://bucket/k -- sh -c 'cat f; exit 3'
  assert_exit 3
  run stored_object bucket k
  [ -z "$output" ]
  assert_json result aborted true
  assert_eq "$(requests abort)" 1
}

@test "what the server has not kept is sent again, from where it is" {
  gcs_cloud "{\"rules\": [{\"op\": \"part\", \"nth\": 1, \"persist\": 0},
    {\"op\": \"part\", \"nth\": 3, \"persist\": $UNIT}]}"
  by_token
  new_file $((6 * UNIT)) f >/dev/null
  put --part-size 512K f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(ranges | sed -n 2p)" "bytes 0-$((2 * UNIT - 1))/$((6 * UNIT))"
  assert_eq "$(ranges | sed -n 4p)" "bytes $((3 * UNIT))-$((5 * UNIT - 1))/$((6 * UNIT))"
}

@test "after a failure the session is asked first" {
  gcs_cloud '{"rules": [{"op": "part", "nth": 2, "status": 503},
    {"op": "part", "nth": 3, "close_at": "status", "store": true}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(requests status)" 2
}

@test "a connection that breaks in a chunk loses only what was not kept" {
  gcs_cloud "{\"rules\": [{\"op\": \"part\", \"nth\": 1, \"store\": true,
    \"close_at\": \"request:$((UNIT + 100))\"}]}"
  by_token
  new_file $((4 * UNIT + 1)) f >/dev/null
  put --part-size 1M f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(ranges | sed -n 3p)" "bytes $UNIT-$((4 * UNIT))/$((4 * UNIT + 1))"
}

@test "failures that get nowhere are counted as of one request" {
  gcs_cloud '{"rules": [{"op": "part", "status": 503}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put --retries 2 f
  assert_exit 10
  assert_eq "$(requests part) $(requests status)" "3 2"
  assert_eq "$(requests abort)" 1
}

@test "a session that has all and makes nothing of it is not asked for ever" {
  gcs_cloud "{\"rules\": [{\"op\": \"complete\", \"status\": 308,
    \"headers\": {\"Range\": \"bytes=0-$((BIG - 1))\"}}, {\"op\": \"status\",
    \"status\": 308, \"headers\": {\"Range\": \"bytes=0-$((BIG - 1))\"}}]}"
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 10
}

@test "the last answer is lost: the session tells it" {
  gcs_cloud '{"rules": [{"op": "complete", "nth": 1, "store": true, "close_at": "status"}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_eq "$(requests complete) $(requests status)" "1 1"
}

@test "the last answer is lost for good: the object tells it" {
  gcs_cloud '{"rules": [{"op": "complete", "nth": 1, "store": true, "close_at": "status"},
    {"op": "status", "status": 503}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 0
  assert_json result confirmed_by head
}

@test "a session that is gone is begun anew, a few times" {
  local gone
  for gone in 404 410; do
    gcs_cloud "{\"dead_session\": $gone, \"rules\": [{\"op\": \"part\", \"nth\": 3, \"abort_upload\": true}]}"
    by_token
    new_file "$BIG" f >/dev/null
    put f
    assert_exit 0
    assert_same f "$(stored_object bucket k)"
    assert_eq "$(requests create)" 2
  done
  gcs_cloud '{"rules": [{"op": "part", "abort_upload": true}]}'
  put f
  assert_eq "$(requests create)" 4
  assert_exit 10
}

@test "a stream whose session is gone cannot begin anew" {
  gcs_cloud '{"rules": [{"op": "part", "nth": 3, "abort_upload": true}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put - < <(cat f)
  [ "$status" -ne 0 ]
  assert_eq "$(requests create)" 1
}

@test "one that is there already is no success, the same one is" {
  gcs_cloud '{"rules": [{"op": "head", "nth": 1, "status": 403}, {"op": "head", "nth": 2, "status": 403}]}'
  by_token
  new_file "$BIG" f >/dev/null
  new_file "$BIG" g 2 >/dev/null
  seed_object bucket k g
  put f
  assert_exit 7
  assert_same g "$(stored_object bucket k)"
  gcs_cloud
  seed_object bucket k f
  put f
  assert_exit 0
  assert_json result settled same_object
  assert_eq "$(requests)" 1
}

@test "another crc32c in the end: that generation is deleted" {
  gcs_cloud '{"rules": [{"op": "complete", "store": true, "status": 200,
    "body": "{\"size\": \"1310727\", \"generation\": \"77\", \"crc32c\": \"AAAAAA==\"}"}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 9
  assert_contains "$(jq -r 'select(.op == "delete").target' "$CLOUD_DIR/log.ndjson")" 'generation=77'
}

@test "all attempts to begin are one for the server" {
  gcs_cloud '{"rules": [{"op": "create", "nth": "1-2", "status": 503}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put f
  assert_exit 0
  assert_eq "$(jq -r 'select(.op == "create").headers
    | map(select(.[0] == "x-goog-gcs-idempotency-token"))[0][1]' \
    "$CLOUD_DIR/log.ndjson" | sort -u | wc -l)" 1
}

@test "the session's address is in no report and no message" {
  local id
  gcs_cloud
  by_token
  new_file "$BIG" f >/dev/null
  put -v --explain f
  assert_exit 0
  id=$(jq -r 'select(.op == "create").upload_id' "$CLOUD_DIR/log.ndjson")
  [ "${#id}" = 32 ]
  run cat "$OUT" "$ERR"
  [[ $output != *"${id:0:20}"* ]]
  [[ $output != *"$TOKEN"* ]]
}

@test "a generation as condition, too; with keys all goes in one request" {
  local generation
  gcs_cloud
  by_token
  new_file "$BIG" f >/dev/null
  seed_object bucket k f
  run_ank ankget -I gs://bucket/k
  generation=$(json result version_id)
  run_ank ankput --if-match "$generation" --multipart-threshold 1000 f gs://bucket/k
  assert_exit 0
  assert_contains "$(jq -r 'select(.op == "create").target' "$CLOUD_DIR/log.ndjson")" \
    "ifGenerationMatch=$generation"
  by_key
  run_ank ankput --no-clobber --multipart-threshold 1000 f gs://bucket/other
  assert_exit 0
  assert_eq "$(requests put) $(requests create)" "1 1"
}

@test "a signal drops the session" {
  gcs_cloud '{"rules": [{"op": "part", "nth": 2, "hang_at": "status"}]}'
  by_token
  new_file "$BIG" f >/dev/null
  start_ank ankput --no-clobber --multipart-threshold 1000 --part-size 256K f gs://bucket/k
  await_file "$CLOUD_DIR/hang" "$ANK_PID"
  kill -TERM "$ANK_PID"
  wait_ank
  assert_exit 143
  assert_json result aborted true
  assert_eq "$(requests abort)" 1
}

# journal: the one that is there.
journal() { find home/.local/state/ank/uploads -name '*.ndjson' 2>/dev/null; }

@test "-C goes on with the session of a run that failed" {
  local id
  gcs_cloud '{"rules": [{"op": "part", "nth": 3, "status": 503}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put -C --retries 0 f
  assert_exit 10
  assert_json result aborted false
  assert_eq "$(requests abort)" 0
  assert_eq "$(stat -c %a "$(journal)")" 600
  id=$(jq -r 'select(.op == "create").upload_id' "$CLOUD_DIR/log.ndjson")
  put -C -v f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_json result resumed_from $((2 * UNIT))
  assert_eq "$(requests create) $(requests status) $(requests part) $(requests complete)" "1 1 6 1"
  assert_eq "$(journal)" ''
  run cat "$OUT" "$ERR"
  [[ $output != *"${id:0:20}"* ]]
}

@test "-C goes on behind a kill, with what the server has kept" {
  gcs_cloud "{\"rules\": [{\"op\": \"part\", \"nth\": 2, \"persist\": $UNIT, \"store\": true, \"hang_at\": \"status\"}]}"
  by_token
  new_file "$BIG" f >/dev/null
  start_ank ankput --no-clobber --multipart-threshold 1000 --part-size 512K -C f gs://bucket/k
  await_file "$CLOUD_DIR/hang" "$ANK_PID"
  kill -KILL "$ANK_PID"
  wait "$ANK_PID" || true
  ANK_PID=
  run_ank ankput --no-clobber --multipart-threshold 1000 --part-size 512K -C f gs://bucket/k
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_json result resumed_from $((3 * UNIT))
  assert_eq "$(requests create)" 1
}

@test "-C of a session that is gone, of another file or condition starts over" {
  local why
  for why in journal_upload_gone journal_other_source journal_other_options; do
    gcs_cloud '{"rules": [{"op": "part", "nth": 3, "status": 503},
      {"op": "status", "nth": 1, "key": "gone", "abort_upload": true}]}'
    by_token
    new_file "$BIG" f >/dev/null
    touch -d @1600000000 f
    key=k
    [ "$why" != journal_upload_gone ] || key=gone
    to() { run_ank ankput-fake --multipart-threshold 1000 --part-size 256K -C "$@" f "gs://bucket/$key"; }
    to --retries 0 --no-clobber
    assert_exit 10
    case $why in
      journal_other_source) # with the same size and time
        new_file "$BIG" f 2 >/dev/null
        touch -d @1600000000 f
        to --no-clobber ;;
      journal_other_options)
        seed_object bucket k f
        run_ank ankget-fake -I gs://bucket/k
        to --if-match "$(json result version_id)" ;;
      *) to --no-clobber ;;
    esac
    assert_exit 0
    assert_json warning why "$why"
    assert_same f "$(stored_object bucket "$key")"
    assert_eq "$(requests create)" 2
    [ "$why" = journal_upload_gone ] || assert_eq "$(requests abort)" 1
    assert_eq "$(journal)" ''
  done
}

@test "-C learns that the object was made, when no answer came of it" {
  gcs_cloud '{"rules": [{"op": "complete", "nth": 1, "store": true, "hang_at": "status"},
    {"op": "head", "nth": "2-3", "status": 503}]}'
  by_token
  new_file "$BIG" f >/dev/null
  put -C --retries 0 f
  assert_exit 14
  put -C f
  assert_exit 0
  assert_same f "$(stored_object bucket k)"
  assert_json result resumed_from "$BIG"
  assert_eq "$(requests create) $(requests complete)" "1 1"
}
