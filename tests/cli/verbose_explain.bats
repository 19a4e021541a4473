#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# -v and --explain: what goes over the wire, what is signed, as whom and why.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

setup() { harness_setup; }
teardown() { harness_teardown; }

TOKEN=session/TOKEN+of/these==

# lines TEXT: how many lines of standard error begin so.
lines() { grep -cF -- "$1" "$ERR" || true; }

# --- -v --------------------------------------------------------------------------

@test "-v shows the headers of each attempt, both ways, and no body" {
  rules '{"op": "put", "nth": 1, "status": 500, "body": "<Error><Code>Oops</Code></Error>"}'
  put k --verbose
  assert_exit 0
  assert_eq "$(lines '> PUT /bucket/k HTTP/1.1')" 2
  assert_eq "$(lines '> x-amz-date: 2023')" 2
  assert_eq "$(lines '< HTTP/1.1 500')" 1
  assert_eq "$(lines '< HTTP/1.1 200')" 1
  assert_eq "$(lines '< ETag: ')" 1
  assert_eq "$(lines '* Connected to ')" 1
  run ! grep -q Oops "$ERR"
  run ! grep -vE '^[*<>] ?' "$ERR"
  assert_eq "$(jq -r .event "$OUT" | tr '\n' ' ')" 'attempt attempt result '
}

@test "without -v there is nothing of it" {
  rules
  put k
  assert_eq "$(cat "$ERR")" ''
}

@test "-v tells no secret: token, signature, keys in headers, a proxy's password" {
  start_cloud --fake
  put AWS_SESSION_TOKEN="$TOKEN" k -v \
    -H 'x-amz-server-side-encryption-customer-key: c2VjcmV0IGtleSBvZiBhIGN1c3RvbWVy' \
    -x "http://me:proxypassword@127.0.0.1:$CLOUD_PORT" || true
  [ "$(lines '> Authorization: AWS4-HMAC-SHA256 Credential=')" -ge 1 ]
  [ "$(lines 'Signature=REDACTED')" -ge 1 ]
  [ "$(lines '> Proxy-Authorization:REDACTED')" -ge 1 ]
  run ! grep -e "$TOKEN" -e c2VjcmV0 -e proxypassword -e "$TEST_SECRET" \
    -e "$(printf me:proxypassword | base64)" -E -e 'Signature=[0-9a-f]' "$ERR" "$OUT"
  UNSIGNED_OK=1
}

@test "what a server puts into a header cannot steer the terminal" {
  rules '{"op": "put", "headers": {"x-odd": "a\u001b[2Jb"}}'
  put k --verbose
  grep -qF 'a\x1b[2Jb' "$ERR"
  run ! grep -q $'\e' "$ERR"
}

@test "-v leaves an object on standard output alone" {
  rules
  seed 100000
  run_ank ankget-fake -v --report none s3://bucket/k
  assert_exit 0
  assert_same "$OUT" "$T/object"
  assert_eq "$(lines '< HTTP/1.1 200')" 1
}

# --- --explain -------------------------------------------------------------------

@test "--explain shows policy, breaker, identity and what is signed, each attempt anew" {
  NO_STATE=
  rules '{"op": "put", "nth": 1, "status": 503, "headers": {"Retry-After": "2"}}'
  put k --explain --deadline 90 --retries 4 --breaker failures=9
  assert_exit 0
  assert_eq "$(lines 'policy: ank, 4 retries')" 1
  assert_eq "$(lines 'policy: deadline in 90000 ms')" 1
  assert_eq "$(lines "breaker: $CLOUD_URL/bucket in $T/home/.local/state/ank/state.ndjson")" 1
  assert_eq "$(lines 'breaker: failures=9,gap=60000ms')" 1
  assert_eq "$(lines "identity: $TEST_KEY, from the environment; region us-east-1")" 1
  assert_eq "$(lines "request: PUT $CLOUD_URL/bucket/k")" 2
  assert_eq "$(lines 'canonical request:')" 2
  assert_eq "$(lines '  x-amz-date:2023')" 2
  assert_eq "$(lines 'string to sign:')" 2
  # The two are what was signed: the one has the digest of the other.
  sed -n '/^canonical request:/,/^string to sign:/p' "$ERR" | sed '/^string to sign:/q' |
    sed -e '1d;$d' -e 's/^  //' | head -c -1 >"$T/canonical"
  assert_eq "$(lines "  $(sha256sum <"$T/canonical" | cut -d' ' -f1)")" 1
  run ! grep -q "$TEST_SECRET" "$ERR" "$OUT"
}

