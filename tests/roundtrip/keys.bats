#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Keys that clients get wrong arrive byte for byte, and are found by others.

setup() {
  # shellcheck source=tests/roundtrip/roundtrip.bash
  . "$BATS_TEST_DIRNAME/roundtrip.bash"
  round_setup
}

# listed KEY: the bucket holds this one key and nothing else.
listed() {
  [ "$(stored)" = "$1" ] || {
    printf 'key:    %s\nstored: %s\n' "$1" "$(stored)"
    return 1
  }
}

# empty_bucket: so that "listed" can be exact.
empty_bucket() {
  local key
  while IFS= read -r key; do
    forget "$key"
  done < <(stored)
}

# each_key COMMAND...: COMMAND KEY for all of them, with a file of its own so
# that yesterday's bytes cannot pass for today's.
each_key() {
  local key
  while IFS= read -r -u 4 key; do
    empty_bucket
    head -c 100 /dev/urandom >"$dir/file"
    "$@" "$key" || { echo "key: $key"; return 1; }
  done 4< <(keys)
}

# we_can KEY: ankput takes a slash at the end for a folder and adds the name
# of the file, so such a key is only read.
we_can() {
  [ "${1%/}" = "$1" ]
}

we_put_and_get() {
  we_can "$1" || return 0
  we_put "$dir/file" "$1" && listed "$1" && we_get "$1" "$dir/back" &&
    same "$dir/file" "$dir/back"
}

we_put_they_get() {
  we_can "$2" || return 0
  we_put "$dir/file" "$2" && they_get "$1" "$2" "$dir/back" &&
    same "$dir/file" "$dir/back"
}

they_put_we_get() {
  they_can "$1" "$2" || return 0
  they_put "$1" "$dir/file" "$2" && listed "$2" && we_get "$2" "$dir/back" &&
    same "$dir/file" "$dir/back"
}

@test "a slash at the end takes the file's name, here as with s3cmd" {
  empty_bucket
  head -c 100 /dev/urandom >"$dir/file"
  we_put "$dir/file" a/
  listed a/file
}

@test "every key is stored as it was given, and comes back" {
  each_key we_put_and_get
}

@test "every key does so with the bucket in the host name" {
  way=http-virtual
  each_key we_put_and_get
}

@test "every key does so over https with the bucket in the host name" {
  way=https-virtual
  each_key we_put_and_get
}

@test "curl finds each key of ours, and we each of curl's" {
  each_key we_put_they_get curl
  each_key they_put_we_get curl
}

@test "awscli finds each key of ours" {
  they_have aws || skip 'aws is not installed'
  each_key we_put_they_get aws
}

@test "we find each key of awscli's" {
  they_have aws || skip 'aws is not installed'
  each_key they_put_we_get aws
}

@test "s3cmd finds each key of ours that it can say, and we each of s3cmd's" {
  they_have s3cmd || skip 's3cmd is not installed'
  each_key we_put_they_get s3cmd
  each_key they_put_we_get s3cmd
}
