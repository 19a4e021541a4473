#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How the sources are written.
# shellcheck disable=SC2016 # programs in quotes are for another shell

setup() {
  # shellcheck source=tests/lint/lint.bash
  . "$BATS_TEST_DIRNAME/lint.bash"
}

@test "functions have at most 60 lines, files at most 400" {
  clean check sizes
  echo "# $output" >&3
}

@test "the C sources are as clang-format would write them" {
  cd "$top"
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

@test "no function is more tangled than cognitive complexity 25" {
  [ -f "$ANK_BUILD/Makefile" ] || skip 'nothing is configured'
  cd "$ANK_BUILD"
  find "$top/src" "$top/tests" -name '*.c' -print0 |
    clean xargs -0 -r -n 8 -P "$(nproc)" sh -c '
      flags=$1; shift
      exec clang-tidy --quiet "$@" -- $flags 2>&1' sh "-std=gnu11 $(flags)"
}

@test "each C file says its licence in line 1" {
  sources | clean xargs -0 sh -c '
    for file; do
      head -n 1 "$file" | grep -q "^/\* SPDX-License-Identifier: MIT" ||
        { echo "$file"; bad=1; }
    done
    exit ${bad:-0}' sh
}

@test "the shell scripts satisfy shellcheck" {
  cd "$top"
  tracked | xargs -0 sh -c '
    for file; do
      line=$(head -c 200 "$file" | tr -d "\0" | head -n 1)
      case $line in
      "#!"*bats* | "#!"*/sh* | "#!"*/bash* | "#!"*" bash"* | \
        "# shellcheck shell="*) printf "%s\0" "$file" ;;
      esac
    done' sh >"$BATS_TEST_TMPDIR/scripts"
  [ -s "$BATS_TEST_TMPDIR/scripts" ]
  clean xargs -0 shellcheck -x <"$BATS_TEST_TMPDIR/scripts"
}

@test "cppcheck finds nothing" {
  # The two left out combine conditions of different functions that exclude
  # each other: the compilers' analysis and the sanitizers are better at it.
  cd "$top"
  silent cppcheck --quiet -j "$(nproc)" --std=c11 --inline-suppr \
    --enable=warning,performance,portability --error-exitcode=1 \
    --suppress=missingIncludeSystem --suppress=nullPointerRedundantCheck \
    --suppress=ctunullpointer -D'VERSION="0"' -Isrc src tests
}
