#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Between our programs and OpenStack Swift, which checks signatures by code of
# its own, refuses another region than its own, and PUTs with a condition. What
# is stored is read by Swift's own interface, which knows nothing of S3.

setup_file() {
  # shellcheck source=tests/servers/swift.bash
  . "$BATS_TEST_DIRNAME/../servers/swift.bash"
  if ! swift_available; then
    export SWIFT_SKIP='python3-swift is not installed'
    return 0
  fi
  swift_start "$BATS_FILE_TMPDIR" ||
    export SWIFT_SKIP='Swift is installed, and cannot be started'
}

teardown_file() {
  # shellcheck source=tests/servers/swift.bash
  . "$BATS_TEST_DIRNAME/../servers/swift.bash"
  swift_stop "$BATS_FILE_TMPDIR"
}

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  [ -z "${SWIFT_SKIP-}" ] || skip "$SWIFT_SKIP"
  dir=$BATS_TEST_TMPDIR
  region=$SWIFT_REGION
  secret=$SWIFT_SECRET
}

# as_user COMMAND...
as_user() {
  env -i PATH="$PATH" HOME="$dir" LANG=C.UTF-8 \
    AWS_ACCESS_KEY_ID="$SWIFT_ACCESS" AWS_SECRET_ACCESS_KEY="$secret" \
    AWS_REGION="$region" "$@"
}

# ank PROGRAM ARG...: its report lands in $dir/report, each line checked.
ank() {
  local status=0
  rm -rf "$dir/.local" "$dir/report"
  # shellcheck disable=SC2086 # ANK_WRAP is a command with arguments
  as_user ${ANK_WRAP:-} "$ANK_BUILD/$1" --endpoint "$SWIFT_S3" --addressing path \
    --report "$dir/report" "${@:2}" || status=$?
  /usr/bin/python3 -B "$ROUND_TOP/tests/lib/check_report.py" --exit "$status" \
    "$ROUND_TOP/man/ank-report.schema.json" "$dir/report" || return 99
  return "$status"
}

# own KEY CURL-ARG...: by Swift's own interface; an empty KEY is the container.
own() {
  curl -q -sS -f --noproxy '*' --path-as-is "${@:2}" \
    "$SWIFT_OWN${1:+/$(escaped "$1")}"
}

# holds KEY FILE: these bytes under this name, says Swift.
holds() {
  own "$1" -o "$dir/held" && same "$2" "$dir/held"
}

# requests: how many went out, as the report counts them.
requests() { jq -s 'map(select(.event == "attempt")) | length' "$dir/report"; }

# in_parts KEY OPTION...: $dir/big in parts of 5 MiB.
in_parts() {
  [ -s "$dir/big" ] || head -c 12000001 /dev/urandom >"$dir/big"
  ank ankput --part-size 5M --multipart-threshold 6M "${@:2}" "$dir/big" \
    "s3://round/$1"
}

@test "sizes: what we put is stored, and we get what Swift was given" {
  local size
  for size in 0 1 1000 1048576 20971521; do
    head -c "$size" /dev/urandom >"$dir/file"
    ank ankput --multipart-threshold 1G "$dir/file" "s3://round/size/$size"
    [ "$(requests)" = 1 ]
    holds "size/$size" "$dir/file"
    own "own/$size" -T "$dir/file"
    ank ankget "s3://round/own/$size" "$dir/back"
    same "$dir/file" "$dir/back"
  done
}

@test "parts: one object for Swift, and for us in ranges" {
  in_parts parts
  [ "$(requests)" = 5 ]
  holds parts "$dir/big"
  ank ankget s3://round/parts "$dir/back"
  same "$dir/big" "$dir/back"
  rm "$dir/back"
  ank ankget --part-size 1M --multipart-threshold 1M -P 2 s3://round/parts \
    "$dir/back"
  [ "$(requests)" = 12 ]
  same "$dir/big" "$dir/back"
}

@test "content type and metadata, single and in parts" {
  local key
  printf abc >"$dir/file"
  ank ankput --content-type text/x-ank --metadata color=blue "$dir/file" \
    s3://round/facts/one
  in_parts facts/parts --content-type text/x-ank --metadata color=blue
  for key in facts/one facts/parts; do
    own "$key" -I >"$dir/head"
    grep -qi '^content-type: text/x-ank' "$dir/head"
    grep -qi '^x-object-meta-color: blue' "$dir/head"
    ank ankget -I "s3://round/$key"
    [ "$(told .metadata.color)" = blue ]
  done
}

