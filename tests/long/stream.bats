#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# A stream of gigabytes.

load ../lib/harness
load ../cli/bytes
load ../cli/stream

bats_require_minimum_version 1.5.0

@test "half of the parts used up: one warning, and it goes on (case 29)" {
  local host=s3.fr-par.scw.cloud part=$((5 * MIB))
  CLOUD_SETTINGS="\"discard\": true, \"max_parts\": 1000, \"domains\": [\"$host\"]" FAKE=1 cloud
  ANK_TIMEOUT=600 run_ank ankput-fake --endpoint "http://$host:$CLOUD_PORT" \
    --resolve "bucket.$host:$CLOUD_PORT:127.0.0.1" --part-size 5M --buffer-limit 10M \
    - s3://bucket/k < <(head -c $((502 * part)) /dev/zero)
  assert_exit 0
  assert_json result bytes $((502 * part))
  assert_eq "$(jq -rs 'map(select(.event == "warning") | .why) | join(" ")' "$REPORT")" \
    half_of_the_parts
  assert_contains "$(cat "$ERR")" --expected-size
}
