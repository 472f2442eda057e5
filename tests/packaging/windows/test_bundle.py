"""What makes a bundle on Windows and macOS, as far as it can be seen elsewhere."""

from pathlib import Path

import pytest

from packaging_scripts import script

bundle = script("windows/bundle.py")
PINNED = ["# why", "", "numpy==2.4.6", "onnxruntime==1.31.1"]


@pytest.mark.parametrize(("system", "machine"), [("win32", "AMD64"), ("darwin", "arm64")])
def test_versions_are_the_pinned_ones(system: str, machine: str) -> None:
    assert bundle.requirements(PINNED, system, machine) == ["numpy==2.4.6", "onnxruntime==1.31.1"]


def test_intel_macs_get_what_is_still_made_for_them() -> None:
    assert bundle.requirements(PINNED, "darwin", "x86_64") == ["numpy==2.4.6", "onnxruntime>=1.20,<1.24"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "_internal/PySide6/plugins/platforms").mkdir(parents=True)
    (tmp_path / "_internal/PySide6/plugins/platforms/qwindows.dll").touch()
    missing = list(bundle.missing(tmp_path, "", "win32"))
    assert "**/platforms/qwindows.dll is missing" not in missing
    assert "**/platforms/qoffscreen.dll is missing" in missing


def test_what_pyinstaller_only_warns_of_is_an_error(tmp_path: Path) -> None:
    log = "1 INFO: fine\n2 WARNING: Library not found: could not resolve 'x.dll'\n"
    assert "2 WARNING: Library not found: could not resolve 'x.dll'" in list(bundle.missing(tmp_path, log, "win32"))


def test_programs_lie_where_the_system_wants_them() -> None:
    out = Path("out")
    assert bundle.programs(out, "win32")[1] == out / "errorflow/errorflow.exe"
    assert bundle.programs(out, "darwin")[0] == out / "Errorflow.app/Contents/MacOS/errorflow-viewer"
