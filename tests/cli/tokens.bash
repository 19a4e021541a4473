# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What the tests of credentials that have to be asked for share, beside the
# harness and policy:
#   load tokens

TOKEN_SECRET=given/SECRET+key-0123456789
TOKEN_TOKEN=given/session+TOKEN==0123456789

# places JSON: the places that give credentials, set up so; PLACES_URL. The
# object store (rules) knows the keys AKIDGIVEN, AKIDGIVEN2 and TEST_KEY.
places() {
  PLACES=$T/places${#CLOUD_PIDS[@]}
  mkdir -p "$PLACES"
  : >"$PLACES/tokens.ndjson"
  set_places "$1"
  "$PYTHON" "$HARNESS_TOP/tests/cloud/tokens.py" --dir "$PLACES" \
    --fake-now "$FAKE_NOW" "${PLACES_OPTIONS[@]}" \
    2>"$PLACES/err" 3>&- &
  CLOUD_PIDS+=("$!")
  await_file "$PLACES/port" "$!" || { cat "$PLACES/err" >&2; return 1; }
  PLACES_URL=http://127.0.0.1:$(<"$PLACES/port")
}

# set_places JSON: what they do from now on.
set_places() {
  printf '%s\n' "$1" >"$PLACES/tokens.new"
  mv "$PLACES/tokens.new" "$PLACES/tokens.json"
}

# given [NUMBER [LASTS]]: keys as a place gives them.
given() {
  printf '{"id": "AKIDGIVEN%s", "secret": "%s", "token": "%s", "lasts": %s}' \
    "${1-}" "$TOKEN_SECRET${1-}" "$TOKEN_TOKEN${1-}" "${2:-3600}"
}

# store RULE...: an object store that takes what is given.
store() {
  SETTINGS="${STORE_SETTINGS:+$STORE_SETTINGS,} \"keys\": {\"$TEST_KEY\": {\"secret\": \"$TEST_SECRET\"},
    \"AKIDGIVEN\": {\"secret\": \"$TOKEN_SECRET\", \"token\": \"$TOKEN_TOKEN\"},
    \"AKIDGIVEN2\": {\"secret\": \"${TOKEN_SECRET}2\", \"token\": \"${TOKEN_TOKEN}2\"}}"
  rules "$@"
}

NOBODY=(-AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY)

# asked_of FIELD [PLACE]: that field of each request to the places, in order.
asked_of() {
  jq -rs --arg f "$1" --arg p "${2-}" 'map(select($p == "" or .place == $p)
    | .[$f] | if . == null then "-" else tostring end) | join(" ")' \
    "$PLACES/tokens.ndjson"
}

# well_asked: nothing was wrong with any of them.
well_asked() {
  assert_eq "$(jq -c 'select(.why != null) | {place, why}' "$PLACES/tokens.ndjson")" ''
}

# signed_by: the key of each request to the object store.
signed_by() {
  headers Authorization | grep -o 'Credential=[A-Z0-9a-z]*' | cut -d= -f2 |
    paste -sd' '
}

# no_secret FILE...: none of what must not be told is in these.
no_secret() {
  local secret
  for secret in "$TOKEN_SECRET" "$TOKEN_TOKEN" "$TEST_SECRET" \
      imds-SESSION-token "${SECRETS[@]}"; do
    ! grep -rlF -- "$secret" "$@" || { echo "told: $secret" >&2; return 1; }
  done
}
