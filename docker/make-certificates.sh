#!/bin/sh
# make-certificates.sh SAN [FOLDER [USER…]]: a certificate authority of the plant's own, if it has no
# better one, the broker's certificate for the names by which gateways reach it, such as
# DNS:broker.plant.example,IP:192.0.2.10, and a client certificate for each USER (a gateway's id).
# What is there and still valid for 30 days is kept. Keep ca.key off the host afterwards.
set -eu
san=$1
folder=${2:-$(dirname "$0")/secrets}
shift
[ $# -eq 0 ] || shift
new_key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

good() { # CERTIFICATE
    [ -s "$1" ] && openssl x509 -in "$1" -noout -checkend 2592000 >/dev/null
}
issue() { # NAME COMMON_NAME USAGE [EXTENSION…]
    name=$1 common_name=$2 usage=$3
    shift 3
    # shellcheck disable=SC2086 # the options are meant to split
    openssl req -x509 -CA ca.crt -CAkey ca.key $new_key -days 825 -subj "/CN=$common_name" \
        -addext "basicConstraints=critical,CA:FALSE" -addext "extendedKeyUsage=$usage" "$@" \
        -keyout "$name.key" -out "$name.crt" 2>/dev/null
    chmod 0444 "$name.crt" "$name.key"
}

# shellcheck disable=SC2086
[ -s ca.crt ] || openssl req -x509 $new_key -days 7300 -subj "/CN=Auscult plant CA" \
    -keyout ca.key -out ca.crt 2>/dev/null
chmod 0444 ca.crt
issue broker broker serverAuth -addext "subjectAltName=$san"
for user in "$@"; do
    good "client_$user.crt" || issue "client_$user" "$user" clientAuth
done
