#!/usr/bin/env bash
# From Errorflow.app, as PyInstaller made it, to a disk image that opens on any Mac without a warning.
#     make_dmg.sh Errorflow.app [-o DIR]
# Needs a Mac with the command line tools of Xcode. The environment says as whom it is signed:
#     ERRORFLOW_IDENTITY     name of a “Developer ID Application” certificate in the keychain; without it, everything is
#                            signed for this Mac only (ad hoc), and others must allow the app under Privacy & Security
#     ERRORFLOW_NOTARY_KEY   a .p8 key of App Store Connect, with ERRORFLOW_NOTARY_KEY_ID and ERRORFLOW_NOTARY_ISSUER;
#                            without it, nothing is sent to Apple
set -euo pipefail

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
ENTITLEMENTS=$HERE/entitlements.plist
IDENTITY=${ERRORFLOW_IDENTITY:--}
NOTARY_KEY=${ERRORFLOW_NOTARY_KEY:-}

say() { printf '%s\n' "make_dmg.sh: $*" >&2; }
fail() {
    say "$*"
    exit 2
}

# --- arguments ----------------------------------------------------------------------------------------------------

APP='' OUT=dist
while (($#)); do
    case $1 in
        -o) OUT=${2:?-o needs a folder}; shift ;;
        -*) fail "no such option: $1" ;;
        *) APP=${1%/} ;;
    esac
    shift
done
[[ -d $APP/Contents/MacOS ]] || fail "name an app: make_dmg.sh Errorflow.app"
for tool in codesign ditto hdiutil osascript plutil tiffutil xcrun; do
    command -v "$tool" >/dev/null || fail "$tool is missing: this needs a Mac with Xcode's command line tools"
done
[[ -z $NOTARY_KEY || $IDENTITY != - ]] || fail "Apple notarises what a Developer ID signed: set ERRORFLOW_IDENTITY"

# --- steps --------------------------------------------------------------------------------------------------------

# What the Finder shows, beside what PyInstaller put there; before signing, which seals the folder.
add_resources() {
    local resources=$APP/Contents/Resources
    mkdir -p -- "$resources"
    cp -- "$HERE/errorflow-session.icns" "$HERE/errorflow-model.icns" "$resources/"
    cp -R -- "$HERE/zh-Hans.lproj" "$resources/"
    plutil -lint "$APP/Contents/Info.plist" >&2
}

# Whether a file holds machine code for a Mac, by its first bytes: for one processor, or for several.
is_code() {
    case $(head -c 4 -- "$1" | od -An -tx1 | tr -d ' \n') in
        cffaedfe | cafebabe) return 0 ;;
        *) return 1 ;;
    esac
}

sign() {
    local options=(--force --sign "$IDENTITY")
    # Neither has a meaning for what is signed for this Mac only.
    [[ $IDENTITY == - ]] || options+=(--timestamp --options runtime)
    codesign "${options[@]}" "$@"
}

# From the inside to the outside, since each signature covers what lies within: libraries, programs, the app. With --deep
# codesign would give libraries the rights of programs.
sign_app() {
    local file
    while IFS= read -r -d '' file; do
        is_code "$file" || continue
        case $file in
            "$APP"/Contents/MacOS/*) ;;
            *) sign "$file" ;;
        esac
    done < <(find "$APP/Contents" -type f -print0 | LC_ALL=C sort -z -r)
    while IFS= read -r -d '' file; do
        sign "$file"
    done < <(find "$APP/Contents" -type d -name '*.framework' -print0 | LC_ALL=C sort -z -r)
    while IFS= read -r -d '' file; do
        is_code "$file" || continue
        sign --entitlements "$ENTITLEMENTS" "$file"
    done < <(find "$APP/Contents/MacOS" -type f -print0 | LC_ALL=C sort -z)
    sign --entitlements "$ENTITLEMENTS" "$APP"
    codesign --verify --deep --strict --verbose=2 "$APP"
}

# FILE: sends it to Apple and waits; what they found wrong is in their log.
notarise() {
    local answer=$WORK/answer.plist id
    local account=(--key "$NOTARY_KEY" --key-id "${ERRORFLOW_NOTARY_KEY_ID:?}" --issuer "${ERRORFLOW_NOTARY_ISSUER:?}")
    xcrun notarytool submit "$1" "${account[@]}" --wait --timeout 1h --output-format plist >"$answer" || true
    if [[ $(plutil -extract status raw -o - "$answer") != Accepted ]]; then
        cat -- "$answer" >&2
        id=$(plutil -extract id raw -o - "$answer") && xcrun notarytool log "$id" "${account[@]}" >&2
        fail "Apple did not accept $1"
    fi
}

make_image() {
    local image=$1 stage=$WORK/stage loose=$WORK/loose.dmg
    mkdir -p -- "$stage/.background"
    ditto "$APP" "$stage/Errorflow.app"
    ln -s /Applications "$stage/Applications"
    # One picture for all screens: of the two in it, a Mac takes the one that fits.
    tiffutil -cathidpicheck "$HERE/background.png" "$HERE/background@2x.png" -out "$stage/.background/picture.tiff" >&2
    rm -f -- "$image"
    hdiutil create -volname Errorflow -srcfolder "$stage" -fs HFS+ -format UDRW -ov "$loose" >&2
    arrange "$loose" || say "the Finder did not arrange the image's window: it opens as a plain folder"
    hdiutil convert "$loose" -format ULMO -ov -o "$image" >&2
}

# Only the Finder writes how a window of its own looks, and only into a volume that it shows. On a Mac that nobody is logged
# in to it does not answer; the image is as good then, and plainer.
arrange() {
    local place status=0
    place=$(hdiutil attach -readwrite -noverify -noautoopen "$1" | sed -n 's|^.*\(/Volumes/.*\)$|\1|p' | tail -n 1)
    [[ $place ]] || return 1
    osascript "$HERE/arrange.applescript" "${place##*/}" >&2 || status=1
    sync
    hdiutil detach "$place" >&2 || hdiutil detach -force "$place" >&2 || fail "$place cannot be detached"
    return $status
}

WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT
mkdir -p -- "$OUT"
VERSION=$(plutil -extract CFBundleShortVersionString raw -o - "$APP/Contents/Info.plist")
IMAGE=$OUT/errorflow-$VERSION-macos-$(uname -m).dmg

add_resources
sign_app
if [[ $NOTARY_KEY ]]; then
    # As a zip, the only form of an app that Apple takes; the ticket is then stapled to the app itself, so that a copy
    # out of the image opens without a network.
    ditto -c -k --keepParent "$APP" "$WORK/Errorflow.zip"
    notarise "$WORK/Errorflow.zip"
    xcrun stapler staple "$APP"
fi
make_image "$IMAGE"
if [[ $IDENTITY != - ]]; then
    codesign --force --sign "$IDENTITY" --timestamp "$IMAGE"
fi
if [[ $NOTARY_KEY ]]; then
    notarise "$IMAGE"
    xcrun stapler staple "$IMAGE"
    spctl --assess --type open --context context:primary-signature --verbose=2 "$IMAGE"
fi
(cd -- "$OUT" && shasum -a 256 "$(basename -- "$IMAGE")" | tee "$(basename -- "$IMAGE").sha256")
