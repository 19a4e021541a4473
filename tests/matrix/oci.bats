#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scenarios that all providers share, played with oci.

load plays

@test "oci: retry" {
  plays oci retry.json
}

@test "oci: breaker" {
  plays oci breaker.json
}

@test "oci: multipart" {
  plays oci multipart.json
}

@test "oci: stream" {
  plays oci stream.json
}

@test "oci: settle" {
  plays oci settle.json
}

@test "oci: abort" {
  plays oci abort.json
}

@test "oci: resume" {
  plays oci resume.json
}

@test "oci: refused" {
  plays oci refused.json
}
