#!/bin/sh
# Takes away what install.sh put there, and nothing else.
#
#     sh uninstall.sh [--prefix DIR] [--purge]
#
# Settings, sessions, drafts and logs of the user stay; --purge takes settings, drafts and logs away as well. Where another
# folder was chosen for what can be made again, it says so: other things may lie in it.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
prefix='' purge=no

fail() { printf 'uninstall.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,7s/^# \{0,1\}//p' "$0"; }

while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ -n "${2:-}" ] || fail "--prefix needs a folder."
            prefix=$2
            shift
            ;;
        --prefix=?*) prefix=${1#--prefix=} ;;
        --purge) purge=yes ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
    shift
done

default=${HOME:+$HOME/.local}
if [ -z "$prefix" ]; then
    prefix=$default
    case $here in */opt/errorflow) [ ! -f "$here/.installed" ] || prefix=${here%/opt/errorflow} ;; esac
fi
[ -n "$prefix" ] || fail "There is no home folder. Name a folder with --prefix DIR."
[ ! -d "$prefix" ] || prefix=$(CDPATH='' cd -- "$prefix" && pwd -P)
is_default=no
[ -z "$default" ] || [ ! -d "$default" ] || [ "$prefix" != "$(CDPATH='' cd -- "$default" && pwd -P)" ] || is_default=yes
app=$prefix/opt/errorflow

place() {  # of the user: what a variable says, if it is a whole path, else below the home
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s' "$HOME/$2" ;;
    esac
}
in_settings() {  # the folder that was chosen there; as Qt writes a text with a comma: "a\\b, c"
    sed -n '/^\[files\]/,/^\[/s/^cache=//p' "$(place "${XDG_CONFIG_HOME:-}" .config)/Errorflow/errorflow.conf" 2>/dev/null |
        sed -e 's/^"\(.*\)"$/\1/' -e 's/\\\(.\)/\1/g'
}
tell_of_chosen() {
    for chosen in "${ERRORFLOW_CACHE:-}" "$1"; do
        case $chosen in /*) ;; *) continue ;; esac
        for name in digests.json thumbnails; do
            [ ! -e "$chosen/$name" ] || printf 'Left in the folder that was chosen for it, can be removed: %s\n' "$chosen/$name"
        done
    done
}
forget() {  # settings and what else the program keeps for this user
    case ${HOME:-} in /*) ;; *) return 0 ;; esac
    in_settings=$(in_settings)
    cache=$(place "${XDG_CACHE_HOME:-}" .cache)
    rm -rf -- "$cache/errorflow" "$cache/Errorflow"  # its own, and that of Qt
    tell_of_chosen "$in_settings"
    [ "$purge" = yes ] || return 0
    rm -rf -- "$(place "${XDG_CONFIG_HOME:-}" .config)/Errorflow" "$(place "${XDG_STATE_HOME:-}" .local/state)/Errorflow" \
        "$(place "${XDG_DATA_HOME:-}" .local/share)/Errorflow"
}

if [ ! -f "$app/.installed" ]; then
    [ "$purge" = no ] || forget
    printf 'Errorflow is not installed in %s.\n' "$prefix"
    [ ! -e "$app" ] || printf '%s was not put there by install.sh and is left as it is.\n' "$app"
    exit 0
fi
for process in /proc/[0-9]*; do
    case $(readlink -- "$process/exe" 2>/dev/null || true) in
        "$app"/errorflow | "$app"/errorflow-viewer)
            fail "Errorflow is running (process ${process#/proc/}). Close it, then start uninstall.sh again."
            ;;
    esac
done

set --
[ "$is_default" = yes ] || set -- --prefix "$prefix"
"$app/errorflow-viewer" --remove-desktop-entry "$@" >/dev/null || printf 'The menu entry could not be taken away.\n'

empty_up() {  # a folder, and those above it up to the prefix, where nothing is left in them
    folder=$1
    while [ "$folder" != "$prefix" ] && [ "$folder" != / ] && rmdir -- "$folder" 2>/dev/null; do
        folder=$(dirname -- "$folder")
    done
}
grep '^prefix ' "$app/.installed" | while IFS= read -r line; do
    rm -f -- "$prefix/${line#prefix }"
    empty_up "$(dirname -- "$prefix/${line#prefix }")"
done
made=no
grep -qx made "$app/.installed" && made=yes
# The list goes last: until then another call takes up where this one was stopped.
grep '^app ' "$app/.installed" | while IFS= read -r line; do rm -f -- "$app/${line#app }"; done
rm -f -- "$app/.installed"
find "$app" -depth -type d -exec rmdir -- {} \; 2>/dev/null || true
empty_up "$prefix/opt"
[ "$made" = no ] || rmdir -- "$prefix" 2>/dev/null || true
forget
[ ! -e "$app" ] || printf '%s is left: it holds files that somebody else put there.\n' "$app"
printf 'Errorflow is taken away from %s.\n' "$prefix"
[ "$purge" = yes ] || printf 'Settings, drafts and logs are kept; --purge takes them away as well.\n'
