#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2016
# SPDX-License-Identifier: MIT
# https:// URLs of the four clouds: plain ones mean what s3:// and kin mean,
# signed ones are sent as they are, and nobody sees their signature.

load ../lib/harness
load ../cloud/oci

bats_require_minimum_version 1.5.0

SIG=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
S3_QUERY="X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDOFMAKER%2F20231114%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20231114T220000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=$SIG"
# Of version 2, which the cloud here takes for no signature at all.
OLD_QUERY="AWSAccessKeyId=AKIDOFMAKER&Expires=1700003600&Signature=$SIG%3D"
GCS_QUERY="X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=maker%40p&X-Goog-Date=20231114T220000Z&X-Goog-Expires=3600&X-Goog-SignedHeaders=host&X-Goog-Signature=$SIG"
NO_KEYS=(-AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY -AWS_REGION
  -AZURE_STORAGE_KEY -AZURE_STORAGE_ACCOUNT -ANK_ENDPOINT)

# signed_cloud [MEMBERS]: a store that does not look at signatures, which are
# not ours. SERVICE is whose it is.
signed_cloud() {
  UNSIGNED_OK=1
  start_cloud --fake --anonymous \
    "{\"service\": \"${SERVICE:-s3}\", \"domains\": [\"s3.eu-west-1.amazonaws.com\", \"localhost\"]${1:+, $1}}"
}

# there PROGRAM ARG...: with no credentials and no set-up.
there() { run_ank "${NO_KEYS[@]}" "$@"; }

# unshown TEXT...: no output holds it.
unshown() {
  local one
  for one; do
    ! grep -F -- "$one" "$OUT" "$ERR" "$REPORT" || return 1
  done
}

targets() { jq -r .target "$CLOUD_DIR/log.ndjson"; }
ops() { jq -r .op "$CLOUD_DIR/log.ndjson" | paste -sd' '; }

# sas: of the account, as Azure's page has it.
sas() {
  "$PYTHON" - "$AZURE_KEY" <<'EOF'
import base64, hashlib, hmac, sys
from urllib.parse import urlencode
key, sp, se = sys.argv[1], "rwc", "2200-01-01T00:00:00Z"
text = "ankacct\n%s\nb\no\n\n%s\n\nhttps,http\n2021-12-02\n\n" % (sp, se)
sig = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
print(urlencode({"sv": "2021-12-02", "ss": "b", "srt": "o", "sp": sp, "se": se,
                 "spr": "https,http", "sig": base64.b64encode(sig).decode()}))
EOF
}

# --- plain ---------------------------------------------------------------------

@test "a URL of Amazon's, virtual and path style, is signed for its region" {
  start_cloud --fake '{"region": "eu-west-1", "domains": ["s3.eu-west-1.amazonaws.com"]}'
  local host=s3.eu-west-1.amazonaws.com
  run_ank -ANK_ENDPOINT ankput-fake --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" \
    "$(new_file 10 file)" "http://bucket.$host:$CLOUD_PORT/a%20b//%2B"
  assert_exit 0
  assert_same file "$(stored_object bucket 'a b//+')"
  assert_json result key 'a b//+'
  run_ank -ANK_ENDPOINT ankget-fake --resolve "$host:$CLOUD_PORT:127.0.0.1" \
    "http://$host:$CLOUD_PORT/bucket/a%20b//%2B" out
  assert_exit 0
  assert_same file out
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | paste -sd' ')" 'ok ok'
  assert_eq "$(request_header 1 host)" "bucket.$host:$CLOUD_PORT"
  assert_eq "$(request_header 2 host)" "$host:$CLOUD_PORT"
}

@test "where a URL is one's own, --provider says whose" {
  start_cloud --fake
  run_ank ankput-fake "$(new_file 10 file)" "$CLOUD_URL/bucket/k"
  assert_exit 2
  assert_contains "$(<"$ERR")" "--provider"
  run_ank ankput-fake --provider s3 file "$CLOUD_URL/bucket/k"
  assert_exit 0
  assert_same file "$(stored_object bucket k)"
  run_ank ANK_PROVIDER=minio ankput-fake file "$CLOUD_URL/bucket/dir/"
  assert_exit 0
  assert_same file "$(stored_object bucket dir/file)"
  run_ank ankput-fake --provider s3 --endpoint http://localhost file "$CLOUD_URL/bucket/k"
  assert_exit 2
  assert_contains "$(<"$ERR")" "--endpoint"
  assert_eq "$(requests)" 2
}

