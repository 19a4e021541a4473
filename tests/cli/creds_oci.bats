#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2016,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
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
  run_ank OCI_REGION=eu-frankfurt-1 "$@" ankput-fake "$(new_file 10)" \
    oci://anknamespace/bucket/k
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
