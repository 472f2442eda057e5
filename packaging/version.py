"""Prints the version of the sources: `python packaging/version.py`; with `--changes`, its part of CHANGELOG.md."""

import re
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version() -> str:
    """As the package says it itself."""
    return str(runpy.run_path(str(ROOT / "core/errorflow/__init__.py"))["__version__"])


def changes(text: str, wanted: str) -> str:
    """The section of that version without its heading; a release without one is refused."""
    parts = re.split(r"^## +\[?([^\s\],]+).*$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    if wanted not in sections:
        raise SystemExit(f"CHANGELOG.md has no section {wanted}: give “Unreleased” that name, and a date.")
    return sections[wanted].strip() + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--changes"]:
        sys.stdout.write(changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version()))
    else:
        print(version())
