#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The network: proxies, certificates, addresses, HTTP/2, rates.

load ../lib/harness
load bytes

bats_require_minimum_version 1.5.0

# tls_cloud NAME [RULE...]: a cloud with that certificate, and an object.
tls_cloud() {
  local name=$1
  shift
  [ -e ca.pem ] || make_certificates
  CLOUD_OPTIONS=(--tls "$T/$name.pem" "$T/$name.key" "${MORE[@]}")
  cloud "$@"
  seed 1000
  ANK_ENV=(ANK_ENDPOINT="$CLOUD_TLS_URL")
}

get() {
  rm -f out
  run_ank "$@" s3://bucket/k out
}

fetched() {
  assert_exit 0
  assert_same out "$T/object"
}

# refused REASON: by TLS, permanently, with its reason.
refused() {
  assert_exit 15
  assert_json result outcome tls
  assert_json attempt error tls
  assert_json attempt verdict permanent
  assert_eq "$(attempts)" 1
  assert_human "$1"
  [ ! -e out ]
  assert_eq "$(requests get)" 0
}

# --- proxies -------------------------------------------------------------------

@test "an http endpoint is asked for through the proxy, in absolute form" {
  cloud
  seed 1000
  get ankget --proxy "$CLOUD_URL" --endpoint http://store.example
  fetched
  assert_eq "$(request 1 .target)" http://store.example/bucket/k
  assert_eq "$(request_header 1 host)" store.example
  get ankget -x "127.0.0.1:$CLOUD_PORT" --endpoint http://store.example
  fetched
  assert_careful
}

@test "https goes through CONNECT, checked to its end" {
  tls_cloud good
  get ankget --proxy "$CLOUD_URL" --cacert ca.pem
  fetched
  assert_eq "$(requests connect)" 1
  assert_eq "$(request 1 .target)" "127.0.0.1:$CLOUD_TLS_PORT"
  refute request_header 1 authorization
  assert_eq "$(request 2 .tls)" true
}

@test "a proxy's refusal of CONNECT: 403 and 407 are final, others transient" {
  local word
  for word in 403 407; do
    tls_cloud good "{\"op\": \"connect\", \"status\": $word, \"body\": \"go away\"}"
    get ankget --proxy "$CLOUD_URL" --cacert ca.pem
    assert_exit 5
    assert_json attempt error proxy_denied
    assert_eq "$(requests)" 1
    assert_human "$word"
    stop_clouds
  done
  tls_cloud good '{"op": "connect", "status": 502}'
  get ankget --retries 1 --proxy "$CLOUD_URL" --cacert ca.pem
  assert_exit 10
  assert_json attempt error proxy
  assert_eq "$(requests connect)" 2
}

@test "a proxy's user and password, percent-encoded too, and none in the report" {
  CLOUD_SETTINGS='"proxy_auth": "me:p@ss:word"'
  tls_cloud good
  get ankget --proxy "http://me:p%40ss%3Aword@127.0.0.1:$CLOUD_PORT" --cacert ca.pem
  fetched
  get ankget --proxy "http://me:wrong-one@127.0.0.1:$CLOUD_PORT" --cacert ca.pem
  assert_exit 5
  refute grep -q wrong-one "$OUT" "$ERR"
  get ANK_PROXY="http://me:p%40ss%3Aword@127.0.0.1:$CLOUD_PORT" ankget --cacert ca.pem
  fetched
}

@test "a password in a proxy's variable is shown nowhere" {
  local name n=0
  cloud
  for name in http_proxy all_proxy; do
    get "$name=http://me:wrong-one@127.0.0.1:$(closed_port)" \
      ankget --retries 0 -v --explain --report "lines$((n++))"
    assert_exit 10
    grep -q "$name" "$ERR"
    refute grep -q wrong-one "$OUT" "$ERR" lines*
    get "$name=ftp://me:wrong-one@proxy" ankget --retries 0 --report "lines$((n++))"
    refute grep -q wrong-one "$OUT" "$ERR" lines*
  done
}

@test "a proxy that is down is transient, and no trouble of the target's" {
  cloud
  get ankget --retries 0 --proxy "http://127.0.0.1:$(closed_port)"
  assert_exit 10
  assert_json attempt error proxy
  assert_eq "$(requests)" 0
  get ankget --retries 0 --proxy http://no-such-proxy.invalid:1
  assert_exit 10
  assert_json attempt error proxy
}

