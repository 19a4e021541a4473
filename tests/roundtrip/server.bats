#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How a server that nobody here wrote answers, and what we make of it.

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  round_setup
  file=$ROUND_FILES/1000
}

# exits STATUS COMMAND...
exits() {
  local want=$1 got=0
  shift
  "$@" 2>"$dir/stderr" || got=$?
  [ "$got" = "$want" ] || {
    echo "exit status $got, not $want: $*"
    cat "$dir/stderr" "$dir/report"
    return 1
  }
}

# attempt N FILTER: of the n-th attempt line.
attempt() {
  jq -rs "map(select(.event == \"attempt\")) | .[$1 - 1] | $2" "$dir/report"
}

both_ways() {
  we_put "$file" "ways/$way"
  curl_get "ways/$way" "$dir/of-curl"
  same "$file" "$dir/of-curl"
  we_get "ways/$way" "$dir/back"
  same "$file" "$dir/back"
  [ "$(told .attempts)" = 1 ]
}

@test "http, the bucket in the path" {
  way=http-path
  both_ways
}

@test "http, the bucket in the host name" {
  way=http-virtual
  both_ways
}

@test "https by a private authority, the bucket in the path" {
  way=https-path
  both_ways
}

@test "https by a private authority, the bucket in the host name" {
  way=https-virtual
  both_ways
}

@test "an object goes to standard output, the report to standard error" {
  we_put "$file" out
  bare "$ANK_BUILD/ankget" --endpoint "$(endpoint)" s3://round/out \
    >"$dir/back" 2>"$dir/report"
  same "$file" "$dir/back"
  [ "$(told .outcome)" = ok ]
}

@test "a bucket that is not there exits 6 after one request" {
  exits 6 ours ankput "$file" s3://no-such-bucket/key
  [ "$(attempt 1 .code)" = NoSuchBucket ]
  [ "$(told .attempts)" = 1 ]
  exits 6 ours ankget s3://no-such-bucket/key "$dir/back"
  [ ! -e "$dir/back" ]
}

@test "an object that is not there exits 6 and leaves no file" {
  exits 6 ours ankget s3://round/not-there "$dir/back"
  [ "$(attempt 1 .code)" = NoSuchKey ]
  [ ! -e "$dir/back" ]
}

@test "a wrong secret exits 5 after one request" {
  RADOSGW_SECRET=wrong exits 5 ours ankput "$file" s3://round/denied
  [ "$(attempt 1 .code)" = SignatureDoesNotMatch ]
  [ "$(told .attempts)" = 1 ]
}

@test "an access key nobody knows exits 5 after one request" {
  RADOSGW_ACCESS=NOBODY exits 5 ours ankget s3://round/denied "$dir/back"
  [ "$(attempt 1 .code)" = InvalidAccessKeyId ]
  [ "$(told .attempts)" = 1 ]
}

@test "if-none-match does not replace what is there, and exits 7" {
  we_put "$file" guarded
  exits 7 ours ankput --if-none-match '*' "$ROUND_FILES/1" s3://round/guarded
  we_get guarded "$dir/back"
  same "$file" "$dir/back"
}

@test "if-none-match stores what is not there yet" {
  ours ankput --if-none-match '*' "$file" s3://round/fresh
  we_get fresh "$dir/back"
  same "$file" "$dir/back"
}

@test "content type and metadata arrive where other clients look for them" {
  ours ankput --content-type text/x-ank --metadata colour=blue "$file" \
    s3://round/described
  curl_run /dev/null described -I >"$dir/head"
  grep -qi '^content-type: text/x-ank' "$dir/head"
  grep -qi '^x-amz-meta-colour: blue' "$dir/head"
}

@test "head tells the size that is stored" {
  we_put "$file" sized
  ours ankget --head s3://round/sized
  [ "$(told .size)" = 1000 ]
}

@test "a range is that part of the object" {
  we_put "$file" ranged
  ours ankget --range 100-299 s3://round/ranged "$dir/back"
  same <(tail -c +101 "$file" | head -c 200) "$dir/back"
}

# A clock that is wrong: the server's Date repairs the signature, once.

# clock OFFSET: a wrap that sets it. Without faketime's own program, which
# wants a semaphore that not everybody may make.
clock() {
  local library
  library=$(compgen -G '/usr/lib/*/faketime/libfaketime.so.1') || return 1
  echo "env LD_PRELOAD=$library FAKETIME=$1"
}

skewed() {
  ANK_WRAP=$(clock "$1") ours ankput "$file" "s3://round/skewed$1"
  attempt 1 '[.status, .code, .next] | @tsv'
  [ "$(attempt 1 .code)" = RequestTimeTooSkewed ]
  [ "$(attempt 1 .next)" = repair ]
  [ "$(told .attempts)" = 2 ]
  [ "$(told .repairs)" = 1 ]
  curl_get "skewed$1" "$dir/back"
  same "$file" "$dir/back"
}

@test "a clock one hour fast is repaired by the server's date" {
  skewed +1h
}

@test "a clock one day slow is repaired by the server's date" {
  skewed -1d
}

@test "a download is repaired likewise" {
  we_put "$file" late
  ANK_WRAP=$(clock +1h) we_get late "$dir/back"
  same "$file" "$dir/back"
  [ "$(told .repairs)" = 1 ]
}

# TLS: none of these may be tried again.

@test "an authority nobody told us of exits 15 after one attempt" {
  way=https-path RADOSGW_CA=/etc/ssl/certs/ca-certificates.crt
  [ -e "$RADOSGW_CA" ] || skip 'no public authorities on this machine'
  exits 15 ours ankput "$file" s3://round/untrusted
  [ "$(told .attempts)" = 1 ]
}

@test "a certificate for another name exits 15 after one attempt" {
  way=https-path
  exits 15 ours ankput --resolve "other.test:$RADOSGW_TLS_PORT:127.0.0.1" \
    --endpoint "https://other.test:$RADOSGW_TLS_PORT" "$file" s3://round/other
  [ "$(told .attempts)" = 1 ]
}
