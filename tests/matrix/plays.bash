# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# load plays

MATRIX=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

export ANK_BUILD=${ANK_BUILD:-$MATRIX/../..}

# plays PROVIDER FILE: all scenarios of the file go well.
plays() {
  "${PYTHON:-/usr/bin/python3}" "$MATRIX/matrix.py" "$1" "$2" 3>&-
}
