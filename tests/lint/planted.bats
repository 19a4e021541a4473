#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A check that cannot fail checks nothing: each is shown a fault.
# shellcheck disable=SC2016,SC2030,SC2031 # plants are for others; tests are subshells

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

# --- the checks of form.bats and tree.bats ----------------------------------------

# whole: the house is the tree that is looked at, with our settings.
whole() {
  cp "$top/.clang-format" "$top/.clang-tidy" "$house/"
  top=$house
  mkdir -p "$house/examples" "$house/completions" "$house/tests/cli"
  printf '/* SPDX-License-Identifier: MIT */\nint one(void)\n{\n  return 1;\n}\n' \
    >"$house/src/base/low.c"
  printf '/* SPDX-License-Identifier: MIT */\nint low(void);\n' |
    tee "$house/src/base/low.h" >"$house/src/flow/high.h"
  printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\necho "$1"\n' \
    >"$house/examples/one.sh"
  printf '# SPDX-License-Identifier: MIT\nprint(1)\n' >"$house/tests/cli/one.py"
  printf '#compdef one\n# SPDX-License-Identifier: MIT\necho 1\n' \
    >"$house/completions/_one"
}

# spots CHECK PATTERN: the check fails, and says so.
spots() {
  local said
  if said=$("$1" 2>&1); then
    echo "$1 has not found it"
    return 1
  fi
  grep -q -e "$2" <<<"$said" || { echo "$said" && return 1; }
}

# Some plants are put together here only: the checks read this file, too.

@test "a tree without fault passes every check" {
  whole
  as_clang_format_writes
  [ ! -f "$ANK_BUILD/Makefile" ] || untangled
  cppcheck_silent
  c_licensed
  scripts_licensed
  shellcheck_silent
  python_compiles
  other_shells_read
  sleeps_briefly
  no_machine_path
  no_open_end
  lines_end_well
}

@test "a line that clang-format would break is found" {
  whole
  echo 'int  two ( void );' >>"$house/src/base/low.h"
  spots as_clang_format_writes 'low.h:3:.*clang-formatted'
}

@test "a function that is too tangled is found" {
  [ -f "$ANK_BUILD/Makefile" ] || skip 'nothing is configured'
  whole
  { echo 'int f(int a) {'
    for _ in 1 2 3 4 5 6 7; do echo 'if (a) {'; done
    echo 'return a;'
    for _ in 1 2 3 4 5 6 7; do echo '}'; done
    echo 'return 0; }'; } >>"$house/src/base/low.c"
  spots untangled "function 'f' has cognitive complexity of 28"
}

@test "a null pointer that is followed is found" {
  whole
  echo 'int f(void) { int *p = 0; return *p; }' >>"$house/src/base/low.c"
  spots cppcheck_silent 'low.c:.*nullPointer'
}

@test "a file without its licence is found: C, shell, Python, fish, zsh" {
  local file
  whole
  echo 'int x(void);' >"$house/tests/tool/x.h"
  spots c_licensed 'tests/tool/x.h'
  for file in examples/x.sh tests/cli/x.bats tests/cli/x.bash tests/cli/x.py \
    completions/x.fish; do
    echo 'true' >"$house/$file"
    spots scripts_licensed "$file"
    rm "$house/$file"
  done
  echo '#compdef x' >"$house/completions/_x"
  spots scripts_licensed completions/_x
}

@test "a fault that shellcheck knows is found in every folder" {
  local file
  whole
  for file in examples/x completions/x.bash tests/cli/x.bats tests/long/x.bash \
    tests/bench/x.sh tests/completion/x.bats .ci/x; do
    mkdir -p "$house/${file%/*}"
    printf '#!/bin/bash\nrm $1/x\n' >"$house/$file"
    spots shellcheck_silent "In .*$file line 2"
    rm "$house/$file"
  done
}

@test "what Python, fish or zsh cannot read is found" {
  local file
  whole
  for file in tests/bench/x.py tests/completion/x.py examples/x.py; do
    mkdir -p "$house/${file%/*}"
    echo 'def f(:' >"$house/$file"
    spots python_compiles "$file"
    rm "$house/$file"
  done
  printf 'x = "\\d"\n' >"$house/tests/bench/x.py"
  spots python_compiles 'invalid escape'
  echo 'if true' >"$house/completions/x.fish"
  spots other_shells_read 'x.fish'
  rm "$house/completions/x.fish"
  printf '#compdef x\nif true; then\n' >"$house/completions/_x"
  spots other_shells_read '_x:'
}

@test "a sleep that is long or of unknown length is found, a short or marked one not" {
  local words
  whole
  for words in 1 30 0.2 .5 0.15 '$N' '"$N"' 1.2; do
    printf 'true && sleep %s\n' "$words" >"$house/tests/cli/x.bats"
    spots sleeps_briefly 'x.bats:1:' || { echo "sleep $words"; return 1; }
  done
  printf '  sleep 0.1\nwhile :; do sleep 0.01; done\n  sleep 2  # real time\n' \
    >"$house/tests/cli/x.bats"
  sleeps_briefly
}

@test "a machine's path is found in every folder" {
  local file
  whole
  for file in examples/x.cron completions/x.fish tests/long/x.bats README.md \
    tests/bench/x.py; do
    mkdir -p "$(dirname "$house/$file")"
    printf 'see /%s/me/x\n' home >"$house/$file"
    spots no_machine_path "$file:1:"
    rm "$house/$file"
  done
}

@test "an open end, a blank at a line's end and a cut last line are found" {
  whole
  printf '/* %s: later */\n' 'TO''DO' >>"$house/src/base/low.h"
  spots no_open_end 'low.h:3:'
  printf 'x \n' >"$house/examples/x"
  spots lines_end_well 'examples/x:1:'
  printf 'x' >"$house/examples/x"
  spots lines_end_well 'examples/x'
}