@test "--explain --dry-run sends nothing" {
  rules
  put AWS_SESSION_TOKEN="$TOKEN" k --explain --dry-run
  assert_exit 0
  assert_eq "$(requests)" 0
  assert_eq "$(lines '  x-amz-security-token:REDACTED')" 1
  assert_eq "$(lines 'breaker: nothing is shared')" 1
  run ! grep -q "$TOKEN" "$ERR" "$OUT"
}

@test "--explain names the profile, and says when nothing is signed" {
  rules
  mkdir -p "$T/home/.aws"
  printf '[work]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
    "$TEST_KEY" "$TEST_SECRET" >"$T/home/.aws/credentials"
  put k --explain --profile work
  assert_eq "$(lines "identity: $TEST_KEY, from [work] of $T/home/.aws/credentials;")" 1
  put k --explain --no-sign || true
  assert_eq "$(lines 'identity: none, requests are not signed')" 1
  assert_eq "$(lines 'canonical request:')" 0
  UNSIGNED_OK=1
}

# --- a signature that is refused ---------------------------------------------------

# refusal FIELDS: a cloud that refuses each signature and shows its own texts.
refusal() {
  rules '{"op": "put", "s3_error": "SignatureDoesNotMatch", "fields": '"$1"'}'
}

@test "the first difference to what the server signed is told, line and column" {
  refusal '{"CanonicalRequest": "PUT\n/bucket/a b\n\nhost:x", "StringToSign": "x"}'
  put 'a+b'
  assert_exit 5
  assert_contains "$(json result message)" \
    "; the server's canonical request differs from ours in line 2, column 10: ours has '/bucket/a%2Bb', its '/bucket/a b'"
  assert_contains "$(cat "$ERR")" 'line 2, column 10'
}

@test "a proxy that changes a header is found by its line" {
  local canonical
  rules
  put k --explain --dry-run
  canonical=$(sed -n '/^canonical request:/,/^string to sign:/p' "$ERR" | sed '1d;$d; s/^  //')
  # A proxy wrote another host name.
  refusal "$(jq -n --arg c "${canonical/host:127.0.0.1:*$'\n'x-amz-c/host:inside.example$'\n'x-amz-c}" '{CanonicalRequest: $c}')"
  put k
  assert_contains "$(json result message)" \
    "in line 4, column 6: ours has 'host:127.0.0.1:"
  assert_contains "$(json result message)" "its 'host:inside.example'"
}

@test "the same text on both sides means a wrong secret, and is told so" {
  # What the fake cloud cannot know beforehand is told by a dry run; virtual
  # time makes both alike.
  local fields
  rules
  put k --explain --dry-run --endpoint http://same.example
  fields=$(sed -n '/^string to sign:/,$p' "$ERR" | sed '1d; s/^  //' | grep -v '^request' |
    jq -Rs '{StringToSign: rtrimstr("\n")}')
  refusal "$fields"
  put k --endpoint http://same.example --resolve "same.example:80:127.0.0.1" \
    -x "http://127.0.0.1:$CLOUD_PORT"
  assert_exit 5
  assert_contains "$(json result message)" 'the secret key is not the one that belongs to the key id'
}

@test "a refusal without texts is as before" {
  rules '{"op": "put", "s3_error": "SignatureDoesNotMatch"}'
  put k
  assert_exit 5
  [[ $(json result message) == *SignatureDoesNotMatch* ]]
  [[ $(json result message) != *differs* ]]
}
