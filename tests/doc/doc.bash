# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# What the tests of pages with examples share, beside the harness.

load ../cli/gcs
load ../cloud/oci

# another SERVICE: a cloud of that kind with backup.tar, the first time;
# sets "at", its endpoint.
another() {
  local CLOUD_DIR CLOUD_PID CLOUD_PORT CLOUD_PORT2 CLOUD_URL CLOUD_ENDPOINT \
    CLOUD_TLS_PORT CLOUD_TLS_URL
  [ -e "$T/at.$1" ] || {
    start_cloud "{\"service\": \"$1\"}"
    seed_object bucket backup.tar "$T/backup.tar"
    printf '%s' "$CLOUD_ENDPOINT" >"$T/at.$1"
  }
  at=$(cat "$T/at.$1")
}

# for_cloud COMMAND: sets "command" and "set", the environment in which its URL is one of
# the fake cloud's.
for_cloud() {
  local at
  command=${1//az:\/\/account\/container/az://$AZURE_ACCOUNT/bucket}
  command=${command//oci:\/\/namespace\//oci://$OCI_NAMESPACE/}
  set=(ANK_ENDPOINT="$CLOUD_URL" AWS_ACCESS_KEY_ID="$TEST_KEY"
    AWS_SECRET_ACCESS_KEY="$TEST_SECRET" AWS_REGION=us-east-1)
  case $1 in
    *gs://*)
      another gcs
      set=(ANK_ENDPOINT="$at" GOOGLE_OAUTH_ACCESS_TOKEN="$TOKEN")
      ;;
    *az://*)
      another azure
      set=(ANK_ENDPOINT="$at" AZURE_STORAGE_KEY="$AZURE_KEY")
      ;;
    *oci://*)
      another oci
      oci_key
      set=(ANK_ENDPOINT="$at" OCI_CLI_TENANCY=ocid1.tenancy.oc1..ank
        OCI_CLI_USER=ocid1.user.oc1..ank OCI_CLI_KEY_FILE="$T/oci.pem"
        OCI_CLI_FINGERPRINT="$(oci_fingerprint)" OCI_CLI_REGION=eu-frankfurt-1)
      ;;
  esac
}

# works COMMAND: a shell runs it to its end, as a reader of the page would.
works() {
  local command set
  for_cloud "$1"
  (cd "$T" && env -i PATH="$ANK_BUILD:$PATH" HOME="$T/home" "${set[@]}" \
    bash -o pipefail -c "$command" >"$T/example.out" 2>"$T/example.err") || {
    echo "this example failed: $1"
    cat "$T/example.out" "$T/example.err"
    return 1
  }
}

# with_backup: a cloud that has s3://bucket/backup.tar, and the file here.
with_backup() {
  start_cloud
  mkdir -p "$T/home" "$T/x"
  echo contents >"$T/x/file"
  tar -C "$T" -cf "$T/backup.tar" x
  seed_object bucket backup.tar "$T/backup.tar"
}
