#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# Blobs are stored in Azure: in one request, in blocks, under a condition.

load ../lib/harness

bats_require_minimum_version 1.5.0

URL=az://ankacct/bucket/k

# azure_cloud [JSON]: with these further settings.
azure_cloud() {
  start_cloud --fake "$(jq -cn --argjson more "${1:-{\}}" \
    '{service: "azure"} + $more')"
}

# put ARG...; blocks ARG...: 20 bytes more than two blocks of 1 MiB.
put() { run_ank ankput-fake "$@"; }
blocks() {
  put --part-size 1M --multipart-threshold 1M "$@"
}

code_of() { request "$1" '.headers | map(select((.[0] | ascii_downcase) == "'"$2"'"))[0][1]'; }

# crc FILE: as Azure has it.
crc() {
  "$PYTHON" - "$HARNESS_TOP/tests/cloud" "$1" <<'EOF'
import base64, sys
sys.path.insert(0, sys.argv[1])
import checksums
crc = checksums.Crc64Nvme()
crc.update(open(sys.argv[2], "rb").read())
print(base64.b64encode(crc.digest()[::-1]).decode())
EOF
}

@test "blocks that meet an open breaker: nothing was sent, come back then" {
  azure_cloud
  new_file 2097172 file >/dev/null
  run_ank ankbreaker-fake trip az://ankacct/bucket 1h
  blocks file "$URL"
  assert_exit 12
  assert_between "$(json result wait_ms)" 3500000 3600000
  assert_eq "$(requests)" 0
}

@test "a blob is stored in one request, with its CRC-64" {
  azure_cloud
  new_file 1000 file >/dev/null
  put --content-type text/plain --storage-class Cool --metadata a_1=v \
    -H 'Cache-Control: no-cache' file "$URL"
  assert_exit 0
  assert_eq "$(requests)" 1
  assert_same file "$(stored_object bucket k)"
  assert_eq "$(request_header 1 x-ms-content-crc64)" "$(crc file)"
  assert_eq "$(stored_meta bucket k '.headers | [."content-type",
    ."x-ms-access-tier", ."x-ms-meta-a_1", ."cache-control"] | join(" ")')" \
    "text/plain Cool v no-cache"
  assert_json result provider azure
  assert_json attempt provider azure
  assert_careful
}

@test "an empty blob, and one under an awkward name" {
  azure_cloud
  : >empty
  put empty az://ankacct/bucket/empty
  assert_exit 0
  assert_eq "$(request_header 1 content-length)" 0
  new_file 10 file >/dev/null
  put file 'az://ankacct/bucket/a=b/c+d e%20f*@:!~&;,$/ü 日本//x?#.bin'
  assert_exit 0
  assert_same file "$(stored_object bucket 'a=b/c+d e%20f*@:!~&;,$/ü 日本//x?#.bin')"
  put file az://ankacct/bucket/a/../b
  assert_exit 2
  assert_contains "$(<"$ERR")" "would be another blob"
}

@test "blocks have ids of one length, a list and what the blob is come last" {
  local id
  azure_cloud
  new_file 2097172 file >/dev/null
  blocks --content-type text/plain --metadata a=1 file "$URL"
  assert_exit 0
  assert_eq "$(part_requests) $(requests complete) $(requests)" "3 1 4"
  assert_same file "$(stored_object bucket k)"
  assert_eq "$(jq -r 'select(.op == "part") | .target | sub(".*blockid="; "") |
    length' "$CLOUD_DIR/log.ndjson" | sort -u)" 64
  id=$(request 1 .upload_id)
  assert_eq "$(jq -r 'select(.op == "part") | .upload_id' "$CLOUD_DIR/log.ndjson" |
    sort -u)" "$id"
  assert_eq "$(request 1 '.headers | map(.[0] | ascii_downcase) |
    map(select(startswith("x-ms-meta") or startswith("x-ms-blob"))) | length')" 0
  assert_eq "$(stored_meta bucket k '.headers | [."content-type",
    ."x-ms-meta-a"] | join(" ")')" "text/plain 1"
  FAKE_SEED=2 blocks file "$URL"
  [ "$(request 5 .upload_id)" != "$id" ]
}

@test "a stream travels in blocks, too" {
  azure_cloud
  new_file 2097172 file >/dev/null
  status=0
  ank_prepare ankput-fake --part-size 1M --multipart-threshold 1M - "$URL"
  "${ANK_COMMAND[@]}" <file >"$OUT" 2>"$ERR" || status=$?
  check_report
  assert_exit 0
  assert_same file "$(stored_object bucket k)"
  assert_eq "$(part_requests)" 3
}

@test "a busy server is asked again, by its own code" {
  azure_cloud '{"rules": [{"nth": 1, "s3_error": "SlowDown"},
    {"nth": 2, "s3_error": "RequestTimeout"}]}'
  put "$(new_file 10)" "$URL"
  assert_exit 0
  assert_eq "$(requests)" 3
  assert_json attempt code ServerBusy 1
  assert_json attempt verdict throttled 1
  assert_json attempt code OperationTimedOut 2
  assert_json attempt verdict transient 2
}

@test "x-ms-retry-after-ms is heeded" {
  azure_cloud '{"rules": [{"nth": 1, "s3_error": "SlowDown",
    "headers": {"x-ms-retry-after-ms": "2500"}}]}'
  put "$(new_file 10)" "$URL"
  assert_exit 0
  [ "$(slept)" -ge 2500 ]
}

@test "a name that is taken: 409 and 412 mean the same" {
  local code
  for code in 409 412; do
    azure_cloud "{\"exists_status\": $code}"
    seed_object bucket k "$(new_file 10)"
    put --no-clobber "$(new_file 20)" "$URL"
    assert_exit 7
    assert_json result outcome exists
    put --no-clobber file-10 "$URL"
    assert_exit 0
    assert_json result settled same_object
  done
}

