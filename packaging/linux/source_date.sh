#!/usr/bin/env bash
# The date that what is packed bears, in seconds since 1970:
#
#     packaging/linux/source_date.sh [FOLDER]
#
# SOURCE_DATE_EPOCH, where it is set. Else the last change in the repository whose top FOLDER is (default: the sources that this
# lies in), whoever owns it; one that only lies around it, as that of a distribution does, is about other things. Without a
# repository the newest day in the headings of CHANGELOG.md, and without one there, the newest file.
set -euo pipefail

TOP=$(realpath -- "${1:-$(dirname -- "${BASH_SOURCE[0]}")/../..}")

# Git refuses what others own, as in a container: it would run programs that are named there. So does whoever builds it.
in_git() { git -c safe.directory="$TOP" -c core.fsmonitor=false -C "$TOP" "$@" 2>/dev/null; }

of_git() {
    local top
    [[ -e $TOP/.git ]] && top=$(in_git rev-parse --show-toplevel) && [[ $top -ef $TOP ]] && in_git log -1 --format=%ct
}

of_changelog() {
    local day
    day=$(grep -oE '^## .*\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b' "$TOP/CHANGELOG.md" 2>/dev/null |
        grep -oE '[0-9]{4}-[0-9]{2}-[0-9]{2}' | sort | tail -n 1)
    [[ -n $day ]] && date -u -d "$day" +%s
}

of_files() {
    local name there=()
    for name in CHANGELOG.md pyproject.toml core viewer resources packaging docs; do
        [[ ! -e $TOP/$name ]] || there+=("$TOP/$name")
    done
    ((${#there[@]})) || return
    find "${there[@]}" -type f -not -path '*/__pycache__/*' -printf '%T@\n' | sort -n | tail -n 1 | cut -d. -f1
}

if [[ -n ${SOURCE_DATE_EPOCH-} ]]; then
    echo "$SOURCE_DATE_EPOCH"
else
    if [[ -e $TOP/.git ]]; then
        of_git && exit
        echo "The repository cannot be asked for a date: that of CHANGELOG.md is taken, or of the files." >&2
    fi
    of_changelog || of_files || {
        echo "No date is found for $TOP: set SOURCE_DATE_EPOCH." >&2
        exit 1
    }
fi
