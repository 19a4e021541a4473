# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the tests of examples/ share: scripts run as an operator would, but the
# programs are those whose clock waiting moves.
# shellcheck disable=SC2034,SC2154 # what the tests and the harness use

examples=$HARNESS_TOP/examples

setup() {
  harness_setup
  mkdir -p "$T/bin" "$T/dumps"
  ln -s "$ANK_BUILD/ankput-fake" "$T/bin/ankput"
  ln -s "$ANK_BUILD/ankget-fake" "$T/bin/ankget"
}

# run_example [NAME=VALUE...] COMMAND...: sets status; its output is in $OUT and
# $ERR.
run_example() {
  ank_environment ankput-fake
  status=0
  env -i "${ANK_BASE[@]}" PATH="$T/bin:/usr/bin:/bin" DUMP_DIR="$T/dumps" \
    env "$@" >"$OUT" 2>"$ERR" </dev/null || status=$?
}

# silent: nothing was printed.
silent() { assert_eq "$(cat "$OUT" "$ERR")" ''; }
