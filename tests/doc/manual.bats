#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The manual, --help and the report's schema say what the programs do.
# shellcheck disable=SC2154 # what the harness sets

load ../lib/harness

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# agrees WHAT: compare.py finds no difference.
agrees() {
  run /usr/bin/python3 -B "$BATS_TEST_DIRNAME/compare.py" "$top" "$1"
  assert_eq '' "$output"
  assert_eq 0 "$status"
}

@test "the manual has every option, its argument, default and variable, and no other" {
  agrees options
}

@test "the manual has every exit status by its name" {
  agrees exits
}

@test "the manual and the schema have every field of the report" {
  agrees fields
}

@test "a comparison notices an option that the manual does not have" {
  cp -r "$top/src" "$top/man" "$T/"
  sed -i 's/^\.It Fl -retries .*/.It Fl -tries Ar N/' "$T/man/ankput.1"
  run /usr/bin/python3 -B "$BATS_TEST_DIRNAME/compare.py" "$T" options
  assert_eq 1 "$status"
  assert_contains "$output" 'ankput: retries'
  assert_contains "$output" 'ankput: tries'
}

@test "--help names every option of the manual, within 80 columns" {
  local program name
  for program in ankput ankget; do
    run_ank "$program" --help
    assert_exit 0
    assert_eq '' "$(awk 'length > 80' "$OUT")"
    while read -r name; do
      grep -q -- "--$name\( \|$\)" "$OUT" || {
        echo "$program --help lacks --$name"
        return 1
      }
    done < <(sed -n 's/^\.It .*Fl -\([a-z0-9-]*\).*/\1/p' "$top/man/$program.1")
  done
}

# example_lines PAGE: the commands of its EXAMPLES.
example_lines() {
  sed -n 's/^\.Dl \$ //p' "$top/man/$1.1"
}

# readme_lines: the commands of README's examples but the one that exports.
readme_lines() {
  sed -n 's/^\$ \(ank.*\)/\1/p' "$top/README.md"
}

# works COMMAND: a shell runs it to its end, as a reader of the page would.
works() {
  (cd "$T" && env -i PATH="$ANK_BUILD:$PATH" HOME="$T/home" \
    ANK_ENDPOINT="$CLOUD_URL" AWS_ACCESS_KEY_ID="$TEST_KEY" \
    AWS_SECRET_ACCESS_KEY="$TEST_SECRET" AWS_REGION=us-east-1 \
    bash -o pipefail -c "$1" >"$T/example.out" 2>"$T/example.err") || {
    echo "this example failed: $1"
    cat "$T/example.out" "$T/example.err"
    return 1
  }
}

# with_backup: a cloud that has s3://bucket/backup.tar, and the file here.
with_backup() {
  start_cloud
  mkdir -p "$T/home" "$T/x"
  echo contents >"$T/x/file"
  tar -C "$T" -cf "$T/backup.tar" x
  seed_object bucket backup.tar "$T/backup.tar"
}

@test "the examples of the manual work" {
  local line page
  with_backup
  for page in ankput ankget; do
    [ "$(example_lines "$page" | wc -l)" -ge 5 ]
    while IFS= read -r line; do works "$line"; done < <(example_lines "$page")
  done
}

@test "the examples of README work" {
  local line
  with_backup
  [ "$(readme_lines | wc -l)" -ge 9 ]
  while IFS= read -r line; do works "$line"; done < <(readme_lines)
}

@test "NEWS begins with the version that configure.ac names" {
  local version
  version=$(sed -n 's/^AC_INIT(\[ank\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
  [ -n "$version" ]
  assert_eq "ank $version" "$(head -n 1 "$top/NEWS")"
}

@test "configure names the Debian package of a library that is missing" {
  [ -x "$top/configure" ] || skip 'configure was not made here'
  run -1 env PKG_CONFIG_LIBDIR="$T" PKG_CONFIG_PATH="$T" \
    bash -c "mkdir '$T/b' && cd '$T/b' && '$top/configure' 2>&1"
  assert_contains "$output" 'libcurl4-openssl-dev'
}
