"""An installer copies the bundle's files and takes exactly these away."""

import re
from pathlib import Path

import pytest

from packaging_scripts import script

FILES = (
    "errorflow-viewer.exe",
    "errorflow.exe",
    "_internal/a b/$x.txt",
    "_internal/deep/er/模型.txt",
    "_internal/z.pyd",
)
bundle_files = script("windows/bundle_files.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "errorflow" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * 1024)
    return tmp_path / "errorflow"


def test_each_file_is_copied_into_its_folder(folder: Path) -> None:
    there, copied = "", set()
    for line in bundle_files.Bundle.read(folder).install().splitlines():
        command, _, rest = line.partition(" ")
        if command == "SetOutPath":
            there = rest.strip('"').replace("$$", "$").removeprefix("$INSTDIR").replace("\\", "/").strip("/")
        else:
            copied.add(f"{there}/{Path(rest.strip(chr(34))).name}".strip("/"))
    assert copied == set(FILES)


def test_each_file_is_taken_away_by_its_name(folder: Path) -> None:
    text = bundle_files.Bundle.read(folder).uninstall()
    names = re.findall(r'^Delete "\$INSTDIR\\(.*)"$', text, re.MULTILINE)
    assert {name.replace("$$", "$").replace("\\", "/") for name in names} == set(FILES)


def test_folders_go_after_what_is_in_them_and_only_when_empty(folder: Path) -> None:
    lines = bundle_files.Bundle.read(folder).uninstall().splitlines()
    folders = [line for line in lines if line.startswith("RMDir")]
    assert lines[-len(folders) :] == folders
    assert folders.index('RMDir "$INSTDIR\\_internal\\deep\\er"') < folders.index('RMDir "$INSTDIR\\_internal\\deep"')
    assert folders[-1] == 'RMDir "$INSTDIR\\_internal"'
    assert "/r" not in " ".join(folders)


def test_says_how_large_and_how_deep_it_is(folder: Path) -> None:
    bundle = bundle_files.Bundle.read(folder)
    assert (bundle.kilobytes, bundle.longest) == (len(FILES), max(map(len, FILES)))


def test_another_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"is no bundle: errorflow-viewer\.exe, errorflow\.exe, _internal is missing"):
        bundle_files.Bundle.read(tmp_path)


def test_the_scripts_delete_no_folder_with_what_is_in_it() -> None:
    for path in (Path(__file__).parents[3] / "packaging/windows").glob("*.ns[ih]"):
        assert not re.search(r"^\s*RMDir\s+/r", path.read_text("utf-8"), re.MULTILINE | re.IGNORECASE), path.name
