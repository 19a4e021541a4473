# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: MIT
# Google's store for tests/cli: load ../lib/harness, then load gcs.

TOKEN=ya29.ank-test-token

# gcs_cloud [OPTION...] [SCENARIO]: as start_cloud, for Google's store.
gcs_cloud() {
  local options=() scenario='{}'
  while [ $# -gt 0 ]; do
    case $1 in
      --tls) options+=("$1" "$2" "$3"); shift 3 ;;
      --*) options+=("$1"); shift ;;
      *) scenario=$1; shift ;;
    esac
  done
  start_cloud "${options[@]}" "$(jq -c '. + {service: "gcs"}' <<<"$scenario")"
}

# by_token, by_key: who asks from now on.
by_token() { ANK_ENV=(CLOUDSDK_AUTH_ACCESS_TOKEN="$TOKEN"); }
by_key() { ANK_ENV=(GS_ACCESS_KEY_ID="$TEST_KEY" GS_SECRET_ACCESS_KEY="$TEST_SECRET"); }

# crc32c_of FILE: as x-goog-hash has it.
crc32c_of() {
  "$PYTHON" -c 'import sys
sys.path.insert(0, sys.argv[1])
import checksums
print(checksums.of_file("crc32c", sys.argv[2]))' "$HARNESS_TOP/tests/cloud" "$1"
}
