#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2030,SC2031 # each test has its own "way"
# Between our programs, Microsoft's emulator and Microsoft's own client, both
# ways.

setup_file() {
  # shellcheck source=tests/servers/azurite.bash
  . "$BATS_TEST_DIRNAME/../servers/azurite.bash"
  azurite_start "$BATS_FILE_TMPDIR" || {
    export AZURE_SKIP='azurite cannot be installed or started'
    return 0
  }
  sdk_create
}

teardown_file() {
  # shellcheck source=tests/servers/azurite.bash
  . "$BATS_TEST_DIRNAME/../servers/azurite.bash"
  azurite_stop "$BATS_FILE_TMPDIR"
}

setup() {
  ROUND_TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  ANK_BUILD=${ANK_BUILD:-$ROUND_TOP/build/gcc}
  [ -z "${AZURE_SKIP-}" ] || skip "$AZURE_SKIP"
  dir=$BATS_TEST_TMPDIR
  way=$AZURITE_HTTP
}

# sdk COMMAND ARG...: Microsoft's client; azure-sdk.mjs says what it can.
sdk() {
  cp "$BATS_TEST_DIRNAME/azure-sdk.mjs" "$AZURITE_NODE/azure-sdk.mjs.$$"
  mv "$AZURITE_NODE/azure-sdk.mjs.$$" "$AZURITE_NODE/azure-sdk.mjs"
  env -i PATH=/usr/bin:/bin:/usr/local/bin NODE_NO_WARNINGS=1 \
    NODE_EXTRA_CA_CERTS="$AZURITE_CA" ACCOUNT="$AZURITE_ACCOUNT" \
    KEY="$AZURITE_KEY" node "$AZURITE_NODE/azure-sdk.mjs" \
    "${way:-$AZURITE_HTTP}" "$@"
}

sdk_create() {
  sdk create round && way=$AZURITE_HTTPS sdk create round
}

