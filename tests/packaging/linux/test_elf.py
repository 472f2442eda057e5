"""What the binaries of a bundle need, read from what objdump prints."""

from pathlib import Path
from typing import Any

import pytest

from packaging_scripts import script

elf, requirements, prune = script("linux/elf.py"), script("linux/requirements.py"), script("linux/prune.py")
PRINTED = """
/b/_internal/libQt6Core.so.6:     file format elf64-x86-64

Program Header:
    LOAD off    0x0000000000000000 vaddr 0x0000000000000000 paddr 0x0000000000000000 align 2**12

Dynamic Section:
  NEEDED               libicudata.so.73
  NEEDED               libc.so.6
  SONAME               libQt6Core.so.6

Version definitions:
1 0x01 0x0a0b0c0d libQt6Core.so.6

Version References:
  required from libc.so.6:
    0x09691a75 0x00 05 GLIBC_2.2.5
    0x069691b4 0x00 06 GLIBC_2.34
    0x06969185 0x00 07 GLIBC_2.4
/b/_internal/libicudata.so.73:     file format elf64-x86-64

Dynamic Section:
  SONAME               libicudata.so.73
"""

SECTIONS = """
/b/_internal/yaml/_yaml.so:     file format elf64-x86-64

Sections:
Idx Name          Size      VMA               LMA               File off  Algn
  0 .note.gnu.build-id 00000024  0000000000000238  0000000000000238  00000238  2**2
 28 .debug_info   0010c8bf  0000000000000000  0000000000000000  00042e1d  2**0
                  CONTENTS, READONLY, DEBUGGING, OCTETS
 29 .debug_abbrev 00005c0b  0000000000000000  0000000000000000  0014f6dc  2**0
/b/_internal/libicudata.so.73:     file format elf64-x86-64

Sections:
  0 .rodata       01e8d4e0  0000000000000240  0000000000000240  00000240  2**4
"""


def test_needed_libraries_and_versions_are_read_file_by_file() -> None:
    core, data = elf.parsed(PRINTED)
    assert core.path == Path("/b/_internal/libQt6Core.so.6")
    assert core.needed == ("libicudata.so.73", "libc.so.6")
    assert core.versions == {"libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.4")}
    assert (data.needed, dict(data.versions)) == ((), {})


def test_what_is_inside_is_not_asked_of_the_system() -> None:
    wanted = elf.outside(elf.parsed(PRINTED), ["libicudata.so.73"])
    assert wanted == {"libc.so.6": ("GLIBC_2.2.5", "GLIBC_2.4", "GLIBC_2.34")}


@pytest.mark.parametrize(
    ("versions", "newest"), [((), ()), (("GLIBC_2.9", "GLIBC_2.17", "GLIBC_PRIVATE"), (2, 17)), (("GCC_3.0",), ())]
)
def test_versions_are_compared_as_numbers(versions: tuple[str, ...], newest: tuple[int, ...]) -> None:
    assert elf.newest(versions, "GLIBC_") == newest


WANTED = {
    "ld-linux-x86-64.so.2": ("GLIBC_2.3",),
    "libEGL.so.1": (),
    "libc.so.6": ("GLIBC_2.17", "GLIBC_2.36"),
    "libgcc_s.so.1": ("GCC_3.0", "GCC_12.0.0"),
    "libm.so.6": ("GLIBC_2.29",),
    "libstdc++.so.6": ("CXXABI_1.3.9", "GLIBCXX_3.4.21", "GLIBCXX_3.4.30"),
}


def test_a_deb_depends_on_packages_in_versions_that_are_new_enough() -> None:
    assert requirements.debian_depends(WANTED) == [
        "fontconfig-config",
        "libc6 (>= 2.36)",
        "libegl1",
        "libgcc-s1 (>= 12.0.0)",
        "libstdc++6 (>= 12)",
    ]


def test_an_rpm_requires_libraries_with_the_symbols_that_they_must_have() -> None:
    assert requirements.rpm_requires(WANTED) == [
        "libEGL.so.1()(64bit)",
        "libc.so.6(GLIBC_2.36)(64bit)",
        "libgcc_s.so.1()(64bit)",
        "libgcc_s.so.1(GCC_12.0.0)(64bit)",
        "libstdc++.so.6()(64bit)",
        "libstdc++.so.6(CXXABI_1.3.9)(64bit)",
        "libstdc++.so.6(GLIBCXX_3.4.30)(64bit)",
    ]


@pytest.mark.parametrize("kind", ["debian_depends", "rpm_requires"])
def test_a_library_that_nobody_thought_of_ends_the_build(kind: str) -> None:
    with pytest.raises(requirements.UnknownLibraryError, match=r"libtk8\.6\.so"):
        getattr(requirements, kind)({**WANTED, "libtk8.6.so": ()})


def test_libraries_of_what_was_left_out_go_as_well() -> None:
    def binary(name: str, *needed: str) -> Any:
        return elf.Binary(Path("/b/_internal") / name, needed, {})

    found = [
        binary("PySide6/plugins/libqxcb.so", "libxcb-cursor.so.0"),
        binary("libxcb-cursor.so.0", "libxcb-image.so.0"),
        binary("libxcb-image.so.0"),
        binary("libgtk-3.so.0", "libpango.so.0"),
        binary("libpango.so.0", "libgtk-3.so.0"),
        binary("libpython3.11.so.1.0"),
    ]
    libraries = frozenset(each.path for each in found[1:])
    assert [path.name for path in prune.unneeded(found, libraries)] == ["libgtk-3.so.0", "libpango.so.0"]


def test_only_what_was_built_for_debuggers_is_stripped() -> None:
    """Others may have been changed after they were built, and strip would break them."""
    assert list(elf.debugged(SECTIONS)) == [Path("/b/_internal/yaml/_yaml.so")]
