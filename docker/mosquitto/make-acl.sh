#!/bin/sh
# make-acl.sh FOLDER [ENROLLED]: prints the broker's rights: FOLDER/acl, FOLDER/gateway-acl for each
# gateway of AUSCULT_GATEWAYS (default: gateway1) and of the file ENROLLED, and all of FOLDER/acl.d.
set -eu
folder=$1
enrolled=${2:-/run/enrolled/gateways}
cat "$folder/acl"
list=${AUSCULT_GATEWAYS-gateway1}
[ ! -f "$enrolled" ] || list="$list $(cat "$enrolled")"
set -f # a name is no pattern of files
for gateway in $list; do
    if [ -n "$(printf %s "$gateway" | LC_ALL=C tr -d 'A-Za-z0-9._-')" ] || grep -qxF "user $gateway" "$folder/acl"; then
        echo "AUSCULT_GATEWAYS: '$gateway' can't be a gateway's id: use letters, digits, . _ -, and no name of another user" >&2
        exit 2
    fi
    printf '\n'
    sed "/^#/d; s/GATEWAY/$gateway/g" "$folder/gateway-acl"
done
set +f
for more in "$folder"/acl.d/*; do
    [ ! -f "$more" ] || { printf '\n' && cat "$more"; }
done
