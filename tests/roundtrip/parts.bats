#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What travels in parts, both ways between our programs, a server that nobody
# here wrote, and other clients.

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  round_setup
  big=$ROUND_FILES/20971521
}

# in_parts KEY OPTION...: the large file in parts of 5 MiB.
in_parts() {
  ours ankput --part-size 5M --multipart-threshold 6M "${@:2}" "$big" \
    "s3://round/$1" || { cat "$dir/report"; return 1; }
}

# left: uploads that the server still knows, one a line.
left() {
  s3cmd_run multipart s3://round | awk 'NR > 2 { print $NF }'
}

# begun: a slow upload in parts that has begun; sets pid, job.
begun() {
  # shellcheck disable=SC2016 # for the inner shell
  bare sh -c 'echo $$ >"$0"; exec "$@"' "$dir/pid" "$ANK_BUILD/ankput" --endpoint "$(endpoint)" --region "$RADOSGW_REGION" \
    --part-size 5M --multipart-threshold 6M --limit-rate 2M --no-state \
    --report "$dir/begun" "$big" s3://round/parts/left 3>&- &
  job=$!
  for _ in {1..500}; do
    ! grep -qs '"op":"create"' "$dir/begun" || break
    sleep 0.01
  done
  pid=$(<"$dir/pid")
}

@test "what we store in parts is an object of parts, and everybody reads it" {
  local peer
  in_parts parts/ours
  [ "$(told .ok)" = true ]
  [ "$(told .attempts)" = 7 ]
  [[ $(etag parts/ours) == *'-5"' ]]
  we_get parts/ours "$dir/back"
  same "$big" "$dir/back"
  for peer in curl aws s3cmd; do
    they_have "$peer" || continue
    they_get "$peer" parts/ours "$dir/back"
    same "$big" "$dir/back"
  done
}

# aws_cp FROM TO: awscli in its own parts and ranges, several at once.
aws_cp() {
  aws_run s3 cp --only-show-errors "$1" "$2" >"$dir/peer.out" 2>&1 ||
    { cat "$dir/peer.out"; return 1; }
}

# we_pipe KEY: the object in ranges of 1 MiB through a pipe into $dir/back.
we_pipe() {
  rm -f "$dir/back"
  ours ankget --part-size 1M --multipart-threshold 1M "s3://round/$1" |
    cat >"$dir/back"
  [ "${PIPESTATUS[0]}" = 0 ] || { cat "$dir/report"; return 1; }
}

@test "awscli's parts come to us in ranges, to a file and through a pipe" {
  they_have aws || skip 'aws is not installed'
  aws_cp "$big" s3://round/parts/awscli
  [[ $(etag parts/awscli) == *'-3"' ]]
  rm -f "$dir/back"
  ours ankget --part-size 1M --multipart-threshold 1M s3://round/parts/awscli "$dir/back"
  [ "$(told .attempts)" = 21 ]
  same "$big" "$dir/back"
  we_pipe parts/awscli
  [ "$(told .attempts)" = 21 ]
  same "$big" "$dir/back"
}

@test "our parts, of a file and of a stream, come to awscli in its ranges" {
  they_have aws || skip 'aws is not installed'
  in_parts parts/for-awscli
  aws_cp s3://round/parts/for-awscli "$dir/back"
  same "$big" "$dir/back"
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat "$big" | ours ankput --part-size 5M - s3://round/parts/stream
  aws_cp s3://round/parts/stream "$dir/back"
  same "$big" "$dir/back"
  we_pipe parts/stream
  same "$big" "$dir/back"
}

@test "keys that clients get wrong travel in parts, too" {
  local key
  for key in 'parts/a=b/c+d e%20f*@:!()&;,$.bin' 'parts/ü/日本.bin' 'parts/%2B' \
    'parts//x' 'parts/a?b=c&d#e'; do
    in_parts "$key"
    stored | grep -qxF -e "$key"
    curl_get "$key" "$dir/back"
    same "$big" "$dir/back"
  done
}

@test "in parts by every way to the server" {
  for way in http-virtual https-path https-virtual; do
    in_parts "parts/$way" --parallel 2
    we_get "parts/$way" "$dir/back"
    same "$big" "$dir/back"
  done
}

@test "content type and metadata of an object in parts arrive" {
  in_parts parts/meta --content-type text/x-ank --metadata color=blue
  curl_run /dev/null parts/meta -I -o "$dir/head"
  grep -qi '^content-type: text/x-ank' "$dir/head"
  grep -qi '^x-amz-meta-color: blue' "$dir/head"
}

@test "--no-clobber in parts: stored once, then found to be the same, then another's" {
  in_parts parts/once --no-clobber
  in_parts parts/once --no-clobber
  [ "$(told .settled)" = same_object ]
  we_put "$ROUND_FILES/1000" parts/once
  run in_parts parts/once --no-clobber
  [ "$status" -ne 0 ]
  [ "$(told .exit)" = 7 ]
  we_get parts/once "$dir/back"
  same "$ROUND_FILES/1000" "$dir/back"
}

@test "an upload whose program was killed is removed, and once more" {
  local id
  they_have s3cmd || skip 's3cmd is not installed'
  begun
  kill -KILL "$pid"
  wait "$job" || [ $? = 137 ]
  id=$(left)
  [ -n "$id" ]
  ours ankput --abort-upload "$id" s3://round/parts/left
  ours ankput --abort-upload "$id" s3://round/parts/left
  [ -z "$(left)" ]
}

@test "a signal in the middle leaves no upload behind" {
  they_have s3cmd || skip 's3cmd is not installed'
  begun
  [ -n "$(left)" ]
  kill -TERM "$pid"
  wait "$job" || [ $? = 143 ]
  [ "$(jq -rs '.[-1].aborted' "$dir/begun")" = true ]
  [ -z "$(left)" ]
}
