# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# A private certificate authority and the certificates that TLS tests need:
#
#   tls_make DIR
#
# leaves in DIR (NAME.pem is a certificate, NAME.key its private key):
#
#   ca           the authority; its certificate is what --cacert takes
#   good         127.0.0.1, ::1, localhost, s3.localhost, *.s3.localhost
#   expired      the same names, but its time is over
#   wronghost    only for the name other.invalid
#   selfsigned   the right names, signed by nobody
#   client       for --cert and --key, signed by the authority
#
# good-pair.pem and the like hold key and certificate in one file, for the
# servers that want it so. Nothing here is secret: all of it lives as long as
# the folder does.

tls_names='IP:127.0.0.1,IP:::1,DNS:localhost,DNS:s3.localhost,DNS:*.s3.localhost'

# tls_config DIR: what "openssl ca" wants to know, and no more. It signs, as
# "openssl x509" cannot choose a past validity before OpenSSL 3.4.
tls_config() {
  cat >"$1/ca.conf" <<EOF
[ca]
default_ca = ank
[ank]
new_certs_dir = $1/issued
database = $1/index.txt
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
EOF
}

# tls_key_and_request DIR NAME SUBJECTALTNAME USAGE
tls_key_and_request() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$1/$2.key" -out "$1/$2.csr" -subj "/CN=ank test $2" \
    -addext "subjectAltName=$3" -addext "extendedKeyUsage=$4"
}

# tls_authority DIR
tls_authority() {
  mkdir -p "$1/issued"
  : >"$1/index.txt"
  tls_config "$1"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$1/ca.key" -out "$1/ca.pem" -days 30 -subj '/CN=ank test ca' \
    -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,keyCertSign,cRLSign
}

# tls_sign DIR NAME FROM TO: FROM and TO as seconds since 1970.
tls_sign() {
  openssl ca -batch -notext -config "$1/ca.conf" \
    -cert "$1/ca.pem" -keyfile "$1/ca.key" -in "$1/$2.csr" -out "$1/$2.pem" \
    -startdate "$(date -u -d "@$3" +%Y%m%d%H%M%SZ)" \
    -enddate "$(date -u -d "@$4" +%Y%m%d%H%M%SZ)"
}

# tls_issue DIR NAME SUBJECTALTNAME USAGE FROM TO
tls_issue() {
  tls_key_and_request "$1" "$2" "$3" "$4" && tls_sign "$1" "$2" "$5" "$6"
}

# tls_self_signed DIR NAME
tls_self_signed() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -keyout "$1/$2.key" -out "$1/$2.pem" -days 30 -subj "/CN=ank test $2" \
    -addext "subjectAltName=$tls_names"
}

# tls_all DIR: the steps of tls_make; the first that fails stops it.
tls_all() {
  local day=86400 now
  now=$(date +%s)
  tls_authority "$1" &&
    tls_issue "$1" good "$tls_names" serverAuth \
      $((now - day)) $((now + 30 * day)) &&
    tls_issue "$1" expired "$tls_names" serverAuth \
      $((now - 3 * day)) $((now - 2 * day)) &&
    tls_issue "$1" wronghost DNS:other.invalid serverAuth \
      $((now - day)) $((now + 30 * day)) &&
    tls_issue "$1" client DNS:client.invalid clientAuth \
      $((now - day)) $((now + 30 * day)) &&
    tls_self_signed "$1" selfsigned
}

# tls_make DIR: openssl talks a lot; it is heard only when something failed.
tls_make() {
  local name
  mkdir -p "$1" || return 1
  # The folder is written into ca.conf, so it has to be a whole path.
  set -- "$(cd "$1" && pwd)"
  tls_all "$1" >"$1/openssl.log" 2>&1 || { cat "$1/openssl.log" >&2; return 1; }
  for name in good expired wronghost client selfsigned; do
    cat "$1/$name.key" "$1/$name.pem" >"$1/$name-pair.pem"
  done
}
