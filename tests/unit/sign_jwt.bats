#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/sign_jwt: the tokens that Google's own library signs.
# shellcheck disable=SC2016 # jq has variables, too

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

# jwt_lines PEM: a line a case: head, payload, key.
jwt_lines() {
  jq -r --rawfile pem "$1" '
    def word: gsub("\\\\"; "\\\\") | gsub("\n"; "\\n") | gsub(" "; "\\s");
    .cases[].expect | [.header_json, .payload_json, $pem] | map(word) | join(" ")' \
    "$vectors/gcs_service_account_jwt.json"
}

@test "each token of the vectors, byte for byte" {
  jq -r .service_account.private_key "$vectors/gcs_v4_signed_urls.json" \
    >"$BATS_TEST_TMPDIR/key"
  jwt_lines "$BATS_TEST_TMPDIR/key" | answers sign-jwt >"$BATS_TEST_TMPDIR/got"
  jq -r '.cases[].expect | .signing_input + "." + .signature_b64url' \
    "$vectors/gcs_service_account_jwt.json" >"$BATS_TEST_TMPDIR/want"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/want")" = 7 ]
  diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test "what is no key signs nothing" {
  [ "$(answers sign-jwt <<<'{} {} nonsense')" = \
    'credentials: no private key in PEM form' ]
}
