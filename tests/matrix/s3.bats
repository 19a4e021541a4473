#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scenarios that all providers share, played with s3.

load plays

@test "s3: retry" {
  plays s3 retry.json
}

@test "s3: breaker (case 50)" {
  plays s3 breaker.json
}

@test "s3: multipart" {
  plays s3 multipart.json
}

@test "s3: stream" {
  plays s3 stream.json
}

@test "s3: settle" {
  plays s3 settle.json
}

@test "s3: abort" {
  plays s3 abort.json
}

@test "s3: resume" {
  plays s3 resume.json
}

@test "s3: refused" {
  plays s3 refused.json
}

@test "s3: keys (cases 61, 62)" {
  plays s3 keys.json
}

@test "s3: no secret is told (case 71)" {
  plays s3 secrets.json
}
