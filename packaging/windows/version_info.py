"""What Windows shows of a program under Properties → Details, as a resource for PyInstaller (`EXE(version=…)`)."""

import re
import runpy
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
VERSION: str = runpy.run_path(str(ROOT / "core/errorflow/__init__.py"))["__version__"]
COPYRIGHT = "© The Errorflow authors, Apache License 2.0"
# By language and code page, as Windows writes them; 1200 is Unicode.
DESCRIPTIONS = {
    "errorflow-viewer": {"040904B0": "Errorflow", "080404B0": "Errorflow"},
    "errorflow": {"040904B0": "Errorflow on the command line", "080404B0": "Errorflow 命令行"},
}
_TEMPLATE = """VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers}, prodvers={numbers}, mask=0x3f, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0
  ),
  kids=[
    StringFileInfo([
{tables}
    ]),
    VarFileInfo([VarStruct("Translation", [0x0409, 1200, 0x0804, 1200])]),
  ],
)
"""


def numbers(version: str) -> tuple[int, int, int, int]:
    """Windows counts in four numbers: `0.2.0rc1` is 0.2.0.0."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
    if found is None:
        raise ValueError(f"{version!r} is no version")
    major, minor, micro = (int(part) if part else 0 for part in found.groups())
    return major, minor, micro, 0


def _table(language: str, program: str) -> str:
    texts = {
        "CompanyName": "Errorflow",
        "FileDescription": DESCRIPTIONS[program][language],
        "FileVersion": VERSION,
        "InternalName": program,
        "LegalCopyright": COPYRIGHT,
        "OriginalFilename": f"{program}.exe",
        "ProductName": "Errorflow",
        "ProductVersion": VERSION,
    }
    rows = ", ".join(f"StringStruct({name!r}, {text!r})" for name, text in texts.items())
    return f"      StringTable({language!r}, [{rows}]),"


def version_info(folder: Path | None = None, program: str = "errorflow-viewer") -> Path:
    """Writes the resource of one of the two programs into `folder` (default: a temporary one)."""
    folder = Path(tempfile.mkdtemp()) if folder is None else folder
    tables = "\n".join(_table(language, program) for language in DESCRIPTIONS[program])
    path = folder / f"{program}-version.txt"
    path.write_text(_TEMPLATE.format(numbers=numbers(VERSION), tables=tables), encoding="utf-8")
    return path
