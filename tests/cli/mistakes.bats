#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# What people get wrong, and the one line that tells them so: its exit status,
# the cause, and where there is one the cure.

load ../lib/harness
load policy

bats_require_minimum_version 1.5.0

setup() {
  harness_setup
  UNSIGNED_OK=1
  S=$(new_file 100 "$T/source")
}
teardown() { harness_teardown; }

# wrong EXIT LINE WORD...: a run that ends so, with one line on standard error.
# In LINE, * stands for anything.
wrong() {
  local exit=$1 line=$2
  shift 2
  run_ank "$@"
  assert_exit "$exit"
  assert_eq "$(wc -l <"$ERR")" 1
  # shellcheck disable=SC2053 # a pattern
  [[ $(cat "$ERR") == $line ]] || assert_eq "$(cat "$ERR")" "$line"
}

@test "credentials: none, half of them, an unknown profile, a broken file" {
  start_cloud
  wrong 4 "ankput: no credentials: looked at AWS_ACCESS_KEY_ID, profile 'default' in $T/home/.aws/credentials and $T/home/.aws/config, AWS_CONTAINER_CREDENTIALS_FULL_URI, the instance metadata service (switched off)" \
    -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY ankput "$S" s3://bucket/k
  wrong 4 'ankput: AWS_ACCESS_KEY_ID is set but AWS_SECRET_ACCESS_KEY is not' \
    -AWS_SECRET_ACCESS_KEY ankput "$S" s3://bucket/k
  local name
  for name in AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN; do
    wrong 4 "ankput: $name holds a line break or control character: is there one at its end?" \
      "$name=x"$'\r' ankput "$S" s3://bucket/k
  done
  wrong 4 'ankput: AWS_ACCESS_KEY_ID holds a blank: *' 'AWS_ACCESS_KEY_ID=AK ' ankput "$S" s3://bucket/k
  wrong 4 'ankput: AWS_WEB_IDENTITY_TOKEN_FILE is set but AWS_ROLE_ARN is not' \
    -AWS_ACCESS_KEY_ID AWS_WEB_IDENTITY_TOKEN_FILE=/t ankput "$S" s3://bucket/k
  wrong 4 'ankput: GOOGLE_APPLICATION_CREDENTIALS: /no/k.json: No such file or directory' \
    METADATA_SERVER_DETECTION=none GOOGLE_APPLICATION_CREDENTIALS=/no/k.json ankput "$S" gs://bucket/k
  echo '{"type": "x"}' >x.json
  wrong 4 "ankput: x.json: credentials of type 'x' are not known here" \
    METADATA_SERVER_DETECTION=none GOOGLE_APPLICATION_CREDENTIALS=x.json ankput "$S" gs://bucket/k
  wrong 4 'ankput: the key of account ankacct (AZURE_STORAGE_KEY) is not in base64' \
    'AZURE_STORAGE_KEY=a key' ankput "$S" az://ankacct/container/k
  mkdir -p "$T/home/.oci"
  echo '[DEFAULT]' >"$T/home/.oci/config"
  wrong 4 'ankput: OCI_CLI_AUTH: authentication by foo is not there, but by *' \
    OCI_CLI_AUTH=foo ankput "$S" oci://ns/bucket/k
  wrong 4 '*HOME is unset*' -HOME -AWS_ACCESS_KEY_ID ankput "$S" s3://bucket/k
  wrong 4 "ankput: profile 'nosuch' is neither in $T/home/.aws/credentials nor in $T/home/.aws/config" \
    ankput --profile nosuch "$S" s3://bucket/k
  mkdir -p "$T/home/.aws"
  echo '[default' >"$T/home/.aws/credentials"
  wrong 4 "ankput: $T/home/.aws/credentials: line 1: no ']' after the section name" \
    -AWS_ACCESS_KEY_ID ankput "$S" s3://bucket/k
  assert_eq "$(requests)" 0
}

