#!/bin/sh
# SPDX-License-Identifier: MIT
# Dumps a PostgreSQL database and uploads the dump; for cron, see pg-dump.cron.
#
#   pg-dump.sh DATABASE s3://BUCKET/PREFIX/
#
# There is no half a dump at any time: pg_dump writes to a hidden file, which
# gets its name once it is whole and on the disk, and an object is stored whole
# or not at all. A dump is removed here once it is stored; one that could not be
# stored stays, and the next run tries again.
#
# pg-dump-stream.sh needs no room here, and keeps nothing here either.
#
# Silent when all went well. Exit status: that of pg_dump or ankput.
# DUMP_DIR (default /var/backups/postgresql) needs room for a dump.

set -eu
[ $# = 2 ] || { echo 'usage: pg-dump.sh DATABASE s3://BUCKET/PREFIX/' >&2; exit 2; }
database=$1 url=$2
cd "${DUMP_DIR:-/var/backups/postgresql}"
umask 077

# One run at a time; what a crash left behind is then nobody's.
exec 9>".$database.lock"
flock -n 9 || { echo "pg-dump.sh: $database: another run is still at work" >&2; exit 1; }
rm -f ".$database.new"

trap 'rm -f ".$database.new"' EXIT
trap 'exit 143' HUP INT TERM
pg_dump --format=custom --file=".$database.new" "$database"
sync ".$database.new"
mv ".$database.new" "$database-$(date -u +%Y%m%dT%H%M%SZ).dump"

# Oldest first; the first that fails ends the run, for it is the same service.
for dump in "$database"-????????T??????Z.dump; do
  ankput --report none --deadline 2h "$dump" "${url%/}/"
  rm "$dump"
done
