#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# What Oracle's cloud takes beside an API key: resource principals, instance
# principals, and sessions that end.

load ../lib/harness
load policy
load tokens
load ../cloud/oci

bats_require_minimum_version 1.5.0

cloud() { # [SETTINGS [PLACES]]
  start_cloud --fake "{\"service\": \"oci\"${1:+, $1}}"
  mkdir -p "$T/home"
  [ -z "${2-}" ] || places "$2"
  oci_key pkcs1
}

put() { # [NAME=VALUE...]
  run_ank OCI_REGION=eu-frankfurt-1 "$@" ankput-fake "${OPTIONS[@]}" \
    "$(new_file 10)" oci://anknamespace/bucket/k
}

key_ids() { headers Authorization | grep -o 'keyId="[^"]*"' | paste -sd' '; }

# fails WORDS...: no credentials that could be used; nothing was asked.
fails() {
  local words
  assert_exit 4
  for words; do assert_contains "$(<"$ERR")" "$words"; done
  assert_eq "$(requests)" 0
}

RESOURCE=(OCI_RESOURCE_PRINCIPAL_VERSION=2.2)

@test "a resource principal: token and key as texts, chosen or alone" {
  cloud '"oci_sessions": {"rpst.one": {}}'
  local all=("${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST=rpst.one
    OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM="$(<"$T/oci.pem")")
  put "${all[@]}"
  ends 0 ok
  put "${all[@]}" OCI_CLI_AUTH=resource_principal
  ends 0 ok
  oci_config
  put "${all[@]}" OCI_CLI_AUTH=resource_principal
  ends 0 ok
  assert_eq "$(key_ids)" 'keyId="ST$rpst.one" keyId="ST$rpst.one" keyId="ST$rpst.one"'
  # a key that is there goes before one that nobody chose
  put "${all[@]}"
  ends 0 ok
  assert_contains "$(key_ids)" "keyId=\"$(oci_key_id)\""
  SECRETS=(rpst.one)
  no_secret "$OUT" "$ERR"
}

@test "a resource principal in files, an encrypted key, its region" {
  cloud '"oci_sessions": {"rpst.file": {}}'
  oci_key pkcs8_encrypted
  jq -r '.keys["fake-2048-a"].passphrase' "$OCI_VECTORS" >"$T/phrase"
  echo rpst.file >"$T/rpst"
  local all=("${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST="$T/rpst"
    OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM="$T/oci.pem"
    OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM_PASSPHRASE="$T/phrase")
  put "${all[@]}"
  ends 0 ok
  run_ank -ANK_ENDPOINT "${all[@]}" OCI_RESOURCE_PRINCIPAL_REGION=us-phoenix-1 \
    ankput-fake --dry-run "$(new_file 10)" oci://anknamespace/bucket/k
  assert_contains "$(json result url)" https://objectstorage.us-phoenix-1.oraclecloud.com/
  # a region by itself is not of another's credentials
  oci_config
  run_ank -ANK_ENDPOINT "${all[@]}" OCI_RESOURCE_PRINCIPAL_REGION=us-phoenix-1 \
    ankput-fake --dry-run "$(new_file 10)" oci://anknamespace/bucket/k
  assert_contains "$(json result url)" https://objectstorage.eu-frankfurt-1.oraclecloud.com/
}

# The file is replaced while the cloud holds its answer back.
@test "its token is read again when it is refused; the same again is final" {
  cloud '"oci_sessions": {"old": {"expired": true}, "new": {}},
    "rules": [{"nth": 1, "delay_ms": 400}]'
  echo old >"$T/rpst"
  UNSIGNED_OK=1
  local all=("${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST="$T/rpst"
    OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM="$T/oci.pem")
  start_ank OCI_REGION=eu-frankfurt-1 "${all[@]}" ankput-fake \
    "$(new_file 10)" oci://anknamespace/bucket/k
  await_requests 1
  echo new >"$T/rpst.new"
  mv "$T/rpst.new" "$T/rpst"
  wait_ank
  ends 0 ok
  assert_eq "$(key_ids)" 'keyId="ST$old" keyId="ST$new"'
  echo old >"$T/rpst"
  put "${all[@]}"
  ends 5 denied
  assert_eq "$(requests)" 3
  assert_contains "$(<"$ERR")" 'get new credentials: those in use are from OCI_RESOURCE_PRINCIPAL_RPST'
}

