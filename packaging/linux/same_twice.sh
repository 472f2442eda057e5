#!/usr/bin/env bash
# Builds twice, in folders and under settings that differ, and says whether the same came out, byte by byte:
#
#     packaging/linux/same_twice.sh [FOLDER] [--fast]
#
# FOLDER (default: a temporary one, which is removed) keeps both builds.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
PLACE='' WAY=()
for each; do
    case $each in
        --fast) WAY=(--fast) ;;
        -*) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
        *) PLACE=$(realpath -m -- "$each") ;;
    esac
done
if [[ -z $PLACE ]]; then
    PLACE=$(mktemp -d)
    trap 'rm -rf -- "$PLACE"' EXIT
fi
SOURCE_DATE_EPOCH=$("$HERE/source_date.sh")
export SOURCE_DATE_EPOCH

copy() {  # the sources as they are now, without what is built from them
    mkdir -p -- "$1"
    tar -C "$ROOT" --exclude=./.git --exclude=./.venv --exclude=./dist --exclude=./build --exclude='*_cache' \
        --exclude=__pycache__ -cf - . | tar -C "$1" -xf -
}
copy "$PLACE/first"
cp -a -- "$PLACE/first" "$PLACE/another one, further down"

(umask 022; export TZ=UTC LC_ALL=C.UTF-8
    "$PLACE/first/packaging/linux/build.sh" "${WAY[@]}" --cache "$PLACE/cache-1" -o "$PLACE/out-1")
(umask 077; export TZ=Asia/Shanghai LC_ALL=C PYTHONHASHSEED=7 TMPDIR=$PLACE/tmp; mkdir -p "$TMPDIR"
    "$PLACE/another one, further down/packaging/linux/build.sh" "${WAY[@]}" --cache "$PLACE/cache-2" -o "$PLACE/out-2")

if cmp -s "$PLACE/out-1/SHA256SUMS" "$PLACE/out-2/SHA256SUMS"; then
    cat "$PLACE/out-1/SHA256SUMS"
    echo "The same twice."
    exit 0
fi
diff "$PLACE/out-1/SHA256SUMS" "$PLACE/out-2/SHA256SUMS" || true
echo "Not the same. In the bundle:"
diff -rq "$PLACE/out-1/errorflow" "$PLACE/out-2/errorflow" || true
exit 1