@test "http_proxy is obeyed, --proxy and an empty one go before it, --noproxy excepts" {
  cloud
  seed 1000
  local down=http://127.0.0.1:1
  get http_proxy="$CLOUD_URL" ankget --endpoint http://store.example
  fetched
  get http_proxy="$down" ankget
  assert_exit 10
  get http_proxy="$down" ankget --proxy ''
  fetched
  get http_proxy="$down" ankget --proxy "$CLOUD_URL"
  fetched
  get http_proxy="$down" ankget --noproxy 127.0.0.1
  fetched
  get http_proxy="$down" ankget --noproxy '*'
  fetched
  get http_proxy="$down" no_proxy=127.0.0.1 ankget
  fetched
  get ANK_PROXY="$down" ANK_NOPROXY=127.0.0.1 ankget
  fetched
}

@test "a proxy of another kind is refused" {
  get ankget --proxy ftp://127.0.0.1:1
  assert_usage --proxy
  get ANK_PROXY=gopher://x ankget
  assert_usage ANK_PROXY
}

@test "a proxy that cannot be one is a usage error that names its source, none of the target's" {
  local proxy name
  cloud
  seed 1000
  for proxy in ftp://p socks9://p ://p http:// http://p:99999 'a proxy' http://[::1; do
    get ankget --proxy "$proxy"
    assert_usage --proxy
  done
  for name in http_proxy all_proxy ALL_PROXY; do
    get "$name=http://me:secret@p:99999" ankget
    assert_exit 2
    assert_json result message "$name: is an http, https or socks URL, or HOST:PORT"
    assert_json attempt verdict permanent
    assert_eq "$(attempts)" 1
    assert_human "ankget: s3://bucket/k: $name: is an http"
    refute grep -q secret "$OUT" "$ERR"
  done
  get http_proxy=a:b ankget --endpoint https://127.0.0.1:1 --retries 0
  assert_exit 10
  get https_proxy=a:b HTTPS_PROXY=a:b ankget --endpoint https://127.0.0.1:1
  assert_human 'ankget: s3://bucket/k: https_proxy: is an http'
  # Where it is not asked it may be what it wants.
  get http_proxy=a:b no_proxy=127.0.0.1 ankget
  fetched
  get http_proxy=a:b ankget --proxy ''
  fetched
  get https_proxy=a:b HTTP_PROXY=a:b ankget
  fetched
  get http_proxy=a:b no_proxy=127.0.0.1 ankget --endpoint "http://127.0.0.1:$(closed_port)" --retries 0
  assert_exit 10
  assert_json attempt error connect
}

# --- certificates (case 72) -------------------------------------------------------

@test "a private authority: --cacert, its variables, and no other way (case 72)" {
  tls_cloud good
  get ankget
  refused 'unable to get local issuer certificate'
  get ankget --cacert ca.pem
  fetched
  assert_eq "$(json attempt tls_ms | grep -c .)" 1
  get ANK_CACERT=ca.pem ankget
  fetched
  get SSL_CERT_FILE=ca.pem ankget
  fetched
  get AWS_CA_BUNDLE=ca.pem ankget
  fetched
  get CURL_CA_BUNDLE=ca.pem ankget
  fetched
  get AWS_CA_BUNDLE=/etc/passwd ankget --cacert ca.pem
  fetched
}

@test "expired, of another host, self-signed: refused at once, each with its reason (case 72)" {
  tls_cloud expired
  get ankget --cacert ca.pem
  refused expired
  stop_clouds
  tls_cloud wrong
  get ankget --cacert ca.pem
  refused 127.0.0.1
  stop_clouds
  openssl req -x509 -newkey rsa:2048 -nodes -keyout self.key -out self.pem -days 2 \
    -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null
  tls_cloud self
  get ankget --cacert ca.pem
  refused 'self-signed certificate'
  get ankget --cacert self.pem
  fetched
}

@test "-k checks nothing, and warns each run" {
  tls_cloud expired
  get ankget -k
  fetched
  assert_json warning why insecure
  assert_human 'warning: the server'
  get ankget -k -s
  fetched
  assert_json warning why insecure
  assert_eq "$(wc -c <"$ERR")" 0
  get ankget --insecure --report none
  fetched
  assert_human 'warning: the server'
}

@test "a file that holds no certificate is a TLS set-up refused" {
  tls_cloud good
  get ankget --cacert /etc/passwd
  assert_exit 15
  assert_eq "$(requests)" 0
  assert_eq "$(attempts)" 1
}

@test "a client certificate is shown with --cert and --key" {
  make_certificates
  MORE=(--client-ca "$T/ca.pem")
  tls_cloud good
  get ankget --cacert ca.pem --cert client.pem --key client.key
  fetched
  cat client.pem client.key >both.pem
  get ankget --cacert ca.pem -E both.pem
  fetched
  get ankget --retries 0 --cacert ca.pem
  [ "$status" -eq 15 ] || [ "$status" -eq 10 ]
  assert_eq "$(requests get)" 2
  get ankget --cacert ca.pem --cert client.pem --key good.key
  assert_exit 15
  get ankget --cacert ca.pem --cert client.pem --key /etc/passwd
  assert_exit 15
}

