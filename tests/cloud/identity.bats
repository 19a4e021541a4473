#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# The clouds' own libraries (npm google-auth-library, @azure/identity) ask the
# same places for tokens: they pass the same checks, and what ank sends has the
# same fields.

load ../lib/harness
load ../cli/policy
load ../cli/tokens

GIVEN=ya29.given-token-0123456789

setup_file() {
  # shellcheck source=tests/servers/npm.bash
  . "$BATS_TEST_DIRNAME/../servers/npm.bash"
  GOOGLE_AUTH=$(npm_packages google-auth google-auth-library@9.15.1) || true
  AZURE_IDENTITY=$(npm_packages azure-identity @azure/identity@4.13.0) || true
  export GOOGLE_AUTH AZURE_IDENTITY
}

# their KIND MODULES [FILE]: the token that they are given.
their() {
  [ -d "$2/node_modules" ] || skip "no library of $1"
  env -i PATH="$PATH" HOME="$T/home" "${SET[@]}" timeout 60 node \
    "$HARNESS_TOP/tests/cloud/identity.mjs" "$2" "$1" "$PLACES_URL" "${3-}"
}

ours() { # URL [NAME=VALUE...]
  local url=$1
  shift
  run_ank "${SET[@]}" "$@" ankput --no-token-cache "$(new_file 10)" "$url"
  ends 0 ok
}

# The servers' clock is the real one, as the libraries'.
google() { # PLACES
  start_cloud "{\"service\": \"gcs\", \"tokens\": {\"$GIVEN\": {}}}"
  FAKE_NOW=0 places "$1"
  SET=()
}

# alike FILTER: what both sent is the same by it.
alike() {
  well_asked
  jq -cS "$1" "$PLACES/tokens.ndjson" >"$T/asked"
  assert_eq "$(wc -l <"$T/asked")" 2
  assert_eq "$(sed -n 1p "$T/asked")" "$(sed -n 2p "$T/asked")"
}

FIELDS='[.method, .path, (.form | keys), (.query | keys)]'

@test "Google's service account: the same fields, the same claims" {
  google "{\"give\": {\"google\": {\"token\": \"$GIVEN\"}}, \"want\": {\"jwt\": {\"public_key\": \"$T/sa.pub\", \"email\": \"me@p.iam.gserviceaccount.com\"}}}"
  openssl genrsa -out "$T/sa.key" 2048 2>/dev/null
  openssl rsa -in "$T/sa.key" -pubout -out "$T/sa.pub" 2>/dev/null
  jq -n --rawfile key "$T/sa.key" --arg uri "$PLACES_URL/token" \
    '{type: "service_account", client_email: "me@p.iam.gserviceaccount.com",
      private_key: $key, private_key_id: "key-1", token_uri: $uri}' >"$T/sa.json"
  assert_eq "$(their google "$GOOGLE_AUTH" "$T/sa.json")" "$GIVEN"
  ours gs://bucket/k GOOGLE_APPLICATION_CREDENTIALS="$T/sa.json"
  alike "$FIELDS + [.form.grant_type, (.claims | keys), .claims.scope, .claims.exp - .claims.iat]"
}

@test "Google's login of a person: the same form" {
  google "{\"give\": {\"google\": {\"token\": \"$GIVEN\"}}, \"want\": {\"refresh\": {\"refresh_token\": \"1//r\", \"client_id\": \"id.apps\", \"client_secret\": \"cs\"}}}"
  jq -n --arg uri "$PLACES_URL/token" '{type: "authorized_user", client_id: "id.apps",
    client_secret: "cs", refresh_token: "1//r", token_uri: $uri}' >"$T/user.json"
  assert_eq "$(their google "$GOOGLE_AUTH" "$T/user.json")" "$GIVEN"
  ours gs://bucket/k GOOGLE_APPLICATION_CREDENTIALS="$T/user.json"
  alike "$FIELDS + [.form]"
}

@test "an identity from elsewhere: the same exchange" {
  printf subject-token >"$T/subject"
  google "{\"give\": {\"google-sts\": {\"token\": \"$GIVEN\"}}, \"want\": {\"google-sts\": {\"subject_token\": \"subject-token\"}}}"
  jq -n --arg url "$PLACES_URL/exchange" --arg file "$T/subject" \
    '{type: "external_account", audience: "//iam.googleapis.com/projects/1/p",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: $url, credential_source: {file: $file}}' >"$T/ext.json"
  assert_eq "$(their google "$GOOGLE_AUTH" "$T/ext.json")" "$GIVEN"
  ours gs://bucket/k GOOGLE_APPLICATION_CREDENTIALS="$T/ext.json"
  # the library asks for all of the cloud here, whatever scope it was given
  alike "$FIELDS + [.form | del(.scope)]"
}

@test "Azure's managed identity of a service: the same question" {
  start_cloud "{\"service\": \"azure\", \"tokens\": {\"$GIVEN\": {}}}"
  FAKE_NOW=0 places "{\"give\": {\"azure-app\": {\"token\": \"$GIVEN\", \"more\": {\"expires_on\": \"$((EPOCHSECONDS + 3600))\"}}}, \"want\": {\"identity_header\": \"the-header\"}}"
  SET=(IDENTITY_ENDPOINT="$PLACES_URL/msi/token" IDENTITY_HEADER=the-header)
  assert_eq "$(their azure "$AZURE_IDENTITY")" "$GIVEN"
  ours az://ankacct/bucket/k -AZURE_STORAGE_ACCOUNT -AZURE_STORAGE_KEY \
    AZURE_TOKEN_CREDENTIALS=
  alike '[.method, .path, .query["api-version"], (.query.resource | rtrimstr("/")), .headers["x-identity-header"]]'
}
