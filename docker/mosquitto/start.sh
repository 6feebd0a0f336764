#!/bin/sh
# Starts Mosquitto with users and rights made from files: the first line of /run/secrets/mqtt_NAME and
# of users.d/NAME in /etc/mosquitto/rights is the password of user NAME. Only hashes are kept, in
# memory. The rights of gateways are made for the ids in AUSCULT_GATEWAYS (default: gateway1) and for
# those that the dashboard enrolled. Changes of all of them are noticed within 5 s.
set -eu
umask 077
rights=/etc/mosquitto/rights
passwords=/tmp/passwords
# The health check logs in too, with a password that only this container knows.
health=$(cat /proc/sys/kernel/random/uuid)
printf '%s\n' '-u health' "-P $health" >/tmp/mosquitto_sub

users() {
    printf 'health:%s\n' "$health"
    for file in /run/secrets/mqtt_* "$rights"/users.d/*; do
        [ ! -s "$file" ] || { name=${file##*/} && printf '%s:%s\n' "${name#mqtt_}" "$(head -n 1 "$file")"; }
    done
}

made=$(users && make-acl "$rights")
[ "$(users | wc -l)" -gt 1 ] || { echo "no password: mount /run/secrets/mqtt_NAME or $rights/users.d/NAME for each user" >&2; exit 2; }
users >"$passwords"
mosquitto_passwd -U "$passwords"
make-acl "$rights" >/tmp/acl
# After exec, $$ is Mosquitto, which reads its files again on SIGHUP.
(
    while sleep 5 && kill -0 $$; do
        now=$(users && make-acl "$rights") || continue
        [ "$now" != "$made" ] || continue
        made=$now
        users >"$passwords.new"
        mosquitto_passwd -U "$passwords.new"
        mv "$passwords.new" "$passwords"
        make-acl "$rights" >/tmp/acl
        kill -HUP $$
    done
) &
exec mosquitto -c /etc/mosquitto/mosquitto.conf
