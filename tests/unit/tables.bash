# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Runs truth tables: tests/tables/NAME.txt holds lines of
#
#   input => answer  # reason
#
# and ank-test turns inputs into answers. All lines are compared and each that
# differs is shown, with its reason. Blanks at the ends do not count.

tables=$BATS_TEST_DIRNAME/../tables
vectors=$BATS_TEST_DIRNAME/../vectors
ank_test=${ANK_BUILD:-.}/ank-test

# split NAME: the table as lines of: number TAB input TAB answer TAB reason.
split() {
  awk -v OFS='\t' '
    function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
    /^[ \t]*(#|$)/ { next }
    {
      line = $0; reason = ""
      if (match(line, /  +# /)) {
        reason = substr(line, RSTART + RLENGTH)
        line = substr(line, 1, RSTART - 1)
      }
      at = index(" " line " ", " => ")
      if (!at) { print NR, "?", "a line without =>", reason; next }
      print NR, trim(substr(line, 1, at - 1)), trim(substr(line, at + 3)), reason
    }' "$tables/$1.txt"
}

# answers COMMAND: standard input through ank-test.
answers() {
  # shellcheck disable=SC2086 # ANK_WRAP is words
  ${ANK_WRAP:-} "$ank_test" "$1"
}

# memory COMMAND: standard input, with each allocation of each line failing in
# turn; nothing may crash, leak or end otherwise than by saying so.
memory() {
  "$ank_test" -f "$1" >"$BATS_TEST_TMPDIR/got" 2>"$BATS_TEST_TMPDIR/said" || {
    cat "$BATS_TEST_TMPDIR/said"
    return 1
  }
  [ -s "$BATS_TEST_TMPDIR/got" ]
}

# compare NAME WANTED GOT WHY: files of lines; WHY names each line.
compare() {
  awk -v name="$1" -v got_file="$3" -v why_file="$4" '
    {
      if ((getline got < got_file) <= 0) got = "(no answer)"
      getline why < why_file
      sub(/ +$/, "", got)
      if (got != $0) {
        printf "%s: %s\n  wanted: %s\n  got:    %s\n", name, why, $0, got
        bad++
      }
    }
    END {
      if (NR == 0) { print name ": no lines"; exit 1 }
      if (bad) { printf "%s: %d of %d lines differ\n", name, bad, NR; exit 1 }
    }' "$2"
}

# rows COMMAND: compares standard input, lines of input TAB answer TAB why.
rows() {
  local dir=$BATS_TEST_TMPDIR status=0
  cat >"$dir/rows"
  cut -f 1 "$dir/rows" >"$dir/in"
  cut -f 2 "$dir/rows" >"$dir/wanted"
  awk -F '\t' '{ print $1 ($3 != "" ? "  # " $3 : "") }' "$dir/rows" >"$dir/why"
  answers "$1" <"$dir/in" >"$dir/got" || status=$?
  compare "$1" "$dir/wanted" "$dir/got" "$dir/why" || status=1
  return "$status"
}

# table NAME [COMMAND]: a whole table.
table() {
  split "$1" | awk -F '\t' -v OFS='\t' -v file="tests/tables/$1.txt" \
    '{ print $2, $3, file ":" $1 ": " $4 }' | rows "${2:-$1}"
}

# cases FILE FILTER: rows out of the cases of a vector file. In the jq FILTER,
# "esc" writes a text as ank-test reads it, "utf8bytes" are a text's bytes and
# "hex" writes one of them.
cases() {
  jq -r 'def esc: explode | map(
      if . == 92 then "\\\\" elif . == 9 then "\\t" elif . == 10 then "\\n"
      elif . == 13 then "\\r" else [.] | implode end) | join("");
    def hex: [(. / 16 | floor), . % 16] |
      map("0123456789abcdef"[.:][:1]) | join("");
    def utf8bytes: [explode[] |
      if . < 128 then .
      elif . < 2048 then 192 + (. / 64 | floor), 128 + . % 64
      elif . < 65536 then 224 + (. / 4096 | floor),
        128 + (. / 64 | floor) % 64, 128 + . % 64
      else 240 + (. / 262144 | floor), 128 + (. / 4096 | floor) % 64,
        128 + (. / 64 | floor) % 64, 128 + . % 64 end];
    .cases[] | '"$2"' | @tsv' "$vectors/$1.json" |
    sed 's/\\\\/\\/g'
}
