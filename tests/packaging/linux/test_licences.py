"""The licences of all that is in a bundle; a bundle of a few files stands for a real one."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from needed import need
from packaging_scripts import PACKAGING, script

OURS = ("_internal/errorflow/__init__.pyc", "_internal/errorflow_resources/icons/app/errorflow-16.png")
OF_OTHERS = {
    "_internal/numpy/__init__.pyc": "BSD-3-Clause-of-numpy",
    "_internal/errorflow_resources/fonts/ErrorflowSans-Regular.otf": "OFL-1.1-of-Errorflow-Sans",
    "_internal/errorflow_resources/sample/clean/reference.npz": "CC-BY-4.0-of-Handwritten-digits-of-the-sample",
    "_internal/PySide6/QtCore.abi3.so": "LGPL-3.0-only-of-PySide6-Essentials",
    "_internal/libicudata.so.73": "Unicode-DFS-2016-of-ICU",
}


@pytest.fixture
def licences() -> ModuleType:
    if not Path("/usr/share/common-licenses/LGPL-3").is_file():
        pytest.skip("needs a Debian")
    return script("linux/licences.py")


def bundle(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    return folder


def paragraphs(text: str) -> list[dict[str, str]]:
    """As the tools that read this form see it."""
    result: list[dict[str, str]] = []
    for part in text.split("\n\n"):
        fields: dict[str, str] = {}
        name = ""
        for line in part.strip("\n").splitlines():
            if line.startswith(" "):
                fields[name] += f"\n{line[1:]}"
            else:
                name, _, value = line.partition(": ")
                fields[name] = value
        result.append(fields)
    return result


def test_every_file_has_a_licence_whose_text_is_there(licences: ModuleType, tmp_path: Path) -> None:
    rows = paragraphs(licences.copyright_of(licences.checked(bundle(tmp_path, *OURS, *OF_OTHERS))))
    assert rows[0]["Format"].startswith("https://www.debian.org/doc/packaging-manuals/copyright-format/1.0")
    texts = {row["License"].partition("\n")[0]: row["License"] for row in rows if list(row) == ["License"]}
    of_files = {pattern: row for row in rows if "Files" in row for pattern in row["Files"].split("\n")}
    for path, licence in OF_OTHERS.items():
        (row,) = [row for pattern, row in of_files.items() if fnmatch(path, pattern)]
        assert row["License"].startswith(licence)
        assert row["Copyright"]
        assert len(texts[row["License"]]) > 500
    assert all(row["License"] in texts for row in of_files.values())
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts[next(key for key in texts if key.startswith("LGPL"))]


def test_a_folder_of_one_owner_is_one_line(licences: ModuleType, tmp_path: Path) -> None:
    found = licences.checked(bundle(tmp_path, *OURS, "_internal/errorflow/deep/er.pyc", "_internal/numpy/ma/core.pyc"))
    patterns = {pattern for pattern, _ in licences.collapsed(found)}
    assert patterns == {"_internal/errorflow/*", "_internal/errorflow_resources/*", "_internal/numpy/*"}


def test_what_the_bundle_adds_of_its_own_is_ours(licences: ModuleType, tmp_path: Path) -> None:
    """The scripts beside the programs that these import: each lies on its own in the bundle."""
    entries = [(PACKAGING / name).read_text("utf-8") for name in ("entry_viewer.py", "entry_cli.py")]
    imported = {
        name
        for text in entries
        for name in re.findall(r"^import (\w+)", text, re.M)
        if (PACKAGING / f"{name}.py").is_file()
    }
    assert imported
    found = licences.checked(bundle(tmp_path, *(f"_internal/{name}.pyc" for name in imported)))
    assert {owner.name for owner in found.values()} == {"Errorflow"}


def test_a_text_that_two_have_is_there_once(licences: ModuleType, tmp_path: Path) -> None:
    text = licences.copyright_of(
        licences.checked(bundle(tmp_path, "_internal/PySide6/QtCore.abi3.so", "_internal/shiboken6/__init__.pyc"))
    )
    assert text.count("GNU LESSER GENERAL PUBLIC LICENSE") == 1
    assert "stands under the name LGPL-3.0-only" in text


def test_what_nobody_owns_is_an_error(
    licences: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle(tmp_path, *OURS, "_internal/libmystery.so.1")
    monkeypatch.setattr(sys, "argv", ["licences.py", str(tmp_path)])
    assert licences.main() == 1
    assert "libmystery.so.1" in capsys.readouterr().err


def test_a_distribution_without_a_licence_is_an_error(
    licences: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    info = site / "mystery-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mystery\nVersion: 1.0\n")
    (info / "RECORD").write_text("mystery.py,,\n")
    monkeypatch.syspath_prepend(str(site))
    with pytest.raises(Exception, match=r"no licence is known of mystery 1\.0"):
        licences.checked(bundle(tmp_path / "bundle", "_internal/mystery.pyc"))


def test_a_library_of_the_system_has_the_text_of_its_package(licences: ModuleType, tmp_path: Path) -> None:
    need("dpkg")
    ((_, owner),) = licences.checked(bundle(tmp_path, "_internal/libz.so.1")).items()
    assert owner.name.startswith("zlib1g")
    assert "Mark Adler" in owner.texts["copyright"]
