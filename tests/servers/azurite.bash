#!/bin/bash
# SPDX-License-Identifier: MIT
# Microsoft's emulator of Azure's blob service on the loopback, for tests that
# want a server nobody here wrote, and Azure's own client for JavaScript.
#
# In bats, once a file:
#
#   setup_file()    { . azurite.bash; azurite_start "$dir"; }
#   teardown_file() { . azurite.bash; azurite_stop "$dir"; }
#
# By hand, until Ctrl-C:   tests/servers/azurite.bash [DIR]
#
# azurite_start exports
#
#   AZURITE_HTTP, AZURITE_HTTPS   endpoints, each ends in the account's name
#   AZURITE_CA                    the certificate to trust
#   AZURITE_ACCOUNT, AZURITE_KEY
#   AZURITE_NODE                  the folder with node_modules, the client in it
#
# The two doors are two emulators with data of their own; the one with TLS
# takes bearer tokens, of which it checks all but the signature. They end with
# the shell that called azurite_start, so do not call it in a subshell.

azurite_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/servers/tls.bash
. "$azurite_here/tls.bash"
# shellcheck source=tests/servers/npm.bash
. "$azurite_here/npm.bash"

# azurite_available: can azurite_start work here? Installs what is missing.
azurite_available() {
  AZURITE_NODE=$(npm_packages azure azurite@3.37.0 @azure/storage-blob@12.32.0) ||
    return 1
  export AZURITE_NODE
}

# azurite_run DIR NAME OPTION...: one emulator on a port of its own choice.
azurite_run() {
  local dir=$1 name=$2
  shift 2
  AZURITE_ACCOUNTS="$AZURITE_ACCOUNT:$AZURITE_KEY" setpriv --pdeathsig KILL \
    node "$AZURITE_NODE/node_modules/azurite/dist/src/blob/main.js" \
    --blobHost 127.0.0.1 --blobPort 0 --location "$dir/$name" \
    --disableTelemetry --skipApiVersionCheck "$@" \
    </dev/null >"$dir/$name.out" 2>&1 3>&- &
  echo $! >>"$dir/pids"
  disown $!
}

# azurite_port DIR NAME: the port it says it listens on.
azurite_port() {
  local port
  for _ in {1..600}; do
    port=$(sed -n 's/.*successfully listen.* https\{0,1\}:\/\/127\.0\.0\.1:\([0-9]*\).*/\1/p' \
      "$1/$2.out")
    [ -z "$port" ] || { echo "$port"; return 0; }
    sleep 0.05
  done
  cat "$1/$2.out" >&2
  return 1
}

# azurite_start DIR
azurite_start() {
  local port
  azurite_available || return 1
  mkdir -p "$1/http" "$1/https" && : >"$1/pids"
  AZURITE_ACCOUNT=ankacct
  AZURITE_KEY=$(printf 'an account key of thirty-two bytes' | base64)
  export AZURITE_ACCOUNT AZURITE_KEY AZURITE_CA=$1/tls/ca.pem
  tls_make "$1/tls" || return 1
  azurite_run "$1" http
  azurite_run "$1" https --oauth basic --cert "$1/tls/good.pem" \
    --key "$1/tls/good.key"
  port=$(azurite_port "$1" http) || return 1
  export AZURITE_HTTP=http://127.0.0.1:$port/$AZURITE_ACCOUNT
  port=$(azurite_port "$1" https) || return 1
  export AZURITE_HTTPS=https://127.0.0.1:$port/$AZURITE_ACCOUNT
}

# azurite_stop DIR: by pid, and only where the pid is still the emulator that
# was started with this DIR.
azurite_stop() {
  local pid
  [ -f "$1/pids" ] || return 0
  while read -r pid; do
    if tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$1/"; then
      kill -KILL "$pid"
    fi
  done <"$1/pids"
  rm -f "$1/pids"
}

# azurite_by_hand DIR: runs until interrupted, and says how to use it.
azurite_by_hand() {
  local dir=$1
  trap 'azurite_stop "$dir"' EXIT
  trap 'exit 0' INT TERM HUP
  azurite_start "$dir" || return 1
  cat <<EOF
export AZURE_STORAGE_ACCOUNT=$AZURITE_ACCOUNT AZURE_STORAGE_KEY=$AZURITE_KEY
# http:  --endpoint $AZURITE_HTTP
# https: --endpoint $AZURITE_HTTPS --cacert $AZURITE_CA
EOF
  while :; do sleep 1; done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  azurite_by_hand "${1:-$(mktemp -d)}"
fi
