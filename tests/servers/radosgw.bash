#!/bin/bash
# SPDX-License-Identifier: MIT
# A one-node Ceph object store on the loopback, for tests that want a server
# nobody here wrote: one monitor, one OSD that keeps its data in memory, and
# radosgw over http and https. It starts in about two seconds.
#
# In bats, once a suite:
#
#   setup_suite()    { . radosgw.bash; radosgw_start "$dir"; }
#   teardown_suite() { . radosgw.bash; radosgw_stop "$dir"; }
#
# By hand, until Ctrl-C:   tests/servers/radosgw.bash [DIR]
#
# radosgw_start exports
#
#   RADOSGW_HTTP, RADOSGW_HTTPS   endpoints, http://127.0.0.1:PORT
#   RADOSGW_PORT, RADOSGW_TLS_PORT
#   RADOSGW_VHOST                 s3.localhost: BUCKET.s3.localhost:PORT works
#   RADOSGW_CA                    the certificate to trust
#   RADOSGW_ACCESS, RADOSGW_SECRET, RADOSGW_REGION
#   RADOSGW_CONF                  for radosgw-admin -c
#
# The daemons end with the shell that called radosgw_start, even when it is
# killed, so do not call it in a subshell.

radosgw_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/servers/tls.bash
. "$radosgw_here/tls.bash"

# radosgw_available: can radosgw_start work here?
radosgw_available() {
  local program
  for program in ceph ceph-mon ceph-osd radosgw radosgw-admin \
    ceph-authtool monmaptool; do
    command -v "$program" >/dev/null || return 1
  done
}

# radosgw_free_ports N: N ports nobody listens on, all held at once while
# they are chosen, so they differ.
radosgw_free_ports() {
  /usr/bin/python3 -c '
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))' "$1"
}

# radosgw_conf_global DIR FSID MONPORT
#
# "paxos propose interval": with the default the monitor gathers changes for
# a second each time, and the start takes seven times as long. cephx: this
# radosgw does not start without it. No admin sockets: their path would have
# to fit into 107 bytes, and nobody uses them.
radosgw_conf_global() {
  cat <<EOF
[global]
fsid = $2
mon host = [v2:127.0.0.1:$3]
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
public network = 127.0.0.0/8
cluster network = 127.0.0.0/8
ms bind ipv4 = true
ms bind ipv6 = false
ms bind msgr1 = false
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
keyring = $1/keyring
paxos propose interval = 0.05
paxos min wait = 0.01
mon tick interval = 1
mon data = $1/mon
mon data avail warn = 2
mon data avail crit = 1
mon allow pool size one = true
mon warn on pool no redundancy = false
run dir = $1
admin socket =
log file = $1/\$name.log
mon cluster log file = $1/cluster.log
log to stderr = false
err to stderr = false
EOF
}

# radosgw_conf_osd DIR: one copy of everything, in memory (2 GiB at most).
radosgw_conf_osd() {
  cat <<EOF
osd data = $1/osd
osd objectstore = memstore
memstore device bytes = ${RADOSGW_BYTES:-2147483648}
memstore page set = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
EOF
}

# radosgw_conf_gateway DIR PORT TLSPORT
radosgw_conf_gateway() {
  cat <<EOF
rgw frontends = beast endpoint=127.0.0.1:$2 ssl_endpoint=127.0.0.1:$3 ssl_certificate=$1/tls/good.pem ssl_private_key=$1/tls/good.key
rgw data = $1/rgw
rgw dns name = $RADOSGW_VHOST
rgw num rados handles = 1
rgw enable usage log = false
rgw enable quota threads = false
rgw enable lc threads = false
rgw gc obj min wait = 1
rgw gc processor period = 2
EOF
}

# radosgw_keyring DIR
radosgw_keyring() {
  local keyring=$1/keyring
  ceph-authtool --create-keyring "$keyring" --gen-key -n mon. \
    --cap mon 'allow *' &&
    ceph-authtool "$keyring" --gen-key -n client.admin \
      --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' &&
    ceph-authtool "$keyring" --gen-key -n osd.0 \
      --cap mon 'allow profile osd' --cap osd 'allow *' &&
    ceph-authtool "$keyring" --gen-key -n client.rgw.a \
      --cap mon 'allow rwx' --cap osd 'allow rwx'
}

# radosgw_daemon DIR COMMAND...: runs it in the background and notes its pid.
# bats waits for whoever holds descriptor 3; setpriv lets the daemon die with
# this shell.
radosgw_daemon() {
  local dir=$1
  shift
  setpriv --pdeathsig KILL "$@" -c "$dir/ceph.conf" -f \
    </dev/null >>"$dir/daemons.out" 2>&1 3>&- &
  echo $! >>"$dir/pids"
  # Forgotten by the shell, which would else report the end of each.
  disown $!
}

# radosgw_until SECONDS COMMAND...: tries COMMAND until it succeeds.
radosgw_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.05
  done
}

radosgw_mon_answers() {
  timeout 10 ceph -c "$1/ceph.conf" --connect-timeout 5 -s
}

radosgw_osd_is_up() {
  timeout 10 ceph -c "$1/ceph.conf" osd stat | grep '1 up'
}

radosgw_answers() {
  curl -q -s -o /dev/null --noproxy '*' --max-time 5 "$RADOSGW_HTTP/"
}

