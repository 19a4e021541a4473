#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034,SC2030,SC2031
# SPDX-License-Identifier: MIT
# Each fault of the fake cloud, as curl meets it. curl's exit statuses: 18 body
# cut short, 28 timed out, 52 nothing received, 56 reset.

load ../lib/harness
load curl

bats_require_minimum_version 1.5.0

# cloud RULE...: an anonymous cloud with these rules and an object of 100 bytes.
cloud() {
  start_cloud --anonymous "${OPTIONS[@]}" "{\"rules\": [$(IFS=,; echo "$*")]}"
  seed_object bucket k "$(new_file 100)"
}

@test "any status, headers and body; the n-th request of an operation" {
  cloud '{"op": "put", "nth": [1, 2], "s3_error": "SlowDown",
          "headers": {"Retry-After": "7", "X": ["a", "b"]}}' \
    '{"op": "put", "nth": "4-", "status": 599, "reason": "So There", "body": "{bucket}"}'
  plain PUT /bucket/new
  assert_eq "$code $(error_code) $(header retry-after)" "503 SlowDown 7"
  assert_eq "$(header x | tr '\n' ' ')" "a b "
  plain PUT /bucket/new
  assert_eq "$code" 503
  plain GET /bucket/k
  assert_eq "$code" 200
  plain PUT /bucket/new
  assert_eq "$code" 200
  plain PUT /bucket/new
  assert_eq "$code $(cat body)" "599 bucket"
  grep -q '^HTTP/1.1 599 So There' reply
}

@test "rules match by method, bucket, key and header" {
  cloud '{"method": "HEAD", "status": 500}' '{"key": "a/ü", "status": 501}' \
    '{"bucket": "other", "status": 502}' '{"has_header": "X-Odd", "status": 504}'
  plain HEAD /bucket/k
  assert_eq "$code" 500
  plain GET /bucket/a/%C3%BC
  assert_eq "$code" 501
  plain GET /other/k
  assert_eq "$code" 502
  plain GET /bucket/k -H 'x-odd: 1'
  assert_eq "$code" 504
}

@test "templates: dates in three forms, random, names" {
  local seconds
  cloud '{"status": 503, "headers": {"A": "{date+3}", "B": "{rfc850+60}",
    "C": "{asctime-60}", "D": "{hex32}", "E": "{port2}", "F": "{epoch}"}}'
  plain GET /bucket/k
  seconds=$(date -d "$(header date)" +%s)
  assert_between "$(($(date -d "$(header a)" +%s) - seconds))" 3 4
  [[ $(header b) =~ ^[A-Z][a-z]+day,\ [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2}\ .*GMT$ ]]
  [[ $(header c) =~ ^[A-Z][a-z]{2}\ [A-Z][a-z]{2}\ [\ 0-9]{2}\ [0-9:]{8}\ [0-9]{4}$ ]]
  [[ $(header d) =~ ^[0-9a-f]{32}$ ]]
  assert_eq "$(header e)" "$CLOUD_PORT2"
  assert_between "$(header f)" "$seconds" "$((seconds + 1))"
}

@test "closed and reset before the status line, after the headers, in the body" {
  cloud '{"nth": 1, "close_at": "status"}' '{"nth": 2, "rst_at": "status"}' \
    '{"nth": 3, "close_at": "headers"}' '{"nth": 4, "rst_at": 60}' \
    '{"nth": 5, "close_at": 60}'
  plain GET /bucket/k
  assert_eq "$curled" 52
  plain GET /bucket/k
  assert_eq "$curled" 56
  plain GET /bucket/k
  assert_eq "$curled $code $(wc -c <body)" "18 200 0"
  plain GET /bucket/k
  assert_eq "$curled $code $(wc -c <body)" "56 200 60"
  plain GET /bucket/k
  assert_eq "$curled $code $(wc -c <body)" "18 200 60"
  assert_eq "$(request 4 .ending)" rst
}

@test "silence at each place leaves the hang marker until the client has gone" {
  local place
  new_file 3000000 big >/dev/null
  for place in '"status"' '"headers"' 60 '"request:1000"'; do
    cloud "{\"hang_at\": $place}"
    if [ "$place" = '"request:1000"' ]; then
      PAYLOAD=big plain PUT /bucket/k -m 0.6 &
    else
      plain GET /bucket/k -m 0.4 &
    fi
    await_file "$CLOUD_DIR/hang" "$!"
    wait "$!"
    await_gone "$CLOUD_DIR/hang"
    assert_eq "$(requests)" 1
    assert_eq "$(request 1 .ending)" hang
  done
}

