#!/bin/sh
# Starts Mosquitto with a password file made from the secrets: the first line of
# /run/secrets/mqtt_NAME is the password of user NAME. Only hashes are kept, in memory. The rights of
# gateways are made for the ids in AUSCULT_GATEWAYS (default: gateway1).
set -eu
umask 077
passwords=/tmp/passwords

for secret in /run/secrets/mqtt_*; do
    [ -s "$secret" ] || { echo "no password: mount a secret /run/secrets/mqtt_NAME for each user" >&2; exit 2; }
    printf '%s:%s\n' "${secret##*/mqtt_}" "$(head -n 1 "$secret")"
done >"$passwords"

# The health check logs in too, with a password that only this container knows.
health=$(cat /proc/sys/kernel/random/uuid)
printf 'health:%s\n' "$health" >>"$passwords"
printf '%s\n' '-u health' "-P $health" >/tmp/mosquitto_sub

# shellcheck disable=SC2086 # the list is meant to split
make-acl /etc/mosquitto ${AUSCULT_GATEWAYS:-gateway1} >/tmp/acl
mosquitto_passwd -U "$passwords"
exec mosquitto -c /etc/mosquitto/mosquitto.conf
