# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the lint suites share.
# shellcheck disable=SC2016,SC2154 # programs for another shell; bats sets status

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
ANK_BUILD=${ANK_BUILD:-$top/build/gcc}
export PYTHONDONTWRITEBYTECODE=1

# clean COMMAND...: COMMAND finds nothing to say; what it says is shown.
clean() {
  run "$@"
  [ "$status" -eq 0 ] || {
    printf '%s\n' "$output"
    return 1
  }
}

# silent COMMAND...: as clean, for tools whose exit status does not tell.
silent() {
  clean "$@"
  [ -z "$output" ] || {
    printf '%s\n' "$output"
    return 1
  }
}

# check NAME [ROOT]: one of the checkers written in Python.
check() {
  /usr/bin/python3 "$BATS_TEST_DIRNAME/$1.py" "${2:-$top}"
}

# sources: the C files, by name, each ended by a NUL.
sources() {
  find "$top/src" "$top/tests" -name '*.[ch]' -print0 | sort -z
}

# tracked: the files of the project, whether this is a clone or a tarball;
# what is made by a build is not among them.
tracked() {
  cd "$top" || return 1
  if [ -e .git ]; then
    git ls-files -z --cached --others --exclude-standard
  else
    find . -path ./build -prune -o -type f -print0
  fi | xargs -0 -r sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh
}

# mentions PATTERN [GREP-ARG...]: where the pattern occurs in the project,
# but for this file, which holds the patterns.
mentions() {
  cd "$top" || return 1
  tracked | grep -zv '\(^\|/\)tests/lint/lint\.bash$' |
    xargs -0 -r grep -nIE "${@:2}" -e "$1" /dev/null || true
}

# --- the checks of form.bats and tree.bats --------------------------------------
# Each looks at the tree in $top, so that planted.bats can show it another.

as_clang_format_writes() {
  cd "$top" || return 1
  sources | clean xargs -0 clang-format --style=file --dry-run -Werror
}

# flags: what the build gives the preprocessor; its paths are relative to it.
flags() {
  make -s --no-print-directory -C "$ANK_BUILD" -f - print-flags <<'EOF'
include Makefile
print-flags:
	@echo $(DEFAULT_INCLUDES) $(INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS)
	@echo $(CURL_CFLAGS) $(CRYPTO_CFLAGS) $(CJSON_CFLAGS) $(EXPAT_CFLAGS)
EOF
}

untangled() {
  cd "$ANK_BUILD" || return 1
  find "$top/src" "$top/tests" -name '*.c' -print0 |
    clean xargs -0 -r -n 8 -P "$(nproc)" sh -c '
      flags=$1; shift
      exec clang-tidy --quiet "$@" -- $flags 2>&1' sh "-std=gnu11 $(flags)"
}

cppcheck_silent() {
  # The two left out combine conditions of different functions that exclude
  # each other: the compilers' analysis and the sanitizers are better at it.
  cd "$top" || return 1
  silent cppcheck --quiet -j "$(nproc)" --std=c11 --inline-suppr \
    --enable=warning,performance,portability --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppress=nullPointerRedundantCheck \
    --suppress=ctunullpointer -D'VERSION="0"' -Isrc src tests
}

c_licensed() {
  sources | clean xargs -0 sh -c '
    for file; do
      head -n 1 "$file" | grep -q "^/\* SPDX-License-Identifier: MIT" ||
        { echo "$file"; bad=1; }
    done
    exit ${bad:-0}' sh
}

# begins LINE NAME: the tracked files whose first line or whose name matches.
begins() {
  tracked | xargs -0 -r sh -c '
    line=$1 name=$2; shift 2
    for file; do
      if printf "%s\n" "$file" | grep -qE "$name" ||
        head -c 200 "$file" | tr -d "\0" | head -n 1 | grep -qE "$line"; then
        printf "%s\0" "$file"
      fi
    done' sh "$1" "$2"
}

# The scripts that shellcheck reads, Python's, and those of other shells.
scripts() {
  begins '^#!.*(bats|/sh|/bash| bash)|^# shellcheck shell=' '\.(sh|bash|bats)$'
}
pythons() { begins '^#!.*python' '\.py$'; }
others() { begins '^#compdef ' '\.(fish|zsh)$'; }

# some NAME: the files that NAME lists, of which there are some.
some() {
  cd "$top" || return 1
  "$1" >"$BATS_TEST_TMPDIR/some"
  [ -s "$BATS_TEST_TMPDIR/some" ] || echo "there are no $1"
}

scripts_licensed() {
  cd "$top" || return 1
  { scripts; pythons; others; } | clean xargs -0 sh -c '
    for file; do
      head -n 5 "$file" | grep -q "^# SPDX-License-Identifier: MIT" ||
        { echo "$file"; bad=1; }
    done
    exit ${bad:-0}' sh
}

shellcheck_silent() {
  silent some scripts || return 1
  cd "$top" || return 1
  clean xargs -0 shellcheck -x <"$BATS_TEST_TMPDIR/some"
}

python_compiles() {
  silent some pythons || return 1
  cd "$top" || return 1
  clean xargs -0 /usr/bin/python3 -W error -c '
import sys
bad = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        try:
            compile(file.read(), path, "exec")
        except (SyntaxError, ValueError) as error:
            print(f"{path}: {error}")
            bad = 1
sys.exit(bad)' <"$BATS_TEST_TMPDIR/some"
}

other_shells_read() {
  silent some others || return 1
  cd "$top" || return 1
  clean xargs -0 sh -c '
    for file; do
      case $file in
      *.fish) fish --no-execute "$file" ;;
      *) zsh -n "$file" ;;
      esac || bad=1
    done
    exit ${bad:-0}' sh <"$BATS_TEST_TMPDIR/some"
}

# A sleep of more than 0.1 s, where a command may stand. One that needs the time
# says so behind it: "# real time". servers/ is for people, too.
sleeps_briefly() {
  local begin='(^|[;&|({]|\<(do|then|else)\>)[[:blank:]]*' file=$BATS_TEST_TMPDIR/sleeps
  cd "$top" || return 1
  tracked | grep -zE 'tests/.*\.(bats|bash)$' |
    grep -zv 'tests/\(lint\|servers\)/' |
    xargs -0 -r grep -nIE -e "${begin}sleep[[:blank:]]+(\"?\\$|[1-9]|0?\.[2-9]|0?\.1[0-9]*[1-9])" \
      /dev/null | grep -v '# real time' >"$file" || true
  silent cat "$file"
}

no_machine_path() {
  silent mentions '(^|[^[:alnum:]_./$}~-])/(work|farm|root|home|mnt|Users)/[[:alnum:]_]'
}

no_open_end() { silent mentions '\<(TODO|FIXME|XXX|HACK)\>'; }

lines_end_well() {
  silent mentions '[[:blank:]]+$' --exclude-dir=vectors --exclude=\*.json ||
    return 1
  cd "$top" || return 1
  tracked | grep -zv '^\(\./\)\?tests/\(vectors\|fuzz\)/' | silent xargs -0 sh -c '
    for file; do
      [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo "$file"
    done' sh
}
