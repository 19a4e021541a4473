#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Between our programs, radosgw and Amazon's own client for JavaScript, both
# ways.

setup_file() {
  # shellcheck source=tests/servers/npm.bash
  . "$BATS_TEST_DIRNAME/../servers/npm.bash"
  [ -z "${ROUND_SKIP-}" ] || return 0
  SDK_NODE=$(aws_sdk) ||
    export SDK_SKIP='no node, or its client of S3 cannot be installed'
  export SDK_NODE
}

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  round_setup
  [ -z "${SDK_SKIP-}" ] || skip "$SDK_SKIP"
  big=$ROUND_FILES/20971521
}

# sdk COMMAND ARG...: Amazon's client; aws-sdk.mjs says what it can.
sdk() {
  bare PATH="$PATH" AWS_REGION="$RADOSGW_REGION" NODE_NO_WARNINGS=1 \
    NODE_EXTRA_CA_CERTS="$RADOSGW_CA" node "$BATS_TEST_DIRNAME/aws-sdk.mjs" \
    "$SDK_NODE" "$(endpoint)" "$@"
}

# sdk_fact KEY FILTER: of what a HEAD by the client tells.
sdk_fact() {
  sdk facts "$1" | jq -r "$2"
}

@test "sizes: what we put the client gets, and the other way round" {
  local size
  for size in 0 1 1000 1048576 20971521; do
    we_put "$ROUND_FILES/$size" "sdk/size/$size"
    sdk get "sdk/size/$size" "$dir/back"
    same "$ROUND_FILES/$size" "$dir/back"
    sdk put "sdk/their/$size" "$ROUND_FILES/$size"
    we_get "sdk/their/$size" "$dir/back"
    same "$ROUND_FILES/$size" "$dir/back"
  done
}

@test "over TLS, both ways" {
  way=https-path
  we_put "$ROUND_FILES/1048576" sdk/tls
  sdk get sdk/tls "$dir/back"
  same "$ROUND_FILES/1048576" "$dir/back"
  sdk put sdk/tls "$ROUND_FILES/1000"
  we_get sdk/tls "$dir/back"
  same "$ROUND_FILES/1000" "$dir/back"
}

@test "our parts for the client" {
  ours ankput --part-size 5M --multipart-threshold 6M --content-type text/x-ank \
    --metadata color=blue "$big" s3://round/sdk/parts/ours
  [ "$(told .attempts)" = 7 ]
  [[ $(sdk_fact sdk/parts/ours .etag) == *'-5"' ]]
  [ "$(sdk_fact sdk/parts/ours '[.length, .type, .metadata.color] | @csv')" = \
    '20971521,"text/x-ank","blue"' ]
  sdk get sdk/parts/ours "$dir/back"
  same "$big" "$dir/back"
}

@test "the client's parts for us, whole and in ranges" {
  sdk put-parts sdk/parts/their "$big" 6000000
  [[ $(sdk_fact sdk/parts/their .etag) == *'-4"' ]]
  we_get sdk/parts/their "$dir/back"
  same "$big" "$dir/back"
  rm "$dir/back"
  ours ankget --part-size 1M --multipart-threshold 1M -P 2 \
    s3://round/sdk/parts/their "$dir/back"
  [ "$(told .attempts)" = 21 ]
  same "$big" "$dir/back"
}

@test "the content type and metadata that we send are what the client reads" {
  ours ankput --content-type 'text/plain; charset=utf-8' \
    --metadata color=blue --metadata two-words='a b' \
    -H 'Cache-Control: no-cache' -H 'Content-Language: de' \
    -H 'Content-Disposition: attachment; filename="a b"' \
    "$ROUND_FILES/1000" s3://round/sdk/facts
  [ "$(sdk_fact sdk/facts '[.type, .cache, .language, .disposition] | join("|")')" = \
    'text/plain; charset=utf-8|no-cache|de|attachment; filename="a b"' ]
  [ "$(sdk_fact sdk/facts '.metadata | tojson')" = \
    '{"color":"blue","two-words":"a b"}' ]
}

@test "what the client said of its object does not change its bytes, and is told" {
  sdk put-facts sdk/facts/their "$ROUND_FILES/1000"
  we_get sdk/facts/their "$dir/back"
  same "$ROUND_FILES/1000" "$dir/back"
  ours ankget -I s3://round/sdk/facts/their
  [ "$(told '[.size, .metadata] | tojson')" = \
    '[1000,{"color":"blue","two-words":"a  b"}]' ]
}

# each_key COMMAND...: COMMAND N KEY for each line of $dir/keys.
each_key() {
  local key n=0
  while IFS= read -r -u 4 key; do
    "$@" "$n" "$key" || { echo "key: $key"; return 1; }
    n=$((n + 1))
  done 4<"$dir/keys"
}

# make_files: $dir/keys and a file of its own for each in $dir/files. Ours
# takes a slash at the end for a folder, so such a key is only read.
make_files() {
  mkdir "$dir/files" "$dir/back"
  keys | grep "$@" >"$dir/keys"
  each_key random_file
}

random_file() { head -c 100 /dev/urandom >"$dir/files/$1"; }
put_nth() { we_put "$dir/files/$1" "$2"; }
get_nth() { we_get "$2" "$dir/back/$1"; }

@test "the client finds each key of ours that clients get wrong" {
  make_files -v '/$'
  each_key put_nth
  sdk get-each "$dir/keys" "$dir/back"
  diff -r "$dir/files" "$dir/back"
}

@test "we find each key of the client's" {
  make_files ''
  sdk put-each "$dir/keys" "$dir/files"
  stored | sort >"$dir/stored"
  [ -z "$(sort "$dir/keys" | comm -23 - "$dir/stored")" ]
  each_key get_nth
  diff -r "$dir/files" "$dir/back"
}
