# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: MIT
# What the tests of pages with examples share, beside the harness.

# works COMMAND: a shell runs it to its end, as a reader of the page would.
works() {
  (cd "$T" && env -i PATH="$ANK_BUILD:$PATH" HOME="$T/home" \
    ANK_ENDPOINT="$CLOUD_URL" AWS_ACCESS_KEY_ID="$TEST_KEY" \
    AWS_SECRET_ACCESS_KEY="$TEST_SECRET" AWS_REGION=us-east-1 \
    bash -o pipefail -c "$1" >"$T/example.out" 2>"$T/example.err") || {
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
