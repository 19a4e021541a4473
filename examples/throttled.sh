#!/bin/sh
# SPDX-License-Identifier: MIT
# Why is this bucket slow? Uploads a file and tells what was throttled, how long
# it took, and what the breaker thinks.
#
#   throttled.sh FILE URL
#
# The report is kept for a closer look: REPORT, default ./ank-report.ndjson, is
# appended to. Exit status: that of ankput. Needs jq.

[ $# = 2 ] || { echo 'usage: throttled.sh FILE URL' >&2; exit 2; }
report=${REPORT:-ank-report.ndjson}

ankput --report "$report" "$1" "$2"
status=$?

# Only the last run of the file: all its lines have the same .run.
jq -rs '
  def s: . / 100 | round / 10 | tostring + " s";
  (last.run) as $run | map(select(.run == $run))
  | map(select(.event == "attempt")) as $attempts
  | ($attempts | map(select(.verdict == "throttled"))) as $throttled
  | (map(select(.event == "wait")) | map(.wait_ms) | add // 0) as $held
  | last as $result
  | "attempts:  \($attempts | length), of them throttled: \($throttled | length)",
    ($throttled | group_by([.op, .status, .code])[]
      | "throttled: \(.[0].op) \(.[0].bucket // ""), \(.[0].status) \(.[0].code // ""), \(length) times"),
    ($throttled | map(.retry_after_ms // empty) | select(length > 0)
      | "asked:     to wait \(min | s) to \(max | s)"),
    "waited:    \($result.waited_ms | s) of \($result.elapsed_ms | s), of that \($held | s) for other runs or the breaker",
    (map(select(.event == "breaker"))[]
      | "breaker:   \(.time) \(.from) -> \(.to)" + if .open_ms then " for \(.open_ms | s)" else "" end),
    "breaker:   \($attempts | map(.breaker // empty) | last // "not asked"), "
      + "failures in a row: \($attempts | map(.failures // empty) | last // 0)",
    "result:    \($result.outcome)"
      + if $result.throttled_seconds then ", come back in \($result.throttled_seconds) s" else "" end
      + if $result.wait_ms then ", come back in \($result.wait_ms | s)" else "" end
' "$report"
exit "$status"
