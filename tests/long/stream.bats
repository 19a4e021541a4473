#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# A stream that is larger than any memory, to a store that keeps nothing.
# Takes minutes.
#   GIB=2 bats tests/long/stream.bats

load ../lib/harness
load ../cli/bytes
load ../cli/stream

bats_require_minimum_version 1.5.0

GIB=${GIB:-20}

# grown TOTAL: the sizes of the parts, "COUNT SIZE" a line, as cli says: 500 of
# 8 MiB, 500 of the double, and so on, and the rest.
grown() {
  "$PYTHON" -c 'import sys
left, size, parts = int(sys.argv[1]), 8 << 20, []
while left:
    for _ in range(500):
        parts.append(min(size, left))
        left -= parts[-1]
        if not left:
            break
    size *= 2
for part in sorted(set(parts)):
    print(parts.count(part), part)' "$1"
}

@test "20 GiB of a stream: growing parts, bounded memory, told right" {
  local total=$((GIB << 30))
  start_cloud '{"discard": true}'
  truncate -s "$total" sparse
  ank_prepare ankput - s3://bucket/k
  # shellcheck disable=SC2002 # a file as standard input is another matter
  cat sparse | /usr/bin/time -o "$T/cost" -f '%e %U %S %M' "${ANK_COMMAND[@]}" \
    >"$OUT" 2>"$ERR"
  echo "wall, user, system (s), peak (KiB): $(cat cost)" >&3
  status=0
  check_report
  assert_json result bytes "$total"
  assert_json result outcome ok
  assert_json result retries 0
  assert_eq "$(jq -s 'map(select(.event == "attempt" and .op == "part") | .bytes_sent) | add' \
    "$REPORT")" "$total"
  diff <(grown "$total") <(jq -rs 'map(select(.op == "part") | .body_len) | group_by(.)[]
    | "\(length) \(.[0])"' "$CLOUD_DIR/log.ndjson")
  assert_eq "$(stat -c %s "$(stored_object bucket k)")" "$total"
  assert_eq "$(uploads)" ''
  # The parts in memory are five of 8 MiB at first, and five of the doubled
  # ones later, within --buffer-limit.
  grep -q __asan_init "$ANK_BUILD/ankput" ||
    assert_between "$(cut -d' ' -f4 cost)" 1 $(((256 + 20) * 1024))
}

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
