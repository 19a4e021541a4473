# shellcheck shell=bash disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# What disturbs the file that runs share, and what each run must be like all
# the same. After the harness and policy:
#   load faults

NO_STATE=

# servers: a cloud whose bucket `well` works and whose bucket `ill` answers 503
# for ever, in the real time when REAL is set. STATE are the variables that say
# where the state is.
servers() {
  SETTINGS='"buckets": ["well", "ill"]'
  if [ -n "${REAL-}" ]; then
    start_cloud "{$SETTINGS, \"rules\": [{\"bucket\": \"ill\", \"status\": 503}]}"
  else
    rules '{"bucket": "ill", "status": 503}'
  fi
  new_file 1000 "$T/source" >/dev/null
  D=$T/dir S=$D/state.ndjson
  STATE=(ANK_STATE_FILE="$S") ARGS=()
  KEY=0 PROGRAM=ankput-fake ILL_REQUESTS=3
  # Whoever wraps all programs (valgrind) has time.
  PATIENCE=${ANK_WRAP:+30000}
  PATIENCE=${PATIENCE:-6000}
}

# scope BUCKET [FIELDS]: its line in the file.
scope() {
  printf '{"scope":"%s/%s","seen":%s,"requests":7%s}\n' "$CLOUD_URL" "$1" \
    "$FAKE_NOW" "${2:+,$2}"
}

# open_since MS [LENGTH]: the fields of a breaker that opened then.
open_since() {
  printf '"open":1,"failures":5,"failed_at":%s,"opened_at":%s,"open_ms":%s' \
    "$1" "$1" "${2:-5000}"
}

# place [FIELDS]: a fresh folder with a state that earlier runs left.
# shellcheck disable=SC2120
place() {
  chmod -R u+rwx "$D" 2>/dev/null || true
  rm -rf "$D" && mkdir -m 700 "$D" || return 1
  (umask 077
    { echo '{"ank_state":1}'; scope other; scope well "${1-}"; scope ill "${1-}"; } >"$S")
}

# transfer BUCKET: one run; KEY is the object's, TOOK its time in ms.
transfer() {
  local begin=${EPOCHREALTIME/./}
  KEY=$((KEY + 1)) BUCKET=$1
  run_ank "${STATE[@]}" "$PROGRAM" "${ARGS[@]}" "$T/source" "s3://$1/$KEY" ||
    return 1
  TOOK=$(((${EPOCHREALTIME/./} - begin) / 1000))
}

# The harness checks each line of each report, which takes longer than the run:
# here one of two is checked so, as all faults meet both servers.
check_report() {
  report_source || return 0
  [ "$BUCKET" != well ] || "$PYTHON" "$HARNESS_TOP/tests/lib/check_report.py" \
    --exit "$status" "$HARNESS_TOP/man/ank-report.schema.json" "$REPORT"
}

# unaffected [WHY [BUCKET...]]: the last run was as it would be without any
# state, and one warning at most was given, WHY.
unaffected() {
  if [ "$BUCKET" = well ]; then
    assert_exit 0 && assert_eq "$(arrived)" 1 || return 1
    assert_same "$(stored_object well "$KEY")" "$T/source" || return 1
  else
    assert_exit 10 && assert_eq "$(arrived)" "$ILL_REQUESTS" || return 1
  fi
  assert_between "$TOOK" 0 "$PATIENCE" && warned "${1-}"
}

# arrived: how many requests the last run made. (Of a dozen tools a run, jq
# would take most of the time of this suite.)
arrived() { grep -c "\"target\": *\"/$BUCKET/$KEY\"" "$CLOUD_DIR/log.ndjson"; }

# warned WHY: in the report, and on standard error but for a missing folder.
warned() {
  local lines=${1:+1}
  assert_eq "$(sed -n 's/^{"event":"warning".*"why":"\([a-z_]*\)".*/\1/p' \
    "$REPORT")" "$1" || return 1
  [ "$1/$BUCKET" != state_absent/well ] || lines=0
  assert_eq "$(grep -c warning: "$ERR" || true)" "${lines:-0}"
}

# disturbed WHY COMMAND...: a run against each server after COMMAND.
disturbed() {
  local why=$1 bucket
  shift
  for bucket in well ill; do
    if ! { place '' && "$@" && transfer "$bucket" && unaffected "$why"; }; then
      echo "disturbed by: $*, $bucket" >&2
      return 1
    fi
  done
}

# recovered: the next run stores what it learns.
recovered() {
  transfer well && unaffected && [ -f "$S" ] &&
    grep -q "\"scope\":\"$CLOUD_URL/well\"" "$S"
}

# --- ways to be without a right ------------------------------------------------

# bound: with ANK_WRAP, root is bound by file modes, too.
bound() {
  [ "$(id -u)" != 0 ] ||
    ANK_WRAP='setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search'
}

# injecting WORD...: the programs run with system calls that fail. They let
# only root look into them, which a user can be in a space of his own.
injecting() {
  local root=
  [ "$(id -u)" = 0 ] || root='unshare -r'
  $root strace -o /dev/null true 2>/dev/null || return 1
  ANK_WRAP="$root strace -f -o /dev/null $*"
  # What looks for leaks cannot work while another traces.
  ANK_ENV+=(ASAN_OPTIONS=exitcode=99:detect_leaks=0)
}

# failing ERROR PATH...: opening and making these fails.
failing() {
  local error=$1
  shift
  injecting "${@/#/-P }" -e "inject=openat,mkdir,write,?faccessat,?faccessat2:error=$error"
}

# mounted OPTIONS [COMMAND]: D is a small tmpfs with a copy of the state, then
# COMMAND. Fails where mounting is not allowed.
mounted() {
  local unshare
  cat >"$T/mounted" <<END
#!/bin/sh
mount -t tmpfs -o '$1' none '$D' && cp -p '$T/kept' '$S' || exit 99
${2:-:} || exit 99
exec "\$@"
END
  chmod +x "$T/mounted"
  for unshare in 'unshare -m' 'unshare -rm'; do
    $unshare mount -t tmpfs none "$T" 2>/dev/null || continue
    ANK_WRAP="$unshare $T/mounted"
    return
  done
  return 1
}

keep() { cp -p "$S" "$T/kept"; }

# another_uid: ANK_WRAP runs programs as a user whom no list knows, who can open
# what we can. Sets NOBODY.
another_uid() {
  NOBODY=$((100000 + $$))
  if [ "$(id -u)" = 0 ]; then
    ANK_WRAP="setpriv --reuid=$NOBODY --regid=$NOBODY --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override"
  else
    ANK_WRAP="unshare --map-user=$NOBODY"
  fi
  $ANK_WRAP true 2>/dev/null
}

# --- locks ----------------------------------------------------------------------

# stopped_holder: a stopped process has the lock; its id is HOLDER.
stopped_holder() {
  rm -f "$T/held"
  "$PYTHON" -c '
import fcntl, os, signal, sys
lock = open(sys.argv[1], "a")
os.chmod(sys.argv[1], 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
open(sys.argv[2], "w").close()
os.kill(os.getpid(), signal.SIGSTOP)
' "$S.lock" "$T/held" 3>&- &
  HOLDER=$!
  await_file "$T/held" "$HOLDER"
}

release_holder() {
  kill -KILL "$HOLDER" && { wait "$HOLDER" 2>/dev/null || true; }
  HOLDER=
}
