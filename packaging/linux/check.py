"""Says what a bundle lacks; the build ends then.

    python check.py BUNDLE LOG SITE

SITE is where the packages of Errorflow are installed: all that is no code in them must be in the bundle.

PyInstaller itself ends well when a library was not there to be taken in, and the window of such a bundle does not open.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from elf import binaries, names

# Below `_internal`; each must be there at least once.
MUST_HAVE = (
    "PySide6/Qt/plugins/platforms/libqxcb.so",
    "PySide6/Qt/plugins/platforms/libqoffscreen.so",
    "PySide6/Qt/plugins/platforms/libqwayland*.so",
    "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
    "PySide6/Qt/plugins/imageformats/libqsvg.so",
    "PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so",  # for who asks for it, and in sandboxes
    "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
    "PySide6/Qt/translations/qtbase_zh_CN.qm",
    "errorflow_resources/language/*.ts",
    "errorflow_resources/language/errorflow_zh_CN.json",
    "errorflow_resources/language/qt_zh_CN.qm",
    "errorflow_resources/help/zh_CN/how-to/*.md",
    "errorflow_resources/help/how-to/*.md",
    "errorflow_resources/help/pictures/*.png",
    "errorflow_resources/help/words.md",
    "errorflow_resources/fonts/*.otf",
    "errorflow_resources/icons/app/*.png",
    "errorflow_resources/icons/line/*.svg",
    "errorflow_resources/report/page.js",
    "errorflow_resources/sample/node_fault/node_fault.onnx",
    "errorflow_resources/sample/inputs/digits_labels.npz",
    "errorflow_resources/desktop/io.github.errorflow.Errorflow.desktop",
    "errorflow_resources/desktop/io.github.errorflow.Errorflow.xml",
    "errorflow_resources/desktop/io.github.errorflow.Errorflow.metainfo.xml",
    "onnxruntime/capi/onnxruntime_pybind11_state*.so",
    "onnx/onnx_cpp2py_export*.so",
    "PIL/_imaging.*.so",
    "distributed/distributed.yaml",
    "libpython3*.so*",
    "libxcb-cursor.so.0",
    "errorflow-*.dist-info/METADATA",
)
# What PyInstaller says when something that is needed was not found.
_BAD_LINES = re.compile(r"Library not found|could not resolve|Hidden import .?(errorflow|numpy|PIL|onnx)|ERROR:")
# For whom it was looked for.
_FOR = re.compile(r"dependency of '(?P<path>[^']+)'")
# Would change where the libraries of others are looked for.
_MUST_NOT_HAVE = ("libstdc++.so*", "libgcc_s.so*", "libexpat.so*", "libGL.so*", "libEGL.so*", "libc.so*")


def problems(bundle: Path, log: str, site: Path) -> Iterator[str]:
    inside = bundle / "_internal"
    for program in ("errorflow", "errorflow-viewer"):
        if not os.access(bundle / program, os.X_OK):
            yield f"{program} is missing, or cannot be run"
    yield from (f"{pattern} is missing" for pattern in MUST_HAVE if not any(inside.glob(pattern)))
    yield from (f"{name} is missing" for name in _data(site) if not (inside / name).is_file())
    yield from (f"{path.name} must not be inside" for name in _MUST_NOT_HAVE for path in inside.rglob(name))
    yield from (f"PyInstaller said: {line}" for line in _complaints(log, names(bundle)))
    links = (path for path in bundle.rglob("*") if path.is_symlink())
    yield from (f"{link} leads nowhere" for link in links if not link.resolve().is_relative_to(bundle.resolve()))
    yield from _not_found(bundle)


def _complaints(log: str, there: frozenset[str]) -> Iterator[str]:
    """Of its lines. What was left out may lack what it wants, as the plugin for GTK does where there is no GTK."""
    for line in log.splitlines():
        wanted = _FOR.search(line)
        if _BAD_LINES.search(line) and (wanted is None or Path(wanted["path"]).name in there):
            yield line


def _data(site: Path) -> Iterator[str]:
    """What is no code of our packages, by their names below it."""
    for path in sorted(site.glob("errorflow*/**/*")):
        if path.is_file() and path.suffix not in (".py", ".pyc") and ".dist-info" not in path.parts[len(site.parts)]:
            yield path.relative_to(site).as_posix()


def _not_found(bundle: Path) -> Iterator[str]:
    """Libraries that the loader of this system does not find."""
    paths = [each.path for each in binaries(bundle)]
    for path in paths:
        path.chmod(path.stat().st_mode | 0o100)  # without it ldd only complains
    said = subprocess.run(
        ["ldd", *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": str(bundle / "_internal")},
    ).stdout
    yield from missing(said.splitlines())


def missing(lines: Iterable[str]) -> Iterator[str]:
    """Of what ldd said about several files, a sentence for each library that was not found."""
    current = ""
    for line in lines:
        if line and not line[0].isspace():
            current = line.rstrip(":")
        elif line.endswith("not found"):
            yield f"{Path(current).name} needs {line.split()[0]}, which was not found"


if __name__ == "__main__":
    found = list(problems(Path(sys.argv[1]), Path(sys.argv[2]).read_text("utf-8", "replace"), Path(sys.argv[3])))
    for each in found:
        print(f"bundle: {each}", file=sys.stderr)
    sys.exit(1 if found else 0)
