#!/bin/bash
# SPDX-License-Identifier: MIT
# What others made for OCI Object Storage, on the loopback: a server that checks
# signatures by npm's http-signature, and Oracle's client for JavaScript.
#
#   setup_file()    { . oci.bash; oci_start "$dir"; }
#   teardown_file() { . oci.bash; oci_stop "$dir"; }
#
# By hand, until Ctrl-C:   tests/servers/oci.bash [DIR]
#
# oci_start exports OCI_HTTP, the endpoint, OCI_NODE, the folder with
# node_modules, and OCI_HOME, a home with .oci/config; the private key is one of
# tests/vectors, and of no worth. The server ends with the shell that called
# oci_start, so do not call it in a subshell.

oci_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/servers/npm.bash
. "$oci_here/npm.bash"

# oci_available: can oci_start work here? Installs what is missing.
oci_available() {
  OCI_NODE=$(npm_packages oci oci-objectstorage@2.142.1 oci-common@2.142.1 \
    http-signature@1.3.1) || return 1
  export OCI_NODE
}

# oci_home DIR: the key, and the file that names it.
oci_home() {
  local vectors=$oci_here/../vectors/oci_signature_sdk.json
  mkdir -p "$1/.oci"
  jq -r '.keys["fake-2048-a"].pem_pkcs8' "$vectors" >"$1/.oci/key.pem"
  openssl rsa -in "$1/.oci/key.pem" -pubout -out "$1/.oci/public.pem" 2>/dev/null
  cat >"$1/.oci/config" <<EOF
[DEFAULT]
tenancy=ocid1.tenancy.oc1..ank
user=ocid1.user.oc1..ank
fingerprint=$(jq -r '.keys["fake-2048-a"].fingerprint_md5_of_public_der' "$vectors")
key_file=$1/.oci/key.pem
region=eu-frankfurt-1
EOF
}

oci_key_id() {
  sed -n 's/^\(tenancy\|user\|fingerprint\)=//p' "$OCI_HOME/.oci/config" |
    paste -sd/
}

# oci_start DIR
oci_start() {
  oci_available || return 1
  mkdir -p "$1"
  export OCI_HOME=$1/home
  oci_home "$OCI_HOME"
  setpriv --pdeathsig KILL node "$oci_here/oci-verify.mjs" "$OCI_NODE" \
    "$OCI_HOME/.oci/public.pem" "$(oci_key_id)" \
    </dev/null >"$1/port" 2>"$1/log" 3>&- &
  echo $! >"$1/pid"
  disown $!
  for _ in {1..600}; do
    [ ! -s "$1/port" ] || break
    sleep 0.05
  done
  [ -s "$1/port" ] || { cat "$1/log" >&2; return 1; }
  OCI_HTTP=http://127.0.0.1:$(<"$1/port")
  export OCI_HTTP
}

# oci_stop DIR
oci_stop() {
  [ ! -s "$1/pid" ] || kill "$(<"$1/pid")" 2>/dev/null || true
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  oci_by_hand=${1:-$(mktemp -d)}
  oci_start "$oci_by_hand" || exit 1
  trap 'oci_stop "$oci_by_hand"' EXIT
  echo "endpoint $OCI_HTTP, HOME=$OCI_HOME, oci://anknamespace/BUCKET/KEY"
  tail -f "$oci_by_hand/log"
fi
