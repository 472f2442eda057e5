#!/usr/bin/env bash
# A keychain of its own for a build machine, so that the login keychain is left alone.
#     keychain.sh open     makes it from the certificate in PKCS12 (base64) with PASSWORD; prints the identity to sign with
#     keychain.sh close    takes it away
set -euo pipefail

KEYCHAIN=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/errorflow-signing.keychain-db

open_keychain() {
    local secret
    secret=$(openssl rand -hex 24)
    file=$(mktemp)
    trap 'rm -f -- "$file"' EXIT  # also when a step fails: it is the key itself
    printf '%s' "${PKCS12:?}" | base64 --decode >"$file"
    security create-keychain -p "$secret" "$KEYCHAIN"
    security set-keychain-settings -lut 7200 "$KEYCHAIN"
    security unlock-keychain -p "$secret" "$KEYCHAIN"
    security import "$file" -k "$KEYCHAIN" -f pkcs12 -P "${PASSWORD-}" -T /usr/bin/codesign >&2
    # Without it codesign would ask, and nobody is there to answer.
    security set-key-partition-list -S apple-tool:,apple: -s -k "$secret" "$KEYCHAIN" >/dev/null
    security list-keychains -d user -s "$KEYCHAIN" login.keychain-db
    security find-identity -v -p codesigning "$KEYCHAIN" | sed -n 's/^ *1) [0-9A-F]* "\(.*\)"$/\1/p'
}

case ${1-} in
    open) open_keychain ;;
    close) security delete-keychain "$KEYCHAIN" ;;
    *) echo "keychain.sh: open or close" >&2; exit 2 ;;
esac
