# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: MIT
# curl as the client that is not ours: load ../lib/harness, then load curl.
#
# Both functions set code (the status) and curled (curl's exit status), and
# leave the answer in the files reply and body. PAYLOAD=FILE is the body sent,
# BASE another URL to begin with.

# plain METHOD TARGET [CURL-OPTION...]: an unsigned request, for a cloud that
# was started with --anonymous.
plain() {
  local method=$1 target=$2 options=()
  shift 2
  case $method in
    HEAD) options=(-I) ;;
    PUT | POST) options=(-X "$method" --data-binary @"${PAYLOAD:-/dev/null}"
      -H 'Content-Type: text/plain') ;;
    *) options=(-X "$method") ;;
  esac
  : >reply
  : >body
  curled=0
  code=$(curl -sS -q --path-as-is "${options[@]}" -D reply -o body \
    -w '%{http_code}' "$@" "${BASE:-$CLOUD_URL}$target" 2>curl.err) || curled=$?
}

# signed METHOD TARGET [CURL-OPTION...]: with curl's own signature. curl signs
# the x-amz-* headers it is given since 7.86; an older one skips the test.
signed() {
  local method=$1 target=$2
  shift 2
  curl_signs || skip 'curl is older than 7.86'
  plain "$method" "$target" --aws-sigv4 "aws:amz:${REGION:-us-east-1}:s3" \
    -u "${KEY:-$TEST_KEY}:${SECRET:-$TEST_SECRET}" -H \
    "x-amz-content-sha256: $(sha256sum <"${PAYLOAD:-/dev/null}" | cut -d' ' -f1)" \
    "$@"
}

curl_signs() {
  local version
  version=$(curl -q --version | sed -n '1s/^curl \([0-9.]*\).*/\1/p')
  [ "$(printf '7.86\n%s\n' "$version" | sort -V | head -1)" = 7.86 ]
}

# header NAME: of the last answer.
header() { tr -d '\r' <"$T/reply" | sed -n "s/^$1: //Ip"; }

# error_code: of the last answer's XML.
error_code() { sed -n 's/.*<Code>\([^<]*\)<.*/\1/p' "$T/body"; }

# element NAME: the text of each such element of the last answer, unescaped.
element() {
  grep -o "<$1>[^<]*</$1>" "$T/body" |
    sed "s/^<$1>//; s/<.*//; s/&quot;/\"/g; s/&lt;/</g; s/&amp;/\&/g"
}