@test "places: an endpoint without scheme, with a query or password, no region, a bad one" {
  wrong 2 "ankput: --endpoint: 'minio:9000' has no scheme: write http://minio:9000 or https://minio:9000" \
    ankput --endpoint minio:9000 "$S" s3://bucket/k
  wrong 2 'ankput: ANK_ENDPOINT: URL may not have a query (?)' \
    ANK_ENDPOINT=http://h/?x ankput "$S" s3://bucket/k
  wrong 2 'ankput: --endpoint: URL may not hold a user or password' \
    ankput --endpoint http://me:secret@h "$S" s3://bucket/k
  wrong 2 "ankput: no region: give --region, AWS_REGION or a profile's region" \
    -AWS_REGION ankput "$S" s3://bucket/k
  wrong 2 "ankput: --region: 'us east' is not a region name" \
    ankput --region 'us east' "$S" s3://bucket/k
}

@test "places: nobody sees a password in a URL, whatever its scheme" {
  local url
  for url in s3://me:hunter2-word@bucket/k az://me:hunter2-word@account/con/k \
    https://me:hunter2-word@h/b/k HTTPS://me:hunter2-word@h/b/k \
    sftp://me:hunter2-word@h/b/k; do
    wrong 2 "ankput: ${url%%:*}://REDACTED@*" ankput "$S" "$url"
    wrong 2 'ankput: *' ankput "$url" "$S"
    wrong 2 'ankput: *' ANK_URL="$url" ankput "$S"
    run ! grep -F hunter2-word "$OUT" "$ERR" "$REPORT"
  done
  run_ank ankput --endpoint http://me:hunter2-word@h --show-config "$S" s3://bucket/k
  run ! grep -F hunter2-word "$OUT" "$ERR"
}

@test "operands: other schemes, no key, the wrong order, what is no file" {
  wrong 2 'ankput: https://h.example/b/k: no cloud is known to have this host: --provider says whose URL it is (s3, gcs, azure, oci or a store that speaks S3)' \
    ankput "$S" https://h.example/b/k
  wrong 2 'ankput: ftp://bucket/k: not an object URL, which is like s3://BUCKET/KEY, gs://BUCKET/KEY, az://*, oci://* or https://HOST/PATH' \
    ankput "$S" ftp://bucket/k
  wrong 2 'ankput: s3:/bucket/k: not an object URL: is s3://BUCKET/KEY meant?' \
    ankput "$S" s3:/bucket/k
  wrong 2 'ankput: s3:///k: the bucket is missing, as in s3://BUCKET/KEY' ankput "$S" s3:///k
  wrong 2 "ankput: az://container/k.tar: 'k.tar' is not a container name (*), as in az://ACCOUNT/CONTAINER/KEY" \
    ankput "$S" az://container/k.tar
  wrong 2 'ankget: s3://bucket/: the key is missing' ankget s3://bucket/ out
  wrong 2 'ankput: s3://bucket/k: FILE comes first, then the URL; a command stands behind --' \
    ankput s3://bucket/k "$S"
  wrong 2 'ankput: s3://bucket/k: the URL is the last operand; a command stands behind --' \
    ankput s3://bucket/k ls /tmp
  wrong 2 'ankput: s3://bucket/a: is a URL, no file of this machine; to copy, use ankget and a pipe' \
    ankput s3://bucket/a s3://bucket/b
  wrong 2 'ankget: s3://bucket/b: is a URL, no file of this machine; *' \
    ankget --report none s3://bucket/a s3://bucket/b
  wrong 2 'ankput: operand 1 of 2 is empty: is it a variable that is not set?' ankput '' s3://bucket/k
  wrong 2 'ankput: operand 2 of 2 is empty: *' ankput "$S" ''
  wrong 2 'ankget: operand 1 of 2 is empty: *' ankget --report none '' out
  wrong 2 'ankput: one FILE and one URL are needed, in this order (see --help)' ankput "$S"
  wrong 3 "ankput: $T: is a directory" ankput "$T" s3://bucket/k
  wrong 3 'ankput: /no/such: No such file or directory' ankput /no/such s3://bucket/k
  wrong 3 'ankget: /no/dir/out: No such file or directory' ankget s3://bucket/k /no/dir/out
  wrong 3 "ankget: $T: is a directory" ankget s3://bucket/k "$T"
}

