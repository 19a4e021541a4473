#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# examples/ank-upload.service and its timer
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load examples

bats_require_minimum_version 1.5.0

unit=$HARNESS_TOP/examples/ank-upload.service

# value NAME: of the unit's only line NAME=….
value() { sed -n "s/^$1=//p" "$unit"; }

# copy_units: into $T, with the program where it was built.
copy_units() {
  sed "s#/usr/bin/ankput#$ANK_BUILD/ankput#" "$unit" >"$T/ank-upload.service"
  cp "$examples/ank-upload.timer" "$T/"
}

@test "systemd finds nothing wrong in the units" {
  command -v systemd-analyze >/dev/null || skip 'systemd-analyze is missing'
  copy_units
  systemd-analyze verify --man=no "$T/ank-upload.service" "$T/ank-upload.timer" >"$T/said" 2>&1
  assert_eq "$(cat "$T/said")" ''
}

@test "systemd finds little of the system exposed" {
  systemd-analyze security --help 2>/dev/null | grep -q -e --offline || skip 'an older systemd'
  copy_units
  # of 100
  systemd-analyze security --offline=yes --threshold=20 "$T/ank-upload.service" >"$T/said" 2>&1 ||
    { tail -n 1 "$T/said"; return 1; }
}

@test "the unit hides the keys, writes only its state, and has no privilege" {
  assert_eq "$(value Type)" oneshot
  assert_eq "$(value StateDirectory)" ank
  assert_eq "$(value ProtectSystem)" strict
  assert_eq "$(value NoNewPrivileges)" yes
  assert_eq "$(value CapabilityBoundingSet)" ''
  assert_eq "$(value LoadCredential)" aws:/etc/ank/credentials
  run ! grep -q SECRET "$unit"
}

@test "what may work later is restarted, and nothing else is" {
  local code never
  never=" $(value RestartPreventExitStatus) "
  assert_eq "$(value Restart)" on-failure
  while read -r code; do
    case $code in
      0 | 128) ;;
      10 | 11 | 12 | 13) [[ $never != *" $code "* ]] ;;
      *) [[ $never == *" $code "* ]] ;;
    esac || { echo "status $code"; return 1; }
  done < <(sed -n 's/.*{"[a-z_]*", \([0-9]*\)}.*/\1/p' "$HARNESS_TOP/src/base/err.c" | sort -u)
  # the unit may take longer than the program's own deadline, not shorter
  assert_contains "$(value ExecStart)" '--deadline 30m'
  assert_eq "$(value TimeoutStartSec)" 35min
}

@test "the line of ExecStart uploads the dump, with the unit's variables" {
  local line variables=()
  start_cloud --fake '{"region": "eu-central-1"}'
  new_file 3000 "$T/nightly.dump" >/dev/null
  mkdir -p "$T/run" "$T/state"
  printf '[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n' \
    "$TEST_KEY" "$TEST_SECRET" >"$T/run/aws"
  # as systemd would fill it in
  mapfile -t variables < <(value Environment | sed "s#/run/credentials/%n#$T/run#")
  line=$(value ExecStart)
  assert_eq "$(value ConditionPathExists)" /var/backups/nightly.dump
  line=${line/'/var/backups/'/"$T/"}
  line=${line/'/usr/bin/ankput '/}
  line=${line/backups/bucket}
  line=${line/\%H/host}
  [[ $line != *%* ]]
  # shellcheck disable=SC2086 # words
  run_ank -AWS_ACCESS_KEY_ID -AWS_SECRET_ACCESS_KEY "${variables[@]}" \
    STATE_DIRECTORY="$T/state" ankput-fake $line
  assert_exit 0
  assert_same "$(stored_object bucket host/nightly.dump)" "$T/nightly.dump"
  assert_contains "$(request_header 1 Authorization)" /eu-central-1/
  # the state is where StateDirectory= is
  [ -s "$T/state/state.ndjson" ]
}
