# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the round trips share: our programs, other people's clients, keys.
#
# A way names how the server is reached: http-path, https-path, http-virtual
# or https-virtual. A peer is aws, s3cmd or curl; all of them are handed the
# same credentials and start from an empty environment, since a proxy or a CA
# setting of the caller would change what they do.

ROUND_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ANK_BUILD=${ANK_BUILD:-$ROUND_TOP/build/gcc}

round_setup() {
  [ -z "${ROUND_SKIP:-}" ] || skip "$ROUND_SKIP"
  dir=$BATS_TEST_TMPDIR
  way=http-path
}

# bare COMMAND...
bare() {
  env -i PATH=/usr/bin:/bin HOME="$dir" LANG=C.UTF-8 \
    AWS_ACCESS_KEY_ID="$RADOSGW_ACCESS" \
    AWS_SECRET_ACCESS_KEY="$RADOSGW_SECRET" \
    AWS_DEFAULT_REGION="$RADOSGW_REGION" "$@"
}

# endpoint: of the way, without a bucket.
endpoint() {
  case $way in
  http-path) echo "$RADOSGW_HTTP" ;;
  https-path) echo "$RADOSGW_HTTPS" ;;
  http-virtual) echo "http://$RADOSGW_VHOST:$RADOSGW_PORT" ;;
  https-virtual) echo "https://$RADOSGW_VHOST:$RADOSGW_TLS_PORT" ;;
  esac
}

# ours PROGRAM ARG...: an ank program. Its report lands in $dir/report, each
# line checked; its exit status is ours. Every run has a state of its own, so
# no test sees another's breaker.
ours() {
  local status=0
  rm -rf "$dir/.local" "$dir/report"
  # shellcheck disable=SC2086 # ANK_WRAP is a command with arguments
  bare ${ANK_WRAP:-} "$ANK_BUILD/$1" --endpoint "$(endpoint)" \
    --region "$RADOSGW_REGION" --addressing "${way#*-}" \
    --cacert "$RADOSGW_CA" --report "$dir/report" "${@:2}" || status=$?
  /usr/bin/python3 -B "$ROUND_TOP/tests/lib/check_report.py" --exit "$status" \
    "$ROUND_TOP/man/ank-report.schema.json" "$dir/report" || return 99
  return "$status"
}

# told FILTER: of the last line of the report, the result.
told() {
  tail -n 1 "$dir/report" | jq -r "$1"
}

# we_put FILE KEY, we_get KEY FILE
we_put() {
  ours ankput "$1" "s3://round/$2" || { cat "$dir/report"; return 1; }
}

we_get() {
  rm -f "$2"
  ours ankget "s3://round/$1" "$2" || { cat "$dir/report"; return 1; }
}

# they_have PEER: is it installed?
they_have() {
  [ -x "/usr/bin/$1" ]
}

# they_put PEER FILE KEY, they_get PEER KEY FILE
they_put() {
  "$1_put" "$2" "$3" >"$dir/peer.out" 2>&1 || { cat "$dir/peer.out"; return 1; }
}

they_get() {
  rm -f "$3"
  "$1_get" "$2" "$3" >"$dir/peer.out" 2>&1 || { cat "$dir/peer.out"; return 1; }
}

aws_run() {
  bare AWS_PAGER= AWS_CA_BUNDLE="$RADOSGW_CA" AWS_EC2_METADATA_DISABLED=true \
    /usr/bin/aws --endpoint-url "$(endpoint)" "$@"
}

aws_put() {
  aws_run s3api put-object --bucket round --key "$2" --body "$1"
}

aws_get() {
  aws_run s3api get-object --bucket round --key "$1" "$2"
}

s3cmd_run() {
  local url host
  url=$(endpoint) host=${url#*://}
  case $url in
  https:*) set -- --ssl --ca-certs "$RADOSGW_CA" "$@" ;;
  *) set -- --no-ssl "$@" ;;
  esac
  bare /usr/bin/s3cmd --config /dev/null --access_key "$RADOSGW_ACCESS" \
    --secret_key "$RADOSGW_SECRET" --host "$host" --host-bucket "$host" \
    --region "$RADOSGW_REGION" --no-progress "$@"
}

s3cmd_put() {
  s3cmd_run put "$1" "s3://round/$2"
}

s3cmd_get() {
  s3cmd_run get --force "s3://round/$1" "$2"
}

# escaped KEY: as it stands in a URL. Byte by byte, all but the unreserved.
escaped() {
  local LC_ALL=C i char
  for ((i = 0; i < ${#1}; i++)); do
    char=${1:i:1}
    case $char in
    [A-Za-z0-9/._~-]) printf '%s' "$char" ;;
    *) printf '%s' "$char" | od -An -v -tx1 | tr -d '\n' | tr ' a-f' '%A-F' ;;
    esac
  done
}

# curl_run FILE KEY CURL-ARG...: FILE's hash is signed; this curl does not
# hash an upload by itself.
curl_run() {
  local url hash
  url=$(endpoint)
  case $way in
  *-path) url=$url/round ;;
  *) url=${url%%://*}://round.${url#*://} ;;
  esac
  hash=$(sha256sum <"$1")
  bare /usr/bin/curl -q -sS -f --path-as-is --cacert "$RADOSGW_CA" \
    --user "$RADOSGW_ACCESS:$RADOSGW_SECRET" \
    --aws-sigv4 "aws:amz:$RADOSGW_REGION:s3" \
    -H "x-amz-content-sha256: ${hash%% *}" "${@:3}" "$url/$(escaped "$2")"
}

curl_put() {
  curl_run "$1" "$2" -X PUT --data-binary "@$1"
}

curl_get() {
  curl_run /dev/null "$1" -o "$2"
}

# etag KEY: as the server tells curl.
etag() {
  curl_run /dev/null "$1" -I -o "$dir/head"
  tr -d '\r' <"$dir/head" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'
}

# stored: the keys that the bucket holds, one a line, asked of the server's
# own tool, not of a client.
stored() {
  bare radosgw-admin -c "$RADOSGW_CONF" bucket list --bucket round \
    --max-entries 1000 | jq -r '.[].name'
}

# forget KEY
forget() {
  bare radosgw-admin -c "$RADOSGW_CONF" object rm --bucket round \
    --object "$1" >/dev/null
}

# same FILE FILE
same() {
  cmp "$1" "$2"
}

# they_can PEER KEY: can the peer say this key? s3cmd takes a slash at the end
# for a folder and adds the name of the file.
they_can() {
  [ "$1" != s3cmd ] || [ "${2%/}" = "$2" ]
}

# keys: those that clients get wrong, one a line.
keys() {
  cat <<'EOF'
plain.bin
a=b/c+d e%20f*@:!'()~&;,$.bin
ü/日本.bin
%2B
a%
/x
a//b
a/
./a
a/../b
..
a/.
?
#
a?b=c&d#e
EOF
  printf 'k%.0s' {1..1024}
  echo
}
