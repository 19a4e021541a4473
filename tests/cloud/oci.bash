# shellcheck shell=bash disable=SC2034,SC2088
# SPDX-License-Identifier: MIT
# OCI's requests as others make them: load ../lib/harness, then load oci. Signed
# by openssl and sent by curl; PAYLOAD=FILE is the body.

OCI_VECTORS=$HARNESS_TOP/tests/vectors/oci_signature_sdk.json
OCI_NAMESPACE=anknamespace

# oci_key [FORM]: writes the key of the harness as $T/oci.pem.
# shellcheck disable=SC2120 # most take the first form
oci_key() {
  jq -r ".keys[\"fake-2048-a\"].pem_${1:-pkcs1}" "$OCI_VECTORS" >"$T/oci.pem"
}

oci_fingerprint() {
  jq -r '.keys["fake-2048-a"].fingerprint_md5_of_public_der' "$OCI_VECTORS"
}

oci_key_id() {
  printf 'ocid1.tenancy.oc1..ank/ocid1.user.oc1..ank/%s' "$(oci_fingerprint)"
}

# oci METHOD TARGET [CURL-OPTION...]: a signed request; sets code, and leaves
# the answer in the files reply and body. LINES are the names that are signed,
# DATE is the date, KEY_ID the key's.
oci() {
  local method=$1 target=$2 name value lines string='' options=()
  shift 2
  [ -e "$T/oci.pem" ] || oci_key pkcs1
  local date=${DATE:-$(date -uR | sed 's/+0000/GMT/')}
  local hash
  hash=$(openssl dgst -sha256 -binary "${PAYLOAD:-/dev/null}" | base64)
  lines='date (request-target) host'
  [ "$method" != POST ] ||
    lines+=' content-length content-type x-content-sha256'
  lines=${LINES:-$lines}
  for name in $lines; do
    case $name in
      date) value=$date ;;
      '(request-target)') value="${method,,} $target" ;;
      host) value=127.0.0.1:$CLOUD_PORT ;;
      content-length) value=$(wc -c <"${PAYLOAD:-/dev/null}") ;;
      content-type) value=application/json ;;
      x-content-sha256) value=$hash ;;
    esac
    string+="${string:+$'\n'}$name: $value"
  done
  case $method in
    HEAD) options=(-I) ;;
    PUT | POST) options=(-X "$method" --data-binary @"${PAYLOAD:-/dev/null}"
      -H 'Content-Type: application/json') ;;
    *) options=(-X "$method") ;;
  esac
  : >"$T/reply"
  : >"$T/body"
  code=$(curl -sS -q --path-as-is "${options[@]}" -D "$T/reply" -o "$T/body" \
    -w '%{http_code}' -H "date: $date" -H "x-content-sha256: $hash" \
    -H "Authorization: Signature version=\"1\",keyId=\"${KEY_ID:-$(oci_key_id)}\",algorithm=\"rsa-sha256\",headers=\"$lines\",signature=\"$(
      printf %s "$string" | openssl dgst -sha256 -sign "$T/oci.pem" |
        base64 -w 0)\"" "$@" "$CLOUD_URL$target")
}

# header NAME: of the last answer.
header() { tr -d '\r' <"$T/reply" | sed -n "s/^$1: //Ip"; }

# answers TEXT: status and code of the last answer, an error.
answers() {
  assert_eq "$code $(jq -r .code "$T/body")" "$1"
}

# oci_config [LINE...]: ~/.oci/config of the programs; the lines go before.
oci_config() {
  mkdir -p "$T/home/.oci"
  oci_key pkcs1
  cp "$T/oci.pem" "$T/home/.oci/key.pem"
  {
    printf '%s\n' '[DEFAULT]' "$@"
    printf '%s=%s\n' tenancy ocid1.tenancy.oc1..ank user ocid1.user.oc1..ank \
      fingerprint "$(oci_fingerprint)" key_file '~/.oci/key.pem' \
      region eu-frankfurt-1
  } >"$T/home/.oci/config"
}
