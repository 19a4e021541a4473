#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cloud/sign_oci and the RSA keys it signs with: the published signatures.
# shellcheck disable=SC2016 # jq has variables, too

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

# In jq: a text as a field of a line.
word='def word: (. // "") | esc | gsub(" "; "\\s");'

# keys FILTER: rows out of the keys of the vectors, for "rsa-open"; in FILTER
# $k is a key, "pems" are its PEM texts.
keys() {
  jq -r 'def esc: gsub("\\\\"; "\\\\") | gsub("\n"; "\\n"); '"$word"'
    def pems: to_entries[] | select(.key | startswith("pem_")) | .value;
    .keys[] as $k | '"$1"' | @tsv' "$vectors"/oci_signature_*.json |
    sed 's/\\\\/\\/g'
}

# oci_cases FILE: all of its cases, signed with each form of the key.
oci_cases() {
  jq '.keys as $keys | .cases |= map(.key = $keys[.key])' \
    "$vectors/$1.json" >"$BATS_TEST_TMPDIR/$1.json"
  vectors=$BATS_TEST_TMPDIR cases "$1" "$word"'
    def seen: utf8bytes | map(
      if . == 10 then "\\n" elif . == 92 then "\\\\"
      elif . < 32 or . > 126 then "\\x" + hex else [.] | implode end) | join("");
    def sent: [.request.headers[], (.expect.added_headers[] |
      select(.[0] | IN("content-length", "x-content-sha256") | not)),
      (select(.date_header == "date") | ["date", .date])] |
      map("\(.[0]): \(.[1])") | join("\n");
    .expect as $e | ($e.signed_headers | join(" ")) as $lines |
    (.key | to_entries[] | select(.key | startswith("pem_"))) as $pem |
    ["method=\(.request.method) host=\(.request.host) lines=\($lines | word) " +
      "target=\(.request.request_target | sub("^[a-z]+ "; "") | word) " +
      "header=\(sent | word) id=\(.key_id | word) key=\($pem.value | word) " +
      "pass=\(.key.passphrase | word) " +
      "body=\(.request.body_b64 // "" | @base64d | word)",
     ($e.signing_string + "\n--\nSignature version=\"1\",keyId=\"\(.key_id)\"," +
      "algorithm=\"rsa-sha256\",headers=\"\($lines)\"," +
      "signature=\"\($e.signature)\"" | seen), "\(.name), \($pem.key)"]'
}

@test "a key is read in each form of PEM, and named by its fingerprint" {
  keys '$k | pems | [word + " " + ($k.passphrase // ""),
    $k.fingerprint_md5_of_public_der + " -----BEGIN PRIVATE KEY-----"]' \
    >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 6 ]
  rows rsa-open <"$BATS_TEST_TMPDIR/all"
}

@test "words around a key are passed over" {
  keys '$k | pems | ["my\\skey\\n" + word + "OCI_API_KEY\\n " +
    ($k.passphrase // ""),
    $k.fingerprint_md5_of_public_der + " -----BEGIN PRIVATE KEY-----"]' \
    >"$BATS_TEST_TMPDIR/all"
  rows rsa-open <"$BATS_TEST_TMPDIR/all"
}

# Were the pass phrase asked for at the terminal, these would hang on it.
@test "a key that is encrypted is not opened without its pass phrase" {
  keys '$k | pems | select(contains("ENCRYPTED")) |
    [word, "credentials: the private key is encrypted, and no pass phrase is given"],
    [word + " ", "credentials: the private key is encrypted, and no pass phrase is given"],
    [word + " no", "credentials: the private key does not open with the pass phrase given"]' \
    >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 6 ]
  rows rsa-open <"$BATS_TEST_TMPDIR/all"
}

@test "what is no RSA key is refused" {
  local pem
  pem=$(openssl ecparam -name prime256v1 -genkey -noout 2>/dev/null |
    sed ':a;N;$!ba;s/\n/\\n/g;s/ /\\s/g')
  rows rsa-open <<EOF
$pem\\n	credentials: the private key is not an RSA key
''	credentials: no private key in PEM form
hello	credentials: no private key in PEM form
-----BEGIN\\sPRIVATE\\sKEY-----\\nAAAA\\n-----END\\sPRIVATE\\sKEY-----\\n	credentials: no private key in PEM form
EOF
}

@test "the documented requests come out to the byte" {
  oci_cases oci_signature_docs >"$BATS_TEST_TMPDIR/all"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/all")" = 2 ]
  rows sign-oci <"$BATS_TEST_TMPDIR/all"
}

@test "the requests of Oracle's SDK come out to the byte" {
  oci_cases oci_signature_sdk >"$BATS_TEST_TMPDIR/all"
  [ "$(sed 's/.*\t//; s/,.*//' "$BATS_TEST_TMPDIR/all" | sort -u | wc -l)" = 36 ]
  rows sign-oci <"$BATS_TEST_TMPDIR/all"
}

@test "what cannot be signed is not" {
  table sign-oci
}

@test "a signature and a key are whole or not there when memory is out" {
  local line
  line="method=POST host=h target=/k header=content-type:a lines=date\\s(request-target)\\scontent-type\\scontent-length\\sx-content-sha256 id=a body=d key=$(
    keys '$k | .pem_pkcs8_encrypted // empty | [word]') pass=$(
    keys '$k | .passphrase // empty | [word]')"
  memory sign-oci <<<"$line"
  [ "$(answers sign-oci <<<"$line")" = "$(tail -n 1 "$BATS_TEST_TMPDIR/got")" ]
  head -n -1 "$BATS_TEST_TMPDIR/got" | sort -u >"$BATS_TEST_TMPDIR/failed"
  cat "$BATS_TEST_TMPDIR/failed"
  [ "$(cat "$BATS_TEST_TMPDIR/failed")" = 'internal: out of memory' ]
}
