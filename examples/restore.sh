#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches a backup within a deadline, and tells "try later" from "give up".
#
#   restore.sh URL FILE
#
# FILE is replaced only by the whole object, compared with its checksum: until
# then the old one stays. Exit status: 0 restored, 75 try later (EX_TEMPFAIL),
# else that of ankget, which a person should look at.
#
# DEADLINE (default 1h) bounds everything, waits included. Needs jq.

[ $# = 2 ] || { echo 'usage: restore.sh URL FILE' >&2; exit 2; }

report=$(mktemp) || exit 1
trap 'rm -f "$report"' EXIT
trap 'exit 143' HUP INT TERM

ankget --deadline "${DEADLINE:-1h}" --report "$report" "$1" "$2"
status=$?

# What the result line says, or the second word.
result() {
  jq -r "select(.event == \"result\") | $1 // \"$2\"" "$report"
}

case $status in
  0)
    echo "restored $2: $(result .bytes '?') bytes, $(result .checksum 'no checksum')"
    ;;
  10) # answers like 500, or no network, to the last attempt
    echo 'try later: the service is not available' >&2
    exit 75
    ;;
  11) # the service said when
    echo "try later: in $(result .throttled_seconds '?') s" >&2
    exit 75
    ;;
  12) # nothing was sent: other runs have found the service down
    echo "try later: in $(result '(.wait_ms / 1000 | ceil)' 'some') s" >&2
    exit 75
    ;;
  13)
    echo "try later, or with a longer deadline than ${DEADLINE:-1h}" >&2
    exit 75
    ;;
  *) # ankget has said why
    exit "$status"
    ;;
esac
