#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# policy/retry and policy/verdict: what an answer means and what is done then.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "an attempt ends as one verdict, and lists move what is retried alone" {
  table verdict
}

@test "a list of statuses is numbers, classes and the word transport" {
  table status-set
}

@test "a retry waits a jittered delay or what Retry-After asks, or is not made" {
  table retry
}

@test "jitter is uniform from nothing to the cap" {
  table uniform
}

@test "Retry-After is read in every form, and nonsense is absent" {
  table retry-after
}

@test "the collected Retry-After values are those of RFC 9110" {
  cases retry_after 'select(has("rfc9110_delay_seconds")) |
    ["@\(.now) \(.header): \(.value | esc)",
     (.rfc9110_delay_seconds |
       if . == null then "none, invalid"
       elif type == "string" then "2305843009213693951 ms from retry-after"
       else "\(. * 1000) ms from retry-after" end), .note]' | rows retry-after
}

@test "a file is cut evenly, a stream into parts that grow within the memory" {
  table plan
}
