#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A check that cannot fail checks nothing: each is shown a fault.

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
  house=$BATS_TEST_TMPDIR/house
  mkdir -p "$house/src/base" "$house/src/flow" "$house/tests/tool"
  printf '%s\n' 'base low - is below' 'flow high - is above' >"$house/src/ROOMS"
  printf 'int low(void);\n' >"$house/src/base/low.h"
  printf '#include "base/low.h"\nint low(void)\n{\n  return 1;\n}\n' \
    >"$house/src/base/low.c"
  printf '#include "base/low.h"\n' >"$house/src/flow/high.h"
}

# finds PATTERN NAME: the checker fails and says so.
finds() {
  run check "$2" "$house"
  echo "$output"
  [ "$status" -eq 1 ]
  grep -q -e "$1" <<<"$output"
}

@test "a house without fault passes" {
  clean check rooms "$house"
  clean check doors "$house"
  clean check sizes "$house"
}

@test "a room that includes one above it is found" {
  echo '#include "flow/high.h"' >>"$house/src/base/low.c"
  finds 'src/base/low.c:6: base/low includes flow/high' rooms
}

@test "an include that is only a comment is not" {
  echo '/* #include "flow/high.h" */' >>"$house/src/base/low.c"
  clean check rooms "$house"
}

@test "a part of a room is in the room, and bound by its place" {
  echo 'int low_part(void);' >"$house/src/base/low_part.h"
  clean check rooms "$house"
  echo '#include "flow/high.h"' >>"$house/src/base/low_part.h"
  finds 'src/base/low_part.h:2: base/low includes flow/high' rooms
}

@test "a room that is not listed is found" {
  touch "$house/src/base/extra.c"
  finds 'src/base/extra.c: its room is not in' rooms
}

@test "a listed room without a file is found" {
  echo 'flow gone - was here' >>"$house/src/ROOMS"
  finds 'flow/gone has no file' rooms
}

@test "a line of ROOMS in another form is found" {
  echo 'flow/high is above' >>"$house/src/ROOMS"
  finds 'src/ROOMS:3: not "floor room - sentence"' rooms
}

@test "a header by the wrong door is found" {
  echo '#include <curl/curl.h>' >>"$house/src/flow/high.h"
  finds 'high.h:2: <curl/curl.h> is for io/http' doors
}

@test "a look at the clock is found" {
  echo 'long now(void) { return time(0); }' >>"$house/src/base/low.c"
  finds 'low.c:6: time() is for io/sys' doors
}

@test "letters of the locale are found" {
  echo 'int n(char *s) { return strncasecmp(s, "i", 1); }' >>"$house/src/base/low.c"
  finds 'low.c:6: strncasecmp() is for' doors
}

@test "a function for nobody is found, in tests too" {
  echo 'int n(char *s) { return atoi(s); }' >"$house/tests/tool/tool.c"
  finds 'tool.c:1: atoi() is for nobody' doors
}

@test "a name in a comment, in a string or within a longer one is not" {
  # shellcheck disable=SC2028 # a quote in a C string
  echo 'int f(void) { /* atoi(s) */ return my_atoi("\"atoi(s)"); }' \
    >>"$house/src/base/low.c"
  clean check doors "$house"
}

@test "a long function is found" {
  { echo 'int f(void)' && echo '{'; seq -f '  g(%g);' 59; echo '}'; } \
    >>"$house/src/base/low.c"
  finds 'low.c:6: f() has 62 lines' sizes
}

@test "a long file is found" {
  seq -f '/* %g */' 401 >"$house/src/flow/high.h"
  finds 'high.h: 401 lines' sizes
}

@test "a word anywhere in a tree without git is found, but not in build" {
  top=$house
  mkdir "$house/build"
  printf 'a lemon\n' | tee "$house/build/log" >"$house/NOTES"
  [ "$(mentions '\<lemon\>')" = './NOTES:1:a lemon' ]
}

@test "a word in a file that git does not know yet is found, an ignored one not" {
  top=$house
  git init -q "$house"
  echo '*.o' >"$house/.gitignore"
  printf 'a lemon\n' | tee "$house/a.o" >"$house/NOTES"
  [ "$(mentions '\<lemon\>')" = 'NOTES:1:a lemon' ]
}
