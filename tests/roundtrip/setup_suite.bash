# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Once for all round trips: one radosgw with one bucket, and the files to send.

# shellcheck source=tests/servers/radosgw.bash
. "$BATS_TEST_DIRNAME/../servers/radosgw.bash"

# round_files: sizes around nothing, one, and more than a peer sends at once.
round_files() {
  local size
  export ROUND_FILES=$BATS_SUITE_TMPDIR/files
  mkdir "$ROUND_FILES"
  for size in 0 1 1000 1048576 20971521; do
    head -c "$size" /dev/urandom >"$ROUND_FILES/$size"
  done
}

# round_bucket: curl makes the bucket, as it is there in any case.
round_bucket() {
  curl -q -sS -f --noproxy '*' -X PUT "$RADOSGW_HTTP/round" \
    --user "$RADOSGW_ACCESS:$RADOSGW_SECRET" \
    --aws-sigv4 "aws:amz:$RADOSGW_REGION:s3" -H \
    'x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
}

setup_suite() {
  radosgw_available || {
    export ROUND_SKIP='radosgw is not installed'
    return 0
  }
  round_files && radosgw_start "$BATS_SUITE_TMPDIR" && round_bucket
}

teardown_suite() {
  radosgw_stop "$BATS_SUITE_TMPDIR"
}