@test "--addressing says nothing else than the URL does" {
  run_ank -ANK_ENDPOINT ankput-fake --dry-run --addressing path "$(new_file 10 file)" \
    https://bucket.s3.eu-west-1.amazonaws.com/k
  assert_exit 2
  assert_contains "$(<"$ERR")" "--addressing: the URL has the bucket in its host"
  run_ank -ANK_ENDPOINT ankput-fake --dry-run --addressing virtual file \
    https://s3.eu-west-1.amazonaws.com/bucket/k
  assert_exit 2
  assert_contains "$(<"$ERR")" "--addressing: the URL has the bucket in its path"
  run_ank -ANK_ENDPOINT ANK_ADDRESSING=path ankput-fake --dry-run file \
    https://bucket.s3.eu-west-1.amazonaws.com/k
  assert_exit 0
}

@test "the same with Google's, Azure's and Oracle's" {
  start_cloud --fake '{"service": "azure"}'
  run_ank -ANK_ENDPOINT ankput-fake --provider azure "$(new_file 10 file)" \
    "$CLOUD_URL/ankacct/bucket/a%20b"
  assert_exit 0
  assert_same file "$(stored_object bucket 'a b')"
  start_cloud --fake '{"service": "oci"}'
  oci_config
  run_ank ankput-fake --provider oci file \
    "$CLOUD_URL/n/anknamespace/b/bucket/o/a%2Fb"
  assert_exit 0
  assert_same file "$(stored_object bucket a/b)"
  start_cloud --fake '{"service": "gcs"}'
  run_ank CLOUDSDK_AUTH_ACCESS_TOKEN=ya29.ank-test-token ankput-fake \
    --provider gcs file "$CLOUD_URL/bucket/k"
  assert_exit 0
  assert_same file "$(stored_object bucket k)"
}