@test "what a resource principal lacks is named" {
  cloud
  put OCI_CLI_AUTH=resource_principal
  fails 'OCI_RESOURCE_PRINCIPAL_VERSION: is not set'
  put OCI_RESOURCE_PRINCIPAL_VERSION=1.1
  fails 'OCI_RESOURCE_PRINCIPAL_VERSION: 1.1; of resource principals there is version 2.2'
  put "${RESOURCE[@]}"
  fails 'OCI_RESOURCE_PRINCIPAL_RPST: holds no token'
  put "${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST=/nonexistent
  fails '/nonexistent: not found'
  put "${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST='a b'
  fails "OCI_RESOURCE_PRINCIPAL_RPST: is no resource principal's token"
  put "${RESOURCE[@]}" OCI_RESOURCE_PRINCIPAL_RPST=a
  fails 'OCI_RESOURCE_PRINCIPAL_PRIVATE_PEM: no private key in PEM form'
  put OCI_CLI_AUTH=instance_obo_user
  fails 'OCI_CLI_AUTH: authentication by instance_obo_user is not there'
}

@test "a session that has ended: the command that renews it is named" {
  cloud '"oci_sessions": {"old": {"expired": true}}'
  oci_config
  echo old >"$T/token"
  printf '[two]\nsecurity_token_file=%s\n' "$T/token" >>"$T/home/.oci/config"
  UNSIGNED_OK=1
  put OCI_CLI_PROFILE=two
  ends 5 denied
  assert_eq "$(requests)" 1
  assert_contains "$(<"$ERR")" "get new credentials by 'oci session refresh --profile two': those in use are from [two] of $T/home/.oci/config"
}

# instance [SETTINGS [RULE...]]: an instance, its metadata, and a store that
# takes the sessions that it is given.
instance() {
  local rules
  PLACES=$T/places0
  start_cloud --fake "{\"service\": \"oci\", \"oci_issued\": \"$T/places1/session.der\"${1:+, $1}}"
  shift "$(($# > 0))"
  rules=$(IFS=,; echo "$*")
  places "{\"give\": {\"oci-region\": {\"regionIdentifier\": \"eu-frankfurt-1\", \"realmDomainComponent\": \"oraclecloud.com\"},
      \"oci-x509\": {\"token\": \"issued\", \"lasts\": ${LASTS:-1200}}},
    \"want\": {\"oci\": {\"tenancy\": \"ocid1.tenancy.oc1..ank\"}}, \"rules\": [$rules]}"
  mkdir -p "$T/home"
  certificate "$PLACES/key.pem" "$PLACES/cert.pem" \
    "/CN=ocid1.instance/OU=opc-certtype:instance/OU=${TENANT-opc-tenant:ocid1.tenancy.oc1..ank}"
  certificate "$T/between.key" "$PLACES/between.pem" /CN=between
}

certificate() { # KEY CERTIFICATE SUBJECT
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1" -out "$2" \
    -subj "$3" -days 2 2>/dev/null
}

as_instance() { # [NAME=VALUE...]
  put OCI_CLI_AUTH=instance_principal OCI_METADATA_BASE_URL="$PLACES_URL/opc/v2" \
    OCI_SDK_AUTH_CLIENT_REGION_URL="$PLACES_URL" "$@"
}

