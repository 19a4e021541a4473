#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scenarios that all providers share, played with oci.

load plays

@test "oci: retry" {
  plays oci retry.json
}

@test "oci: breaker (case 50)" {
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

@test "oci: keys (cases 61, 62)" {
  plays oci keys.json
}

@test "oci: no secret is told (case 71)" {
  plays oci secrets.json
}