@test "a provider that has no such URL, and one that nobody knows" {
  run_ank ankput-fake --provider azure "$(new_file 10)" s3://bucket/k
  assert_exit 2
  assert_contains "$(<"$ERR")" "--provider: azure has no URLs of s3://"
  run_ank ankget-fake --provider amazon s3://bucket/k
  assert_exit 2
  assert_contains "$(<"$ERR")" "is none of s3, gcs, azure, oci, alibaba, backblaze, ceph"
  # what the tables take is what a shell proposes
  local names
  names=$(json result message)
  names=${names##*is none of }
  names=${names//,/}
  run_ank ankput --completion bash
  assert_contains "$(<"$OUT")" "$names"
}

# --- which store ---------------------------------------------------------------

@test "--provider ceph: a completion ignores the condition, so it looks first" {
  start_cloud --fake '{"ignore_conditions": true}'
  run_ank ankput-fake --provider ceph --no-clobber --multipart-threshold 5M \
    "$(new_file 5242980 file)" s3://bucket/k
  assert_exit 0
  assert_json result guarded false
  assert_eq "$(jq -r .op "$CLOUD_DIR/log.ndjson" | head -n 1)" head
}

@test "--provider swift: a condition is refused before anything is sent" {
  start_cloud --fake
  run_ank ankput-fake --provider swift --no-clobber "$(new_file 10)" s3://bucket/k
  assert_exit 8
  assert_json result why condition_refused
  assert_eq "$(requests)" 0
}

@test "--provider s3: a host that is known for less does as S3 does" {
  start_cloud --fake '{"domains": ["s3.us-west-004.backblazeb2.com"]}'
  run_ank ankput-fake --provider s3 --no-clobber \
    --endpoint "http://s3.us-west-004.backblazeb2.com:$CLOUD_PORT" \
    --resolve "s3.us-west-004.backblazeb2.com:$CLOUD_PORT:127.0.0.1" \
    "$(new_file 10)" s3://bucket/k
  assert_exit 0
}

# --- signed --------------------------------------------------------------------

# presigned METHOD URL: by the SDK of awscli.
presigned() {
  "$PYTHON" - "$TEST_KEY" "$TEST_SECRET" "$@" <<'EOF'
import os, sys
import awscli
sys.path.insert(0, os.path.dirname(awscli.__file__))
from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
key, secret, method, url = sys.argv[1:]
request = AWSRequest(method=method, url=url)
S3SigV4QueryAuth(Credentials(key, secret), "s3", "us-east-1", 60).add_auth(request)
print(request.url)
EOF
}

@test "what an SDK has signed is what the store gets" {
  local url
  "$PYTHON" -c 'import awscli' 2>/dev/null || skip 'no awscli'
  start_cloud
  new_file 3145733 file >/dev/null
  url=$(presigned PUT "$CLOUD_URL/bucket/a%20b/%2B")
  there ankput --provider s3 --multipart-threshold 1M --content-type text/plain file "$url"
  assert_exit 0
  assert_same file "$(stored_object bucket 'a b/+')"
  url=$(presigned GET "$CLOUD_URL/bucket/a%20b/%2B")
  there ankget --provider s3 --part-size 1M --multipart-threshold 1M "$url" out
  assert_exit 0
  assert_same file out
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | sort -u)" ok
  assert_eq "$(ops | cut -d" " -f1-3)" "put get get"
}

@test "a presigned URL of S3 is sent as it is, with nothing signed or added" {
  signed_cloud
  there ankput-fake --provider s3 "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/a%20b/c+%2b?$OLD_QUERY"
  assert_exit 0
  assert_eq "$(targets)" "/bucket/a%20b/c+%2b?$OLD_QUERY"
  run ! request_header 1 authorization
  assert_eq "$(request 1 '[.headers[][0] | ascii_downcase | select(startswith("x-amz"))] | length')" 0
  assert_eq "$(json result key)" 'a b/c++'
  unshown "$SIG" AKIDOFMAKER
  assert_contains "$(json attempt url)" 'Signature=REDACTED'
}

@test "nothing is added on Amazon's own hosts either" {
  signed_cloud
  local host=s3.eu-west-1.amazonaws.com
  there ankput-fake --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" \
    "$(new_file 10 file)" "http://bucket.$host:$CLOUD_PORT/k?$OLD_QUERY"
  assert_exit 0
  there ankget-fake --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" \
    "http://bucket.$host:$CLOUD_PORT/k?$OLD_QUERY" out
  assert_exit 0
  assert_eq "$(targets | uniq)" "/k?$OLD_QUERY"
  assert_eq "$(jq '[.headers[][0] | ascii_downcase | select(startswith("x-amz"))] | length' "$CLOUD_DIR/log.ndjson" | uniq)" 0
}

@test "what the user gives goes along" {
  signed_cloud
  there ankput-fake --provider s3 --content-type text/plain --metadata a=b \
    --no-clobber "$(new_file 10 file)" "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 0
  assert_eq "$(request_header 1 content-type)" text/plain
  assert_eq "$(request_header 1 x-amz-meta-a)" b
  assert_eq "$(request_header 1 if-none-match)" '*'
  assert_eq "$(request 1 '[.headers[][0] | ascii_downcase | select(startswith("x-amz"))] | length')" 1
  there ankget-fake --provider s3 --version-id v "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 2
}

@test "a presigned URL of Google's, and a pre-authenticated request of Oracle's" {
  SERVICE=gcs signed_cloud
  there ankput-fake --provider gcs "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/k?$GCS_QUERY"
  assert_exit 0
  assert_eq "$(targets)" "/bucket/k?$GCS_QUERY"
  assert_eq "$(request 1 '[.headers[][0] | ascii_downcase | select(startswith("x-goog"))] | length')" 0
  unshown "$SIG"
  SERVICE=s3 signed_cloud '"rules": [{"status": 200, "headers": {"etag": "\"e\"", "opc-request-id": "r"}}]'
  there ankput-fake --provider oci -v --explain file \
    "$CLOUD_URL/p/$SIG/n/ns/b/bucket/o/a%2fb"
  assert_exit 0
  assert_eq "$(targets)" "/p/$SIG/n/ns/b/bucket/o/a%2fb"
  assert_json result key a/b
  unshown "$SIG"
}

@test "a SAS in an https URL: put, blocks, get, as the store itself judges" {
  local good
  good=$(sas)
  start_cloud --fake '{"service": "azure"}'
  there ankput-fake --provider azure "$(new_file 10 file)" \
    "$CLOUD_URL/ankacct/bucket/a%20b?$good"
  assert_exit 0
  new_file 2097172 big >/dev/null
  there ankput-fake --provider azure --part-size 1M --multipart-threshold 1M big \
    "$CLOUD_URL/ankacct/bucket/big?$good"
  assert_exit 0
  there ankget-fake --provider azure "$CLOUD_URL/ankacct/bucket/big?$good" out
  assert_exit 0
  assert_same big out
  there ankput-fake --provider azure file big "$CLOUD_URL/ankacct/bucket/dir/?$good"
  assert_exit 0
  assert_same file "$(stored_object bucket dir/file)"
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | sort -u)" ok
  unshown "${good##*sig=}"
}