# store_key KEY: put, seen by Swift under just this name, and got. Ours takes a
# slash at the end for a folder, so such a key comes from Swift.
store_key() {
  head -c 100 /dev/urandom >"$dir/file"
  case $1 in
  */) own "$1" -X PUT --data-binary "@$dir/file" ;;
  *) ank ankput "$dir/file" "s3://round/$1" ;;
  esac
  own '' -G -d format=json | jq -e --arg key "$1" 'any(.name == $key)' >/dev/null &&
    holds "$1" "$dir/file" && ank ankget "s3://round/$1" "$dir/back" &&
    same "$dir/file" "$dir/back"
}

@test "keys that clients get wrong" {
  local key
  while IFS= read -r -u 4 key; do
    store_key "$key" || { echo "key: $key"; cat "$dir/report"; return 1; }
  done 4< <(keys)
}

@test "a key that clients get wrong travels in parts" {
  local key="parts/a=b/c+d e%20f*@:!()&;,\$ü.bin"
  in_parts "$key"
  holds "$key" "$dir/big"
}

@test "another region is refused by Swift, and repaired from what it says" {
  printf abc >"$dir/file"
  region=eu-west-1
  ank ankput "$dir/file" s3://round/region
  [ "$(told '"\(.attempts) \(.repairs) \(.retries)"')" = '2 1 0' ]
  holds region "$dir/file"
  ank ankget s3://round/region "$dir/back"
  [ "$(told .repairs)" = 1 ]
  same "$dir/file" "$dir/back"
  in_parts region/parts
  [ "$(told '"\(.attempts) \(.repairs)"')" = '6 1' ]
  holds region/parts "$dir/big"
}

@test "another region, where a HEAD has no room to say it, is told" {
  printf abc >"$dir/file"
  ank ankput "$dir/file" s3://round/head
  region=eu-west-1
  run ank ankget -I s3://round/head
  [ "$status" = 8 ]
  [ "$(told .why)" = region_unknown ]
  [[ $(told .message) == *--region* ]]
  [ "$(requests)" = 2 ]
}

@test "a wrong key is refused" {
  secret=other
  run ank ankget s3://round/x "$dir/back"
  [ "$status" = 5 ]
  [ "$(requests)" = 1 ]
}

@test "--no-clobber: refused by Swift, and that is said" {
  printf abc >"$dir/file"
  run ank ankput --no-clobber "$dir/file" s3://round/once
  [ "$status" = 8 ]
  [ "$(told .outcome)" = rejected ]
  [[ $(told .message) == *501*'not supported'* ]]
  [ "$(requests)" = 1 ]
  ! own once || return 1
}

@test "--provider swift --no-clobber: nothing is sent" {
  printf abc >"$dir/file"
  run ank ankput --provider swift --no-clobber "$dir/file" s3://round/once
  [ "$status" = 8 ]
  [ "$(told .why)" = condition_refused ]
  [ "$(requests)" = 0 ]
  ! own once || return 1
}

@test "--provider swift --no-clobber in parts: stored once" {
  in_parts twice --provider swift --no-clobber
  holds twice "$dir/big"
  head -c 12000001 /dev/zero >"$dir/big"
  run in_parts twice --provider swift --no-clobber
  [ "$status" = 7 ]
  ! holds twice "$dir/big" || return 1
}

@test "ranges, and what is not there" {
  seq 100000 >"$dir/file"
  ank ankput "$dir/file" s3://round/seq
  ank ankget --range 100-199 s3://round/seq "$dir/back"
  cmp "$dir/back" <(tail -c +101 "$dir/file" | head -c 100)
  run ank ankget s3://round/no "$dir/back"
  [ "$status" = 6 ]
  run ank ankget -I s3://nobucket/no
  [ "$status" = 6 ]
}

@test "Amazon's client finds what we put, and we what it put" {
  local node
  # shellcheck source=tests/servers/npm.bash
  . "$BATS_TEST_DIRNAME/../servers/npm.bash"
  node=$(aws_sdk) || skip 'no node, or its client of S3 cannot be installed'
  in_parts sdk/ours
  as_user node "$BATS_TEST_DIRNAME/aws-sdk.mjs" "$node" "$SWIFT_S3" get sdk/ours \
    "$dir/back"
  same "$dir/big" "$dir/back"
  as_user node "$BATS_TEST_DIRNAME/aws-sdk.mjs" "$node" "$SWIFT_S3" put-parts \
    sdk/their "$dir/big" 6000000
  ank ankget s3://round/sdk/their "$dir/back"
  same "$dir/big" "$dir/back"
}
