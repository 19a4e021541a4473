#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The completions in bash, without the package bash-completion and with it.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # what bats and the harness set

load ../lib/harness
load shells

# in_bash KEYS: alone, the script sourced.
in_bash() {
  local program
  {
    for program in "${programs[@]}"; do
      echo ". '$HARNESS_TOP/completions/$program.bash'"
    done
    echo "bind 'set bell-style none'; PS1='READY> '"
  } >"$T/rc"
  press "$1" bash --noprofile --rcfile "$T/rc" -i
}

# with_package KEYS: bash-completion finds the script where it is installed.
with_package() {
  local where=$T/share/bash-completion/completions program
  [ -e /usr/share/bash-completion/bash_completion ] || skip 'no bash-completion here'
  mkdir -p "$where"
  for program in "${programs[@]}"; do
    cp "$HARNESS_TOP/completions/$program.bash" "$where/$program"
  done
  printf "%s\n" '. /usr/share/bash-completion/bash_completion' \
    "bind 'set bell-style none'; PS1='READY> '" >"$T/rc"
  SHELL_ENV=(XDG_DATA_DIRS="$T/share:/usr/share")
  press "$1" bash --noprofile --rcfile "$T/rc" -i
}

# Escape-star writes all that fits into the line.
all='\x1b*'

# completes LINE ARGUMENTS: pressing Tab behind LINE makes these arguments.
completes() {
  "$shell" "$1\\t" || return 1
  assert_eq "$called" "$2"
}

# offers LINE ARGUMENTS: in any order.
offers() {
  "$shell" "$1$all" || return 1
  assert_eq "$(sorted "$called")" "$(sorted "$2")"
}

@test "bash offers each option of the list, and no other" {
  local program
  for shell in in_bash with_package; do
    for program in "${programs[@]}"; do
      "$shell" "$program -$all"
      assert_eq "$(tr '|' '\n' <<<"$called" | sort)" "$(options_of "$program" | sort)"
    done
    completes 'ankput --addr' --addressing
    completes 'ankput s3://bucket/key --dry' 's3://bucket/key|--dry-run'
    # behind -- stand operands
    completes 'ankput -- --addr' '--|--addr'
  done
}

@test "bash offers the words that a value may be" {
  for shell in in_bash with_package; do
    offers 'ankput --addressing ' '--addressing|path|virtual'
    completes 'ankput --addressing v' '--addressing|virtual'
    completes 'ankput --addressing=v' '--addressing=virtual'
    offers 'ankput --sse aws' '--sse|aws:kms|aws:kms:dsse'
    completes 'ankput --sse aws:kms:d' '--sse|aws:kms:dsse'
    completes 'ankput --sse=aws:kms:d' '--sse=aws:kms:dsse'
    completes 'ankget --completion z' '--completion|zsh'
    completes 'ankget --help net' '--help|network'
    completes 'ankget -h mov' '-h|moving bytes'
    completes 'ankget --help=moving\\ b' '--help=moving bytes'
    completes 'ankget --report non' '--report|none'
    # what only the user knows: no file either
    completes 'ankput --region ca' '--region|ca'
    completes 'ankput --region=ca' '--region=ca'
  done
}

@test "bash offers the profiles of both files, and where variables point" {
  for shell in in_bash with_package; do
    offers 'ankget --profile ' '--profile|backup|default|my own|staging'
    completes 'ankget --profile=st' '--profile=staging'
    completes 'ankget --profile my' '--profile|my own'
  done
  printf '[profile elsewhere]\n' >"$T/config"
  printf '[other]\n' >"$T/home/keys"
  # shellcheck disable=SC2088 # the program knows it
  SHELL_ENV=(AWS_CONFIG_FILE="$T/config" AWS_SHARED_CREDENTIALS_FILE='~/keys')
  shell=in_bash
  offers 'ankget --profile ' '--profile|elsewhere|other'
  SHELL_ENV=(AWS_CONFIG_FILE=/no/such AWS_SHARED_CREDENTIALS_FILE=/no/such)
  completes 'ankget --profile st' '--profile|st'
}

@test "bash offers files for operands and for values that are files" {
  for shell in in_bash with_package; do
    completes 'ankput no' notes.txt
    completes 'ankput --dry-run two' '--dry-run|two words.pem'
    completes 'ankput --cacert ca' '--cacert|ca.pem'
    completes 'ankput --cacert=ca' '--cacert=ca.pem'
    completes 'ankget -o no' '-o|notes.txt'
    completes 'ankput -H @no' '-H|@notes.txt'
    completes 'ankput -H no' '-H|no'
    completes 'ankput --header=@no' '--header=@notes.txt'
    offers 'ankput --report ' '--report|none|ca.pem|folder|notes.txt|two words.pem'
    offers 'ankput --report=no' '--report=none|notes.txt'
  done
}

@test "bash leaves URLs alone" {
  mkdir -p s3:/bucket
  touch s3:/bucket/file
  for shell in in_bash with_package; do
    completes 'ankget s3://bucket/f' s3://bucket/f
    completes 'ankput notes.txt s3://bucket/f' 'notes.txt|s3://bucket/f'
  done
}

@test "bash offers ankbreaker its commands, then nothing" {
  for shell in in_bash with_package; do
    offers 'ankbreaker ' 'list|show|reset|trip|metrics'
    completes 'ankbreaker --json tr' '--json|trip'
    completes 'ankbreaker --state-file ca.pem re' '--state-file|ca.pem|reset'
    completes 'ankbreaker show no' 'show|no'
  done
}

@test "bash completes at the cursor in the middle of a line" {
  shell=in_bash
  completes 'ankput --addres path\x1bb\x02' '--addressing|path'
  completes 'echo s3://x; ankput --cacert ca' '--cacert|ca.pem'
}