@test "a conditional create whose answer was lost was ours" {
  azure_cloud '{"rules": [{"op": "put", "nth": 1, "store": true, "close_at": "status"}]}'
  put --no-clobber "$(new_file 10)" "$URL"
  assert_exit 0
  assert_json result settled same_object
  assert_eq "$(requests put) $(requests head)" "2 1"
}

@test "a list of blocks whose answer was lost was ours, by its nonce" {
  azure_cloud '{"rules": [{"op": "complete", "nth": 1, "store": true, "close_at": "status"}]}'
  new_file 2097172 file >/dev/null
  blocks --no-clobber file "$URL"
  assert_exit 0
  assert_same file "$(stored_object bucket k)"
  assert_eq "$(requests complete)" 2
}

@test "a list that never gets an answer: the blob's nonce tells" {
  azure_cloud '{"rules": [{"op": "complete", "store": true, "close_at": "status"}]}'
  new_file 2097172 file >/dev/null
  blocks file "$URL"
  assert_exit 0
  assert_json result confirmed_by head
}

@test "blocks that somebody dropped are sent once more" {
  azure_cloud '{"rules": [{"op": "complete", "nth": 1, "abort_upload": true}]}'
  new_file 2097172 file >/dev/null
  blocks file "$URL"
  assert_exit 0
  assert_eq "$(part_requests) $(requests complete)" "6 2"
  assert_same file "$(stored_object bucket k)"
}

@test "blocks dropped twice: told, not tried for ever" {
  azure_cloud '{"rules": [{"op": "complete", "abort_upload": true}]}'
  new_file 2097172 file >/dev/null
  blocks file "$URL"
  [ "$status" -ne 0 ]
  assert_eq "$(requests complete)" 2
}

@test "other writers' blocks with ids of another length are told of" {
  azure_cloud '{"rules": [{"op": "part", "s3_error": "InvalidBlobOrBlock"}]}'
  new_file 2097172 file >/dev/null
  blocks -P 1 file "$URL"
  assert_exit 8
  assert_json attempt code InvalidBlobOrBlock
  assert_contains "$(<"$ERR")" "another writer"
  assert_eq "$(json result aborted)" false
}

@test "too many blocks that wait are told of, and not tried again" {
  azure_cloud '{"most_uncommitted": 1}'
  new_file 2097172 file >/dev/null
  blocks -P 1 file "$URL"
  assert_exit 8
  assert_json attempt code BlockCountExceedsLimit
  assert_contains "$(<"$ERR")" "left by earlier uploads"
  assert_eq "$(part_requests)" 2
}

@test "no block is aborted: they vanish, and the result says they are left" {
  azure_cloud '{"rules": [{"op": "part", "part": 2, "status": 403}]}'
  new_file 2097172 file >/dev/null
  blocks file "$URL"
  assert_exit 5
  assert_json result aborted false
  [ -n "$(json result upload_id)" ]
  assert_eq "$(requests abort) $(requests delete)" "0 0"
}

@test "sums that the server finds wrong are sent again, then told" {
  azure_cloud '{"rules": [{"nth": "1-9", "s3_error": "Crc64Mismatch"}]}'
  put "$(new_file 10)" "$URL"
  assert_exit 9
  assert_eq "$(requests)" 3
}

@test "names of metadata are identifiers in Azure" {
  azure_cloud
  put --metadata a-b=1 "$(new_file 10)" "$URL"
  assert_exit 2
  assert_contains "$(<"$ERR")" "a-b"
  assert_eq "$(requests)" 0
}

@test "an upload is continued: the blocks that are there are not sent again" {
  azure_cloud '{"rules": [{"op": "part", "part": 3, "nth": 1, "status": 403}]}'
  new_file 3145730 file >/dev/null
  blocks -C -P 1 file "$URL"
  assert_exit 5
  blocks -C -P 1 file "$URL"
  assert_exit 0
  assert_eq "$(requests list_parts) $(part_requests 1) $(part_requests 3)" "1 1 2"
  assert_same file "$(stored_object bucket k)"
  assert_json result resumed_from 2097152
}

@test "an upload is continued although its blocks are gone" {
  azure_cloud '{"rules": [{"op": "part", "part": 3, "nth": 1, "status": 403},
    {"op": "list_parts", "abort_upload": true}]}'
  new_file 3145730 file >/dev/null
  blocks -C -P 1 file "$URL"
  assert_exit 5
  blocks -C -P 1 file "$URL"
  assert_exit 0
  assert_eq "$(part_requests 1)" 2
  assert_same file "$(stored_object bucket k)"
}

@test "there is no upload to abort" {
  azure_cloud
  run_ank ankput-fake --abort-upload 00112233445566778899aabbccddeeff "$URL"
  assert_exit 2
  assert_eq "$(requests)" 0
}

@test "two writers of one blob at once: it is one of the two, whole (case 43)" {
  local first stored
  azure_cloud '{"rules": [{"op": "part", "nth": 2, "delay_ms": 400}]}'
  new_file 2097172 one >/dev/null
  new_file 2097172 two 2 >/dev/null
  start_ank ankput-fake --part-size 1M --multipart-threshold 1M -P 1 one "$URL"
  first=$ANK_PID
  FAKE_SEED=2 blocks two "$URL"
  assert_exit 0
  wait "$first"
  ANK_PID=
  stored=$(stored_object bucket k)
  cmp -s one "$stored" || cmp "$stored" two
  assert_eq "$(jq -r 'select(.op == "part") | .upload_id[:8]' \
    "$CLOUD_DIR/log.ndjson" | sort -u | wc -l)" "$(($(requests complete) > 2 ? 3 : 2))"
}