@test "the proxy's tunnel has the same authority as all else (case 72)" {
  tls_cloud good
  get SSL_CERT_FILE=ca.pem https_proxy="$CLOUD_URL" ankget
  fetched
  assert_eq "$(requests connect)" 1
  get https_proxy="$CLOUD_URL" ankget
  assert_exit 15
}

@test "http to a TLS port and TLS to an http port are failures, not hangs" {
  tls_cloud good
  get ankget --retries 0 --endpoint "http://127.0.0.1:$CLOUD_TLS_PORT"
  [ "$status" -eq 10 ]
  get ankget --retries 0 --cacert ca.pem --endpoint "https://127.0.0.1:$CLOUD_PORT"
  assert_exit 15
  assert_eq "$(requests get)" 0
}

@test "a handshake that is cut is transient, not a certificate refused" {
  tls_cloud good '{"op": "accept", "nth": [1, 2], "rst_at": "accept"}'
  get ankget --retries 2 --cacert ca.pem
  fetched
  assert_eq "$(attempts)" 3
  assert_json attempt verdict transient 1
}

# --- addresses -----------------------------------------------------------------------

@test "--resolve leads a name to an address" {
  cloud
  seed 1000
  get ankget --endpoint "http://store.example:$CLOUD_PORT" \
    --resolve "store.example:$CLOUD_PORT:127.0.0.1"
  fetched
  assert_eq "$(request_header 1 host)" "store.example:$CLOUD_PORT"
  local bad
  for bad in store.example store.example:80 store.example::1.2.3.4 x:99999:1.2.3.4 x:80:; do
    get ankget --resolve "$bad"
    assert_exit 2
    assert_contains "$(json result message)" --resolve
  done
}

@test "-4 and -6 take addresses of that kind only" {
  cloud
  seed 1000
  [ -e "$CLOUD_DIR/port6" ] || skip 'no IPv6 here'
  local both="store.example:$CLOUD_PORT:127.0.0.1,[::1]"
  get ankget --ipv4 --endpoint "http://store.example:$CLOUD_PORT" --resolve "$both"
  fetched
  assert_json attempt remote_ip 127.0.0.1
  get ankget --ipv6 --endpoint "http://[::1]:$CLOUD_PORT"
  fetched
  assert_json attempt remote_ip ::1
  get ankget -6 --retries 0 --endpoint "http://127.0.0.1:$CLOUD_PORT"
  [ "$status" -ne 0 ]
  get ankget -4 --retries 0 --endpoint "http://[::1]:$CLOUD_PORT"
  [ "$status" -ne 0 ]
  assert_eq "$(requests)" 2
}

@test "the first of several addresses is dead: the next is tried in the same attempt" {
  cloud
  seed 1000
  get ankget --endpoint "http://store.example:$CLOUD_PORT" \
    --resolve "store.example:$CLOUD_PORT:127.0.0.2,127.0.0.1"
  fetched
  assert_eq "$(attempts)" 1
}

@test "--interface binds; one that is not there is this node's own trouble" {
  cloud
  seed 1000
  get ankget --interface 127.0.0.1
  fetched
  get ankget --interface lo
  fetched
  get ankget --retries 0 --interface nosuch0
  assert_exit 3
  assert_json result outcome local
  assert_json attempt verdict local
  assert_eq "$(requests)" 2
}

# --- rates and protocols ---------------------------------------------------------------

# libcurl lets a second's worth go at once.
@test "--limit-rate holds both ways" {
  cloud
  seed 500000
  get ankget --limit-rate 250K
  fetched
  assert_between "$(json attempt total_ms)" 700 4000
  run_ank ankput --limit-rate 250K "$T/object" s3://bucket/up
  assert_exit 0
  assert_between "$(json attempt total_ms)" 700 4000
  get ankget
  assert_between "$(json attempt total_ms)" 0 699
}

@test "a rate of one's own is no stall: pauses between its buffers are meant" {
  cloud
  seed 90000
  run_ank ankput --limit-rate 48K --stall-timeout 500ms --retries 0 "$T/object" s3://bucket/up
  assert_exit 0
  assert_stored up "$T/object"
  get ankget --limit-rate 48K --stall-timeout 100ms --retries 0
  fetched
}

