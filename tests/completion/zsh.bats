#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The completions in zsh, where they are installed and sourced.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # zsh's words; what bats sets

load ../lib/harness
load shells

# rc: a zsh whose ^T writes all that fits into the line.
rc() {
  mkdir -p "$T/site"
  cp "$HARNESS_TOP"/completions/_ank* "$T/site/"
  printf '%s\n' "fpath=('$T/site' \$fpath)" 'PS1="READY> "' 'LISTMAX=1000' \
    'unset zle_bracketed_paste' 'autoload -Uz compinit' "compinit -u -d '$T/dump'" \
    'zle -C all-matches complete-word _generic' "bindkey '^T' all-matches" \
    "zstyle ':completion:all-matches:*' completer _all_matches _complete" \
    "zstyle ':completion:all-matches:*' insert true" \
    "zstyle ':completion:*' insert-tab false" "$@" >"$T/.zshrc"
  SHELL_ENV+=(ZDOTDIR="$T")
}

all='\x14'

# completes LINE ARGUMENTS: pressing Tab behind LINE makes these arguments.
completes() {
  press "$1\\t" zsh -d -i || return 1
  assert_eq "$called" "$2"
}

# offers LINE ARGUMENTS: in any order.
offers() {
  press "$1$all" zsh -d -i || return 1
  assert_eq "$(sorted "$called")" "$(sorted "$2")"
}

@test "zsh offers each option of the list, and no other" {
  local program
  rc
  for program in "${programs[@]}"; do
    press "$program -$all" zsh -d -i
    assert_eq "$(tr '|' '\n' <<<"$called" | sed 's/=$//' | sort)" \
      "$(options_of "$program" | sort)"
  done
  completes 'ankput --addr' --addressing
  completes 'ankput s3://bucket/key --dry' 's3://bucket/key|--dry-run'
  completes 'ankput -- --addr' '--|--addr'
}

@test "zsh tells what each option is for" {
  local program help
  rc
  for program in "${programs[@]}"; do
    # Ctrl-D lists
    on_terminal '=completion script for' "$program -\\x04" zsh -d -i >"$T/terminal"
    helps_of "$program" >"$T/helps"
    [ "$(wc -l <"$T/helps")" -gt 7 ]
    while IFS= read -r help; do
      grep -qF -e "-- $help" "$T/terminal" || { echo "not told: $help"; return 1; }
    done <"$T/helps"
  done
}

@test "zsh offers the words that a value may be" {
  rc
  offers 'ankput --addressing ' '--addressing|path|virtual'
  completes 'ankput --addressing v' '--addressing|virtual'
  completes 'ankput --addressing=v' '--addressing=virtual'
  offers 'ankput --sse aws' '--sse|aws:kms|aws:kms:dsse'
  completes 'ankput --sse aws:kms:d' '--sse|aws:kms:dsse'
  completes 'ankput --sse=aws:kms:d' '--sse=aws:kms:dsse'
  completes 'ankget --completion z' '--completion|zsh'
  completes 'ankget --help net' '--help|network'
  completes 'ankget -h mov' '-h|moving bytes'
  completes 'ankget --help=mov' '--help=moving bytes'
  completes 'ankget --report non' '--report|none'
  completes 'ankput --region ca' '--region|ca'
}

@test "zsh offers the profiles of both files, and where variables point" {
  rc
  offers 'ankget --profile ' '--profile|backup|default|my own|staging'
  completes 'ankget --profile=st' '--profile=staging'
  completes 'ankget --profile my' '--profile|my own'
  printf '[profile elsewhere]\n' >"$T/config"
  printf '[other]\n' >"$T/home/keys"
  # shellcheck disable=SC2088 # the program knows it
  SHELL_ENV+=(AWS_CONFIG_FILE="$T/config" AWS_SHARED_CREDENTIALS_FILE='~/keys')
  offers 'ankget --profile ' '--profile|elsewhere|other'
  SHELL_ENV+=(AWS_CONFIG_FILE=/no/such AWS_SHARED_CREDENTIALS_FILE=/no/such)
  completes 'ankget --profile st' '--profile|st'
}

@test "zsh offers files for operands and for values that are files" {
  rc
  completes 'ankput no' notes.txt
  completes 'ankput --dry-run two' '--dry-run|two words.pem'
  completes 'ankput --cacert ca' '--cacert|ca.pem'
  completes 'ankput --cacert=ca' '--cacert=ca.pem'
  completes 'ankget -o no' '-o|notes.txt'
  completes 'ankput -H @no' '-H|@notes.txt'
  completes 'ankput -H no' '-H|no'
  completes 'ankput --header=@no' '--header=@notes.txt'
  offers 'ankput --report no' '--report|none|notes.txt'
}

@test "zsh leaves URLs alone" {
  mkdir -p s3:/bucket
  touch s3:/bucket/file
  rc
  completes 'ankget s3://bucket/f' s3://bucket/f
  completes 'ankput notes.txt s3://bucket/f' 'notes.txt|s3://bucket/f'
}

@test "zsh offers ankbreaker its commands, then nothing" {
  rc
  offers 'ankbreaker ' 'list|show|reset|trip|metrics'
  completes 'ankbreaker --json tr' '--json|trip'
  completes 'ankbreaker --state-file ca.pem re' '--state-file|ca.pem|reset'
  completes 'ankbreaker show no' 'show|no'
}

@test "zsh takes the script by source, too" {
  rc "source '$HARNESS_TOP/completions/_ankput'"
  rm "$T/site/_ankput"
  completes 'ankput --addressing v' '--addressing|virtual'
}
