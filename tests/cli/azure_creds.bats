#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Who asks Azure: account keys, signatures of URLs, tokens, connection strings.

load ../lib/harness

bats_require_minimum_version 1.5.0

URL=az://ankacct/bucket/k

azure_cloud() {
  start_cloud --fake "$(jq -cn --argjson more "${1:-{\}}" \
    '{service: "azure"} + $more')"
  seed_object bucket k "$(new_file 10 file)"
}

# get NAME=VALUE...: with these, and the harness's account only where it is named.
get() {
  local name without=()
  for name in AZURE_STORAGE_ACCOUNT AZURE_STORAGE_KEY; do
    [[ " $*" == *" $name="* ]] || without+=("-$name")
  done
  run_ank "${without[@]}" "$@" ankget-fake "$URL" out
}

# sas [PERMISSIONS [END]]: of the whole account, as Azure's page has it.
sas() {
  "$PYTHON" - "$AZURE_KEY" "${1:-rwc}" "${2:-2200-01-01T00:00:00Z}" <<'EOF'
import base64, hashlib, hmac, sys
from urllib.parse import urlencode
key, sp, se = sys.argv[1:]
text = "ankacct\n%s\nb\no\n\n%s\n\nhttps,http\n2021-12-02\n\n" % (sp, se)
sig = hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()
print(urlencode({"sv": "2021-12-02", "ss": "b", "srt": "o", "sp": sp, "se": se,
                 "spr": "https,http", "sig": base64.b64encode(sig).decode()}))
EOF
}

# unshown SECRET...: none of the outputs holds it.
unshown() {
  local one
  for one; do
    ! grep -F -- "$one" "$OUT" "$ERR" || return 1
  done
}

string=DefaultEndpointsProtocol=https\;AccountName=ankacct\;AccountKey=$AZURE_KEY

@test "an account's key, with its name or without" {
  azure_cloud
  get AZURE_STORAGE_KEY="$AZURE_KEY"
  assert_exit 0
  get AZURE_STORAGE_KEY="$AZURE_KEY" AZURE_STORAGE_ACCOUNT=ankacct
  assert_exit 0
  assert_same out file
  assert_eq "$(request 2 .signature)" ok
}

@test "a key of another account is not used" {
  azure_cloud
  get AZURE_STORAGE_KEY="$AZURE_KEY" AZURE_STORAGE_ACCOUNT=other
  assert_exit 4
  assert_contains "$(<"$ERR")" "other"
  get AZURE_STORAGE_CONNECTION_STRING="AccountName=other;AccountKey=$AZURE_KEY"
  assert_exit 4
  assert_eq "$(requests)" 0
}

@test "a key that is no base64 is told before a request" {
  azure_cloud
  get AZURE_STORAGE_KEY='not base64'
  assert_exit 4
  unshown 'not base64'
  assert_eq "$(requests)" 0
  # nor does it hide what is good
  stop_clouds
  azure_cloud '{"tokens": {"good": {}}}'
  get AZURE_STORAGE_KEY='not base64' ANK_AZURE_TOKEN=good
  assert_exit 0
}

@test "a wrong key: what was signed is the same" {
  UNSIGNED_OK=1
  azure_cloud
  get AZURE_STORAGE_KEY="$(printf other | base64)"
  assert_exit 5
  assert_contains "$(<"$ERR")" "the server signed the same text"
}

@test "a SAS: as issued, with a question mark, decoded, encoded twice" {
  local good one
  azure_cloud
  good=$(sas)
  for one in "$good" "?$good" \
    "$("$PYTHON" -c 'import sys, urllib.parse as u; print(u.unquote(sys.argv[1]))' "$good")" \
    "${good//%/%25}"; do
    get AZURE_STORAGE_SAS_TOKEN="$one" AZURE_STORAGE_KEY=ignored
    assert_exit 0
    assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | tail -n 1)" ok
    unshown "${good##*sig=}" "$(jq -rn --arg s "${good##*sig=}" '$s | @uri "\(.)"')"
  done
  run ! request_header 1 authorization
}

@test "a signature that a server sends back is not shown" {
  local good sig plain
  good=$(sas)
  sig=${good##*sig=}
  plain=$("$PYTHON" -c 'import sys, urllib.parse as u; print(u.unquote(sys.argv[1]))' "$sig")
  azure_cloud "$(jq -n --arg a "$sig" --arg b "$plain" '{rules: [{status: 403,
    body: "<Error><Code>AuthenticationFailed</Code><Message>\($a) and \($b)</Message></Error>"}]}')"
  get AZURE_STORAGE_SAS_TOKEN="$good"
  assert_exit 5
  assert_contains "$(<"$ERR")" "REDACTED and REDACTED"
  unshown "$sig" "$plain"
}

@test "a SAS that was cut by a shell, one that is over, one that allows less" {
  UNSIGNED_OK=1
  azure_cloud
  get AZURE_STORAGE_SAS_TOKEN=sv=2021-12-02
  assert_exit 4
  assert_contains "$(<"$ERR")" "sig="
  assert_eq "$(requests)" 0
  get AZURE_STORAGE_SAS_TOKEN="$(sas r 2020-01-01T00:00:00Z)"
  assert_exit 5
  assert_eq "$(requests)" 1
  get AZURE_STORAGE_SAS_TOKEN="$(sas w)"
  assert_exit 5
  assert_contains "$(<"$ERR")" "reading needs read"
}

