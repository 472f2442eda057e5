"""The files of a package as they lie in a system, around a bundle."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAME, APP_ID = "errorflow", "io.github.errorflow.Errorflow"
PROGRAMS = ("errorflow", "errorflow-viewer")
HOME_PAGE = "https://github.com/errorflow/errorflow"
MAINTAINER = "The Errorflow authors <errorflow@users.noreply.github.com>"
SUMMARY = "shows where a converted or quantized neural network goes wrong"
DESCRIPTION = (
    "Errorflow compares two runs of a neural network, such as the original and",
    "what a converter or a quantizer made of it, and shows on its graph where the",
    "error is born: each node's own share apart from what it inherits. It reads",
    "ONNX, Ascend and Caffe models, simulates quantization, finds the fewest nodes",
    "to keep in float, and makes reports. It makes no network connection.",
)
NEWS = "CHANGELOG.md"
# Where Debian's zsh looks, and where others do.
_ZSH_DEBIAN, _ZSH = "zsh/vendor-completions", "zsh/site-functions"
_PRE = re.compile(r"\.?(a|b|rc|dev)(?=\d)")
_SCRIPT, _PLAIN = 0o755, 0o644


def version() -> str:
    """Of the sources."""
    text = (ROOT / "core/errorflow/__init__.py").read_text("utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise ValueError("core/errorflow/__init__.py says no version")
    return found[1]


def system_version(version: str) -> str:
    """As dpkg and RPM sort it: 0.2.0rc1 comes before 0.2.0."""
    return _PRE.sub(r"~\1", version)


def epoch() -> int:
    """The date that all files bear."""
    return int(os.environ["SOURCE_DATE_EPOCH"])


def share(folder: Path, command: str, licences: Path, *, is_debian: bool) -> None:
    """All that lies below a system's `share`: menu entry, icons, manual, completions, licences."""
    from errorflow_viewer.kit.desktop_entry.data import desktop_files

    for file in desktop_files([command]):
        write(folder / file.path, file.data)
    manual_and_completions(folder, packed=True, is_debian=is_debian)
    documents(folder / "doc" / NAME, licences, packed=True)


def manual_and_completions(folder: Path, *, packed: bool, is_debian: bool = False) -> None:
    """`packed`: as distributions have them, with pages that are compressed."""
    _run("make_man.py", folder)
    _run("make_completion.py", folder)
    if not is_debian:
        (folder / _ZSH_DEBIAN).rename(folder / _ZSH)
    if packed:
        for page in sorted((folder / "man").rglob("*.1")):
            write(page.with_name(page.name + ".gz"), squeezed(page.read_bytes()))
            page.unlink()


def documents(folder: Path, licences: Path, *, packed: bool) -> None:
    """What must go with the program, and what is new in it."""
    write(folder / "copyright", licences.read_bytes())
    changes = (ROOT / NEWS).read_bytes()
    write(folder / (f"{NEWS}.gz" if packed else NEWS), squeezed(changes) if packed else changes)


def squeezed(data: bytes) -> bytes:
    """The same bytes each time."""
    return gzip.compress(data, 9, mtime=0)


def write(path: Path, data: bytes, mode: int = _PLAIN) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def copy_bundle(bundle: Path, target: Path) -> None:
    """With its links; what is the same file stays one."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(bundle, target, symlinks=True, copy_function=_linked)


def _linked(source: str, target: str) -> None:
    """A second name for a file is as good as a copy, as long as nobody writes into it."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def settle(folder: Path) -> None:
    """Dates and rights as they are in every build."""
    for path in [folder, *everything(folder)]:
        if not path.is_symlink():
            path.chmod(_SCRIPT if path.is_dir() or _is_program(path) else _PLAIN)
        os.utime(path, (epoch(), epoch()), follow_symlinks=False)


def everything(folder: Path) -> Iterator[Path]:
    """All below a folder, in one order everywhere."""
    return iter(sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()))


def size(folder: Path) -> int:
    """Bytes that are taken in a system."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def _is_program(path: Path) -> bool:
    return (path.name in PROGRAMS and path.parent.name == NAME) or path.name.endswith("install.sh")


def _run(script: str, *arguments: object) -> None:
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
