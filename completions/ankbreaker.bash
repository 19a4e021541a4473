# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Completes ankbreaker in bash. Made from the option list: ankbreaker --completion bash

# The profiles of the AWS set-up, one a line.
_ankbreaker_profiles() {
  local config=${AWS_CONFIG_FILE:-$HOME/.aws/config}
  local keys=${AWS_SHARED_CREDENTIALS_FILE:-$HOME/.aws/credentials}
  [[ $config != \~/* ]] || config=$HOME${config#\~}
  [[ $keys != \~/* ]] || keys=$HOME${keys#\~}
  {
    sed -n 's/^\[ *profile \([^]]*[^] ]\) *\].*/\1/p; s/^\[ *\(default\) *\].*/\1/p' "$config"
    sed -n 's/^\[ *\([^]]*[^] ]\) *\].*/\1/p' "$keys"
  } 2>/dev/null | sort -u
}

# Sets words, up to the cursor: bash has broken them at = and : too.
_ankbreaker_words() {
  local i word bare rest=${COMP_LINE:0:COMP_POINT}
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    bare=${rest#"${rest%%[![:space:]]*}"}
    ((${#word} <= ${#bare})) || word=$bare
    if ((i > 0)) && [[ $bare == "$rest" ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    rest=${bare#"$word"}
  done
}

# Sets kind and choice: what the value of option $1 is; empty if it has none.
_ankbreaker_kind() {
  kind='' choice=()
  case $1 in
    --state-file) kind=files ;;
    --endpoint) kind=text ;;
    --region) kind=text ;;
    --profile) kind=profiles ;;
    --provider) kind=words choice=(s3 gcs azure oci alibaba backblaze ceph digitalocean fastly hetzner minio r2 scaleway storj swift tencent wasabi) ;;
    --addressing) kind=words choice=(path virtual) ;;
    -K | --config) kind=files ;;
    -h | --help) kind=words choice=(breaker where telling rest all) ;;
    --completion) kind=words choice=(bash zsh fish) ;;
  esac
}

# Offers values that begin with $1, each behind $2. Where nothing is offered and
# files are welcome, readline offers those.
_ankbreaker_value() {
  local word quoted files=()
  [[ $kind != profiles ]] || mapfile -t choice < <(_ankbreaker_profiles)
  for word in "${choice[@]}"; do
    printf -v quoted %q "$word"
    if [[ $word == "$1"* || $quoted == "$1"* ]]; then
      COMPREPLY+=("$2$quoted")
    fi
  done
  case $kind${COMPREPLY:+,}$1 in
  files,*) mapfile -t files < <(compgen -f -P "$2" -- "$1") ;;
  header@*) mapfile -t files < <(compgen -f -P "$2@" -- "${1#@}") ;;
  files*) return ;;
  *) compopt +o default ;;
  esac
  [[ ${#files[@]} = 0 ]] || compopt -o filenames
  COMPREPLY+=("${files[@]}")
}

_ankbreaker() {
  local words kind choice cur last i ended='' operands=0
  local options='
    --state-file
    --endpoint
    --region
    --profile
    --provider
    --addressing
    --json
    -K --config
    --show-config
    -h --help
    -V --version
    --completion'
  COMPREPLY=()
  _ankbreaker_words
  last=$((${#words[@]} - 1)) cur=${words[-1]}
  for ((i = 1; i < last; i++)); do
    if [[ $ended || ${words[i]} != -?* ]]; then
      operands=$((operands + 1))
    elif [[ ${words[i]} == -- ]]; then
      ended=1
    else
      _ankbreaker_kind "${words[i]}"
      [[ ! $kind ]] || i=$((i + 1))
    fi
  done
  if ((i > last)); then
    _ankbreaker_value "$cur" ''
  elif [[ ! $ended && $cur == --*=* ]]; then
    _ankbreaker_kind "${cur%%=*}"
    _ankbreaker_value "${cur#*=}" "${cur%%=*}="
  elif [[ ! $ended && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    compopt +o default
  elif ((operands == 0)); then
    kind=words choice=(list show reset trip metrics)
    _ankbreaker_value "$cur" ''
  else
    compopt +o default
  fi
  # Of the last word bash will replace $2.
  COMPREPLY=("${COMPREPLY[@]#"${cur%"$2"}"}")
}

complete -o default -F _ankbreaker ankbreaker
