#!/bin/sh
# make-acl.sh FOLDER GATEWAY…: prints the broker's rights: FOLDER/acl, FOLDER/gateway-acl for each
# gateway, and the files of FOLDER/acl.d.
set -eu
folder=$1
shift
cat "$folder/acl"
for gateway in "$@"; do
    case "$gateway" in
        *[!A-Za-z0-9._-]* | "" | dashboard | scada | homeassistant | health)
            echo "AUSCULT_GATEWAYS: '$gateway' can't be a gateway's id: use letters, digits, . _ -, and no name of another user" >&2
            exit 2
            ;;
    esac
    printf '\n'
    sed "/^#/d; s/GATEWAY/$gateway/g" "$folder/gateway-acl"
done
for more in "$folder"/acl.d/*; do
    [ ! -f "$more" ] || { printf '\n' && cat "$more"; }
done
