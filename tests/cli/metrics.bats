#!/usr/bin/env bats
# shellcheck shell=bash disable=SC2016,SC2154,SC2030,SC2031,SC2034
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# ankbreaker metrics, read by Prometheus's own client library.

load ../lib/harness
load breaker

# metrics: runs it; what the library reads, one sample a line, to $T/read.
metrics() {
  run_ank ankbreaker-fake metrics
  assert_exit 0
  /usr/bin/python3 - "$OUT" >"$T/read" <<'PY'
import json, sys
from prometheus_client.parser import text_fd_to_metric_families
seen = set()
for family in text_fd_to_metric_families(open(sys.argv[1])):
    assert family.documentation, family.name
    assert family.type in ('counter', 'gauge'), family.name
    for s in family.samples:
        assert (family.type == 'counter') == s.name.endswith('_total'), s.name
        key = (s.name, tuple(sorted(s.labels.items())))
        assert key not in seen, key
        seen.add(key)
        print(s.name, s.labels.get('reason', '-'), repr(s.value),
              json.dumps(s.labels['scope']))
PY
}

# value NAME [REASON]
value() { awk -v n="$1" -v r="${2:--}" '$1 == n && $2 == r { print $3 }' "$T/read"; }

setup_file() {
  /usr/bin/python3 -c 'import prometheus_client.parser' ||
    { echo 'python3-prometheus-client is missing' >&2; return 1; }
}

@test "every number of a scope is a sample by the conventions" {
  answers 503
  FAKE_DICE=min put s503 --retries 4 --retry-budget 10
  put k --retry-budget 10
  assert_exit 12
  metrics
  assert_eq "$(value ank_breaker_state)" 2.0
  assert_eq "$(value ank_breaker_open_seconds)" 5.0
  assert_eq "$(value ank_breaker_opened_total)" 1.0
  assert_eq "$(value ank_breaker_rejected_total)" 1.0
  assert_eq "$(value ank_requests_total)" 1.0
  assert_eq "$(value ank_attempts_total)" 5.0
  assert_eq "$(value ank_retries_total transient)" 4.0
  assert_eq "$(value ank_retries_total throttled)" 0.0
  assert_eq "$(value ank_retry_budget_tokens)" 5.0
  assert_eq "$(value ank_retries_suppressed_total)" 0.0
  assert_eq "$(value ank_sent_bytes_total)" 5000.0
  assert_eq "$(value ank_last_success_timestamp_seconds)" ''
}

@test "closed, a success, a hold-off and a probe" {
  knows '{success_at: 1700000000123, hold_at: $now, hold_ms: 7500, throttled: 3}'
  metrics
  assert_eq "$(value ank_breaker_state)" 0.0
  assert_eq "$(value ank_last_success_timestamp_seconds)" 1700000000.123
  assert_eq "$(value ank_hold_off_seconds)" 7.5
  assert_eq "$(value ank_throttled_total)" 3.0
  assert_eq "$(value ank_retry_budget_tokens)" ''
  probed 1000
  metrics
  assert_eq "$(value ank_breaker_state)" 1.0
}

@test "labels are escaped, and a scope that is there twice is told once" {
  mkdir -p "$T/${STATE_PLACE%/*}"
  printf '%s\n' '{"ank_state":1}' '{"scope":"a\"b\\c\nd","requests":1}' \
    '{"scope":"a\"b\\c\nd","requests":2}' >"$T/$STATE_PLACE"
  metrics
  assert_eq "$(grep ank_requests_total "$T/read")" \
    'ank_requests_total - 2.0 "a\"b\\c\nd"'
}

@test "where nothing is known there are no samples, and that is no error" {
  metrics
  assert_eq "$(wc -l <"$T/read")" 0
  assert_contains "$(cat "$OUT")" '# TYPE ank_breaker_state gauge'
}

@test "JSON and operands are usage errors" {
  run_ank ankbreaker-fake --json metrics
  assert_exit 2
  assert_eq "$(cat "$ERR")" 'ankbreaker: --json: metrics has no JSON'
  run_ank ankbreaker-fake metrics s3://bucket
  assert_exit 2
}