# await_gone FILE
await_gone() {
  local i
  for ((i = 0; i < 200; i++)); do
    [ -e "$1" ] || return 0
    sleep 0.01
  done
  return 1
}

@test "silence before a byte is read" {
  cloud '{"op": "accept", "nth": 1, "hang_at": "accept"}' \
    '{"op": "accept", "nth": 2, "rst_at": "accept"}'
  plain GET /bucket/k -m 0.2
  assert_eq "$curled" 28
  plain GET /bucket/k
  assert_eq "$curled" 56
  plain GET /bucket/k
  assert_eq "$code" 200
  assert_eq "$(requests accept)" 2
}

@test "a request body is not read beyond N bytes" {
  new_file 8000000 big >/dev/null
  cloud '{"nth": 1, "close_at": "request:100000"}' \
    '{"nth": 2, "rst_at": "request:100000"}'
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  [ "$curled" -ne 0 ]
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  [ "$curled" -ne 0 ]
  assert_eq "$(request 1 .body_len) $(request 1 .body_complete)" "100000 false"
  run stored_object bucket new
  assert_eq "$status" 1
}

@test "an answer before the body: reads on, says FIN, or resets" {
  new_file 3000000 big >/dev/null
  cloud '{"nth": 1, "when": "headers", "status": 403, "then": "read"}' \
    '{"nth": 2, "when": "headers", "status": 403, "then": "finish"}' \
    '{"nth": 3, "when": "headers", "status": 403, "then": "rst"}' \
    '{"nth": 4, "when": 1000, "status": 404, "then": "close"}'
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  assert_eq "$curled $code $(request 1 .status)" "0 403 403"
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  assert_eq "$curled $code" "0 403"
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  [ "$curled" -ne 0 ] || assert_eq "$code" 403
  PAYLOAD=big plain PUT /bucket/new -H Expect:
  [ "$curled" -ne 0 ] || assert_eq "$code" 404
  assert_eq "$(request 4 .body_len)" 1000
}

@test "the work is done and the answer is lost" {
  cloud '{"nth": 1, "store": true, "close_at": "status"}' \
    '{"nth": 2, "store": true, "status": 500}' '{"nth": 3, "close_at": "status"}'
  PAYLOAD=$(new_file 11) plain PUT /bucket/one
  assert_eq "$curled" 52
  assert_same file-11 "$(stored_object bucket one)"
  PAYLOAD=$(new_file 11) plain PUT /bucket/two
  assert_eq "$code" 500
  assert_same file-11 "$(stored_object bucket two)"
  PAYLOAD=$(new_file 11) plain PUT /bucket/three
  assert_eq "$curled" 52
  run stored_object bucket three
  assert_eq "$status" 1
}

@test "1xx come first, Expect is answered, ignored or refused" {
  new_file 1000 f >/dev/null
  cloud '{"op": "get", "interim": [100, {"status": 103, "headers": {"Link": "<x>"}}]}' \
    '{"op": "put", "nth": 2, "expect": 417}' \
    '{"op": "put", "nth": 4, "expect": "ignore"}' \
    '{"op": "put", "nth": 5, "expect": {"delay_ms": 100}}' \
    '{"op": "put", "nth": 6, "when": "headers", "status": 403}'
  plain GET /bucket/k
  assert_eq "$(grep -c '^HTTP/1.1' reply) $code" "3 200"
  PAYLOAD=f plain PUT /bucket/new -H 'Expect: 100-continue'
  assert_eq "$(grep -c '^HTTP/1.1 100' reply) $code" "1 200"
  PAYLOAD=f plain PUT /bucket/new -H 'Expect: 100-continue'
  assert_eq "$(sed -n '1s/^HTTP.1.1 \([0-9]*\).*/\1/p' reply) $code" "417 200"
  assert_eq "$(request 3 .body_len)" 0
  PAYLOAD=f plain PUT /bucket/new -H 'Expect: 100-continue' --expect100-timeout 0.1
  assert_eq "$(grep -c '^HTTP/1.1' reply) $code" "1 200"
  PAYLOAD=f plain PUT /bucket/new -H 'Expect: 100-continue'
  assert_eq "$(grep -c '^HTTP/1.1 100' reply) $code" "1 200"
  PAYLOAD=f plain PUT /bucket/new -H 'Expect: 100-continue'
  assert_eq "$(grep -c '^HTTP/1.1' reply) $code" "1 403"
}