@test "a SAS in a URL that is raw, or encoded too often, is mended; a right one stays (case 64)" {
  local good sig raw form
  good=$(sas)
  sig=${good##*sig=}
  raw=$(codec=$sig "$PYTHON" -c 'import os, urllib.parse as u; print(u.unquote(os.environ["codec"]))')
  start_cloud --fake '{"service": "azure"}'
  new_file 10 file >/dev/null
  for form in "$good" "${good%sig=*}sig=$raw" "${good//%/%25}" \
    "$(codec=$good "$PYTHON" -c 'import os, urllib.parse as u; print(u.quote(os.environ["codec"], safe=""))')"; do
    there ankput-fake --provider azure -v file "$CLOUD_URL/ankacct/bucket/k?$form"
    assert_exit 0
    unshown "$sig" "$raw"
  done
  assert_eq "$(targets | head -n 1)" "/ankacct/bucket/k?$good"
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | sort -u)" ok
}

@test "a retry sends the same URL" {
  signed_cloud '"rules": [{"nth": 1, "status": 503}]'
  there ankput-fake --provider s3 "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 0
  assert_eq "$(targets | sort -u)" "/bucket/k?$OLD_QUERY"
  assert_eq "$(requests)" 2
}

@test "one that has expired is refused once, and the hint says when it ended" {
  signed_cloud '"rules": [{"status": 403, "body": "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"}]'
  there ankput-fake --provider s3 "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/k?${S3_QUERY/Expires=3600/Expires=60}"
  assert_exit 5
  assert_eq "$(requests)" 1
  assert_contains "$(json result message)" 'the URL has expired at 2023-11-14T22:01:00.000Z'
  there ankput-fake --provider s3 file "$CLOUD_URL/bucket/k?$S3_QUERY"
  assert_exit 5
  assert_contains "$(json result message)" 'until 2023-11-14T23:00:00.000Z'
}

@test "a token that is over, and a redirect, mend nothing" {
  signed_cloud '"rules": [{"nth": 1, "status": 400, "body": "<Error><Code>ExpiredToken</Code></Error>"},
    {"status": 307, "headers": {"location": "http://localhost:1/bucket/k", "x-amz-bucket-region": "eu-west-3"}}]'
  run_ank -ANK_ENDPOINT ankput-fake --provider s3 "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 8
  run_ank -ANK_ENDPOINT ankput-fake --provider s3 file \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 8
  assert_eq "$(requests)" 2
}

@test "large ones go in one request: a file, and a stream that fits in memory" {
  signed_cloud
  new_file 5242980 file >/dev/null
  there ankput-fake --provider s3 --multipart-threshold 1M file \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 0
  assert_eq "$(ops)" put
  there ankput-fake --provider s3 --multipart-threshold 1M - \
    "$CLOUD_URL/bucket/l?$OLD_QUERY" < <(cat file)
  assert_exit 0
  assert_same file "$(stored_object bucket l)"
  there ankput-fake --provider s3 --buffer-limit 5M - \
    "$CLOUD_URL/bucket/m?$OLD_QUERY" < <(cat file)
  assert_exit 3
  assert_contains "$(json result message)" 'a signed URL takes no upload in parts'
  assert_eq "$(ops)" 'put put'
  truncate -s 6G huge
  there ankput-fake --provider s3 huge "$CLOUD_URL/bucket/m?$OLD_QUERY"
  assert_exit 3
  assert_eq "$(requests)" 2
}

