#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the policies do to a bucket in trouble, by thousands of simulated runs.
# shellcheck disable=SC2030,SC2031,SC2154 # runs() sets them by their names

bats_require_minimum_version 1.5.0

setup() {
  here=$BATS_TEST_DIRNAME
  ank_sim=${ANK_BUILD:-.}/ank-sim
}

# runs SCENARIO POLICY [SEED]: sets starts, ok, requests ... to its figures.
runs() {
  local line
  "$ank_sim" run "$@" >"$BATS_TEST_TMPDIR/out"
  while IFS= read -r line; do
    [[ $line =~ ^([a-z_]+)=(-?[0-9]+)$ ]]
    printf -v "${BASH_REMATCH[1]}" %s "${BASH_REMATCH[2]}"
  done <"$BATS_TEST_TMPDIR/out"
  echo "$* starts=$starts ok=$ok in trouble: $starts_in runs," \
    "$requests_in requests; herd=$herd probes=$probes early=$early" \
    "outages=$outages"
}

# load SCENARIO POLICY: requests in the trouble for 1000 runs begun in it.
load() {
  runs "$@"
  load=$((requests_in * 1000 / starts_in))
}

@test "each run ends, one way or another, and none asks without end" {
  local scenario policy
  for scenario in down-cron told-cron slow-steady; do
    for policy in ank ank+patience restic curl; do
      runs "$scenario" "$policy"
      [ "$starts" -ge 3000 ]
      [ $((ok + later + failed)) -eq "$starts" ]
      [ "$requests" -lt $((40 * starts)) ]
    done
  done
}

@test "a run without retries is one request, and stores while all is well" {
  runs flaky-steady once
  [ "$requests" -eq "$starts" ]
  [ "$requests_in" -eq "$starts_in" ]
  [ "$later" -gt $((starts_in / 4)) ]
  [ $((ok + later)) -eq "$starts" ]
}

@test "after a Retry-After they do not come back in lockstep" {
  local others
  runs told-cron curl
  others=$herd
  [ "$others" -ge 140 ] # of the 150 that were told at once
  for policy in ank ank+budget ank+patience anole; do
    runs told-cron "$policy"
    [ $((2 * herd)) -le "$others" ]
  done
}

@test "a Retry-After that all keep halves the load of those who retry alone" {
  local others
  load told-cron curl
  others=$load
  load told-cron ank
  [ $((load - 1000)) -le $(((others - 1000) / 2)) ]
  [ "$ok" -eq "$starts" ]
}

@test "with the budget a failing target has some 10 % more load" {
  for scenario in flaky-steady failing-steady down-steady; do
    load "$scenario" budget-alone
    [ "$load" -ge 1000 ]
    [ "$load" -le 1120 ]
  done
  load flaky-steady anole
  [ "$load" -le 1120 ]
}

@test "in a cool-down nothing is sent, after it one probe a machine" {
  for scenario in down-cron down-steady failing-steady; do
    for policy in ank ank+patience anole prismatic; do
      runs "$scenario" "$policy"
      [ "$early" -eq 0 ]
      [ "$probes" -eq 1 ]
    done
  done
}

@test "a server that came back is not taken down again" {
  # It can be.
  runs down-cron curl
  [ "$outages" -gt 0 ]
  for scenario in down-cron down-steady blip-cron; do
    for policy in ank ank+budget anole prismatic; do
      for seed in 1 2; do
        runs "$scenario" "$policy" "$seed"
        [ "$outages" -eq 0 ]
      done
    done
  done
  # Nor by those who waited, who have gathered.
  runs down-cron ank+patience
  [ "$outages" -eq 0 ]
}

@test "while a target is down ank asks less than curl's and AWS's loops" {
  local curl aws
  for scenario in down-cron down-steady failing-steady slow-steady; do
    load "$scenario" curl
    curl=$load
    load "$scenario" aws
    aws=$load
    load "$scenario" ank
    [ "$load" -lt "$curl" ]
    [ "$load" -lt "$aws" ]
    # Fewer even than there are runs: the breaker refuses most of them.
    [ "$load" -lt 1000 ]
  done
}

@test "one seed, one result; another, another" {
  "$ank_sim" run busy-cron ank 7 >"$BATS_TEST_TMPDIR/a"
  ANK_RETRIES=9 HOME=/ "$ank_sim" run busy-cron ank 7 >"$BATS_TEST_TMPDIR/b"
  "$ank_sim" run busy-cron ank 8 >"$BATS_TEST_TMPDIR/c"
  cmp "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
  run ! cmp -s "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/c"
}

@test "docs/simulation is what make sim writes" {
  cp -R "$here/../../docs/simulation" "$BATS_TEST_TMPDIR/docs"
  chmod -R u+w "$BATS_TEST_TMPDIR/docs"
  /usr/bin/python3 "$here/write.py" "$ank_sim" "$BATS_TEST_TMPDIR/docs"
  diff -r "$here/../../docs/simulation" "$BATS_TEST_TMPDIR/docs"
}
