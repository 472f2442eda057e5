#!/usr/bin/env bash
# Signs programs for Windows (Authenticode) on Linux, and verifies what it signed.
#     sign.sh FILE…                    with the certificate that the environment names:
#         ERRORFLOW_SIGN_PKCS12        a .p12 file with certificate and key, and ERRORFLOW_SIGN_PASSWORD; or
#         ERRORFLOW_SIGN_PKCS11        the module of a token or key service, with ERRORFLOW_SIGN_KEY (its pkcs11: address),
#                                      ERRORFLOW_SIGN_CERTIFICATE (a .pem file with the chain) and ERRORFLOW_SIGN_PASSWORD
#         ERRORFLOW_SIGN_TIME          address of a time stamp server (default: DigiCert's); `none` without network
#     sign.sh --self-signed DIR FILE…  with a certificate of one's own, made in DIR: to try the steps; Windows does not trust it
# Needs osslsigncode; --self-signed needs openssl too.
set -euo pipefail

fail() {
    echo "sign.sh: $*" >&2
    exit 2
}

# Public authorities give keys on tokens only since 2023; a file is what a company's own authority gives.
key_arguments() {
    if [[ -n ${ERRORFLOW_SIGN_PKCS12-} ]]; then
        key=(-pkcs12 "$ERRORFLOW_SIGN_PKCS12" -readpass "$password")
    elif [[ -n ${ERRORFLOW_SIGN_PKCS11-} ]]; then
        key=(-pkcs11module "$ERRORFLOW_SIGN_PKCS11" -key "${ERRORFLOW_SIGN_KEY:?}" -certs "${ERRORFLOW_SIGN_CERTIFICATE:?}"
            -readpass "$password")
    else
        fail "no certificate: set ERRORFLOW_SIGN_PKCS12 or ERRORFLOW_SIGN_PKCS11 (see the head of this file)"
    fi
}

# DIR: its certificate, made when it is not there yet.
make_certificate() {
    mkdir -p -- "$1"
    [[ -f $1/own.p12 ]] && return
    openssl req -x509 -newkey rsa:3072 -sha256 -nodes -days 30 -subj "/CN=Errorflow trial" \
        -addext "extendedKeyUsage=codeSigning" -keyout "$1/own.key" -out "$1/own.pem" 2>/dev/null
    openssl pkcs12 -export -passout pass:trial -inkey "$1/own.key" -in "$1/own.pem" -out "$1/own.p12"
}

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
authority=()
if [[ ${1-} == --self-signed ]]; then
    keys=${2:?a folder for the certificate}
    shift 2
    make_certificate "$keys"
    ERRORFLOW_SIGN_PKCS12=$keys/own.p12 ERRORFLOW_SIGN_PASSWORD=trial ERRORFLOW_SIGN_TIME=none
    authority=(-CAfile "$keys/own.pem")
fi
(($#)) || fail "nothing to sign: name files"

# Never on a command line, where all users of the machine could read it.
password=$work/password
printf '%s' "${ERRORFLOW_SIGN_PASSWORD-}" >"$password"
key_arguments
time_server=${ERRORFLOW_SIGN_TIME:-http://timestamp.digicert.com}
stamp=()
[[ $time_server == none ]] || stamp=(-ts "$time_server")

for file in "$@"; do
    [[ -f $file ]] || fail "no such file: $file"
    osslsigncode sign "${key[@]}" "${stamp[@]}" -h sha256 -n Errorflow -i https://errorflow.github.io \
        -in "$file" -out "$work/signed" >"$work/log" || { cat "$work/log" >&2; fail "could not sign $file"; }
    osslsigncode verify "${authority[@]}" -in "$work/signed" >"$work/log" || { cat "$work/log" >&2; fail "wrong signature: $file"; }
    cat -- "$work/signed" >"$file"
    rm -f -- "$work/signed"
    echo "signed $file"
done