@test "no name is added to one that is signed whole; several files are none" {
  there ankput-fake --provider s3 "$(new_file 10 file)" "http://h/bucket/dir/?$OLD_QUERY"
  assert_exit 2
  there ankput-fake --provider s3 file "$(new_file 11)" "http://h/bucket/dir/?$OLD_QUERY"
  assert_exit 2
  there ankput-fake --provider s3 --abort-upload x "http://h/bucket/k?$OLD_QUERY"
  assert_exit 2
  assert_contains "$(<"$ERR")" 'a signed URL is for its object'
  there ankput-fake --provider oci --abort-upload x "http://127.0.0.1:1/p/$SIG/n/ns/b/bucket/o/k"
  assert_exit 2
  unshown "$SIG"
}

@test "the fate of one is not asked for: an answer that is lost is unknown" {
  signed_cloud '"rules": [{"close_at": "status"}]'
  there ankput-fake --provider s3 --retries 0 "$(new_file 10 file)" \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 14
  assert_eq "$(ops)" put
}

@test "--no-clobber with one: what is there stays, and is not looked at" {
  signed_cloud
  seed_object bucket k "$(new_file 10 there)"
  there ankput-fake --provider s3 --no-clobber "$(new_file 11 file)" \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 7
  assert_json result why not_comparable
  assert_eq "$(ops)" put
}

# --- nobody sees it ------------------------------------------------------------

@test "a signature is gone from the command line while the request is on its way" {
  signed_cloud '"rules": [{"hang_at": "status"}]'
  new_file 10 file >/dev/null
  ank_prepare "${NO_KEYS[@]}" ankput --provider s3 --timeout-ms 0 file \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  "${ANK_COMMAND[@]}" >"$OUT" 2>"$ERR" 3>&- &
  ANK_PID=$!
  local i
  for ((i = 0; i < 300; i++)); do
    [ "$(jq -s length "$CLOUD_DIR/log.ndjson" 2>/dev/null)" != 1 ] &&
      [ ! -e "$CLOUD_DIR/busy" ] || break
    sleep 0.01
  done
  run tr '\0' ' ' <"/proc/$ANK_PID/cmdline"
  assert_contains "$output" "$CLOUD_URL/bucket/k?xxx"
  [[ $output != *"$SIG"* ]]
  [[ $output != *AKIDOFMAKER* ]]
  kill -TERM "$ANK_PID"
  wait "$ANK_PID" || true
  ANK_PID=
  run ! grep -F "$SIG" "$OUT" "$ERR"
}

@test "nor is it in the state, a dry run, -v, --explain or a mistake's message" {
  signed_cloud
  new_file 10 file >/dev/null
  there ankput-fake --provider s3 --state-file "$T/state" -v --explain file \
    "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 0
  unshown "$SIG"
  run ! grep -F "$SIG" "$T/state"
  assert_contains "$(<"$ERR")" "identity: the URL's own"
  there ankput-fake --provider s3 --dry-run file "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 0
  unshown "$SIG"
  assert_contains "$(json result url)" "Signature=REDACTED"
  there ankput-fake file "$CLOUD_URL/bucket/k?$OLD_QUERY"
  assert_exit 2
  unshown "$SIG" "${SIG:0:20}"
  there ankput-fake "$CLOUD_URL/bucket/k?$OLD_QUERY" file
  assert_exit 2
  unshown "$SIG" "${SIG:0:20}"
  there ankput-fake file "$CLOUD_URL/bucket/k?$OLD_QUERY" file
  assert_exit 2
  unshown "$SIG" "${SIG:0:20}"
  there ankbreaker-fake --provider s3 --state-file "$T/state" show "$CLOUD_URL/other/k?$OLD_QUERY"
  assert_exit 6
  run ! grep -F "${SIG:0:20}" "$OUT" "$ERR"
}

