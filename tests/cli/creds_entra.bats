#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Bearer tokens of Microsoft Entra for Azure: a client's secret, a workload's
# identity, managed identities.

load ../lib/harness
load policy
load tokens

GIVEN=eyJ.given-token-0123456789

azure() { # PLACES RULE...: a store that takes the given tokens
  local places=$1 rules
  shift
  rules=$(IFS=,; echo "$*")
  start_cloud --fake "{\"service\": \"azure\", \"tokens\": {\"$GIVEN\": {}, \"${GIVEN}2\": {}}, \"rules\": [$rules]}"
  places "$places"
  new_file 1000 "$T/source" >/dev/null
}

upload() { # NAME=VALUE...
  run_ank -AZURE_STORAGE_ACCOUNT -AZURE_STORAGE_KEY AZURE_TOKEN_CREDENTIALS= \
    AZURE_POD_IDENTITY_AUTHORITY_HOST="$PLACES_URL" "$@" ankput-fake \
    "$T/source" az://ankacct/bucket/k
}

token() { printf '{"token": "%s", "lasts": %s}' "$GIVEN${1-}" "${2-3600}"; }

CLIENT=(AZURE_TENANT_ID=my-tenant.example AZURE_CLIENT_ID=my-client)

@test "a client's secret: one form to its tenant, kept for later runs" {
  azure "{\"give\": {\"entra\": $(token)}, \"want\": {\"entra\": {\"grant_type\": \"client_credentials\", \"client_id\": \"my-client\", \"client_secret\": \"client/secret+value\", \"scope\": \"https://storage.azure.com/.default\"}}}"
  upload "${CLIENT[@]}" AZURE_CLIENT_SECRET=client/secret+value AZURE_AUTHORITY_HOST="$PLACES_URL/"
  ends 0 ok
  well_asked
  assert_eq "$(asked_of path)" /my-tenant.example/oauth2/v2.0/token
  assert_eq "$(request_header 1 authorization)" "Bearer $GIVEN"
  upload "${CLIENT[@]}" AZURE_CLIENT_SECRET=client/secret+value AZURE_AUTHORITY_HOST="$PLACES_URL"
  ends 0 ok
  assert_eq "$(asked_of place)" entra
  SECRETS=("$GIVEN" client/secret+value)
  no_secret "$OUT" "$ERR"
  # a replaced secret never meets the old token
  upload "${CLIENT[@]}" AZURE_CLIENT_SECRET=another-secret AZURE_AUTHORITY_HOST="$PLACES_URL" ANK_RETRIES=0 AZURE_TOKEN_CREDENTIALS=EnvironmentCredential
  ends 4 credentials
  assert_contains "$(json result message)" invalid_client
}

@test "an authority is a host of https, if it says nothing else" {
  azure '{}'
  upload "${CLIENT[@]}" AZURE_CLIENT_SECRET=s AZURE_AUTHORITY_HOST=localhost:1 ANK_RETRIES=0 AZURE_TOKEN_CREDENTIALS=EnvironmentCredential
  assert_eq "$(op_told token url)" https://localhost:1/my-tenant.example/oauth2/v2.0/token
}

@test "a workload's identity: its token is read anew" {
  azure "{\"give\": {\"entra\": $(token)}, \"want\": {\"entra\": {\"client_assertion_type\": \"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\", \"client_assertion\": \"federated.jwt\"}}}"
  echo federated.jwt >"$T/federated"
  upload "${CLIENT[@]}" AZURE_FEDERATED_TOKEN_FILE="$T/federated" AZURE_AUTHORITY_HOST="$PLACES_URL"
  ends 0 ok
  well_asked
}

@test "a machine's identity: 410 and 404 for a while; App Service by its header" {
  azure "{\"give\": {\"azure-imds\": $(token), \"azure-app\": $(token)}, \"want\": {\"identity_header\": \"app-header-value\"}, \"rules\": [
    {\"place\": \"azure-imds\", \"nth\": 1, \"status\": 410}, {\"place\": \"azure-imds\", \"nth\": 2, \"status\": 404}]}"
  upload
  ends 0 ok
  assert_eq "$(op_told token status)" '410 404 200'
  upload IDENTITY_ENDPOINT="$PLACES_URL/msi/token" IDENTITY_HEADER=app-header-value
  ends 0 ok
  well_asked
  set_places "{\"give\": {\"azure-imds\": $(token)}, \"want\": {\"client_id\": \"mine\"}}"
  upload AZURE_CLIENT_ID=mine
  ends 0 ok
  upload IDENTITY_ENDPOINT=http://example.com/x IDENTITY_HEADER=h
  ends 4 credentials
  assert_contains "$(json result message)" 'not for example.com'
}

@test "a token that is refused in the middle is replaced; the same again ends it" {
  azure "{\"give\": {\"azure-imds\": [$(token), $(token 2)]}}" '{"op": "put", "nth": 1, "status": 401}'
  upload
  ends 0 ok
  assert_eq "$(asked_of place)" 'azure-imds azure-imds'
  azure "{\"give\": {\"azure-imds\": $(token)}}" '{"op": "put", "status": 401}'
  upload
  ends 5 denied
  assert_eq "$(requests)" 1
}

@test "a secret without its tenant is told, and does not hide what works" {
  azure "{\"give\": {\"azure-imds\": $(token)}}"
  upload AZURE_TOKEN_CREDENTIALS=AzureCliCredential
  assert_exit 4
  assert_contains "$(<"$ERR")" "AZURE_TOKEN_CREDENTIALS: 'AzureCliCredential' is not one of prod"
  upload AZURE_CLIENT_SECRET=s AZURE_TOKEN_CREDENTIALS=EnvironmentCredential
  ends 4 credentials
  assert_contains "$(json result message)" 'AZURE_TENANT_ID is not set'
  upload AZURE_TENANT_ID=../x AZURE_CLIENT_ID=c AZURE_CLIENT_SECRET=s AZURE_TOKEN_CREDENTIALS=EnvironmentCredential
  ends 4 credentials
  assert_contains "$(json result message)" 'is no tenant'
  upload AZURE_CLIENT_SECRET=s
  ends 0 ok
}