@test "options: a slip of the pen, a value that is none, a file that is not there" {
  local near
  for near in retry=retries endpoint-url=endpoint verbos=verbose quiet=silent \
    dedline=deadline max-time=deadline no-sign-request=no-sign partsize=part-size; do
    wrong 2 "ankput: --${near%=*}: unknown option: is --${near#*=} meant? (see --help)" \
      ankput "--${near%=*}" 5 "$S" s3://bucket/k
  done
  wrong 2 'ankput: -retries: unknown option: is --retries meant? (see --help)' \
    ankput -retries 5 "$S" s3://bucket/k
  for near in --acl --recursive --user --ab -T -u -vz --range; do
    wrong 2 "ankput: $near: unknown option (see --help)" ankput "$near" x "$S" s3://bucket/k
  done
  wrong 2 "ankput: --deadline: '5min' is not a duration like 15m, or @ and seconds since 1970" \
    ankput --deadline 5min "$S" s3://bucket/k
  wrong 2 "ankput: --header: a header is 'Name: value'" ankput -H foo "$S" s3://bucket/k
  for near in Host x-ms-date X-Goog-Date x-content-sha256; do
    wrong 2 "ankput: --header: $near is set by ank itself" ankput -H "$near: x" "$S" s3://bucket/k
  done
  wrong 2 'ankput: --cacert: cannot read /no/ca.pem' ankput --cacert /no/ca.pem "$S" s3://bucket/k
  wrong 2 'ankput: --proxy: is an http, https or socks URL, or HOST:PORT' \
    ankput -x ftp://p:1 "$S" s3://bucket/k
  wrong 2 "ankput: --report: '9' is not an open descriptor" ankput --report 9 "$S" s3://bucket/k
  mkdir -p "$T/home/.config/ank"
  echo 'retires = 5' >"$T/home/.config/ank/config"
  wrong 2 "ankput: $T/home/.config/ank/config:1: retires: no option that may stand here" \
    ankput "$S" s3://bucket/k
}

@test "networks: a closed port, an unknown host, https to a port of http" {
  local port
  port=$(closed_port)
  wrong 10 "ankput: s3://bucket/k: Failed to connect to 127.0.0.1 port $port *" \
    ankput --retries 0 --endpoint "http://127.0.0.1:$port" "$S" s3://bucket/k
  [[ $(cat "$ERR") != *proxy* ]]
  wrong 10 "ankput: s3://bucket/k: Failed to connect to 127.0.0.1 port $port *; that is the proxy (see --proxy)" \
    http_proxy="127.0.0.1:$port" ankput --retries 0 --endpoint http://store.example "$S" s3://bucket/k
  wrong 10 'ankput: s3://bucket/k: Could not resolve host: no.such.invalid*' \
    ankput --retries 0 --endpoint http://no.such.invalid "$S" s3://bucket/k
  start_cloud
  wrong 15 'ankput: s3://bucket/k: *; the port does not speak TLS: is http:// meant?' \
    ankput --endpoint "https://127.0.0.1:$CLOUD_PORT" "$S" s3://bucket/k
}

@test "certificates: a private authority, another host, one that has ended" {
  make_certificates
  start_cloud --tls "$T/good.pem" "$T/good.key"
  wrong 15 'ankput: s3://bucket/k: *; give its authority with --cacert' \
    ankput --endpoint "$CLOUD_TLS_URL" "$S" s3://bucket/k
  start_cloud --tls "$T/wrong.pem" "$T/wrong.key"
  wrong 15 'ankput: s3://bucket/k: *; the certificate is for another host' \
    ankput --cacert "$T/ca.pem" --endpoint "$CLOUD_TLS_URL" "$S" s3://bucket/k
  start_cloud --tls "$T/expired.pem" "$T/expired.key"
  wrong 15 "ankput: s3://bucket/k: *; unless this machine's clock is wrong, it must be renewed" \
    ankput --cacert "$T/ca.pem" --endpoint "$CLOUD_TLS_URL" "$S" s3://bucket/k
}

@test "an empty ETag, version or upload is no condition forgotten" {
  local option
  start_cloud
  for option in if-match if-none-match; do
    wrong 2 "ankput: --$option: is empty" ankput "--$option" '' "$S" s3://bucket/k
    wrong 2 "ankget: --$option: is empty" ankget --report none "--$option=" s3://bucket/k out
  done
  wrong 2 'ankget: --version-id: is empty' ankget --report none --version-id= s3://bucket/k out
  wrong 2 'ankput: --abort-upload: is empty' ankput --abort-upload= s3://bucket/k
  wrong 2 'ankput: --config: is empty' ankput -K '' "$S" s3://bucket/k
  assert_eq "$(requests)" 0
}

