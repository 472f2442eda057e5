#!/usr/bin/env bash
# On a Mac, in one call: Errorflow.app, its self-test, and a disk image.
#     packaging/macos/build.sh [-o DIR] [--app-only]
# In DIR (default: dist): Errorflow.app and errorflow-VERSION-macos-PROCESSOR.dmg. For the processor it runs on: Python's
# packages come for one or the other. As whom it is signed: see make_dmg.sh. Python: ERRORFLOW_PYTHON, 3.11 or newer.
set -euo pipefail

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
PYTHON=${ERRORFLOW_PYTHON:-python3}
OUT=dist APP_ONLY=''
while (($#)); do
    case $1 in
        -o) OUT=${2:?-o needs a folder}; shift ;;
        --app-only) APP_ONLY=1 ;;
        *) echo "build.sh: no such option: $1" >&2; exit 2 ;;
    esac
    shift
done
[[ $(uname) == Darwin ]] || { echo "build.sh: an app for macOS is made on a Mac" >&2; exit 2; }

mkdir -p -- "$OUT"
OUT=$(cd -- "$OUT" && pwd -P)
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT

"$PYTHON" "$HERE/../windows/bundle.py" "$WORK" "$OUT"
rm -rf -- "$OUT/errorflow" # the same, not as an app
[[ $APP_ONLY ]] || "$HERE/make_dmg.sh" "$OUT/Errorflow.app" -o "$OUT"
