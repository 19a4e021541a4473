#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# policy/backoff: which waits there are, and how chance moves them.

setup() {
  # shellcheck source=tests/unit/tables.bash
  . "$BATS_TEST_DIRNAME/tables.bash"
}

@test "a back-off is read in every form, and each mistake is told" {
  table backoff-spec
}

@test "what is printed of a back-off means the same" {
  split backoff-spec | cut -f 3 | grep -E '^[a-z]+:[0-9]' | sort -u |
    awk -v OFS='\t' '{ print $0, $0 }' | rows backoff-spec
}

@test "the waits of each strategy lie between these" {
  table backoff-waits
}

@test "no wait outgrows its maximum or a day, however many went before" {
  table backoff-wait
}

@test "numbers with decimals are read exactly, or not at all" {
  table thousandths
}

@test "a back-off that memory runs out under is told" {
  printf '%s\n' 'full:1s,2s' 'exp:1s,x1.5,max=9s,jitter=equal' nonsense |
    memory backoff-spec
}

# throws SPEC: the first wait of each of 2000 clients, sorted, one a line.
throws() {
  local seed
  for ((seed = 1; seed <= 2000; seed++)); do echo "$1 1 $seed"; done |
    answers backoff-moments | sort -n
}

# spread SPEC LOW HIGH MEAN: of these 2000 waits none lies outside, the ends are
# reached within a hundredth, each tenth of the range has its share, and the
# mean is right: within four standard errors of a uniform one.
spread() {
  throws "$1" | awk -v spec="$1" -v low="$2" -v high="$3" -v mean="$4" '
    { n++; sum += $1; if (NR == 1) first = $1; last = $1
      tenth[int(($1 - low) * 10 / (high - low + 1))]++ }
    END {
      width = high - low
      error = 4 * width / sqrt(12 * n)
      bad = first < low || last > high || first > low + width / 100 ||
        last < high - width / 100 || sum / n < mean - error ||
        sum / n > mean + error || n != 2000
      for (i = 0; i < 10; i++)
        if (tenth[i] < 140 || tenth[i] > 260) bad = 1
      if (bad)
        printf "%s: %d from %d to %d, mean %.1f\n", spec, n, first, last, sum / n
      exit bad
    }'
}

@test "each jitter fills its range evenly, and its mean is that of the range" {
  spread full:10s 0 10000 5000
  spread equal:10s 5000 10000 7500
  spread around:10s 5000 15000 10000
  spread nonzero:10s 1 10000 5000
  spread exp:10s 0 10000 5000
  spread linear:10s,jitter=equal 5000 10000 7500
  spread const:10s,jitter=around 5000 15000 10000
  spread decorrelated:10s 10000 30000 20000
}

@test "without jitter all wait alike" {
  [ "$(throws exp:10s,jitter=none | sort -u)" = 10000 ]
}

# crowd SPEC: of 400 clients that failed at the same moment, how many come back
# within the fullest 50 ms, over their first eight tries.
crowd() {
  local seed
  for ((seed = 1; seed <= 400; seed++)); do echo "$1 8 $seed"; done |
    answers backoff-moments | tr ' ' '\n' | sort -n | awk '
      { at[NR] = $1; while (at[NR] - at[low + 1] >= 50) low++
        if (NR - low > most) most = NR - low }
      END { print most }'
}

@test "with jitter clients do not come back in lockstep" {
  local spec n
  # all of them in the same moment
  [ "$(crowd exp:1s,x2,max=10s,jitter=none)" -eq 400 ]
  for spec in exp:1s,x2,max=10s exp:1s,x2,max=10s,jitter=nonzero \
    exp:1s,x2,max=10s,jitter=equal exp:1s,x2,max=10s,jitter=around \
    linear:1s const:1s decorrelated:1s,max=10s full:1s,5s; do
    n=$(crowd "$spec")
    [ "$n" -lt 80 ] || { echo "$spec: $n at once"; return 1; }
  done
}

@test "what decorrelated waits never falls below its base nor rises above its maximum" {
  local seed
  for ((seed = 1; seed <= 300; seed++)); do
    echo "decorrelated:100ms,max=2s 30 $seed"
  done | answers backoff-moments | awk '
    { before = 0; wait = 100
      for (i = 1; i <= NF; i++) {
        most = 3 * wait > 2000 ? 2000 : 3 * wait
        wait = $i - before; before = $i
        if (wait < 100 || wait > most) { print "wait", wait, "of", most; exit 1 }
        if (wait == 2000) full++
      } }
    END { exit !(full > 100) }'
}
