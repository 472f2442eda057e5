#!/bin/sh
# Installs Errorflow for this user, without root.
#
#     sh install.sh [--prefix DIR] [--no-desktop-entry]
#
# The program goes to DIR/opt/errorflow, its commands to DIR/bin, its manual to DIR/share; DIR is ~/.local if none is
# named. Over an older version it takes its place in one step; settings and sessions stay as they are. It does not touch
# files that it did not put there.
set -eu
umask 022

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
prefix='' entry=yes

fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ -n "${2:-}" ] || fail "--prefix needs a folder."
            prefix=$2
            shift
            ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --no-desktop-entry) entry=no ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

version=$(cat -- "$here/VERSION") || fail "Unpack the whole archive, then start install.sh in it."
needed=@GLIBC@
found=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc \([0-9]*\.[0-9]*\).*/\1/p')
is_older() { [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -lt "${2#*.}" ]; }; }
if [ -n "$found" ] && is_older "$found" "$needed"; then
    having=''  # of packages that were built on Debian 12
    is_older 2.35 "$needed" || having=' Debian 12, Ubuntu 22.04, Fedora 36, RHEL 10 and newer ones have it.'
    fail "This system is too old for this package: it has glibc $found, and glibc $needed is the oldest that will do.
Nothing was changed.$having
With Python 3.11 and glibc 2.28, as RHEL 9 and newer have, it can be installed from its sources with pip."
fi
if ! said=$("$here/errorflow/errorflow" --version 2>&1); then
    case $said in
        *libexpat.so.1*) fail "The library libexpat.so.1 is not installed here, and the program does not start without it.
On Debian and Ubuntu: sudo apt install libexpat1
On Fedora and RHEL:   sudo dnf install expat" ;;
    esac
    fail "The program does not start here: $said
It needs Linux on @MACHINE@ with glibc @GLIBC@ or newer, and a folder from which programs may be started."
fi

is_default=no
if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail "There is no home folder. Name a folder with --prefix DIR."
    prefix=$HOME/.local is_default=yes
fi
made=''
[ -d "$prefix" ] || made=prefix
mkdir -p -- "$prefix" 2>/dev/null || fail "$prefix cannot be made. Name another folder with --prefix DIR."
prefix=$(CDPATH='' cd -- "$prefix" && pwd -P)
app=$prefix/opt/errorflow
record=$app/.installed

# An installation that was cut off between two steps: the older version takes its place again.
for left in "$prefix"/opt/.errorflow-old.*; do
    [ ! -f "$left/.installed" ] || [ -e "$app" ] || [ -L "$app" ] || mv -- "$left" "$app"
done

# What would be in the way, before anything is changed.
foreign="is there and was not put there by this script. Move it away, or name another folder with --prefix DIR."
if [ -e "$app" ] || [ -L "$app" ]; then
    if [ -L "$app" ] || [ ! -f "$record" ]; then
        fail "$app $foreign"
    fi
fi
is_ours() { [ -f "$record" ] && grep -Fqx -- "$1" "$record"; }
files_below() { (cd -- "$1" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort); }
for name in bin/errorflow bin/errorflow-viewer $(files_below "$here/share" | sed 's|^|share/|'); do
    if [ -e "$prefix/$name" ] || [ -L "$prefix/$name" ]; then
        is_ours "prefix $name" || fail "$prefix/$name $foreign"
    fi
done
for process in /proc/[0-9]*; do
    case $(readlink -- "$process/exe" 2>/dev/null || true) in
        "$app"/errorflow | "$app"/errorflow-viewer)
            fail "Errorflow is running (process ${process#/proc/}). Close it, then start install.sh again."
            ;;
    esac
done

