#!/usr/bin/env bash
# Tries the installer for Windows under Wine, with programs that stand in for the real ones: installs, upgrades, refuses and
# uninstalls silently, and compares every file and key with what must be there. About a minute. Leaves nothing behind.
#     packaging/windows/try_under_wine.sh [--keep DIR]    DIR: a new folder to look at afterwards
# Needs (Debian): nsis wine64 wine gcc-mingw-w64-x86-64 xvfb xauth osslsigncode openssl
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"

missing=()
for tool in makensis wine wineserver x86_64-w64-mingw32-gcc xvfb-run osslsigncode openssl python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
if ((${#missing[@]})); then
    echo "Missing: ${missing[*]}" >&2
    echo "apt-get install nsis wine64 wine gcc-mingw-w64-x86-64 xvfb xauth osslsigncode openssl" >&2
    exit 2
fi

if [[ ${1-} == --keep ]]; then
    work=${2:?a folder}
    mkdir -- "$work"
    work=$(cd -- "$work" && pwd -P)
else
    work=$(mktemp -d)
    trap 'WINEPREFIX=$work/prefix wineserver -k 2>/dev/null || true; rm -rf -- "$work"' EXIT
fi
export WINEPREFIX=$work/prefix WINEDEBUG=-all LC_ALL=C.UTF-8
# Wine puts the desktop into the home, and menus of its programs as well; and offers to download what is not needed.
export HOME=$work/home WINEDLLOVERRIDES="winemenubuilder.exe=d;mscoree,mshtml="
mkdir -p -- "$HOME/Desktop"
xvfb-run -a python3 under_wine.py "$work"
