#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# base/date: moments as numbers and as text.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "an HTTP-date is one of the three forms of RFC 9110, to the letter" {
  table http-date
}

@test "a moment is written as IMF-fixdate" {
  table date-http
}

@test "a moment is written as SigV4 wants it" {
  table date-basic
}

@test "a moment is written as RFC 3339 with milliseconds" {
  table date-iso
}

@test "a SigV4 date is read" {
  table basic-date
}

@test "an RFC 3339 date is read, with any zone and any fraction" {
  table iso
}

@test "every day goes there and back in every form" {
  table date-round-trip
}

@test "no time zone changes what a date means" {
  for zone in Asia/Kathmandu America/New_York right/UTC; do
    TZ=$zone table http-date
    TZ=$zone table date-http
  done
}

@test "the collected HTTP-dates are read and the others refused" {
  cases http_date_rfc9110 \
    '[(.input | esc), (.epoch // "no"), .note]' | rows http-date
}

# What libcurl takes, we may refuse; what we take, it reads the same.
@test "a date that we take is what libcurl makes of it" {
  cases http_date_curl_getdate '[(.input | esc), .epoch]' >"$BATS_TEST_TMPDIR/all"
  cut -f 1 "$BATS_TEST_TMPDIR/all" | answers http-date >"$BATS_TEST_TMPDIR/ours"
  paste "$BATS_TEST_TMPDIR/all" "$BATS_TEST_TMPDIR/ours" | awk -F '\t' '
    $3 == "no" { refused++; next }
    $2 != $3 { print $1 ": libcurl " $2 ", we " $3; bad++ }
    { taken++ }
    END {
      print "taken " taken ", refused " refused
      exit !(taken >= 5 && refused > taken && !bad)
    }'
}