# ours NAME=VALUE... PROGRAM ARG...: its report lands in $dir/report, each line
# checked. Without variables it has the account's key.
ours() {
  local status=0 set=()
  while [[ $1 == *=* ]]; do
    set+=("$1")
    shift
  done
  [ ${#set[@]} -gt 0 ] || set=(AZURE_STORAGE_KEY="$AZURITE_KEY")
  rm -rf "$dir/.local" "$dir/report"
  # shellcheck disable=SC2086 # ANK_WRAP is a command with arguments
  env -i PATH=/usr/bin:/bin HOME="$dir" LANG=C.UTF-8 "${set[@]}" \
    ${ANK_WRAP:-} "$ANK_BUILD/$1" --endpoint "$way" --cacert "$AZURITE_CA" \
    --report "$dir/report" "${@:2}" || status=$?
  /usr/bin/python3 -B "$ROUND_TOP/tests/lib/check_report.py" --exit "$status" \
    "$ROUND_TOP/man/ank-report.schema.json" "$dir/report" || return 99
  return "$status"
}

# told FILTER: of the last line of the report, the result.
told() { tail -n 1 "$dir/report" | jq -r "$1"; }

URL=az://ankacct/round

@test "sizes: what we put their client gets, and the other way round" {
  local size
  for size in 0 1 1000 1048576 20971521; do
    head -c "$size" /dev/urandom >"$dir/file"
    ours ankput "$dir/file" "$URL/size/$size"
    sdk get round "size/$size" "$dir/back"
    cmp "$dir/file" "$dir/back"
    sdk put round "their/$size" "$dir/file"
    ours ankget "$URL/their/$size" "$dir/back"
    cmp "$dir/file" "$dir/back"
  done
}

@test "blocks: an object of blocks for everybody, a blob of theirs for us" {
  head -c 5000001 /dev/urandom >"$dir/file"
  ours ankput --part-size 1M --multipart-threshold 1M "$dir/file" "$URL/blocks"
  [ "$(told .attempts)" = 6 ]
  [ "$(sdk blocks round blocks)" = 5 ]
  sdk get round blocks "$dir/back"
  cmp "$dir/file" "$dir/back"
  sdk put-blocks round theirs "$dir/file" 1048576
  ours ankget -P 4 "$URL/theirs" "$dir/back"
  cmp "$dir/file" "$dir/back"
}

@test "names that clients get wrong" {
  local key
  while IFS= read -r -u 4 key; do
    head -c 100 /dev/urandom >"$dir/file"
    ours ankput "$dir/file" "$URL/$key" || { echo "key: $key"; cat "$dir/report"; return 1; }
    sdk get round "$key" "$dir/back" && cmp "$dir/file" "$dir/back" || { echo "key: $key"; return 1; }
    ours ankget "$URL/$key" "$dir/back" && cmp "$dir/file" "$dir/back"
  done 4<<'EOF'
plain.bin
a=b/c+d e%20f*@:!'()~&;,$.bin
ü/日本.bin
%2B
a%
a//b
?
#
a?b=c&d#e
EOF
}

@test "what a blob is: type, metadata, tier, MD5" {
  printf abc >"$dir/file"
  ours ankput --content-type text/plain --metadata i0=1 --metadata i_=2 \
    --storage-class Cool -H 'Cache-Control: no-cache' "$dir/file" "$URL/facts"
  [ "$(sdk facts round facts)" = \
    'text/plain no-cache Cool kAFQmDzST7DWlj99KOF/cg== 1 2' ]
  ours ankput --content-type text/plain --metadata i0=1 --metadata i_=2 \
    --storage-class Cool -H 'Cache-Control: no-cache' --part-size 1M \
    --multipart-threshold 1 -H 'Content-MD5: kAFQmDzST7DWlj99KOF/cg==' \
    "$dir/file" "$URL/facts2"
  [ "$(sdk facts round facts2)" = \
    'text/plain no-cache Cool kAFQmDzST7DWlj99KOF/cg== 1 2' ]
  ours ankget "$URL/facts2" "$dir/back"
  ours ankget -I "$URL/facts"
  [ "$(told .storage_class)" = Cool ]
}

@test "a name that is taken, in one request and in blocks" {
  head -c 3000000 /dev/urandom >"$dir/file"
  ours ankput --no-clobber "$dir/file" "$URL/once"
  ours ankput --no-clobber "$dir/file" "$URL/once"
  [ "$(told .settled)" = same_object ]
  head -c 3000000 /dev/urandom >"$dir/other"
  run ours ankput --no-clobber "$dir/other" "$URL/once"
  [ "$status" = 7 ]
  run ours ankput --no-clobber --part-size 1M --multipart-threshold 1M \
    "$dir/other" "$URL/once"
  [ "$status" = 7 ]
  run ours ankput --if-match '"0x0"' "$dir/other" "$URL/once"
  [ "$status" = 7 ]
}

@test "ranges, and what is not there" {
  seq 100000 >"$dir/file"
  ours ankput "$dir/file" "$URL/seq"
  ours ankget --range 100-199 "$URL/seq" "$dir/back"
  cmp "$dir/back" <(tail -c +101 "$dir/file" | head -c 100)
  run ours ankget "$URL/no" "$dir/back"
  [ "$status" = 6 ]
  run ours ankget -I az://ankacct/nocontainer/no
  [ "$status" = 6 ]
}

@test "a SAS of a blob and of the account, over TLS too" {
  local sas
  printf abc >"$dir/file"
  for way in "$AZURITE_HTTP" "$AZURITE_HTTPS"; do
    sas=$(sdk sas round 'sas/a b+ü' rcw)
    ours AZURE_STORAGE_SAS_TOKEN="$sas" ankput "$dir/file" "$URL/sas/a b+ü"
    ours AZURE_STORAGE_SAS_TOKEN="?$sas" ankget "$URL/sas/a b+ü" "$dir/back"
    cmp "$dir/file" "$dir/back"
    ! grep -qF "${sas##*sig=}" "$dir/report" || return 1
    sas=$(sdk account-sas rw)
    ours AZURE_STORAGE_SAS_TOKEN="$sas" ankget "$URL/sas/a b+ü" "$dir/back"
  done
  run ours AZURE_STORAGE_SAS_TOKEN="$(sdk sas round other r)" \
    ankget "$URL/sas/a b+ü" "$dir/back"
  [ "$status" = 5 ]
}

@test "a bearer token, of which the emulator checks all but the signature" {
  local token
  way=$AZURITE_HTTPS
  printf abc >"$dir/file"
  token=$(sdk token 3600)
  ours ANK_AZURE_TOKEN="$token" ankput "$dir/file" "$URL/bearer"
  printf '%s\n' "$token" >"$dir/token"
  ours ANK_AZURE_TOKEN_FILE="$dir/token" ankget "$URL/bearer" "$dir/back"
  cmp "$dir/file" "$dir/back"
  run ours ANK_AZURE_TOKEN="$(sdk token -3600)" ankget "$URL/bearer" "$dir/back"
  [ "$status" = 5 ]
}

@test "a wrong key is refused" {
  run ours AZURE_STORAGE_KEY="$(printf other | base64)" ankget "$URL/x" "$dir/back"
  [ "$status" = 5 ]
}

@test "a SAS of the emulator's own account, by its connection string" {
  printf abc >"$dir/file"
  ours AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=http;AccountName=ankacct;AccountKey=$AZURITE_KEY;BlobEndpoint=$AZURITE_HTTP;" \
    ankput "$dir/file" "$URL/string"
  sdk get round string "$dir/back"
  cmp "$dir/file" "$dir/back"
}

@test "a run that was killed leaves blocks; the next one goes on with them" {
  head -c 6000000 /dev/urandom >"$dir/file"
  env -i PATH=/usr/bin:/bin HOME="$dir" \
    AZURE_STORAGE_KEY="$AZURITE_KEY" "$ANK_BUILD/ankput" --endpoint "$way" -C \
    --part-size 1M --multipart-threshold 1M --limit-rate 1M -P 1 \
    --report "$dir/begun" "$dir/file" "$URL/killed" 3>&- &
  for _ in {1..3000}; do
    ! grep -qs '"op":"part".*"next":"done"' "$dir/begun" || break
    sleep 0.01
  done
  kill -TERM $!
  wait $! || true
  status=0
  /usr/bin/env -i PATH=/usr/bin:/bin HOME="$dir" AZURE_STORAGE_KEY="$AZURITE_KEY" \
    "$ANK_BUILD/ankput" --endpoint "$way" -C --part-size 1M \
    --multipart-threshold 1M --report "$dir/report" "$dir/file" "$URL/killed"
  [ "$(told .resumed_from)" -gt 0 ]
  sdk get round killed "$dir/back"
  cmp "$dir/file" "$dir/back"
}