# Whole beside its place, then put there in one step: whatever happens, a version that works is left.
mkdir -p -- "$prefix/opt" || fail "$prefix/opt cannot be made. Name another folder with --prefix DIR."
new='' old=''
clean() {
    [ -z "$old" ] || [ -e "$app" ] || mv -- "$old" "$app"
    [ -z "$new" ] || rm -rf -- "$new"
}
trap clean EXIT
trap 'exit 130' INT TERM HUP
rm -rf -- "$prefix"/opt/.errorflow-new.*  # of an installation that was cut off
new=$(mktemp -d -- "$prefix/opt/.errorflow-new.XXXXXX") || fail "Nothing can be written to $prefix/opt."
cp -RPp -- "$here/errorflow/." "$new/" || fail "The program could not be copied to $prefix/opt: is the disk full? Nothing was changed."
cp -p -- "$here/uninstall.sh" "$new/uninstall.sh"
# For everybody, when it is for everybody: not with the owner and the rights of who unpacked the archive.
chmod -R u+rwX,go+rX,go-w -- "$new"
[ "$(id -u)" != 0 ] || chown -R 0:0 -- "$new"
{
    printf 'errorflow %s\n' "$version"
    files_below "$new" | sed 's|^|app |'
    printf 'prefix bin/errorflow\nprefix bin/errorflow-viewer\n'
    files_below "$here/share" | sed 's|^|prefix share/|'
    # A folder that was not there before goes with the program.
    [ -z "$made" ] && ! { [ -f "$record" ] && grep -qx made "$record"; } || echo made
} >"$new/.installed.made"
mv -- "$new/.installed.made" "$new/.installed"

retire() {  # an older version: what it had elsewhere and this one has not, and what somebody else put into its folder
    if [ -f "$1/.installed" ]; then
        grep '^prefix ' "$1/.installed" | while IFS= read -r line; do
            is_ours "$line" || rm -f -- "$prefix/${line#prefix }"
        done
        grep '^app ' "$1/.installed" | while IFS= read -r line; do rm -f -- "$1/${line#app }"; done
        rm -f -- "$1/.installed"
    fi
    find "$1" -depth -type d -exec rmdir -- {} + 2>/dev/null || true
    [ -e "$1" ] || return 0
    files_below "$1" | while IFS= read -r name; do
        target=$app/$name
        while [ -e "$target" ] || [ -L "$target" ]; do target=$target.kept; done
        mkdir -p -- "$(dirname -- "$target")"
        mv -- "$1/$name" "$target"
    done
    rm -rf -- "$1"
}
if [ -e "$app" ]; then
    old=$(mktemp -d -- "$prefix/opt/.errorflow-old.XXXXXX")
    rmdir -- "$old"
    mv -- "$app" "$old"
fi
mv -- "$new" "$app"
new='' old=''
for left in "$prefix"/opt/.errorflow-old.*; do
    [ ! -d "$left" ] || retire "$left"
done

mkdir -p -- "$prefix/bin" "$prefix/share"
for name in errorflow errorflow-viewer; do
    ln -sfn -- "../opt/errorflow/$name" "$prefix/bin/$name"
done
files_below "$here/share" | while IFS= read -r name; do
    mkdir -p -- "$(dirname -- "$prefix/share/$name")"
    cp -- "$here/share/$name" "$prefix/share/$name.new"
    chmod 644 -- "$prefix/share/$name.new"
    mv -- "$prefix/share/$name.new" "$prefix/share/$name"
done
if [ "$entry" = yes ]; then
    set --
    [ "$is_default" = yes ] || set -- --prefix "$prefix"
    "$app/errorflow-viewer" --install-desktop-entry "$@" >/dev/null || entry=failed
fi

printf 'Errorflow %s is installed in %s.\n' "$version" "$app"
case $entry in
    yes) printf 'It is in the menu, and opens .errorflow and .onnx files.\n' ;;
    failed) printf 'The menu entry could not be made; the program works without it.\n' ;;
esac
case :${PATH:-}: in
    *":$prefix/bin:"*) ;;
    *) printf 'The commands errorflow and errorflow-viewer lie in %s/bin, which is not in PATH.\n' "$prefix" ;;
esac
case $app in  # as a line that can be copied into a shell
    *[!A-Za-z0-9/._-]*) quoted=\'$(printf '%s' "$app/uninstall.sh" | sed "s/'/'\\\\''/g")\' ;;
    *) quoted=$app/uninstall.sh ;;
esac
printf 'To take it away again: sh %s\n' "$quoted"
if command -v ldd >/dev/null; then
    missing=$(LD_LIBRARY_PATH=$app/_internal ldd "$app/_internal/PySide6/Qt/plugins/platforms/libqxcb.so" 2>/dev/null |
        sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p' | sort -u)
    if [ -n "$missing" ]; then
        printf '\nBefore the window can open, the system needs: %s\n' "$(printf '%s' "$missing" | tr '\n' ' ')"
        printf 'On Debian and Ubuntu: sudo apt install @DEBIAN@\n'
        printf 'On Fedora and RHEL:   sudo dnf install libglvnd-glx libglvnd-egl libxcb libwayland-client libwayland-cursor libwayland-egl\n'
    fi
fi