@test "lengths: too large, too small, none, chunked, chunked without end" {
  cloud '{"nth": 1, "length": "+10"}' '{"nth": 2, "length": "-10"}' \
    '{"nth": 3, "length": "none"}' '{"nth": 4, "length": "chunked"}' \
    '{"nth": 5, "length": "chunked-cut"}' '{"nth": 6, "length": 5}'
  plain GET /bucket/k
  assert_eq "$curled $(header content-length) $(wc -c <body)" "18 110 100"
  plain GET /bucket/k
  assert_eq "$(header content-length) $(wc -c <body)" "90 90"
  plain GET /bucket/k
  assert_eq "$curled $(header content-length)$(wc -c <body)" "0 100"
  plain GET /bucket/k
  assert_eq "$curled $(wc -c <body)" "0 100"
  plain GET /bucket/k
  assert_eq "$curled $(wc -c <body)" "18 100"
  plain GET /bucket/k
  assert_eq "$(header content-length)" 5
}

@test "header names in lower case, any header set, replaced or removed" {
  cloud '{"lowercase_headers": true, "headers": {"ETag": "W/\"x\"", "Date": null,
          "x-amz-checksum-sha256": "bm8="}}'
  plain GET /bucket/k
  grep -q '^etag: W/"x"' reply
  grep -q '^content-length: 100' reply
  grep -q '^x-amz-checksum-sha256: bm8=' reply
  assert_eq "$(header date)" ""
}

@test "Range ignored, shifted, or with another total" {
  cloud '{"nth": 1, "range": "ignore"}' '{"nth": 2, "range": {"shift": 5}}' \
    '{"nth": 3, "range": {"total": 999}}'
  plain GET /bucket/k -H 'Range: bytes=10-19'
  assert_eq "$code $(wc -c <body)" "200 100"
  plain GET /bucket/k -H 'Range: bytes=10-19'
  assert_eq "$code $(header content-range)" "206 bytes 15-24/100"
  assert_eq "$(od -An -v -tx1 body)" "$(tail -c +16 file-100 | head -c 10 | od -An -v -tx1)"
  plain GET /bucket/k -H 'Range: bytes=10-19'
  assert_eq "$(header content-range)" "bytes 10-19/999"
}

@test "the object changes or goes between two requests" {
  local etag
  cloud '{"nth": 2, "replace_object": {"flip": true}}' \
    '{"nth": 3, "replace_object": {"touch": true}}' \
    '{"nth": 4, "replace_object": {"text": "new"}}' '{"nth": 5, "delete_object": true}'
  plain GET /bucket/k
  etag=$(header etag)
  plain GET /bucket/k -H "If-Match: $etag"
  assert_eq "$code" 412
  etag=$(header etag)
  plain GET /bucket/k
  [ "$(header etag)" != "$etag" ]
  assert_eq "$(wc -c <body)" 100
  plain GET /bucket/k
  assert_eq "$(cat body)" new
  plain GET /bucket/k
  assert_eq "$code" 404
}

@test "redirects and a wrong region, told in any combination" {
  cloud '{"nth": 1, "s3_error": "PermanentRedirect", "fields": {"Endpoint": "x"},
          "headers": {"x-amz-bucket-region": "eu-west-1"}}' \
    '{"nth": 2, "s3_error": "TemporaryRedirect",
      "headers": {"Location": "http://127.0.0.1:{port2}/bucket/k"}}' \
    '{"nth": 3, "s3_error": "AuthorizationHeaderMalformed", "fields": {"Region": "r"}}'
  plain GET /bucket/k
  assert_eq "$code $(header x-amz-bucket-region)" "301 eu-west-1"
  grep -q '<Endpoint>x</Endpoint>' body
  plain GET /bucket/k
  assert_eq "$code $(header location)" "307 http://127.0.0.1:$CLOUD_PORT2/bucket/k"
  plain GET /bucket/k
  assert_eq "$code" 400
  grep -q '<Region>r</Region>' body
  plain GET "/bucket/k?x" "http://127.0.0.1:$CLOUD_PORT2/bucket/k"
  assert_eq "$(jq -r .listener "$CLOUD_DIR/log.ndjson" | tail -2 | sort | tr '\n' ' ')" "port port2 "
}

