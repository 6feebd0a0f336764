#!/bin/sh
# make-secrets.sh [FOLDER [USER…]]: a random password for each user of the broker without one, and
# one for the dashboard's PostgreSQL database (compose.postgres.yaml).
# FOLDER is `secrets` beside this script, or beside your own gateway.toml.
set -eu
folder=${1:-$(dirname "$0")/secrets}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- gateway1 dashboard

mkdir -p "$folder"
# Only the owner may enter; inside, the containers' users must be able to read their own file.
chmod 0700 "$folder"
for name in database_password $(printf 'mqtt_%s ' "$@"); do
    file=$folder/$name
    [ -s "$file" ] || head -c 24 /dev/urandom | base64 >"$file"
    chmod 0444 "$file"
done
echo "passwords of the broker's users and the database: $folder"
