"""The order of the steps to a disk image, with programs that stand in for Apple's and note how they were called."""

import os
import plistlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from packaging_scripts import PACKAGING, script

IDENTITY = "Developer ID Application: Somebody (ABC)"
CODE = bytes.fromhex("cffaedfe") + b"code"
# Each writes a line; plutil answers what is asked for, notarytool what NOTARY_STATUS says, hdiutil makes its file.
STAND_IN = """#!/bin/bash
name=${0##*/}
echo "$name $*" >>"$CALLS"
case "$name $1 $2" in
    "plutil -extract CFBundle"*) echo 1.2.3 ;;
    "plutil -extract status"*) echo "$NOTARY_STATUS" ;;
    "plutil -extract id"*) echo number-7 ;;
    "hdiutil attach"*) printf '/dev/disk4\tGUID\n/dev/disk4s1\tApple_HFS\t/Volumes/Errorflow 1\n' ;;
    "hdiutil detach"*) ;;
    hdiutil*) touch "${@: -1}" ;;
    osascript*) exit "${FINDER:-0}" ;;
    shasum*) echo "00  ${@: -1}" ;;
esac
"""
Make = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    contents = tmp_path / "Errorflow.app/Contents"
    for name in ("MacOS/errorflow-viewer", "MacOS/errorflow", "Frameworks/lib.dylib", "Frameworks/deep/er.so"):
        path = contents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(CODE)
    (contents / "Frameworks/text.txt").write_text("text")
    (contents / "Frameworks/QtCore.framework").mkdir()
    (contents / "Frameworks/QtCore.framework/QtCore").write_bytes(bytes.fromhex("cafebabe"))
    (contents / "Info.plist").write_bytes(plistlib.dumps(script("macos/info_plist.py").PLIST))
    return contents.parent


@pytest.fixture
def make(app: Path, tmp_path: Path) -> Make:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("codesign", "ditto", "hdiutil", "osascript", "plutil", "tiffutil", "xcrun", "spctl", "shasum"):
        (tools / name).write_text(STAND_IN)
        (tools / name).chmod(0o755)

    def run(status: str = "Accepted", **more: str) -> "subprocess.CompletedProcess[str]":
        environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls")}
        return subprocess.run(
            ["bash", str(PACKAGING / "macos/make_dmg.sh"), str(app), "-o", str(tmp_path / "dist")],
            env=environment | {"NOTARY_STATUS": status} | more,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def notary() -> dict[str, str]:
    return {
        "ERRORFLOW_IDENTITY": IDENTITY,
        "ERRORFLOW_NOTARY_KEY": "key.p8",
        "ERRORFLOW_NOTARY_KEY_ID": "K",
        "ERRORFLOW_NOTARY_ISSUER": "I",
    }


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "calls").read_text().splitlines()


def steps(tmp_path: Path) -> list[str]:
    """The calls by their first two words and what they are about, without those that only ask."""
    lines = [line.replace(f"{tmp_path}/Errorflow.app", "app") for line in calls(tmp_path)]
    return [
        f"{' '.join(line.split()[:2])} {line.split()[-1].rpartition('/')[2]}"
        for line in lines
        if not line.startswith(("plutil", "shasum"))
    ]


def test_what_lies_inside_is_signed_before_what_lies_around(make: Make, tmp_path: Path) -> None:
    done = make(ERRORFLOW_IDENTITY=IDENTITY)
    assert done.returncode == 0, done.stderr
    signed = [step.split()[-1] for step in steps(tmp_path) if step.startswith("codesign --force")]
    assert sorted(signed[:3]) == ["QtCore", "er.so", "lib.dylib"]
    assert signed[3:] == ["QtCore.framework", "errorflow", "errorflow-viewer", "app", signed[-1]]
    assert signed[-1].endswith(".dmg")


def test_only_programs_get_rights(make: Make, tmp_path: Path) -> None:
    make(ERRORFLOW_IDENTITY=IDENTITY)
    given = [line.rpartition("/")[2] for line in calls(tmp_path) if "--entitlements" in line]
    assert given == ["errorflow", "errorflow-viewer", "Errorflow.app"]


def test_apple_sees_the_app_then_its_ticket_is_stapled_then_the_image_is_made(
    make: Make, tmp_path: Path, notary: dict[str, str]
) -> None:
    done = make(**notary)
    assert done.returncode == 0, done.stderr
    names = [step.rpartition(" ")[0] for step in steps(tmp_path)]
    assert names[names.index("codesign --verify") + 1 :] == [
        "ditto -c",
        "xcrun notarytool",
        "xcrun stapler",
        "ditto app",
        "tiffutil -cathidpicheck",
        "hdiutil create",
        "hdiutil attach",
        f"osascript {PACKAGING}/macos/arrange.applescript",
        "hdiutil detach",
        "hdiutil convert",
        "codesign --force",
        "xcrun notarytool",
        "xcrun stapler",
        "spctl --assess",
    ]


def test_without_a_certificate_it_is_signed_for_this_mac_and_nothing_is_sent(make: Make, tmp_path: Path) -> None:
    assert make().returncode == 0
    lines = calls(tmp_path)
    assert all("--sign - " in line and "runtime" not in line for line in lines if line.startswith("codesign --force"))
    assert not [line for line in lines if line.startswith("xcrun")]


def test_what_apple_refuses_ends_it_with_their_log(make: Make, tmp_path: Path, notary: dict[str, str]) -> None:
    done = make(status="Invalid", **notary)
    assert done.returncode == 2
    assert "Apple did not accept" in done.stderr
    assert calls(tmp_path)[-1].startswith("xcrun notarytool log number-7")
    assert not list((tmp_path / "dist").glob("*.dmg"))


def test_a_notary_without_a_certificate_is_refused(make: Make) -> None:
    done = make(ERRORFLOW_NOTARY_KEY="key.p8")
    assert done.returncode == 2
    assert "set ERRORFLOW_IDENTITY" in done.stderr


@pytest.mark.parametrize("answer", ["0", "1"], ids=["the Finder answers", "nobody is logged in"])
def test_an_image_is_made_and_its_volume_let_go_whatever_the_finder_says(
    make: Make, tmp_path: Path, answer: str
) -> None:
    done = make(FINDER=answer)
    assert done.returncode == 0, done.stderr
    assert "hdiutil detach /Volumes/Errorflow 1" in calls(tmp_path)
    assert [path.suffix for path in (tmp_path / "dist").glob("*.dmg")] == [".dmg"]
    assert ("opens as a plain folder" in done.stderr) == (answer == "1")


def test_the_finder_gets_icons_and_chinese(make: Make, app: Path) -> None:
    make()
    resources = app / "Contents/Resources"
    assert (resources / "errorflow-session.icns").is_file() and (resources / "errorflow-model.icns").is_file()
    assert "会话" in (resources / "zh-Hans.lproj/InfoPlist.strings").read_text("utf-8")
