#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scenarios that all providers share, played with azure.

load plays

@test "azure: retry" {
  plays azure retry.json
}

@test "azure: breaker (case 50)" {
  plays azure breaker.json
}

@test "azure: multipart" {
  plays azure multipart.json
}

@test "azure: stream" {
  plays azure stream.json
}

@test "azure: settle" {
  plays azure settle.json
}

@test "azure: abort" {
  plays azure abort.json
}

@test "azure: resume" {
  plays azure resume.json
}

@test "azure: refused" {
  plays azure refused.json
}

@test "azure: keys (cases 61, 62)" {
  plays azure keys.json
}

@test "azure: no secret is told (case 71)" {
  plays azure secrets.json
}
