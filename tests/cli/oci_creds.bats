#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2088
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Credentials and settings of OCI: profiles, keys in every form, sessions; each
# mistake told with its place.

load ../lib/harness
load ../cloud/oci

bats_require_minimum_version 1.5.0

cloud() {
  start_cloud --fake "{\"service\": \"oci\"${1:+, $1}}"
  oci_config
}

# put [NAME=VALUE...|OPTION...]
put() {
  local set=()
  while [[ ${1-} == [A-Z]*=* ]]; do set+=("$1"); shift; done
  run_ank "${set[@]}" ankput-fake "$@" "$(new_file 10)" oci://anknamespace/bucket/k
}

works() {
  assert_exit 0
  assert_eq "$(request "$(requests)" .signature)" ok
}

# fails WORDS...: no credentials that could be used; no request was made.
fails() {
  local words
  assert_exit 4
  for words; do assert_contains "$(<"$ERR")" "$words"; done
  assert_eq "$(requests)" 0
}

@test "a key is taken as PKCS#1 and PKCS#8, encrypted or not, a label behind it" {
  cloud
  local form
  for form in pkcs1 pkcs8 pkcs1_encrypted pkcs8_encrypted; do
    oci_config "pass_phrase=$(jq -r '.keys["fake-2048-a"].passphrase' "$OCI_VECTORS")"
    oci_key "$form"
    { cat "$T/oci.pem"; echo OCI_API_KEY; } >"$T/home/.oci/key.pem"
    put
    works
  done
}

@test "other profiles inherit from DEFAULT; --profile and OCI_CLI_PROFILE choose" {
  cloud
  sed -i 's/^user=.*//' "$T/home/.oci/config"
  put
  fails "$T/home/.oci/config: [DEFAULT] has no user"
  printf '[two]\nuser=ocid1.user.oc1..ank\n' >>"$T/home/.oci/config"
  put --profile two
  works
  put OCI_CLI_PROFILE=two
  works
}

@test "a profile that is not there is named" {
  cloud
  put --profile three
  fails "profile 'three' is not in $T/home/.oci/config"
}

@test "OCI_CONFIG_FILE and OCI_CLI_CONFIG_FILE name another file, which must be there" {
  cloud
  mv "$T/home/.oci/config" "$T/elsewhere"
  put OCI_CONFIG_FILE=/nonexistent
  fails '/nonexistent'
  put OCI_CONFIG_FILE="$T/elsewhere"
  works
  put OCI_CLI_CONFIG_FILE="$T/elsewhere"
  works
  put OCI_CONFIG_FILE='~/../elsewhere'
  works
}

@test "~/.oraclebmc/config is read where there is no ~/.oci/config" {
  cloud
  oci_config
  mkdir -p "$T/home/.oraclebmc"
  mv "$T/home/.oci/config" "$T/home/.oraclebmc/config"
  assert_contains "$(where)" eu-frankfurt-1
  sed 's/eu-frankfurt/uk-london/' "$T/home/.oraclebmc/config" >"$T/home/.oci/config"
  assert_contains "$(where)" uk-london-1
  # a profile that inherits all
  printf '[empty]\n' >>"$T/home/.oci/config"
  assert_contains "$(where --profile empty)" uk-london-1
}

@test "the variables of Oracle's command line are enough" {
  cloud
  rm "$T/home/.oci/config"
  put OCI_CLI_TENANCY=ocid1.tenancy.oc1..ank OCI_CLI_USER=ocid1.user.oc1..ank \
    OCI_CLI_KEY_FILE='~/.oci/key.pem'
  works
  put OCI_CLI_TENANCY=ocid1.tenancy.oc1..ank OCI_CLI_USER=ocid1.user.oc1..ank \
    OCI_CLI_KEY_CONTENT="$(<"$T/oci.pem")"
  works
}

@test "a session is signed with its own key, and with its token's new content" {
  cloud '"oci_sessions": {"good/token+x=": {}, "old": {"expired": true}}'
  echo 'good/token+x=' >"$T/token"
  echo "security_token_file=$T/token" >>"$T/home/.oci/config"
  sed -i 's/^user=.*//' "$T/home/.oci/config"
  put --explain
  works
  assert_contains "$(request_header 1 authorization)" "keyId=\"ST\$good/token+x=\""
  run ! grep -q 'good/token' "$ERR" "$OUT"
  UNSIGNED_OK=1
  echo old >"$T/token"
  put
  assert_exit 5
  assert_eq "$(requests)" 2
  assert_contains "$(<"$ERR")" 'get new credentials'
}

@test "each mistake names the file" {
  cloud
  put OCI_CLI_FINGERPRINT=00:11
  fails 'fingerprint is not that of the key, which is 11:6c:9d'
  echo hello >"$T/home/.oci/key.pem"
  put
  fails "$T/home/.oci/key.pem: no private key in PEM form"
  rm "$T/home/.oci/key.pem"
  put
  fails "$T/home/.oci/key.pem"
  oci_key pkcs8_encrypted
  cp "$T/oci.pem" "$T/home/.oci/key.pem"
  put </dev/null
  fails "$T/home/.oci/key.pem: the private key is encrypted, and no pass phrase is given"
  put OCI_CLI_PASSPHRASE=wrong
  fails 'does not open with the pass phrase given'
  oci_config
  : >"$T/empty"
  put OCI_CLI_SECURITY_TOKEN_FILE="$T/empty"
  fails "$T/empty: is no session's token"
  echo 'nonsense' >>"$T/home/.oci/config"
  put
  fails "$T/home/.oci/config"
  rm "$T/home/.oci/config"
  put
  fails 'no credentials: looked at OCI_CLI_USER'
}

# where NAME=VALUE... ARG...: the URL of a dry run, without an endpoint.
where() {
  local set=()
  while [[ ${1-} == [A-Z]*=* ]]; do set+=("$1"); shift; done
  run_ank -ANK_ENDPOINT "${set[@]}" ankput --dry-run "$@" "$(new_file 10)" \
    oci://anknamespace/bucket/k
  json result url
}

@test "the region comes from option, variables and profile, in that order" {
  cloud
  local host=https://objectstorage
  assert_eq "$(where)" "$host.eu-frankfurt-1.oraclecloud.com/n/anknamespace/b/bucket/o/k"
  assert_contains "$(where OCI_REGION=phx)" "$host.us-phoenix-1.oraclecloud.com/"
  assert_contains "$(where OCI_REGION=phx OCI_CLI_REGION=iad)" "$host.us-ashburn-1."
  assert_contains "$(where OCI_REGION=phx --region lhr)" "$host.uk-london-1."
  assert_contains "$(where OCI_DEFAULT_REALM=oracle9.com --region xx-new-1)" \
    "$host.xx-new-1.oracle9.com/"
  printf '[{"regionIdentifier": "xx-new-1", "regionKey": "new", "realmDomainComponent": "oracle8.com"}]' \
    >"$T/home/.oci/regions-config.json"
  assert_contains "$(where --region new)" "$host.xx-new-1.oracle8.com/"
  assert_contains "$(where OCI_CLI_ENDPOINT=http://127.0.0.1:1)" http://127.0.0.1:1/n/
  assert_contains "$(where --addressing virtual)" \
    https://anknamespace.objectstorage.eu-frankfurt-1.oci.customer-oci.com/n/
}
