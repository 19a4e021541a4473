# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What the tests of the completions share: a folder with files, profiles, and
# programs that write down what they were called with.
# shellcheck disable=SC2034,SC2154 # what the tests and the harness use

programs=(ankput ankget ankbreaker)
ank_completion=$ANK_BUILD/ank-completion

setup() {
  local program
  harness_setup
  # Where it is missing, fish fills it in the background, behind the test's end.
  mkdir -p "$T/home/.local/share/fish/generated_completions"
  mkdir -p "$T/bin" "$T/here/folder" "$T/home/.aws"
  for program in "${programs[@]}"; do
    # shellcheck disable=SC2016 # for the program
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"$CALLED.new"\nmv "$CALLED.new" "$CALLED"\n' \
      >"$T/bin/$program"
    chmod +x "$T/bin/$program"
  done
  printf '[default]\nregion = r\n[profile staging]\n[ profile  ]\n[sso-session corp]\n[profile my own] # x\n' \
    >"$T/home/.aws/config"
  printf '[default]\naws_access_key_id = A\n[backup]\n#[gone]\n' >"$T/home/.aws/credentials"
  cd "$T/here" || return 1
  touch ca.pem 'two words.pem' notes.txt
}

# press KEYS COMMAND...: presses keys in a shell, and Return; what the program on
# the line was called with is in called, joined by |.
press() {
  rm -f "$T/called"
  on_terminal "$T/called" "$1\\r" "${@:2}" >"$T/terminal" || { cat "$T/terminal"; return 1; }
  called=$(paste -sd '|' <"$T/called")
}

# on_terminal FILE KEYS COMMAND...: press.py, in a clean environment.
on_terminal() {
  env -i PATH="$T/bin:/usr/bin:/bin" HOME="$T/home" CALLED="$T/called" LC_ALL=C.UTF-8 \
    TERM=xterm "${SHELL_ENV[@]}" "$PYTHON" "$HARNESS_TOP/tests/completion/press.py" \
    'READY>' "$@" </dev/null
}

# helps_of PROGRAM: what --help says of each option, a line each.
helps_of() {
  "$PYTHON" - "$HARNESS_TOP/src/cli/options.def" "$1" <<'EOF'
import re, sys
here = {'ankput': ('PUT', 'BOTH', 'ALL'), 'ankget': ('GET', 'BOTH', 'ALL'),
        'ankbreaker': ('STATE', 'ALL')}[sys.argv[2]]
for programs, texts in re.findall(
        r'(\w+),\s*"[a-z ]+",\s*((?:"[^"]*"\s*)+)\)\n', open(sys.argv[1]).read()):
    if programs in here:
        print(''.join(re.findall('"([^"]*)"', texts)))
EOF
}

# options_of PROGRAM: its long and short options, as options.def has them.
options_of() {
  "$PYTHON" - "$HARNESS_TOP/src/cli/options.def" "$1" <<'EOF'
import re, sys
here = {'ankput': ('PUT', 'BOTH', 'ALL'), 'ankget': ('GET', 'BOTH', 'ALL'),
        'ankbreaker': ('STATE', 'ALL')}[sys.argv[2]]
for short, name, programs in re.findall(
        r'^OPT\(\w+,\s*(\S+),\s*"([^"]+)",\s*\w+,\s*(?:"[^"]*"|NULL),'
        r'\s*(?:"[^"]*"|NULL),\s*(\w+),', open(sys.argv[1]).read(), re.M):
    if programs in here:
        print('--' + name)
        if short != '0':
            print('-' + short[1])
EOF
}

# sorted WORD|WORD...: the same in order.
sorted() {
  tr '|' '\n' <<<"$1" | sort | paste -sd '|'
}
