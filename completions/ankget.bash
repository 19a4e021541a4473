# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Completes ankget in bash. Made from the option list: ankget --completion bash

# The profiles of the AWS set-up, one a line.
_ankget_profiles() {
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
_ankget_words() {
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
_ankget_kind() {
  kind='' choice=()
  case $1 in
    --policy) kind=words choice=(ank anole restic prismatic) ;;
    --retries) kind=text ;;
    --deadline) kind=text ;;
    --timeout-ms) kind=text ;;
    --upload-timeout-ms) kind=text ;;
    --connect-timeout-ms) kind=text ;;
    --stall-timeout) kind=text ;;
    --max-retry-after) kind=text ;;
    --backoff) kind=text ;;
    --retry-on) kind=text ;;
    --no-retry-on) kind=text ;;
    --retry-budget) kind=text ;;
    --breaker) kind=text ;;
    --breaker-wait) kind=text ;;
    --state-file) kind=files ;;
    --endpoint) kind=text ;;
    --region) kind=text ;;
    --profile) kind=profiles ;;
    --provider) kind=words choice=(s3 gcs azure oci alibaba backblaze ceph digitalocean fastly hetzner minio r2 scaleway storj swift tencent wasabi) ;;
    --addressing) kind=words choice=(path virtual) ;;
    -H | --header) kind=header ;;
    --if-match) kind=text ;;
    --if-none-match) kind=text ;;
    --checksum) kind=words choice=(crc64nvme crc32c sha256) ;;
    --range) kind=text ;;
    --version-id) kind=text ;;
    -P | --parallel) kind=text ;;
    --part-size) kind=text ;;
    --buffer-limit) kind=text ;;
    --multipart-threshold) kind=text ;;
    --limit-rate) kind=text ;;
    -o | --output) kind=files ;;
    -x | --proxy) kind=text ;;
    --noproxy) kind=text ;;
    --cacert) kind=files ;;
    -E | --cert) kind=files ;;
    --key) kind=files ;;
    --resolve) kind=text ;;
    --interface) kind=text ;;
    --report) kind=files choice=(none) ;;
    -K | --config) kind=files ;;
    -h | --help) kind=words choice=(retry breaker where object moving\ bytes network telling rest all) ;;
    --completion) kind=words choice=(bash zsh fish) ;;
  esac
}

# Offers values that begin with $1, each behind $2. Where nothing is offered and
# files are welcome, readline offers those.
_ankget_value() {
  local word quoted files=()
  [[ $kind != profiles ]] || mapfile -t choice < <(_ankget_profiles)
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

_ankget() {
  local words kind choice cur last i ended='' operands=0
  local options='
    --policy
    --retries
    --deadline
    --timeout-ms
    --upload-timeout-ms
    --connect-timeout-ms
    --stall-timeout
    --max-retry-after
    --backoff
    --retry-on
    --no-retry-on
    --retry-budget
    --breaker
    --no-breaker
    --breaker-wait
    --no-share-throttle
    --state-file
    --no-state
    --endpoint
    --region
    --profile
    --provider
    --no-token-cache
    --addressing
    --no-sign
    -H --header
    --if-match
    --if-none-match
    --checksum
    --range
    --version-id
    -I --head
    -P --parallel
    --part-size
    --buffer-limit
    --multipart-threshold
    --limit-rate
    -C --continue
    -o --output
    -O --remote-name
    --create-dirs
    -x --proxy
    --noproxy
    --cacert
    -E --cert
    --key
    -k --insecure
    -4 --ipv4
    -6 --ipv6
    --resolve
    --interface
    --http2
    --report
    --json
    --text
    -v --verbose
    --explain
    -s --silent
    --progress
    --no-progress
    --dry-run
    -K --config
    --show-config
    -h --help
    -V --version
    --completion'
  COMPREPLY=()
  _ankget_words
  last=$((${#words[@]} - 1)) cur=${words[-1]}
  for ((i = 1; i < last; i++)); do
    if [[ $ended || ${words[i]} != -?* ]]; then
      operands=$((operands + 1))
    elif [[ ${words[i]} == -- ]]; then
      ended=1
    else
      _ankget_kind "${words[i]}"
      [[ ! $kind ]] || i=$((i + 1))
    fi
  done
  if ((i > last)); then
    _ankget_value "$cur" ''
  elif [[ ! $ended && $cur == --*=* ]]; then
    _ankget_kind "${cur%%=*}"
    _ankget_value "${cur#*=}" "${cur%%=*}="
  elif [[ ! $ended && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    compopt +o default
  elif [[ $cur == s3:* ]]; then
    compopt +o default
  fi
  # Of the last word bash will replace $2.
  COMPREPLY=("${COMPREPLY[@]#"${cur%"$2"}"}")
}

complete -o default -F _ankget ankget
