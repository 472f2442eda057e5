"""The facts that Windows shows of the two programs."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import errorflow
from packaging_scripts import script

version_info = script("windows/version_info.py")


@pytest.mark.parametrize(
    ("version", "numbers"), [("0.1.0", (0, 1, 0, 0)), ("2.13", (2, 13, 0, 0)), ("1.2.3rc1", (1, 2, 3, 0))]
)
def test_a_version_is_four_numbers(version: str, numbers: tuple[int, ...]) -> None:
    assert version_info.numbers(version) == numbers


def test_what_is_no_version_is_refused() -> None:
    with pytest.raises(ValueError, match="'dev' is no version"):
        version_info.numbers("dev")


@pytest.mark.parametrize("program", ["errorflow-viewer", "errorflow"])
def test_the_resource_holds_the_facts_in_both_languages(tmp_path: Path, program: str) -> None:
    tables: dict[str, dict[str, str]] = {}
    names = {
        "VSVersionInfo": lambda ffi, kids: ffi,
        "FixedFileInfo": SimpleNamespace,
        "StringFileInfo": list,
        "StringTable": lambda language, rows: tables.__setitem__(language, dict(rows)),
        "StringStruct": lambda name, text: (name, text),
        "VarFileInfo": list,
        "VarStruct": lambda name, values: values,
    }
    path = version_info.version_info(tmp_path, program)
    fixed = eval(path.read_text("utf-8"), names)  # noqa: S307 - as PyInstaller reads it
    assert fixed.filevers == version_info.numbers(errorflow.__version__)
    assert tables.keys() == {"040904B0", "080404B0"}
    for texts in tables.values():
        assert texts["FileVersion"] == errorflow.__version__
        assert texts["OriginalFilename"] == f"{program}.exe"