@test "a report's descriptor that is not open: whoever named it is named" {
  wrong 2 "ankput: --report: '77' is not an open descriptor" \
    ankput --report 77 "$S" s3://bucket/k
  wrong 2 "ankput: ANK_REPORT: '77' is not an open descriptor" \
    ANK_REPORT=77 ankput "$S" s3://bucket/k
  mkdir -p "$T/home/.config/ank"
  echo 'report = 77' >"$T/home/.config/ank/config"
  wrong 2 "ankput: $T/home/.config/ank/config:1: report: '77' is not an open descriptor" \
    ankput "$S" s3://bucket/k
}

@test "refusals: no such bucket or object, wrong key id, denied, and as whom" {
  start_cloud
  wrong 6 'ankput: s3://nosuchbucket/k: the server answered 404 NoSuchBucket: *' \
    ankput "$S" s3://nosuchbucket/k
  wrong 6 'ankget: s3://bucket/nothing: the server answered 404 NoSuchKey: *' \
    ankget s3://bucket/nothing out
  wrong 5 'ankput: s3://bucket/k: the server answered 403 InvalidAccessKeyId: *; signed as AKIDOTHER, from the environment' \
    AWS_ACCESS_KEY_ID=AKIDOTHER ankput "$S" s3://bucket/k
  wrong 5 'ankput: s3://bucket/k: the server answered 403 *; the request was not signed (--no-sign)' \
    ankput --no-sign "$S" s3://bucket/k
  rules '{"s3_error": "AccessDenied"}'
  mkdir -p "$T/home/.aws"
  printf '[ops]\naws_access_key_id = AKIDOPS\naws_secret_access_key = %s\n' "$TEST_SECRET" \
    >"$T/home/.aws/credentials"
  wrong 5 "ankput: s3://bucket/k: the server answered 403 AccessDenied: *; signed as AKIDOPS, from [[]ops[]] of $T/home/.aws/credentials" \
    ankput --profile ops "$S" s3://bucket/k
}

@test "an expired token, a clock that is off, a region that nobody tells" {
  rules '{"s3_error": "ExpiredToken"}'
  wrong 4 'ankput: s3://bucket/k: the server answered 400 ExpiredToken: *; get new credentials: those in use are from the environment' \
    ankput "$S" s3://bucket/k
  start_cloud '{"rules": [{"s3_error": "RequestTimeTooSkewed", "date_offset": -7200}]}'
  wrong 5 "ankput: s3://bucket/k: *; set this machine's clock: it is 720? s ahead of the server's" \
    ankput "$S" s3://bucket/k
  start_cloud '{"rules": [{"s3_error": "RequestTimeTooSkewed", "date_offset": 7200}]}'
  wrong 5 "ankput: s3://bucket/k: *; set this machine's clock: it is 7[12]?? s behind the server's" \
    ankput "$S" s3://bucket/k
  rules '{"s3_error": "PermanentRedirect"}'
  wrong 8 "ankput: s3://bucket/k: the server answered 301; the bucket's region is not told: give it with --region" \
    ankput "$S" s3://bucket/k
}

@test "a proxy's page in place of an answer is told as one, and is never a success" {
  rules '{"status": 403, "body": "<html><head><title>Blocked by policy</title></head></html>", "headers": {"Content-Type": "text/html"}}'
  wrong 5 "ankput: s3://bucket/k: the server answered 403; that is a web page ('Blocked by policy'), no object store's answer: a proxy's, or the endpoint is wrong" \
    ankput "$S" s3://bucket/k
  rules '{"raw": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 35\r\n\r\n<html><title>Log in</title></html>\n\n"}'
  wrong 10 "ankput: s3://bucket/k: *that is a web page ('Log in'), no object store's answer*" \
    ankput --retries 0 "$S" s3://bucket/k
  wrong 10 'ankget: s3://bucket/k: *' ankget --retries 0 s3://bucket/k out
  [ ! -e out ]
  wrong 10 'ankget: s3://bucket/k: *' ankget --retries 0 -I s3://bucket/k
  # A page without its type, and answers with an empty body, are none either.
  rules '{"raw": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}'
  wrong 10 'ankput: s3://bucket/k: *' ankput --retries 0 "$S" s3://bucket/k
  assert_json result why unexpected_answer
}