# radosgw_start_mon DIR FSID MONPORT
radosgw_start_mon() {
  monmaptool --create --fsid "$2" --addv a "[v2:127.0.0.1:$3]" "$1/monmap" &&
    ceph-mon -c "$1/ceph.conf" -i a --mkfs --monmap "$1/monmap" \
      --keyring "$1/keyring" &&
    radosgw_daemon "$1" ceph-mon -i a &&
    radosgw_until 20 radosgw_mon_answers "$1"
}

# radosgw_start_osd DIR
radosgw_start_osd() {
  local uuid
  uuid=$(cat /proc/sys/kernel/random/uuid)
  ceph -c "$1/ceph.conf" osd new "$uuid" &&
    ceph-osd -c "$1/ceph.conf" -i 0 --mkfs --osd-uuid "$uuid" &&
    ceph -c "$1/ceph.conf" osd crush add osd.0 1.0 root=default host=localhost &&
    radosgw_daemon "$1" ceph-osd -i 0 &&
    radosgw_until 20 radosgw_osd_is_up "$1"
}

# radosgw_start_gateway DIR
radosgw_start_gateway() {
  radosgw_daemon "$1" radosgw -n client.rgw.a &&
    radosgw_until 40 radosgw_answers &&
    radosgw-admin -c "$1/ceph.conf" user create --uid=ank \
      --display-name=ank --access-key="$RADOSGW_ACCESS" \
      --secret-key="$RADOSGW_SECRET"
}

# radosgw_configure DIR: chooses the ports, exports what the tests need.
radosgw_configure() {
  local dir=$1
  fsid=$(cat /proc/sys/kernel/random/uuid)
  read -r monport RADOSGW_PORT RADOSGW_TLS_PORT < <(radosgw_free_ports 3)
  RADOSGW_HTTP=http://127.0.0.1:$RADOSGW_PORT
  RADOSGW_HTTPS=https://127.0.0.1:$RADOSGW_TLS_PORT
  RADOSGW_VHOST=s3.localhost
  RADOSGW_CA=$dir/tls/ca.pem
  RADOSGW_ACCESS=ANKTESTACCESSKEY
  RADOSGW_SECRET=ank/test+secret/0123456789
  RADOSGW_REGION=us-east-1
  RADOSGW_CONF=$dir/ceph.conf
  export RADOSGW_PORT RADOSGW_TLS_PORT RADOSGW_HTTP RADOSGW_HTTPS \
    RADOSGW_VHOST RADOSGW_CA RADOSGW_ACCESS RADOSGW_SECRET RADOSGW_REGION \
    RADOSGW_CONF
  {
    radosgw_conf_global "$dir" "$fsid" "$monport"
    radosgw_conf_osd "$dir"
    radosgw_conf_gateway "$dir" "$RADOSGW_PORT" "$RADOSGW_TLS_PORT"
  } >"$dir/ceph.conf"
}

# radosgw_try DIR: one try; the ports chosen may be taken by the time the
# daemons want them.
radosgw_try() {
  local fsid monport
  rm -rf "$1"
  mkdir -p "$1/mon" "$1/osd" "$1/rgw"
  : >"$1/pids"
  radosgw_configure "$1" &&
    tls_make "$1/tls" &&
    radosgw_keyring "$1" &&
    radosgw_start_mon "$1" "$fsid" "$monport" &&
    radosgw_start_osd "$1" &&
    radosgw_start_gateway "$1"
}

# radosgw_start DIR: DIR only notes where the node lives. The node itself is
# in /tmp, as ceph.conf cannot quote a path with spaces in "rgw frontends".
radosgw_start() {
  local dir try
  dir=$(mktemp -d /tmp/ank-radosgw.XXXXXX) || return 1
  mkdir -p "$1" && printf '%s\n' "$dir" >"$1/radosgw.dir"
  for try in 1 2 3; do
    radosgw_try "$dir/node" >"$dir/start.log" 2>&1 && return 0
    echo "radosgw: start $try of 3 failed" >&2
    radosgw_kill "$dir/node"
  done
  tail -n 40 "$dir/start.log" "$dir/node/daemons.out" >&2
  radosgw_stop "$1"
  return 1
}

# radosgw_kill DIR: by pid, and only where the pid is still the daemon that
# was started with this DIR. There is nothing to save, so no asking first.
radosgw_kill() {
  local pid
  [ -f "$1/pids" ] || return 0
  while read -r pid; do
    if tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null |
      grep -qxF "$1/ceph.conf"; then
      kill -KILL "$pid"
    fi
  done <"$1/pids"
  rm -f "$1/pids"
}

# radosgw_stop DIR: the DIR given to radosgw_start.
radosgw_stop() {
  local dir
  [ -f "$1/radosgw.dir" ] || return 0
  dir=$(cat "$1/radosgw.dir")
  radosgw_kill "$dir/node"
  rm -rf "$dir" "$1/radosgw.dir"
}

# radosgw_by_hand [DIR]: runs until interrupted, and says how to use it.
radosgw_by_hand() {
  local dir=$1
  trap 'radosgw_stop "$dir"' EXIT
  trap 'exit 0' INT TERM HUP
  radosgw_start "$dir" || return 1
  cat <<EOF
export AWS_ACCESS_KEY_ID=$RADOSGW_ACCESS
export AWS_SECRET_ACCESS_KEY=$RADOSGW_SECRET AWS_REGION=$RADOSGW_REGION
# http:  $RADOSGW_HTTP
# https: $RADOSGW_HTTPS  --cacert $RADOSGW_CA
# virtual hosts: http://$RADOSGW_VHOST:$RADOSGW_PORT --addressing virtual
EOF
  while :; do sleep 1; done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  radosgw_by_hand "${1:-$(mktemp -d)}"
fi
