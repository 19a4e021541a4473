#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2030,SC2031,SC2034,SC2153
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Google's application default credentials: each kind of file, and the
# metadata service.

load ../lib/harness
load policy
load tokens

GIVEN=ya29.given-token-0123456789

google() { # PLACES RULE...: a store that takes the given tokens
  local places=$1 rules
  shift
  rules=$(IFS=,; echo "$*")
  start_cloud --fake "{\"service\": \"gcs\", \"tokens\": {\"$GIVEN\": {}, \"${GIVEN}2\": {}}, \"rules\": [$rules]}"
  places "$places"
  new_file 1000 "$T/source" >/dev/null
}

upload() { run_ank "$@" "$T/source" gs://bucket/k; }

ADC() { # JSON: gcloud's own file
  mkdir -p "$T/home/.config/gcloud"
  cat >"$T/home/.config/gcloud/application_default_credentials.json"
}

service_account() { # [EMAIL]: its file on standard output
  openssl genrsa -out "$T/sa.key" 2048 2>/dev/null
  openssl rsa -in "$T/sa.key" -pubout -out "$T/sa.pub" 2>/dev/null
  jq -n --rawfile key "$T/sa.key" --arg uri "$PLACES_URL/token" \
    '{type: "service_account", client_email: "me@p.iam.gserviceaccount.com",
      private_key: $key, private_key_id: "key-1", token_uri: $uri}'
}

token() { printf '{"token": "%s", "lasts": %s}' "$GIVEN${1-}" "${2-3600}"; }

@test "a service account: an assertion that openssl verifies" {
  google "{\"give\": {\"google\": $(token)}, \"want\": {\"jwt\": {\"public_key\": \"$T/sa.pub\", \"email\": \"me@p.iam.gserviceaccount.com\"}}}"
  service_account >"$T/sa.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/sa.json" ankput-fake
  ends 0 ok
  well_asked
  assert_eq "$(asked_of claims)" "{\"iss\":\"me@p.iam.gserviceaccount.com\",\"scope\":\"https://www.googleapis.com/auth/devstorage.read_write\",\"aud\":\"$PLACES_URL/token\",\"exp\":1700003600,\"iat\":1700000000}"
  assert_eq "$(asked_of jwt_head)" '{"alg":"RS256","typ":"JWT","kid":"key-1"}'
  assert_eq "$(request_header 1 authorization)" "Bearer $GIVEN"
  assert_eq "$(told op)" 'token put'
  assert_json attempt provider gcs
  # kept for the next run, whatever it is
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/sa.json" ankput-fake
  ends 0 ok
  assert_eq "$(asked_of place)" google
  SECRETS=("$GIVEN")
  no_secret "$OUT" "$ERR"
}

@test "our clock is an hour off: the assertion is made anew by the server's" {
  google "{\"date_offset\": -7200, \"give\": {\"google\": $(token)}, \"want\": {\"jwt\": {\"public_key\": \"$T/sa.pub\", \"email\": \"me@p.iam.gserviceaccount.com\"}}}"
  service_account >"$T/sa.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/sa.json" ankput-fake
  ends 0 ok
  assert_eq "$(op_told token verdict)" 'reclock ok'
}