@test "an instance principal: certificates, a key made here, a token for it" {
  instance
  as_instance
  ends 0 ok
  well_asked
  assert_eq "$(asked_of place)" 'oci-cert oci-between oci-key oci-x509'
  assert_eq "$(told op)" 'token token token token put'
  assert_contains "$(request_header 1 authorization)" '.issued"'
  assert_eq "$(request 1 .signature)" ok
  # nothing is kept: it is of this machine
  as_instance
  ends 0 ok
  assert_eq "$(asked_of place | wc -w)" 8
  SECRETS=(.issued 'PRIVATE KEY')
  no_secret "$OUT" "$ERR"
}

@test "an instance's token that is refused is asked for again, with a new key" {
  instance '"rules": [{"nth": 1, "s3_error": "ExpiredToken"}]'
  UNSIGNED_OK=1
  as_instance
  ends 0 ok
  assert_eq "$(asked_of place | wc -w)" 8
  assert_eq "$(told verdict | tr ' ' '\n' | grep -c reauth)" 1
}

@test "without another word the token comes from the instance's own region" {
  instance
  OPTIONS=(--retries 0)
  as_instance -OCI_SDK_AUTH_CLIENT_REGION_URL HTTPS_PROXY=http://127.0.0.1:1
  [ "$status" != 0 ] || false
  assert_eq "$(asked_of place)" 'oci-cert oci-between oci-key oci-region'
  assert_contains "$(<"$ERR")$(<"$OUT")" auth.eu-frankfurt-1.oraclecloud.com
}

@test "an instance knows its region, when nobody says another" {
  instance
  OPTIONS=(--retries 0)
  as_instance -OCI_REGION -ANK_ENDPOINT HTTPS_PROXY=http://127.0.0.1:1
  assert_eq "$(asked_of place)" 'oci-region oci-cert oci-between oci-key oci-x509'
  assert_eq "$(told op)" 'token token token token token put'
  assert_eq "$(op_told put endpoint)" https://objectstorage.eu-frankfurt-1.oraclecloud.com
  as_instance OCI_REGION=lhr -ANK_ENDPOINT HTTPS_PROXY=http://127.0.0.1:1
  assert_eq "$(op_told put endpoint)" https://objectstorage.uk-london-1.oraclecloud.com
  assert_eq "$(asked_of place oci-region | wc -w)" 1
  # one that no table has
  set_places '{"give": {"oci-region": {"regionIdentifier": "xx-new-1", "realmDomainComponent": "oracle8.com"}}}'
  as_instance -OCI_REGION -ANK_ENDPOINT OCI_SDK_AUTH_CLIENT_REGION_URL=http://127.0.0.1:1
  assert_eq "$(asked_of place oci-region | wc -w)" 2
  OPTIONS=(--dry-run)
  as_instance -OCI_REGION -ANK_ENDPOINT HTTPS_PROXY=http://127.0.0.1:1
  ends 2 usage
  assert_contains "$(<"$ERR")" 'would have to be asked for'
  OPTIONS=(--retries 0)
  set_places '{"rules": [{"place": "oci-region", "status": 404}]}'
  as_instance -OCI_REGION -ANK_ENDPOINT HTTPS_PROXY=http://127.0.0.1:1
  fails 'no region: give --region; the instance metadata service: the server answered 404'
}

@test "an instance whose certificate is of no tenancy, one that is refused, no instance" {
  TENANT=other instance
  as_instance
  fails "the instance metadata service: the instance's certificate names no tenancy"
  set_places '{"want": {"oci": {"tenancy": "ocid1.tenancy.oc1..other"}}}'
  certificate "$PLACES/key.pem" "$PLACES/cert.pem" \
    /OU=opc-tenant:ocid1.tenancy.oc1..ank
  as_instance
  fails NotAuthenticated
  set_places '{"rules": [{"place": "oci-cert", "status": 404}]}'
  as_instance
  fails 'the instance metadata service: the server answered 404'
  as_instance OCI_METADATA_BASE_URL=http://example.com/opc/v2
  fails 'not from example.com'
  set_places '{}'
  as_instance OCI_SDK_AUTH_CLIENT_REGION_URL=http://example.com
  fails 'credentials are fetched by https'
}
