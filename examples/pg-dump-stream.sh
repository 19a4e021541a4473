#!/bin/sh
# SPDX-License-Identifier: MIT
# Dumps a PostgreSQL database straight into a bucket; needs no room here.
#
#   pg-dump-stream.sh DATABASE s3://BUCKET/PREFIX/
#
# ankput runs pg_dump, keeps what it prints in memory until it is stored, and
# publishes nothing unless it ends well. So there is no half a dump at any time.
# A dump that could not be stored is lost: pg-dump.sh keeps it for the next run.
#
# Silent when all went well. Exit status: that of ankput; 3 when pg_dump failed.

set -eu
[ $# = 2 ] || { echo 'usage: pg-dump-stream.sh DATABASE s3://BUCKET/PREFIX/' >&2; exit 2; }
database=$1 url=$2

# exec: a signal reaches ankput, which passes it on and removes what it has sent.
exec ankput --report none --deadline 6h \
  "${url%/}/$database-$(date -u +%Y%m%dT%H%M%SZ).dump" -- \
  pg_dump --format=custom "$database"