@test "a person's login in gcloud's file, with the project that pays; a login that has ended" {
  google "{\"give\": {\"google\": $(token)}, \"want\": {\"refresh\": {\"refresh_token\": \"1//refresh-token-secret\", \"client_id\": \"id.apps\", \"client_secret\": \"client-secret-value\"}}}"
  ADC <<END
{"type": "authorized_user", "client_id": "id.apps", "client_secret": "client-secret-value",
 "refresh_token": "1//refresh-token-secret", "token_uri": "$PLACES_URL/token", "quota_project_id": "payer"}
END
  upload ankput-fake
  ends 0 ok
  well_asked
  assert_eq "$(request_header 1 x-goog-user-project)" payer
  upload GOOGLE_CLOUD_QUOTA_PROJECT=other ankput-fake
  assert_eq "$(request_header 2 x-goog-user-project)" other
  upload GOOGLE_CLOUD_QUOTA_PROJECT=other ankput-fake -H 'x-goog-user-project: named'
  assert_eq "$(request_header 3 x-goog-user-project)" named
  set_places '{"want": {"refresh": {"refresh_token": "x"}}}'
  upload ankput-fake --no-token-cache
  ends 4 credentials
  assert_contains "$(json result message)" 'invalid_grant: Token has been expired or revoked.'
  SECRETS=(1//refresh-token-secret client-secret-value)
  no_secret "$OUT" "$ERR"
}

external() { # SOURCE [MORE]
  cat <<END
{"type": "external_account", "audience": "//iam/pool", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
 "token_url": "$PLACES_URL/exchange", "credential_source": $1 ${2-}}
END
}

EXCHANGE='"google-sts": {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": "//iam/pool", "subject_token": "subject.jwt.value"}'

@test "an identity from elsewhere: its token from a file or a URL, in JSON or not" {
  google "{\"give\": {\"google-sts\": $(token), \"subject\": \"{\\\"id_token\\\": \\\"subject.jwt.value\\\"}\"}, \"want\": {$EXCHANGE, \"subject_header\": \"yes\"}}"
  echo subject.jwt.value >"$T/subject"
  external "{\"file\": \"$T/subject\"}" >"$T/x.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake --no-token-cache
  ends 0 ok
  echo '{"a": "subject.jwt.value"}' >"$T/subject"
  external "{\"file\": \"$T/subject\", \"format\": {\"type\": \"json\", \"subject_token_field_name\": \"a\"}}" >"$T/x.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake --no-token-cache
  ends 0 ok
  external "{\"url\": \"$PLACES_URL/subject?x=1\", \"headers\": {\"X-Subject\": \"yes\", \"X-Any\": \"1\"}, \"format\": {\"type\": \"json\", \"subject_token_field_name\": \"id_token\"}}" >"$T/x.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake --no-token-cache
  ends 0 ok
  well_asked
  assert_eq "$(asked_of place)" 'google-sts google-sts subject google-sts'
  assert_eq "$(jq -r 'select(.place == "subject") | .headers["x-any"]' "$PLACES/tokens.ndjson")" 1
  assert_eq "$(requests)" 3
}

@test "on behalf of a service account, from elsewhere or by a person's login" {
  google "{\"give\": {\"google-sts\": {\"token\": \"federated-token\"}, \"google\": {\"token\": \"federated-token\"}, \"impersonate\": $(token)},
    \"want\": {$EXCHANGE, \"impersonate\": \"federated-token\", \"refresh\": {\"refresh_token\": \"rt\"}}}"
  echo subject.jwt.value >"$T/subject"
  external "{\"file\": \"$T/subject\"}" ", \"service_account_impersonation_url\": \"$PLACES_URL/v1/sa:generateAccessToken\"" >"$T/x.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake
  ends 0 ok
  cat >"$T/x.json" <<END
{"type": "impersonated_service_account", "service_account_impersonation_url": "$PLACES_URL/v1/sa:generateAccessToken",
 "source_credentials": {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "rt", "token_uri": "$PLACES_URL/token"}}
END
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake
  ends 0 ok
  well_asked
  assert_eq "$(asked_of place)" 'google-sts impersonate google impersonate'
  # an identity from elsewhere, by way of others, for a time that is said
  set_places "{\"give\": {\"google-sts\": {\"token\": \"federated-token\"}, \"impersonate\": $(token)},
    \"want\": {$EXCHANGE, \"impersonate\": \"federated-token\", \"lifetime\": \"1200s\"}}"
  cat >"$T/x.json" <<END
{"type": "impersonated_service_account", "service_account_impersonation_url": "$PLACES_URL/v1/sa:generateAccessToken",
 "delegates": ["projects/-/serviceAccounts/a", "b"], "service_account_impersonation": {"token_lifetime_seconds": 1200},
 "source_credentials": $(external "{\"file\": \"$T/subject\"}" ', "workforce_pool_user_project": "p\"1"')}
END
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake
  ends 0 ok
  well_asked
  assert_eq "$(jq -sc 'last.body_json' "$PLACES/tokens.ndjson")" '{"scope":["https://www.googleapis.com/auth/devstorage.read_write"],"delegates":["projects/-/serviceAccounts/a","b"],"lifetime":"1200s"}'
  assert_eq "$(jq -sr '.[-2].form.options' "$PLACES/tokens.ndjson")" '{"userProject":"p\"1"}'
}

@test "a key file that is named goes before a forgotten ~/.boto" {
  google "{\"give\": {\"google\": $(token)}, \"want\": {\"refresh\": {\"refresh_token\": \"rt\"}}}"
  printf '[Credentials]\ngs_access_key_id = GOOGX\ngs_secret_access_key = s\n' >"$T/home/.boto"
  printf '{"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "rt", "token_uri": "%s/token"}' \
    "$PLACES_URL" >"$T/x.json"
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/x.json" ankput-fake
  ends 0 ok
  assert_eq "$(asked_of place)" google
}

@test "the metadata service: its flavour is checked, what it gives is not kept" {
  google "{\"give\": {\"gce\": $(token)}}"
  G=(METADATA_SERVER_DETECTION= GCE_METADATA_HOST="${PLACES_URL#http://}")
  upload "${G[@]}" ankput-fake
  ends 0 ok
  upload "${G[@]}" ankput-fake
  ends 0 ok
  well_asked
  assert_eq "$(asked_of place)" 'gce gce'
  set_places "{\"give\": {\"gce\": $(token)}, \"rules\": [{\"place\": \"gce\", \"headers\": {\"Metadata-Flavor\": \"Other\"}}]}"
  upload "${G[@]}" ankput-fake
  ends 4 credentials
  assert_contains "$(json result message)" "the metadata service: it answered without 'Metadata-Flavor: Google'"
  assert_eq "$(asked_of place)" 'gce gce gce'
  assert_eq "$(requests)" 2
  upload METADATA_SERVER_DETECTION= GCE_METADATA_HOST=example.com ankput-fake
  ends 4 credentials
  assert_contains "$(json result message)" 'not for example.com'
}

@test "a 401 in the middle: another token, once" {
  google "{\"give\": {\"gce\": [$(token), $(token 2)]}}" '{"op": "put", "nth": 1, "status": 401}'
  upload METADATA_SERVER_DETECTION= GCE_METADATA_HOST="${PLACES_URL#http://}" ankput-fake
  ends 0 ok
  assert_eq "$(asked_of place)" 'gce gce'
  assert_json result retries 0
}

@test "an HMAC key that is said to be nothing is none" {
  google '{}'
  printf '[Credentials]\ngs_access_key_id =\ngs_secret_access_key =\n' >"$T/home/.boto"
  ANK_TIMEOUT=10 upload ankput-fake
  ends 4 credentials
  assert_eq "$(requests)" 0
  # nor does a token that is not there hide one that is
  upload CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="$T/none" GS_ACCESS_KEY_ID=GOOGX GS_SECRET_ACCESS_KEY=s \
    ankput-fake --dry-run --explain
  ends 0 ok
  assert_contains "$(<"$ERR")" 'identity: GOOGX, from the environment'
}

@test "a file that is damaged or unknown is told by its name; none at all, the places" {
  google '{}'
  bad_file() { # TEXT JSON
    printf '%s' "$2" >"$T/bad.json"
    upload GOOGLE_APPLICATION_CREDENTIALS="$T/bad.json" ankput-fake
    ends 4 credentials
    assert_contains "$(json result message)" "$T/bad.json"
    assert_contains "$(json result message)" "$1"
  }
  bad_file 'is no JSON object' nonsense
  bad_file 'lacks type' '{}'
  bad_file "credentials of type 'x'" '{"type": "x"}'
  bad_file 'lacks client_email' '{"type": "service_account"}'
  bad_file 'no private key in PEM form' '{"type": "service_account", "client_email": "a", "private_key": "b"}'
  bad_file 'lacks refresh_token' '{"type": "authorized_user"}'
  bad_file 'no other kind is known' '{"type": "external_account", "credential_source": {"executable": {}}}'
  bad_file "a credential_source of 'aws1' is not known" "{\"type\": \"external_account\", \"credential_source\": {\"environment_id\": \"aws1\", \"url\": \"$PLACES_URL/subject\"}}"
  bad_file 'is of the universe example.com' '{"type": "authorized_user", "universe_domain": "example.com"}'
  upload GOOGLE_APPLICATION_CREDENTIALS="$T/nosuch" ankput-fake
  ends 4 credentials
  assert_contains "$(json result message)" "$T/nosuch"
  upload ankput-fake
  ends 4 credentials
  assert_contains "$(json result message)" 'looked at CLOUDSDK_AUTH_ACCESS_TOKEN'
  assert_contains "$(json result message)" 'GOOGLE_APPLICATION_CREDENTIALS'
  assert_eq "$(asked_of place)" ''
}
