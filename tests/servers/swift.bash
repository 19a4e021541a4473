#!/bin/bash
# SPDX-License-Identifier: MIT
# OpenStack Swift and its S3 interface on the loopback, for tests that want a
# second opinion on signatures: it refuses another region, and a PUT with a
# condition. swift_s3api.py is the process; it needs no root and no memcached.
#
# In bats, once a file:
#
#   setup_file()    { . swift.bash; swift_start "$dir"; }
#   teardown_file() { . swift.bash; swift_stop "$dir"; }
#
# By hand, until Ctrl-C:   tests/servers/swift.bash [DIR]
#
# swift_start exports
#
#   SWIFT_S3       the endpoint of the S3 interface; its one bucket is "round"
#   SWIFT_OWN      the same bucket by Swift's own interface, without a login:
#                  GET lists it, GET of $SWIFT_OWN/KEY shows what is stored
#   SWIFT_ACCESS, SWIFT_SECRET, SWIFT_REGION
#
# The server ends with the shell that called swift_start, so do not call it in
# a subshell.

swift_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# swift_available: can swift_start work here?
swift_available() {
  /usr/bin/python3 -c 'import swift.common.middleware.s3api' 2>/dev/null
}

# swift_start DIR
swift_start() {
  local ports
  swift_available || return 1
  mkdir -p "$1" && : >"$1/swift.ports" || return 1
  export SWIFT_ACCESS=ank:test SWIFT_SECRET=ank/test+secret/0123456789
  export SWIFT_REGION=us-east-1
  setpriv --pdeathsig KILL /usr/bin/python3 -B "$swift_here/swift_s3api.py" \
    "$1/swift" </dev/null >"$1/swift.ports" 2>"$1/swift.log" 3>&- &
  echo $! >"$1/swift.pid"
  disown $!
  for _ in {1..600}; do
    read -r -a ports <"$1/swift.ports" && break
    kill -0 "$(<"$1/swift.pid")" 2>/dev/null || break
    sleep 0.05
  done
  [ "${#ports[@]}" = 2 ] || { cat "$1/swift.log" >&2; return 1; }
  export SWIFT_S3=http://127.0.0.1:${ports[0]}
  export SWIFT_OWN=http://127.0.0.1:${ports[1]}/v1/AUTH_${SWIFT_ACCESS%:*}/round
}

# swift_stop DIR: by pid, and only where the pid is still the server that was
# started with this DIR.
swift_stop() {
  local pid
  [ -f "$1/swift.pid" ] || return 0
  pid=$(<"$1/swift.pid")
  if tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxF "$1/swift"; then
    kill -KILL "$pid"
  fi
  rm -f "$1/swift.pid"
}

# swift_by_hand DIR: runs until interrupted, and says how to use it.
swift_by_hand() {
  local dir=$1
  trap 'swift_stop "$dir"' EXIT
  trap 'exit 0' INT TERM HUP
  swift_start "$dir" || return 1
  cat <<TEXT
export AWS_ACCESS_KEY_ID=$SWIFT_ACCESS
export AWS_SECRET_ACCESS_KEY=$SWIFT_SECRET AWS_REGION=$SWIFT_REGION
# s3://round  --endpoint $SWIFT_S3
# what is stored: $SWIFT_OWN
TEXT
  while :; do sleep 1; done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  swift_by_hand "${1:-$(mktemp -d)}"
fi
