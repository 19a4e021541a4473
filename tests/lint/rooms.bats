#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The house: rooms, floors and doors.

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
}

# mutable: "object symbol" of each piece of data that can change.
mutable() {
  local object
  find "$ANK_BUILD/src" -name '*.o' | sort | while read -r object; do
    nm --format=sysv "$object" 2>/dev/null |
      awk -F'|' -v object="${object#"$ANK_BUILD/src/"}" '
        $7 ~ /^(\.t?(data|bss)|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ {
          sub(/ +$/, "", $1); print object, $1 }'
  done
}

@test "each room is in src/ROOMS and includes only itself and those above" {
  clean check rooms
}

@test "curl, OpenSSL, cJSON, expat, the clock and the dice have one door each" {
  clean check doors
}

@test "each header compiles by itself" {
  local header
  find "$top/src" -name '*.h' | while read -r header; do
    clean gcc -std=gnu11 -Wall -Werror -fsyntax-only -I"$top/src" \
      -x c "$header" -Wno-unused-variable -Wno-unused-function ||
      { echo "$header" && return 1; }
  done
}

@test "no data outlives a call but the signal flag and the log level" {
  [ -d "$ANK_BUILD/src" ] || skip 'nothing is built'
  # io/sys: what a signal handler may touch. io/log: level and scrubber.
  mutable | grep -v '^io/[^ /]*\(sys\|sys_process\|log\)\.o ' >"$BATS_TEST_TMPDIR/data" ||
    true
  silent cat "$BATS_TEST_TMPDIR/data"
}