@test "blocks are stored with a SAS, too" {
  azure_cloud
  new_file 2097172 big >/dev/null
  run_ank -AZURE_STORAGE_KEY AZURE_STORAGE_SAS_TOKEN="$(sas)" ankput-fake \
    --part-size 1M --multipart-threshold 1M big "$URL"
  assert_exit 0
  assert_same big "$(stored_object bucket k)"
}

@test "a connection string wins, by key or by SAS" {
  azure_cloud
  get AZURE_STORAGE_CONNECTION_STRING="$string" AZURE_STORAGE_SAS_TOKEN=bad
  assert_exit 0
  get AZURE_STORAGE_CONNECTION_STRING="SharedAccessSignature=$(sas);AccountName=ankacct"
  assert_exit 0
  assert_eq "$(jq -r .signature "$CLOUD_DIR/log.ndjson" | tr '\n' ' ')" "ok ok "
  get AZURE_STORAGE_CONNECTION_STRING="AccountName=ankacct"
  assert_exit 4
  get AZURE_STORAGE_CONNECTION_STRING="nonsense"
  assert_exit 4
}

@test "a connection string tells the endpoint" {
  azure_cloud
  get -ANK_ENDPOINT \
    AZURE_STORAGE_CONNECTION_STRING="$string;BlobEndpoint=$CLOUD_ENDPOINT/"
  assert_exit 0
  assert_eq "$(requests)" 1
  run_ank -ANK_ENDPOINT AZURE_STORAGE_CONNECTION_STRING="$string;EndpointSuffix=core.chinacloudapi.cn" \
    ankget-fake --dry-run "$URL"
  assert_contains "$(cat "$OUT" "$ERR")" ankacct.blob.core.chinacloudapi.cn
}

@test "a connection string of another account gives neither keys nor a place" {
  azure_cloud '{"tokens": {"good": {}}}'
  local one url
  for one in "BlobEndpoint=https://other.blob.core.windows.net;SharedAccessSignature=$(sas)" \
      "${string/ankacct/other}"; do
    get AZURE_STORAGE_CONNECTION_STRING="$one"
    assert_exit 4
    assert_contains "$(<"$ERR")" "is of account 'other', the URL names 'ankacct'"
    # nor does it hide what is good
    get AZURE_STORAGE_CONNECTION_STRING="$one" ANK_AZURE_TOKEN=good
    assert_exit 0
    run_ank -ANK_ENDPOINT AZURE_STORAGE_CONNECTION_STRING="$one" ankget-fake --no-sign --dry-run "$URL"
    assert_contains "$(json result url)" https://ankacct.blob.core.windows.net/
  done
  assert_eq "$(requests)" 2
}

@test "a bearer token, from a variable or a file that is read again" {
  azure_cloud '{"tokens": {"good": {}, "old": {"expired": true}}}'
  get ANK_AZURE_TOKEN=good
  assert_exit 0
  assert_eq "$(request_header 1 authorization)" "Bearer good"
  echo good >token
  get ANK_AZURE_TOKEN_FILE=token
  assert_exit 0
  get ANK_AZURE_TOKEN=old
  assert_exit 5
  assert_eq "$(requests)" 3
  get AZURE_STORAGE_AUTH_MODE=login ANK_AZURE_TOKEN=good AZURE_STORAGE_KEY="$AZURE_KEY"
  assert_exit 0
  assert_eq "$(request_header 4 authorization)" "Bearer good"
  get AZURE_STORAGE_AUTH_MODE=key ANK_AZURE_TOKEN=good
  assert_exit 4
}

@test "a token or a SAS goes without TLS to this machine only" {
  run_ank ANK_ENDPOINT=http://store.invalid/ankacct ANK_AZURE_TOKEN=secret-token \
    -AZURE_STORAGE_KEY ankget-fake "$URL" out
  assert_exit 4
  assert_contains "$(<"$ERR")" "without TLS"
  run_ank ANK_ENDPOINT=http://store.invalid/ankacct \
    AZURE_STORAGE_SAS_TOKEN="$(sas)" -AZURE_STORAGE_KEY ankget-fake "$URL" out
  assert_exit 4
  assert_contains "$(<"$ERR")" "without TLS"
}

@test "nothing is found: all places are named" {
  azure_cloud
  get
  assert_exit 4
  for name in AZURE_STORAGE_CONNECTION_STRING AZURE_STORAGE_SAS_TOKEN \
    AZURE_STORAGE_KEY ANK_AZURE_TOKEN_FILE; do
    assert_contains "$(<"$ERR")" "$name"
  done
  get AZURE_STORAGE_AUTH_MODE=other
  assert_exit 4
}

@test "a clock that is wrong is put right once" {
  azure_cloud '{"clock": {"offset": 3600}}'
  get AZURE_STORAGE_KEY="$AZURE_KEY"
  assert_exit 0
  assert_eq "$(requests)" 2
  assert_json attempt verdict reclock 1
}

@test "without a signature" {
  start_cloud --anonymous '{"service": "azure"}'
  seed_object bucket k "$(new_file 10 file)"
  run_ank ankget-fake --no-sign "$URL" out
  assert_exit 0
}
