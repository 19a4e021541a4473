#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# The configuration file: its place, its order among the sources, its mistakes.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

setup() {
  harness_setup
  C=$T/home/.config/ank/config
  mkdir -p "${C%/*}"
}
teardown() { harness_teardown; }

# config FILE: its lines from standard input.
config() { cat >"$1"; }

# fails_naming TEXT: a usage error of one line that begins so; nothing was sent.
fails_naming() {
  assert_exit 2
  assert_json result outcome usage
  assert_eq "$(wc -l <"$ERR")" 1
  [[ $(json result message) == "$1"* ]] || assert_eq "$(json result message)" "$1"
  assert_eq "$(requests)" 0
}

# failing: a cloud that fails often enough to count retries.
failing() { rules '{"op": "put", "status": 500}'; }

@test "a value of the file holds where neither variable nor flag says otherwise" {
  failing
  config "$C" <<<'retries = 1'
  put k
  assert_eq "$(asked k)" 2
  put ANK_RETRIES=3 l
  assert_eq "$(asked l)" 4
  put ANK_RETRIES=3 m --retries 0
  assert_eq "$(asked m)" 1
}

@test "what stands for the bucket goes before the rest, wherever it stands" {
  failing
  config "$C" <<'EOF'
[s3://bucket]
retries = 3
[s3://other]
retries = 9
EOF
  put k
  assert_eq "$(asked k)" 4
  config "$C" <<'EOF'
retries = 1
timeout-ms = 777
[s3://other]
timeout-ms = 10
[s3://bucket]
retries = 0
EOF
  put l
  assert_eq "$(asked l)" 1
  run_ank ankput-fake --show-config "$T/source" s3://bucket/k
  grep -A 1 -x "# $C:2" "$OUT" | grep -qx 'timeout-ms = 777'
}

@test "a section is of a bucket, in whichever form it or the URL is written" {
  local section url
  while read -r section url; do
    printf '[%s]\nretries = 7\n' "$section" | config "$C"
    run_ank ankget --show-config "$url" "$T/got"
    grep -qx 'retries = 7' "$OUT" || assert_eq "$section" "$url"
  done <<'EOF'
oci://space/bucket oci://space/bucket/k
oci://bucket@space oci://space/bucket/k
oci://space/bucket oci://bucket@space/k
oci://bucket@space https://objectstorage.us-ashburn-1.oraclecloud.com/n/space/b/bucket/o/k
az://ankacct/box az://ankacct/box/k
gs://bucket gs://bucket/k
EOF
}

@test "a list adds up within a section, and another source replaces it" {
  rules
  config "$C" <<'EOF'
header = x-first: 1
header = x-second: 2
EOF
  put k
  assert_eq "$(headers x-first) $(headers x-second)" '1 2'
  put ANK_HEADER='x-third: 3' l
  assert_eq "$(request_header 2 x-third)" 3
  run ! request_header 2 x-first
  config "$C" <<'EOF'
header = x-first: 1
[s3://bucket]
header = x-second: 2
EOF
  put m
  assert_eq "$(request_header 3 x-second)" 2
  run ! request_header 3 x-first
}

@test "its place: -K, ANK_CONFIG, XDG_CONFIG_HOME if absolute, then HOME" {
  local place
  failing
  mkdir -p "$T/xdg/ank"
  config "$T/flag" <<<'retries = 4'
  config "$T/variable" <<<'retries = 3'
  config "$T/xdg/ank/config" <<<'retries = 1'
  config "$C" <<<'retries = 0'
  put ANK_CONFIG="$T/variable" XDG_CONFIG_HOME="$T/xdg" a -K "$T/flag"
  assert_eq "$(asked a)" 5
  put ANK_CONFIG="$T/variable" XDG_CONFIG_HOME="$T/xdg" b
  assert_eq "$(asked b)" 4
  put XDG_CONFIG_HOME="$T/xdg" c
  assert_eq "$(asked c)" 2
  put XDG_CONFIG_HOME=xdg d
  assert_eq "$(asked d)" 1
  put -HOME e
  assert_eq "$(asked e)" 3
}

@test "a file that is named must be there, the usual one need not" {
  rules
  put k
  assert_exit 0
  put l --config "$T/none"
  fails_naming_after 1 "--config: $T/none: No such file or directory"
  put ANK_CONFIG="$T" l
  fails_naming_after 1 "ANK_CONFIG: $T: is not a regular file"
}

# fails_naming_after N TEXT: as fails_naming, when N requests had been sent.
fails_naming_after() {
  assert_exit 2
  assert_eq "$(json result message)" "$2"
  assert_eq "$(requests)" "$1"
}

@test "/dev/null is no file: nothing of the usual one holds" {
  mkdir -p "$T/home/.config/ank"
  echo 'retries = 7' >"$T/home/.config/ank/config"
  run_ank ankget --show-config -K /dev/null
  assert_exit 0
  assert_eq "$(grep '^retries' "$OUT")" 'retries = 2'
  run_ank ANK_CONFIG=/dev/null ankget --show-config
  assert_exit 0
  assert_eq "$(grep '^retries' "$OUT")" 'retries = 2'
}

@test "a mistake is told with file, line and cause" {
  local line
  rules
  while IFS='|' read -r line told; do
    printf '# ank\n%b\n' "$line" | config "$C"
    put k
    fails_naming "$C$told"
  done <<'EOF'
retries = many|:2: retries: 'many' is not a whole number
retry = 3|:2: retry: no option that may stand here
insecure = 1|:2: insecure: no option that may stand here
config = /etc/ank|:2: config: no option that may stand here
version = 1|:2: version: no option that may stand here
[ftp://bucket]\nretries = 3|:3: [ftp://bucket]: a section is like [s3://BUCKET]
[s3://]\nretries = 3|:3: s3://: the bucket is missing
[s3://bucket/k]\nretries = 3|:3: [s3://bucket/k]: a section is like [s3://BUCKET]
[s3://bucket/]\nretries = 3|:3: [s3://bucket/]: a section is like [s3://BUCKET]
[az://ankacct]\nretries = 3|:3: az://ankacct: the container is missing
[oci://Name/bucket]\nretries = 3|:3: oci://Name/bucket: 'Name' is not a namespace
[bucket]\nretries = 3|:3: [bucket]: a section is like [s3://BUCKET]
[s3://other]\nretries = x|:3: retries: 'x' is not
[s3://other]\nfrob = x|:3: frob: no option that may stand here
retries|: line 2: no '=' in it
[s3://bucket|: line 2: no ']' after the section name
range = 9-1|:2: range: '9-1' is not
EOF
}

@test "a mistake in the file does not hide behind a flag, and --help still helps" {
  rules
  config "$C" <<<'retries = many'
  put k --retries 1
  fails_naming "$C:1: retries: "
  run_ank ankput --help
  assert_exit 0
  run_ank ankget --version
  assert_exit 0
}

@test "cross-checks name the line too" {
  rules
  config "$C" <<<'key = /etc/hostname'
  put k
  fails_naming "$C:1: key: needs --cert"
}

@test "an option of the other program is checked and left" {
  rules
  config "$C" <<'EOF'
range = 0-9
content-type = text/plain
EOF
  put k
  assert_exit 0
  assert_eq "$(headers content-type)" text/plain
  get k
  assert_exit 0
  assert_eq "$(wc -c <"$T/got")" 10
}

@test "a file that anybody may write is refused" {
  rules
  config "$C" <<<'retries = 1'
  chmod o+w "$C"
  put k
  fails_naming "$C: may be written by anybody"
}

@test "empty is unset, comments and a byte-order mark are nothing" {
  failing
  printf '\xef\xbb\xbf# one\r\n; two\r\n\r\nretries = 1\r\nendpoint =\r\n' |
    config "$C"
  put k
  assert_eq "$(asked k)" 2
}

@test "--show-config tells each value in force and where it was said, and no secret" {
  config "$C" <<'EOF'
retries = 5
header = x-amz-server-side-encryption-customer-key: c2VjcmV0IGtleSBvZiBhIGN1c3RvbWVy
EOF
  run_ank -ANK_ENDPOINT ANK_DEADLINE=20 ankput --show-config --limit-rate 1M \
    -x http://me:word@proxy:3128
  assert_exit 0
  assert_eq "$(grep -A 1 -Fx "# $C:1" "$OUT" | tail -n 1)" 'retries = 5'
  assert_eq "$(grep -A 1 -Fx '# ANK_DEADLINE' "$OUT" | tail -n 1)" 'deadline = 20'
  assert_eq "$(grep -A 1 -Fx '# --limit-rate' "$OUT" | tail -n 1)" 'limit-rate = 1M'
  assert_eq "$(grep -A 1 -Fx '# AWS_REGION' "$OUT" | tail -n 1)" 'region = us-east-1'
  assert_eq "$(grep -B 1 -x 'stall-timeout = 30s' "$OUT" | head -n 1)" '# default'
  assert_eq "$(grep -B 1 -x '# endpoint =' "$OUT" | head -n 1)" '# not set'
  run ! grep -e word -e c2VjcmV0 "$OUT"
  assert_eq "$(cat "$ERR")" ''
}

@test "what --show-config prints is a file that says the same" {
  run_ank ankget --show-config --range 0-9 --retry-on 404,5xx
  assert_exit 0
  cp "$OUT" "$T/one"
  run_ank -ANK_ENDPOINT ankget --show-config -K "$T/one"
  assert_exit 0
  grep -v '^# ' "$T/one" | sort >"$T/first"
  grep -v '^# ' "$OUT" | sort >"$T/second"
  sed -i '/^config = /d' "$T/second"
  assert_same "$T/first" "$T/second"
}
