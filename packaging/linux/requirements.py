"""What the packages ask of a system: worked out from the binaries of the bundle.

python requirements.py deb|rpm BUNDLE
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from elf import binaries, names, newest, outside

# Libraries that the bundle leaves to the system, and the packages of Debian that bring them. Any other that is needed
# and not in the bundle ends the build: it must come in, or be added here on purpose.
DEBIAN: Mapping[str, str] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libexpat.so.1": "libexpat1",
    "libgcc_s.so.1": "libgcc-s1",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
}
# Parts of the C library.
_C = frozenset(
    (
        "libc.so.6",
        "libm.so.6",
        "libdl.so.2",
        "libpthread.so.0",
        "librt.so.1",
        "libutil.so.1",
        "libresolv.so.2",
        "libnsl.so.1",
    )
)
_LOADER = "ld-linux"
# The release of GCC that first had these symbols in its C++ runtime.
_CXX = {(3, 4, 29): "11", (3, 4, 30): "12", (3, 4, 31): "13", (3, 4, 32): "13.2", (3, 4, 33): "14", (3, 4, 34): "15"}
# Not libraries: what fonts look like on this system.
_DEBIAN_ALSO = ("fontconfig-config",)


class UnknownLibraryError(Exception):
    """A library is needed, is not in the bundle, and nobody said that systems have it."""


def debian_depends(wanted: Mapping[str, Iterable[str]]) -> list[str]:
    """For `Depends:`, sorted; `wanted` is each library with the versions of its symbols."""
    _must_be_known(wanted)
    lines = {_debian(name, tuple(versions)) for name, versions in wanted.items() if not _is_c(name)}
    return sorted({*lines, _at_least("libc6", glibc(wanted)), *_DEBIAN_ALSO})


def rpm_requires(wanted: Mapping[str, Iterable[str]]) -> list[str]:
    """As RPM writes what libraries provide: the name, the newest version of each kind of symbols, the word size."""
    _must_be_known(wanted)
    lines = [f"libc.so.6(GLIBC_{_dotted(glibc(wanted))})(64bit)"]
    for name, versions in wanted.items():
        if _is_c(name):
            continue
        lines.append(f"{name}()(64bit)")
        for prefix in ("GLIBCXX_", "CXXABI_", "GCC_"):
            number = newest(versions, prefix)
            if number:
                lines.append(f"{name}({prefix}{_dotted(number)})(64bit)")
    return sorted(lines)


def glibc(wanted: Mapping[str, Iterable[str]]) -> tuple[int, ...]:
    """The oldest C library that has all that is asked for."""
    return max(newest(versions, "GLIBC_") for versions in [*wanted.values(), ()])


def _must_be_known(wanted: Mapping[str, Iterable[str]]) -> None:
    unknown = sorted(name for name in wanted if not _is_c(name) and name not in DEBIAN)
    if unknown:
        raise UnknownLibraryError(f"needed, not in the bundle, and not known to be in systems: {', '.join(unknown)}")


def _is_c(name: str) -> bool:
    return name in _C or name.startswith(_LOADER)


def _debian(name: str, versions: tuple[str, ...]) -> str:
    package = DEBIAN[name]
    if package == "libstdc++6":
        number = newest(versions, "GLIBCXX_")
        return _at_least(package, (_CXX[number],)) if number in _CXX else package
    if package == "libgcc-s1":
        return _at_least(package, newest(versions, "GCC_"))
    return package


def _at_least(package: str, version: tuple[int | str, ...]) -> str:
    return f"{package} (>= {_dotted(version)})" if version else package


def _dotted(version: tuple[int | str, ...]) -> str:
    return ".".join(map(str, version))


def of_bundle(bundle: Path) -> dict[str, tuple[str, ...]]:
    return outside(binaries(bundle), names(bundle))


if __name__ == "__main__":
    kind = debian_depends if sys.argv[1] == "deb" else rpm_requires
    try:
        print(", ".join(kind(of_bundle(Path(sys.argv[2])))))
    except UnknownLibraryError as error:
        sys.exit(f"requirements: {error}")
