#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The scenarios that all providers share, played with gcs.

load plays

@test "gcs: retry" {
  plays gcs retry.json
}

@test "gcs: breaker (case 50)" {
  plays gcs breaker.json
}

@test "gcs: multipart" {
  plays gcs multipart.json
}

@test "gcs: stream" {
  plays gcs stream.json
}

@test "gcs: settle" {
  plays gcs settle.json
}

@test "gcs: abort" {
  plays gcs abort.json
}

@test "gcs: resume" {
  plays gcs resume.json
}

@test "gcs: refused" {
  plays gcs refused.json
}

@test "gcs: keys (cases 61, 62)" {
  plays gcs keys.json
}

@test "gcs: no secret is told (case 71)" {
  plays gcs secrets.json
}

@test "gcs: Google's conformance cases of retries" {
  "${PYTHON:-/usr/bin/python3}" "$MATRIX/conformance.py" 3>&-
}
