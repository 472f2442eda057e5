#!/usr/bin/env bash
# Makes what Linux users install, in one call on a Debian 12 or newer:
#
#     packaging/linux/build.sh [-o DIR] [--fast] [--bundle-only] [--cache DIR]
#
# In DIR (default: dist): the bundle `errorflow/`, errorflow_*.deb, errorflow-*.rpm, errorflow-*.tar.xz with its installer,
# and SHA256SUMS. --fast packs quickly and not tightly; --bundle-only makes the bundle alone. What is missing is installed
# with apt-get where that is allowed, and named where it is not. The same sources give the same files, byte by byte, where
# Debian's packages are the same as well: libraries of X11 and others go in as they are installed.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
OUT=$PWD/dist
CACHE=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/errorflow-build
FAST='' BUNDLE_ONLY=''
# Qt needs these when it is collected: what is not installed here would be missing in the bundle.
LIBRARIES="libgl1 libegl1 libexpat1 libglib2.0-0 libfontconfig1 libfreetype6 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 \
libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-sync1 libxcb-xfixes0 libxcb-xkb1 \
libwayland-client0 libwayland-cursor0 libwayland-egl1"
MOST_BYTES=100000000

say() { printf '%s %s\n' "$(date +%H:%M:%S)" "$*" >&2; }
fail() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

while (($#)); do
    case $1 in
        -o) OUT=$(realpath -m -- "${2:?-o needs a folder}"); shift ;;
        --cache) CACHE=$(realpath -m -- "${2:?--cache needs a folder}"); shift ;;
        --fast) FAST=1 ;;
        --bundle-only) BUNDLE_ONLY=1 ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

need() {
    local python_library missing=() name tools="python3 python3-venv binutils"
    python_library=$(/usr/bin/python3 -c 'import sys; print("libpython%d.%d" % sys.version_info[:2])' 2>/dev/null || echo libpython3-dev)
    [[ $BUNDLE_ONLY ]] || tools+=" xz-utils zstd rpm"
    command -v dpkg-query >/dev/null || fail "This builds on Debian or Ubuntu; dpkg is not here."
    for name in $tools $python_library $LIBRARIES; do
        is_installed "$name" || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    local as_root=()
    if (($(id -u) != 0)); then
        sudo -n true 2>/dev/null || fail "Install what is missing first: sudo apt-get install ${missing[*]}"
        as_root=(sudo -n)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y \
        --no-install-recommends "${missing[@]}" >&2
}

is_installed() {  # also where another package stands in, as libglib2.0-0t64 does
    [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == "install ok installed" ]] ||
        [[ $(dpkg-query -W -f '${Status}' "$1t64" 2>/dev/null) == "install ok installed" ]]
}

# The folder `errorflow` there is replaced: only one that holds a bundle, and no folder of sources, may be.
may_be_replaced() {
    [[ ! -e $OUT/errorflow && ! -L $OUT/errorflow ]] && return
    [[ ! -L $OUT/errorflow && -f $OUT/errorflow/errorflow-viewer && -d $OUT/errorflow/_internal ]] ||
        fail "$OUT/errorflow is there and is no bundle. Name another folder with -o DIR."
}

# An environment of its own, kept for the next time while the list of versions stays.
environment() {
    local key lock
    key=$( { cat "$ROOT/packaging/versions.txt"; /usr/bin/python3 -VV; } | sha256sum | cut -c1-16)
    VENV=$CACHE/$key
    [[ -e $VENV/.complete ]] && return
    mkdir -p -- "$CACHE"
    exec {lock}>"$CACHE/.lock"
    flock "$lock"  # another build may be making the same one
    if [[ -e $VENV/.complete ]]; then
        exec {lock}>&-
        return
    fi
    say "making an environment in $VENV"
    rm -rf -- "$VENV"
    /usr/bin/python3 -m venv "$VENV"
    "$VENV/bin/pip" install -q --disable-pip-version-check -r "$ROOT/packaging/versions.txt" >&2
    touch "$VENV/.complete"
    exec {lock}>&-
}

build_bundle() {
    local work=$1
    say "installing the sources"
    "$VENV/bin/pip" wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$work/wheel" "$ROOT" >&2
    mkdir "$work/site"
    # Beside the environment, which stays as it was: several builds may share it.
    "$VENV/bin/pip" install -q --disable-pip-version-check --no-deps --no-compile --target "$work/site" "$work"/wheel/*.whl >&2
    say "making the bundle"
    (cd "$work" && PYTHONPATH=$work/site PYINSTALLER_CONFIG_DIR=$work/pyinstaller \
        "$VENV/bin/python" -m PyInstaller --noconfirm --distpath "$work/dist" --workpath "$work/build" \
        "$ROOT/packaging/errorflow.spec" >"$work/log" 2>&1) || { tail -40 "$work/log" >&2; fail "PyInstaller failed."; }
    "$VENV/bin/python" "$HERE/prune.py" "$work/dist/errorflow" >"$work/pruned"
    "$VENV/bin/python" "$HERE/check.py" "$work/dist/errorflow" "$work/log" "$work/site" || fail "The bundle is not whole."
    find "$work/dist/errorflow" -type d -exec chmod 755 {} +
    find "$work/dist/errorflow" -type f -exec chmod 644 {} +
    chmod 755 "$work/dist/errorflow/errorflow" "$work/dist/errorflow/errorflow-viewer"
    rm -rf -- "$OUT/errorflow"
    mkdir -p -- "$OUT"
    mv -- "$work/dist/errorflow" "$OUT/errorflow"
    say "$OUT/errorflow: $(du -sh "$OUT/errorflow" | cut -f1)"
}

build_packages() {
    local work=$1 way=tight
    [[ -z $FAST ]] || way=fast
    rm -f -- "$OUT"/errorflow_[0-9]*.deb "$OUT"/errorflow-[0-9]*.rpm "$OUT"/errorflow-[0-9]*-linux-*.tar.* "$OUT/SHA256SUMS"
    say "collecting licences"
    "$VENV/bin/python" "$HERE/licences.py" "$OUT/errorflow" -o "$work/copyright" || fail "A licence is not known."
    local kind file
    for kind in archive deb rpm; do
        say "packing: $kind"
        PYTHONPATH=$work/site "$VENV/bin/python" "$HERE/pack.py" "$kind" "$way" "$OUT/errorflow" "$work/copyright" \
            "$work/$kind" "$OUT"
    done
    (cd "$OUT" && sha256sum -- errorflow_[0-9]*.deb errorflow-[0-9]*.rpm errorflow-[0-9]*-linux-*.tar.* >SHA256SUMS)
    for file in "$OUT"/errorflow_[0-9]*.deb "$OUT"/errorflow-[0-9]*.rpm "$OUT"/errorflow-[0-9]*-linux-*.tar.*; do
        say "$(du -h --apparent-size "$file")"
        (($(stat -c %s "$file") < MOST_BYTES)) || fail "$file is larger than $MOST_BYTES bytes."
    done
}

may_be_replaced
need
SOURCE_DATE_EPOCH=$("$HERE/source_date.sh")
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8 TZ=UTC
unset PYTHONPATH PYTHONHOME LD_LIBRARY_PATH QT_QPA_PLATFORM
umask 022
environment
WORK=$(mktemp -d "${TMPDIR:-/tmp}/errorflow-build.XXXXXX")
trap 'rm -rf -- "$WORK"' EXIT
build_bundle "$WORK"
[[ $BUNDLE_ONLY ]] || build_packages "$WORK"