@test "many secrets: the last one is hidden like the first" {
  signed_cloud '"rules": [{"status": 403, "body": "<Error><Code>AccessDenied</Code><Message>SECRETNUMBER20 is bad</Message></Error>"}]'
  local i query=$OLD_QUERY
  for ((i = 1; i <= 20; i++)); do query+="&q$i=SECRETNUMBER$i"; done
  there ankput-fake --provider s3 "$(new_file 10 file)" "$CLOUD_URL/bucket/k?$query"
  assert_exit 5
  unshown SECRETNUMBER20
}

# --- ANK_URL -------------------------------------------------------------------

@test "ANK_URL stands where no URL does, and an operand goes before it" {
  signed_cloud
  new_file 10 file >/dev/null
  there ANK_URL="$CLOUD_URL/bucket/k?$OLD_QUERY" ankput-fake --provider s3 file
  assert_exit 0
  there ANK_URL="$CLOUD_URL/bucket/k?$OLD_QUERY" ankget-fake --provider s3 out
  assert_exit 0
  assert_same file out
  there ANK_URL="$CLOUD_URL/bucket/k?$OLD_QUERY" ankget-fake --provider s3 -o again
  assert_same file again
  assert_eq "$(targets | sort -u)" "/bucket/k?$OLD_QUERY"
  unshown "$SIG"
  there ANK_URL="$CLOUD_URL/bucket/k?$OLD_QUERY" ankput-fake --provider s3 file \
    "$CLOUD_URL/bucket/other?$OLD_QUERY"
  assert_exit 0
  assert_same file "$(stored_object bucket other)"
  there ANK_URL= ankget-fake --provider s3
  assert_exit 2
}

@test "ANK_URL may be any URL" {
  start_cloud --fake
  run_ank ANK_URL=s3://bucket/dir/ ankput-fake "$(new_file 10 file)"
  assert_exit 0
  assert_same file "$(stored_object bucket dir/file)"
}

# --- said rightly ----------------------------------------------------------------

@test "a failure names the object as its cloud does, on one line and in words" {
  start_cloud --fake '{"service": "azure"}'
  run_ank ankget-fake az://ankacct/bucket/none "$T/out"
  assert_contains "$(<"$ERR")" "ankget: az://ankacct/bucket/none: "
  run_ank ankget-fake --text az://ankacct/bucket/none "$T/out"
  assert_contains "$(<"$OUT")" "not_found (exit 6) az://ankacct/bucket/none: "
  start_cloud --fake '{"service": "oci"}'
  oci_config
  run_ank ankget-fake oci://bucket@anknamespace/none "$T/out"
  assert_json result account anknamespace
  assert_contains "$(<"$ERR")" "ankget: oci://anknamespace/bucket/none: "
  run_ank ankget-fake --text oci://anknamespace/bucket/none "$T/out"
  assert_contains "$(<"$OUT")" "not_found (exit 6) oci://anknamespace/bucket/none: "
  start_cloud --fake '{"service": "gcs"}'
  run_ank CLOUDSDK_AUTH_ACCESS_TOKEN=ya29.ank-test-token ankget-fake --text gs://bucket/none "$T/out"
  assert_contains "$(<"$OUT")" "not_found (exit 6) gs://bucket/none: "
}

@test "two namespaces of one host do not share a bucket's breaker" {
  run_ank ankbreaker-fake --state-file "$T/state" --endpoint https://h trip oci://one/bucket/k 1m
  assert_exit 0
  run_ank ankbreaker-fake --state-file "$T/state" --endpoint https://h show oci://one/bucket/k
  assert_contains "$(<"$OUT")" https://h:443/one/bucket
  run_ank ankbreaker-fake --state-file "$T/state" --endpoint https://h show oci://two/bucket/k
  assert_exit 6
  run_ank ankbreaker-fake --state-file "$T/state" --endpoint https://h trip s3://bucket/k 1m
  run_ank ankbreaker-fake --state-file "$T/state" --endpoint https://h show s3://bucket/k
  assert_contains "$(<"$OUT")" https://h:443/bucket
}
