"""What the binaries of a bundle ask of others: libraries by name, and versions of their symbols. As `objdump` says."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_MAGIC = b"\x7fELF"
_FILE = re.compile(r"^(?P<path>\S.*):\s+file format elf")
_NEEDED = re.compile(r"^\s+NEEDED\s+(?P<name>\S+)")
_FROM = re.compile(r"^\s+required from (?P<name>\S+):")
_VERSION = re.compile(r"^\s+0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (?P<name>\S+)")
_DEBUG = re.compile(r"^\s*\d+ \.z?debug_info\s")
# Command lines have an end.
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Binary:
    """A program, a library, or a module of Python's that is one."""

    path: Path
    needed: tuple[str, ...] = ()
    # By library, the versions of symbols that it must have.
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def binaries(folder: Path) -> list[Binary]:
    """All of a folder, in the order of their names; links are not followed."""
    return [each for text in _dumps("-p", _elves(folder)) for each in parsed(text)]


def with_debugging(folder: Path) -> list[Path]:
    """The binaries of a folder that bring along what only a debugger reads."""
    return [path for text in _dumps("-h", _elves(folder)) for path in debugged(text)]


def debugged(text: str) -> Iterator[Path]:
    """Of what `objdump -h` printed about several files."""
    path = Path()
    for line in text.splitlines():
        if found := _FILE.match(line):
            path = Path(found["path"])
        elif _DEBUG.match(line):
            yield path


def parsed(text: str) -> Iterator[Binary]:
    """Of what `objdump -p` printed about several files."""
    path: Path | None = None
    needed: list[str] = []
    versions: dict[str, list[str]] = {}
    library = ""
    for line in text.splitlines():
        if found := _FILE.match(line):
            if path is not None:
                yield _binary(path, needed, versions)
            path, needed, versions, library = Path(found["path"]), [], {}, ""
        elif found := _NEEDED.match(line):
            needed.append(found["name"])
        elif found := _FROM.match(line):
            library = found["name"]
        elif library and (found := _VERSION.match(line)):
            versions.setdefault(library, []).append(found["name"])
    if path is not None:
        yield _binary(path, needed, versions)


def _binary(path: Path, needed: Sequence[str], versions: Mapping[str, list[str]]) -> Binary:
    return Binary(path, tuple(needed), {name: tuple(found) for name, found in versions.items()})


def outside(found: Iterable[Binary], inside: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The libraries that are needed and not there: each with the versions of its symbols that are asked for."""
    there = frozenset(inside)
    wanted: dict[str, set[str]] = {}
    for each in found:
        for name in each.needed:
            if name not in there:
                wanted.setdefault(name, set()).update(each.versions.get(name, ()))
    return {name: tuple(sorted(wanted[name], key=version_key)) for name in sorted(wanted)}


def names(folder: Path) -> frozenset[str]:
    """Of all files and links in it: by these libraries are found."""
    return frozenset(path.name for path in folder.rglob("*") if not path.is_dir())


def newest(versions: Iterable[str], prefix: str) -> tuple[int, ...]:
    """The highest number behind a prefix such as `GLIBC_`; empty if there is none."""
    numbers = (
        version_key(each)[1] for each in versions if each.startswith(prefix) and each[len(prefix) :][:1].isdigit()
    )
    return max(numbers, default=())


def version_key(name: str) -> tuple[str, tuple[int, ...]]:
    """`GLIBC_2.4` comes before `GLIBC_2.17`."""
    prefix, _, number = name.rpartition("_")
    return prefix, tuple(int(part) for part in number.split(".") if part.isdigit())


def _elves(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and _is_elf(path))


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def _dumps(what: str, paths: Sequence[Path]) -> Iterator[str]:
    return (_dumped(what, paths[at : at + _AT_ONCE]) for at in range(0, len(paths), _AT_ONCE))


def _dumped(what: str, paths: Sequence[Path]) -> str:
    command = ["objdump", what, *map(str, paths)]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    ).stdout
