#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The completions that are checked in are those that the programs print, and
# they are installed where the shells look.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load shells

bats_require_minimum_version 1.5.0

# name_of PROGRAM SHELL: of the file in completions/.
name_of() {
  if [ "$2" = zsh ]; then echo "_$1"; else echo "$1.$2"; fi
}

@test "make regen would change nothing that is checked in" {
  local program
  mkdir "$T/made"
  for program in "${programs[@]}"; do
    "$ank_completion" "$program" "$T/made"
  done
  diff -r "$T/made" "$HARNESS_TOP/completions"
}

@test "the programs print the scripts that are checked in" {
  local program shell
  for program in "${programs[@]}"; do
    # of a program that is not there the list knows already
    [ -x "$ANK_BUILD/$program" ] || continue
    for shell in bash zsh fish; do
      run_ank "$program" --completion "$shell"
      assert_exit 0
      assert_same "$OUT" "$HARNESS_TOP/completions/$(name_of "$program" "$shell")"
    done
  done
}

@test "the commands of ankbreaker are those that its help names" {
  [ -x "$ANK_BUILD/ankbreaker" ] || skip 'ankbreaker is not there'
  run_ank ankbreaker --help
  assert_eq "$(sed -n 's/.*kind=words choice=(\(list .*\))$/\1/p' \
    "$HARNESS_TOP/completions/ankbreaker.bash")" \
    "$(sed -n 's/^COMMAND is \(.*\)\. URL.*/\1/p' "$OUT" | grep -ow '[a-z]*' | grep -vx or | paste -sd ' ')"
}

@test "bash takes the script as the manual says" {
  local line
  line=$(sed -n 's/^\.Ql \(eval .*--completion bash.*\) \.$/\1/p' "$HARNESS_TOP/man/ankput.1")
  PATH=$ANK_BUILD:$PATH run -0 bash -c "${line//'\(dq'/'"'}; complete -p ankput"
  assert_contains "$output" '-F _ankput ankput'
}

@test "a full disk under --completion is an error" {
  ank_prepare ankput --completion zsh
  status=0
  "${ANK_COMMAND[@]}" >/dev/full 2>"$ERR" || status=$?
  assert_exit 3
}

@test "the scripts say nothing when the shell reads them" {
  local program
  for program in "${programs[@]}"; do
    bash -eu -c '. "$1"' _ "$HARNESS_TOP/completions/$program.bash" >"$T/said" 2>&1
    zsh -f -c 'autoload -Uz compinit; compinit -D; . "$1"' _ \
      "$HARNESS_TOP/completions/_$program" >>"$T/said" 2>&1
    fish --no-config "$HARNESS_TOP/completions/$program.fish" >>"$T/said" 2>&1
    assert_eq "$(cat "$T/said")" ''
  done
}

@test "make install puts them where the shells look" {
  local program
  [ -f "$ANK_BUILD/Makefile" ] || skip 'nothing is configured'
  # Nothing is built here: an old build says so instead.
  make -q -C "$ANK_BUILD" ankput ankget >/dev/null 2>&1 || skip 'the build is not up to date'
  make -s -C "$ANK_BUILD" install DESTDIR="$T/root" prefix=/usr >"$T/log" 2>&1
  cd "$T/root/usr/share"
  for program in "${programs[@]}"; do
    assert_same "bash-completion/completions/$program" "$HARNESS_TOP/completions/$program.bash"
    assert_same "zsh/site-functions/_$program" "$HARNESS_TOP/completions/_$program"
    assert_same "fish/vendor_completions.d/$program.fish" "$HARNESS_TOP/completions/$program.fish"
  done
  make -s -C "$ANK_BUILD" uninstall DESTDIR="$T/root" prefix=/usr >"$T/log" 2>&1
  assert_eq "$(find "$T/root" -type f)" ''
}
