#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The completions in fish, which tells what it would offer.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load shells

# in_fish LINE: what it offers behind LINE, one a line: word, tab, help.
in_fish() {
  mkdir -p "$T/share/fish/vendor_completions.d"
  cp "$HARNESS_TOP"/completions/*.fish "$T/share/fish/vendor_completions.d/"
  env -i PATH="$T/bin:/usr/bin:/bin" HOME="$T/home" LC_ALL=C.UTF-8 TERM=xterm \
    XDG_DATA_DIRS="$T/share:/usr/share" "${SHELL_ENV[@]}" \
    fish -c "complete -C $(printf "'%s'" "${1//\'/\\\'}")" </dev/null 2>"$T/err"
  assert_eq "$(cat "$T/err")" ''
}

# offers LINE WORDS: these, joined by |, in any order.
offers() {
  local found
  found=$(in_fish "$1") || return 1
  assert_eq "$(cut -f 1 <<<"$found" | sort | paste -sd '|')" "$(sorted "$2")"
}

@test "fish offers each option of the list, and no other" {
  local program
  for program in "${programs[@]}"; do
    assert_eq "$({ in_fish "$program -"; in_fish "$program --"; } | cut -f 1 |
      sed 's/=$//' | sort -u)" \
      "$(options_of "$program" | sort)"
  done
  offers 'ankput --addr' --addressing
  offers 'ankput s3://bucket/key --dry' --dry-run
  offers 'ankput -- --addr' ''
}

@test "fish tells what each option is for" {
  local program
  for program in "${programs[@]}"; do
    assert_eq "$(in_fish "$program --" | cut -f 2 | sort -u)" \
      "$(helps_of "$program" | sort -u)"
  done
}

@test "fish offers the words that a value may be" {
  offers 'ankput --addressing ' 'path|virtual'
  offers 'ankput --addressing=v' '--addressing=virtual'
  offers 'ankput --sse aws' 'aws:kms|aws:kms:dsse'
  offers 'ankput --sse=aws:kms:d' '--sse=aws:kms:dsse'
  offers 'ankget --completion z' zsh
  offers 'ankget --help net' network
  offers 'ankget -h mov' 'moving bytes'
  offers 'ankget --help=mov' '--help=moving bytes'
  offers 'ankget --report non' none
  offers 'ankput --region ca' ''
}

@test "fish offers the profiles of both files, and where variables point" {
  offers 'ankget --profile ' 'backup|default|my own|staging'
  offers 'ankget --profile=st' '--profile=staging'
  printf '[profile elsewhere]\n' >"$T/config"
  printf '[other]\n' >"$T/home/keys"
  # shellcheck disable=SC2088 # the program knows it
  SHELL_ENV=(AWS_CONFIG_FILE="$T/config" AWS_SHARED_CREDENTIALS_FILE='~/keys')
  offers 'ankget --profile ' 'elsewhere|other'
  SHELL_ENV=(AWS_CONFIG_FILE=/no/such AWS_SHARED_CREDENTIALS_FILE=/no/such)
  offers 'ankget --profile ' ''
}

@test "fish offers files for operands and for values that are files" {
  offers 'ankput no' notes.txt
  offers 'ankput --dry-run two' 'two words.pem'
  offers 'ankput --cacert ca' ca.pem
  offers 'ankput --cacert=ca' --cacert=ca.pem
  offers 'ankget -o no' notes.txt
  offers 'ankput -H @no' @notes.txt
  offers 'ankput -H no' ''
  offers 'ankput --header=@no' --header=@notes.txt
  offers 'ankput --report no' 'none|notes.txt'
}

@test "fish leaves URLs alone" {
  mkdir -p s3:/bucket
  touch s3:/bucket/file
  offers 'ankget s3://bucket/f' ''
  offers 'ankput notes.txt s3://bucket/f' ''
}

@test "fish offers ankbreaker its commands, then nothing" {
  offers 'ankbreaker ' 'list|show|reset|trip|metrics'
  offers 'ankbreaker --json tr' trip
  offers 'ankbreaker --state-file ca.pem re' reset
  offers 'ankbreaker show no' ''
}

@test "fish completes on a terminal" {
  SHELL_ENV=(XDG_DATA_DIRS="$T/share:/usr/share" XDG_CONFIG_HOME="$T/config")
  in_fish 'ankput -' >"$T/ignored"
  mkdir -p "$T/config/fish"
  printf '%s\n' 'function fish_prompt; echo "READY> "; end' 'set -g fish_greeting' \
    >"$T/config/fish/config.fish"
  press 'ankput --addressing v\t' fish -i
  assert_eq "$called" '--addressing|virtual'
}
