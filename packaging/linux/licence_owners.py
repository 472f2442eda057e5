"""Whose each file of a bundle is: a Python distribution's, Python's own, a package's of the system, or ours."""

import csv
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
TEXTS = Path(__file__).resolve().with_name("licence_texts")
COMMON = Path("/usr/share/common-licenses")
DOC = Path("/usr/share/doc")

# The licence of a package whose text says which part has which.
BY_PACKAGE = "as its text says"
_TEXT_NAME = re.compile(r"(licen[cs]e|copying|notice|third.?party|ofl)", re.IGNORECASE)
_OURS = re.compile(r"errorflow(_viewer|_resources|-[\w.+]*\.dist-info)?|clean_start\.pyc")
# What a distribution says of its licence, in the words of the list of such names.
_SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "GPLv2-or-later with a special exception which allows to use PyInstaller to build and distribute non-free programs "
    "(including commercial ones)": "GPL-2.0-or-later WITH Bootloader-exception",
}
# Texts for distributions that come without one.
_STANDARD = {"Apache-2.0": (ROOT / "LICENSE",), "LGPL-3.0-only": (COMMON / "LGPL-3", COMMON / "GPL-3")}
# Qt is used under the one of its licences that lets an app keep its own.
_CHOSEN = {"LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only": "LGPL-3.0-only"}
_QT_NOTE = (
    "Qt and its Python binding, used under the LGPL and unchanged; the libraries are files of their own and may be "
    "replaced. Sources: https://download.qt.io. Qt contains parts of others, listed with their licences at "
    "https://doc.qt.io/qt-6/licenses-used-in-qt.html, among them PCRE2 (BSD-3-Clause), zlib (Zlib), libpng "
    "(libpng-2.0), libjpeg-turbo (IJG), HarfBuzz (MIT), FreeType (FTL), double-conversion (BSD-3-Clause), MD4C (MIT)."
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Who wrote some files; `texts` are the licence texts as they are, by the names of their files."""

    name: str
    licence: str
    texts: Mapping[str, str] = field(default_factory=dict)
    author: str = ""
    comment: str = ""


class UnknownLicenceError(Exception):
    """Something is in the bundle that must not be passed on without a licence."""


def owners(bundle: Path) -> tuple[dict[str, Owner], list[str]]:
    """By the path of each file in the bundle; and the files that nobody owns."""
    wanted = _files(bundle)
    found: dict[str, Owner] = {}
    for finder in (_Ours(), _Icu(), _Distributions(), _Python(), _System()):
        left = [path for path in wanted if path not in found]
        found |= finder.find(left)
    return found, [path for path in wanted if path not in found]


def _files(bundle: Path) -> list[str]:
    """A link leads to a file that is in the bundle as well."""
    files = (path for path in bundle.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path.relative_to(bundle).as_posix() for path in files)


class _Ours:
    """Our code, and what is in it of others."""

    def find(self, paths: Iterable[str]) -> dict[str, Owner]:
        ours = Owner("Errorflow", "Apache-2.0", {"LICENSE": _read(ROOT / "LICENSE")}, "The Errorflow authors")
        fonts = ROOT / "resources" / "errorflow_resources" / "fonts" / "LICENSE.txt"
        font = Owner("Errorflow Sans (Inter)", "OFL-1.1", {"LICENSE.txt": _read(fonts)})
        digits = Owner(
            "Handwritten digits of the sample",
            "CC-BY-4.0",
            {"README.md": _read(ROOT / "resources" / "errorflow_resources" / "sample" / "README.md")},
            "E. Alpaydin, C. Kaynak",
            "From the UCI Machine Learning Repository, https://doi.org/10.24432/C50P49; scaled, shifted and split. "
            "The licence: https://creativecommons.org/licenses/by/4.0/legalcode.",
        )
        result: dict[str, Owner] = {}
        for path in paths:
            parts = PurePosixPath(path).parts
            if parts[:3] == ("_internal", "errorflow_resources", "fonts"):
                result[path] = font
            elif parts[:3] == ("_internal", "errorflow_resources", "sample") and path.endswith(".npz"):
                result[path] = digits
            elif len(parts) > 1 and _OURS.fullmatch(parts[1]):
                result[path] = ours
        return result


class _Icu:
    """Qt brings it along as files of their own, under a licence of its own."""

    def find(self, paths: Iterable[str]) -> dict[str, Owner]:
        text = {"LICENSE": _read(TEXTS / "ICU.txt")}  # of ICU 73.2, without that of the scripts that built it
        icu = Owner("ICU", "Unicode-DFS-2016", text, comment="Brought by Qt.")
        return {path: icu for path in paths if PurePosixPath(path).name.startswith("libicu")}


class _Distributions:
    """What pip installed beside the tool that made the bundle."""

    def __init__(self) -> None:
        self._by_path: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        self._all: dict[str, Distribution] = {}
        for each in distributions():
            name = each.name  # which reads a file, each time
            self._all.setdefault(name, each)
            for path in _recorded(each):
                self._by_path.setdefault(path, name)
                if ".so" in path:  # libraries are moved to the top of a bundle
                    self._by_name.setdefault(path.rpartition("/")[2], name)

    def find(self, paths: Iterable[str]) -> dict[str, Owner]:
        made: dict[str, Owner] = {}
        result: dict[str, Owner] = {}
        for path in paths:
            name = self._name(path)
            if name is not None:
                made.setdefault(name, self._owner(name))
                result[path] = made[name]
        return result

    def _name(self, path: str) -> str | None:
        inside = path.removeprefix("_internal/")
        if inside == path or inside.startswith(("_pyi_", "pyi", "base_library")):
            return "pyinstaller"
        for spelling in (inside, inside.removesuffix("c") if inside.endswith(".pyc") else inside):
            if spelling in self._by_path:
                return self._by_path[spelling]
        return self._by_name.get(PurePosixPath(path).name)

    def _owner(self, name: str) -> Owner:
        found = self._all[name]
        licence = _licence(found)
        names = [path for path in _recorded(found) if _is_text(path.rpartition("/")[2])]
        texts = {path: _read(Path(str(found.locate_file(path)))) for path in names}
        if not texts:
            texts = {path.name: _read(path) for path in _STANDARD.get(licence, ())}
        comment = _QT_NOTE if licence == "LGPL-3.0-only" else ""
        author = found.metadata.get("Author") or found.metadata.get("Author-email") or f"The authors of {name}"
        return Owner(f"{name} {found.version}", licence, texts, str(author), comment)


def _recorded(found: Distribution) -> Iterator[str]:
    """The paths of its files; `found.files` has more to say about each, and takes seconds for it."""
    rows = csv.reader((found.read_text("RECORD") or "").splitlines())
    return (row[0] for row in rows if row)


def _licence(found: Distribution) -> str:
    """As the distribution says, in the newest of the ways in which it may."""
    classifiers = [row for row in found.metadata.get_all("Classifier") or [] if row.startswith("License ::")]
    said = found.metadata.get("License-Expression") or found.metadata.get("License")
    text = str(said).strip().splitlines()[0] if said else classifiers[-1].split("::")[-1].strip() if classifiers else ""
    short = _SPELLINGS.get(text, text)
    return _CHOSEN.get(short, short)


def _is_text(name: str) -> bool:
    return _TEXT_NAME.search(name) is not None and not name.endswith((".py", ".pyc", ".pyi", ".h", ".so"))


class _Python:
    """Python's own modules, where it was not installed by the system."""

    def find(self, paths: Iterable[str]) -> dict[str, Owner]:
        library = Path(sysconfig.get_path("stdlib"))
        text = library / "LICENSE.txt"
        if not text.is_file() or _is_of_system(library / "os.py"):
            return {}
        owner = Owner(f"Python {sys.version.split()[0]}", "PSF-2.0", {"LICENSE.txt": _read(text)})
        return {path: owner for path in paths if _in_library(path, library) or "/libpython" in path}


class _System:
    """Libraries and modules that a package of the system brought."""

    def find(self, paths: Iterable[str]) -> dict[str, Owner]:
        library = Path(sysconfig.get_path("stdlib"))
        known = _linked()
        places: dict[str, Path] = {}
        for path in paths:
            name = PurePosixPath(path).name
            inside = _in_library(path, library)
            if inside is not None:
                places[path] = inside
            elif name in known:
                places[path] = Path(known[name])
        packages = _packages(places.values())
        made = {package: _of_package(package) for package in set(packages.values())}
        return {path: made[packages[place]] for path, place in places.items() if place in packages}


def _in_library(path: str, library: Path) -> Path | None:
    """The file of Python's own library that a file of the bundle was made of."""
    inside = path.removeprefix("_internal/").removeprefix(f"{library.name}/")
    source = library / (inside.removesuffix("c") if inside.endswith(".pyc") else inside)
    return source if source.is_file() else None


def _linked() -> dict[str, str]:
    """Where the system keeps its libraries, by name."""
    lines = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout.splitlines()
    pairs = (line.strip().partition(" => ") for line in lines if " => " in line)
    found: dict[str, str] = {}
    for left, _, place in pairs:
        found.setdefault(left.split()[0], place)
    return found


def _packages(places: Iterable[Path]) -> dict[Path, str]:
    """The package that owns each file; a file is listed under its old place where folders became links."""
    spelled: dict[str, Path] = {}
    for place in places:
        for real in {place, place.resolve()}:
            spelled[str(real)] = place
            spelled[str(real).removeprefix("/usr") if str(real).startswith("/usr/lib") else f"/usr{real}"] = place
    return dict(_asked(spelled))


def _asked(spelled: Mapping[str, Path]) -> Iterator[tuple[Path, str]]:
    if not spelled:
        return
    done = subprocess.run(["dpkg", "-S", *spelled], capture_output=True, text=True, check=False, env=_plain())
    for line in done.stdout.splitlines():
        package, _, path = line.partition(": ")
        if path in spelled:
            yield spelled[path], package.split(",")[0].split(":")[0]


def _plain() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C"}


def _is_of_system(path: Path) -> bool:
    try:
        return bool(_packages([path]))
    except FileNotFoundError:  # no dpkg: not a Debian
        return False


def _of_package(package: str) -> Owner:
    text = DOC / package / "copyright"
    if not text.is_file():
        raise UnknownLicenceError(f"the package {package} says nothing in {text}")
    said = _read(text)
    names = re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", said)
    common = {f"{COMMON}/{name}": _read(COMMON / name) for name in names if (COMMON / name).is_file()}
    return Owner(package, BY_PACKAGE, {"copyright": said, **common}, comment="A library of the system that built this.")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