@test "--http2 to a server that does not speak it falls back, or is asked in the clear not at all" {
  tls_cloud good
  get ankget --http2 --cacert ca.pem
  fetched
  assert_json attempt http_version 1.1
  ANK_ENV=()
  get ankget --http2
  fetched
  refute request_header 2 upgrade
}

# h2_server: answers any GET with 1,000 bytes over HTTP/2 or 1.1; sets H2_PORT.
h2_server() {
  command -v node >/dev/null || skip 'no node'
  make_certificates
  new_file 1000 "$T/object" >/dev/null
  node - "$T" >h2.log 2>&1 3>&- <<'EOF2' &
const fs = require('fs'), dir = process.argv[2];
const body = fs.readFileSync(dir + '/object');
const options = { allowHTTP1: true, key: fs.readFileSync(dir + '/good.key'),
  cert: fs.readFileSync(dir + '/good.pem') };
const server = require('http2').createSecureServer(options, (request, response) => {
  fs.appendFileSync(dir + '/h2-requests', request.httpVersion + ' ' + request.method + '\n');
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { etag: '"abc"' });
    response.end(request.method === 'GET' ? body : '');
  });
});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(dir + '/h2.tmp', '' + server.address().port);
  fs.renameSync(dir + '/h2.tmp', dir + '/h2-port');
});
EOF2
  CLOUD_PIDS+=($!)
  await_file h2-port "$!"
  ANK_ENV=(ANK_ENDPOINT="https://127.0.0.1:$(<h2-port)" ANK_CACERT=ca.pem)
}

@test "--http2 speaks HTTP/2 to a server that does, and a stream has an end of its own" {
  h2_server
  get ankget --http2
  fetched
  assert_json attempt http_version 2
  get ankget
  fetched
  assert_json attempt http_version 1.1
  run_ank ankput --http2 "$T/object" s3://bucket/k
  assert_exit 0
  assert_eq "$(tr '\n' ' ' <h2-requests)" '2.0 GET 1.1 GET 2.0 PUT '
}

# refusing HOW: an HTTP/2 server that refuses the second stream of all, by
# itself or by a GOAWAY that names the first as its last; or each (always). Notes
# each request.
refusing() {
  command -v node >/dev/null || skip 'no node'
  make_certificates
  rm -f h2-port
  : >h2-requests
  node - "$T" "$1" >h2.log 2>&1 3>&- <<'EOF2' &
const fs = require('fs'), http2 = require('http2');
const [dir, how] = process.argv.slice(2);
const server = http2.createSecureServer({ key: fs.readFileSync(dir + '/good.key'),
  cert: fs.readFileSync(dir + '/good.pem') });
let n = 0;
server.on('stream', (stream, headers) => {
  fs.appendFileSync(dir + '/h2-requests', headers[':method'] + '\n');
  stream.on('error', () => {});
  if (++n === 2 || how === 'always') {
    if (how === 'goaway') {
      stream.session.goaway(0, 1);
    } else {
      stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
    }
    return;
  }
  stream.resume();
  stream.on('end', () => {
    stream.respond({ ':status': 200, etag: '"abc"' });
    stream.end();
  });
});
server.on('sessionError', () => {});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(dir + '/h2.tmp', '' + server.address().port);
  fs.renameSync(dir + '/h2.tmp', dir + '/h2-port');
});
EOF2
  CLOUD_PIDS+=($!)
  await_file h2-port "$!"
  ANK_ENV=(ANK_ENDPOINT="https://127.0.0.1:$(<h2-port)" ANK_CACERT=ca.pem)
}

@test "an HTTP/2 stream that is refused, or beyond GOAWAY, is sent again at once" {
  local how
  new_file 1000 "$T/a" >/dev/null
  new_file 2000 "$T/b" >/dev/null
  for how in refused goaway; do
    refusing "$how"
    NO_STATE='' run_ank ankput --http2 --retries 0 --state-file "$T/state-$how" \
      a b s3://bucket/
    assert_exit 0
    assert_eq "$(jq -rs 'map(select(.event == "attempt") | .verdict, .why // "-")
      | join(" ")' "$REPORT")" 'ok - resend stale_connection ok -'
    assert_eq "$(jq -rs 'map(select(.event == "result"))[1] | .retries, .repairs' \
      "$REPORT" | paste -sd' ')" '0 1'
    assert_eq "$(wc -l <h2-requests)" 3
    if grep '"failures"' "$T/state-$how"; then return 1; fi
  done
}

@test "an HTTP/2 stream that is refused again and again is a failure" {
  refusing always
  run_ank ankget --http2 --retries 1 s3://bucket/k "$T/got"
  assert_exit 10
  assert_json result retries 1
  assert_json result repairs 1
  assert_eq "$(wc -l <h2-requests)" 3
}
