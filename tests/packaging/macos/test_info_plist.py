"""What macOS is told of the app and its files."""

import plistlib
import re
from typing import Any

import pytest

import errorflow
from packaging_scripts import PACKAGING, script

info_plist = script("macos/info_plist.py")
PLIST: dict[str, Any] = plistlib.loads(plistlib.dumps(info_plist.PLIST))


def test_it_comes_back_from_xml_as_it_was() -> None:
    assert info_plist.PLIST == PLIST


def test_id_and_version_are_the_apps() -> None:
    assert PLIST["CFBundleIdentifier"] == "io.github.errorflow.Errorflow"
    assert PLIST["CFBundleShortVersionString"] == PLIST["CFBundleVersion"] == errorflow.__version__


def test_the_window_is_what_starts_and_shows_itself_in_the_dock() -> None:
    # PyInstaller takes an app with a console program in it for one without windows, unless told otherwise.
    assert PLIST["CFBundleExecutable"] == "errorflow-viewer"
    assert PLIST["LSBackgroundOnly"] is False


@pytest.mark.parametrize(("machine", "oldest"), [("arm64", "14.0"), ("x86_64", "13.0")])
def test_the_oldest_system_is_that_of_its_packages(machine: str, oldest: str) -> None:
    assert info_plist.plist(machine)["LSMinimumSystemVersion"] == oldest


def test_sessions_are_ours_and_models_only_offered() -> None:
    ranks = {row["LSItemContentTypes"][0]: row["LSHandlerRank"] for row in PLIST["CFBundleDocumentTypes"]}
    assert ranks == {info_plist.SESSION: "Owner", info_plist.ONNX: "Alternate", "public.folder": "Alternate"}


def test_every_type_of_a_file_is_declared() -> None:
    (ours,) = PLIST["UTExportedTypeDeclarations"]
    (onnx,) = PLIST["UTImportedTypeDeclarations"]
    assert ours["UTTypeConformsTo"] == ["public.json"]
    assert ours["UTTypeTagSpecification"]["public.filename-extension"] == ["errorflow"]
    assert onnx["UTTypeTagSpecification"]["public.filename-extension"] == ["onnx"]
    assert {ours["UTTypeIdentifier"], onnx["UTTypeIdentifier"]} == {info_plist.SESSION, info_plist.ONNX}


def test_every_icon_is_there() -> None:
    named = set(re.findall(r"[\w-]+\.icns", plistlib.dumps(PLIST).decode()))
    assert len(named) == 3
    assert [name for name in named if not (PACKAGING / "macos" / name).is_file()] == []


def test_chinese_has_every_text() -> None:
    text = (PACKAGING / "macos/zh-Hans.lproj/InfoPlist.strings").read_text("utf-8")
    said = dict(re.findall(r'^"(.+)" = "(.+)";$', text, re.MULTILINE))
    asked = {name for name in PLIST if name.endswith("UsageDescription")}
    assert said.keys() == asked | {"Errorflow session", "ONNX model"}


def test_entitlements_are_the_three_that_have_a_reason() -> None:
    data = (PACKAGING / "macos/entitlements.plist").read_bytes()
    entitlements = plistlib.loads(data)
    assert all(entitlements.values())
    assert len(entitlements) == 3 == data.count(b"<!--") - 1
