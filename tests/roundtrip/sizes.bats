#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Objects of every size go both ways between our programs and other clients.

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  round_setup
}

# we_put_they_get PEER, they_put_we_get PEER: each size once.
we_put_they_get() {
  local file
  they_have "$1" || skip "$1 is not installed"
  for file in "$ROUND_FILES"/*; do
    we_put "$file" "$1/${file##*/}"
    they_get "$1" "$1/${file##*/}" "$dir/back"
    same "$file" "$dir/back"
  done
}

they_put_we_get() {
  local file
  they_have "$1" || skip "$1 is not installed"
  for file in "$ROUND_FILES"/*; do
    they_put "$1" "$file" "of-$1/${file##*/}"
    we_get "of-$1/${file##*/}" "$dir/back"
    same "$file" "$dir/back"
  done
}

@test "curl reads what we stored" {
  we_put_they_get curl
}

@test "we read what curl stored" {
  they_put_we_get curl
}

@test "awscli reads what we stored" {
  we_put_they_get aws
}

@test "we read what awscli stored" {
  they_put_we_get aws
}

@test "s3cmd reads what we stored" {
  we_put_they_get s3cmd
}

@test "we read what s3cmd stored, the largest in parts" {
  they_put_we_get s3cmd
  [[ $(etag of-s3cmd/20971521) == *'-2"' ]]
}

@test "we read what awscli stored over https, the largest in parts" {
  they_have aws || skip 'aws is not installed'
  way=https-path
  aws_run s3 cp --only-show-errors "$ROUND_FILES/20971521" s3://round/parts
  we_get parts "$dir/back"
  same "$ROUND_FILES/20971521" "$dir/back"
}