@test "a kept connection that breaks under the next request" {
  cloud '{"nth": 1, "then": "stale-close"}' '{"nth": 3, "then": "close"}' \
    '{"nth": 4, "then": "stale-rst"}'
  plain GET /bucket/k "$CLOUD_URL/bucket/k" -o body2
  assert_eq "$curled $code" "0 200200"
  assert_eq "$(jq -r '[.conn, .ending] | join(":")' "$CLOUD_DIR/log.ndjson" | tr '\n' ' ')" \
    "1:stale-close 1:stale 2:keep "
}

@test "slow answers and slow reading" {
  cloud '{"op": "get", "nth": 1, "dribble_ms": 0.1}' \
    '{"op": "get", "nth": 2, "dribble_ms": 50, "dribble_bytes": 200}' \
    '{"op": "put", "read_ms": 20, "read_bytes": 1000}'
  plain GET /bucket/k
  assert_same body file-100
  plain GET /bucket/k -w '%{time_total}'
  [[ $code =~ ^0\.[1-4] ]]
  PAYLOAD=$(new_file 5000) plain PUT /bucket/k -w '%{time_total}'
  [[ $code =~ ^0\.[1-4] ]]
}

@test "it listens on IPv6 at the same port, where there is IPv6" {
  cloud ''
  [ -e "$CLOUD_DIR/port6" ] || skip 'no IPv6'
  BASE="http://[::1]:$CLOUD_PORT" plain GET /bucket/k
  assert_same body file-100
}

@test "raw bytes stand for the whole answer" {
  cloud '{"raw": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"}'
  plain GET /bucket/k
  assert_eq "$(cat body)" hi
}

@test "a skewed Date, for one answer" {
  cloud '{"date_offset": -3600}'
  plain GET /bucket/k
  assert_between "$(($(date +%s) - $(date -d "$(header date)" +%s)))" 3598 3602
}

@test "TLS: whole answers, and cuts with and without close_notify" {
  make_certificates
  OPTIONS=(--tls good.pem good.key)
  cloud '{"nth": 2, "length": "none", "close_at": 60, "close_notify": true}' \
    '{"nth": 3, "length": "none", "close_at": 60, "close_notify": false}' \
    '{"nth": 4, "close_at": 60, "close_notify": true}'
  BASE=$CLOUD_TLS_URL
  plain GET /bucket/k --cacert ca.pem
  assert_same body file-100
  assert_eq "$(request 1 .tls)" true
  assert_eq "$(tls_ending)" close_notify
  assert_eq "$(tls_ending)" EOF
  plain GET /bucket/k --cacert ca.pem
  assert_eq "$curled $(wc -c <body)" "18 60"
}

# tls_ending: how a connection ends; curl does not tell the two apart.
tls_ending() {
  "$PYTHON" - "$CLOUD_TLS_PORT" <<'PY'
import socket, ssl, sys
context = ssl.create_default_context(cafile="ca.pem")
context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
raw = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
s = context.wrap_socket(raw, server_hostname="127.0.0.1",
                        suppress_ragged_eofs=False)
s.sendall(b"GET /bucket/k HTTP/1.1\r\nHost: x\r\n\r\n")
try:
    while s.recv(4096):
        pass
    print("close_notify")
except ssl.SSLError:
    print("EOF")
PY
}

@test "certificates: expired, for another host, and the client's own" {
  make_certificates
  OPTIONS=(--tls expired.pem expired.key)
  cloud ''
  BASE=$CLOUD_TLS_URL plain GET /bucket/k --cacert ca.pem
  assert_eq "$curled" 60
  OPTIONS=(--tls wrong.pem wrong.key)
  cloud ''
  BASE=$CLOUD_TLS_URL plain GET /bucket/k --cacert ca.pem
  assert_eq "$curled" 60
  OPTIONS=(--tls good.pem good.key --client-ca ca.pem)
  cloud ''
  BASE=$CLOUD_TLS_URL
  plain GET /bucket/k --cacert ca.pem
  [ "$curled" -ne 0 ]
  plain GET /bucket/k --cacert ca.pem --cert client.pem --key client.key
  assert_same body file-100
}

@test "a black hole answers no connection, under the hang marker" {
  start_cloud '{"blackhole": true}'
  [ -e "$CLOUD_DIR/hang" ]
  run -28 curl -sS --connect-timeout 0.2 "$BLACKHOLE_URL"
}
