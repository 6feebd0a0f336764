#!/bin/sh
# make-certificates.sh SAN [FOLDER]: a certificate authority of the plant's own, if it has no
# better one, and the broker's certificate for the names by which gateways reach it, such as
# DNS:broker.plant.example,IP:192.0.2.10. Keep ca.key off the host afterwards.
set -eu
san=$1
folder=${2:-$(dirname "$0")/secrets}
new_key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"
# shellcheck disable=SC2086 # the options are meant to split
[ -s ca.crt ] || openssl req -x509 $new_key -days 7300 -subj "/CN=Auscult plant CA" \
    -keyout ca.key -out ca.crt 2>/dev/null
# shellcheck disable=SC2086
openssl req -x509 -CA ca.crt -CAkey ca.key $new_key -days 825 -subj "/CN=broker" \
    -addext "subjectAltName=$san" -addext "basicConstraints=critical,CA:FALSE" \
    -keyout broker.key -out broker.crt 2>/dev/null
chmod 0444 ca.crt broker.crt broker.key
