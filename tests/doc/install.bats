#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# configure names what is missing, and make install puts things where README
# says.
# shellcheck disable=SC2154 # what bats sets

load ../lib/harness

bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# configure [NAME=VALUE...]: runs it in a folder of its own, by a relative
# path, as it refuses a source folder with spaces in its name.
configure() {
  [ -x "$top/configure" ] || skip 'configure was not made here'
  mkdir "$T/build"
  cd "$T/build" || return
  run env "$@" "$(realpath --relative-to=. "$top")/configure" 2>&1
}

# modules NAME...: makes pkg-config know these modules and no other.
modules() {
  local name
  mkdir "$T/pc"
  for name; do
    printf 'Name: %s\nDescription: x\nVersion: 9.9\nLibs:\nCflags:\n' "$name" \
      >"$T/pc/$name.pc"
  done
}

@test "configure names the Debian package of each library, all at once" {
  modules
  configure PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$T/pc"
  assert_eq "$status" 1
  assert_contains "$output" 'libcurl >= 7.80 (Debian: libcurl4-openssl-dev)'
  assert_contains "$output" 'libcrypto >= 3.0 (Debian: libssl-dev)'
  assert_contains "$output" 'libcjson (Debian: libcjson-dev)'
  assert_contains "$output" 'expat (Debian: libexpat1-dev)'
  assert_contains "$output" \
    'apt-get install libcurl4-openssl-dev libssl-dev libcjson-dev libexpat1-dev'
}

@test "configure names the one library that is missing, and no other" {
  modules libcurl libcrypto expat
  configure PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$T/pc"
  assert_eq "$status" 1
  assert_contains "$output" 'missing: libcjson (Debian: libcjson-dev).'
  [[ $output != *libssl-dev* ]]
}

@test "configure says that a library is too old" {
  modules libcurl libcrypto libcjson expat
  sed -i 's/^Version: .*/Version: 7.74.0/' "$T/pc/libcurl.pc"
  configure PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$T/pc"
  assert_eq "$status" 1
  assert_contains "$output" 'missing: libcurl >= 7.80 (Debian: libcurl4-openssl-dev).'
}

@test "configure names the package of pkg-config" {
  configure PKG_CONFIG=false
  assert_eq "$status" 1
  assert_contains "$output" 'apt-get install pkg-config'
}

@test "make install puts programs, manual and documents below DESTDIR" {
  local name
  [ -f "$ANK_BUILD/Makefile" ] || skip 'nothing is configured'
  # Nothing is built here: an old build says so instead.
  make -q -C "$ANK_BUILD" ankput ankget ankbreaker >/dev/null 2>&1 ||
    skip 'the build is not up to date'
  make -s -C "$ANK_BUILD" install DESTDIR="$T/root" >"$T/log" 2>&1
  cd "$T/root"
  find . -type f | sed 's#^\./##' | sort >"$T/found"
  for name in bin/ankput bin/ankget bin/ankbreaker share/man/man1/ankput.1 \
    share/man/man1/ankget.1 share/man/man1/ankbreaker.1 share/man/man7/ank.7 share/doc/ank/README.md share/doc/ank/NEWS \
    share/doc/ank/LICENSE share/doc/ank/ank-report.schema.json \
    share/doc/ank/examples/restore.sh share/doc/ank/examples/ank-upload.service; do
    grep -q "/$name\$" "$T/found"
  done
  # Neither the tests' programs nor the library.
  run ! grep -q -e fake -e ank-test -e '\.a$' "$T/found"
  "./$(grep '/bin/ankput$' "$T/found")" --version
}
