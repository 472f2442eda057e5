"""NSIS compiles the installer without a warning, on both of its stubs. What it does is tried by try_under_wine.sh."""

import re
import struct
from pathlib import Path

import pytest

from needed import need
from packaging_scripts import PACKAGING, script

make_setup = script("windows/make_setup.py")
MACHINES = {"amd64-unicode": 0x8664, "x86-unicode": 0x14C}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for name in ("errorflow-viewer.exe", "errorflow.exe", "_internal/深度/$x.txt"):
        path = tmp_path / "errorflow" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "errorflow"


@pytest.mark.parametrize("stub", make_setup.STUBS)
def test_compiles_without_a_warning(bundle: Path, tmp_path: Path, stub: str) -> None:
    need("makensis")
    assert make_setup.main([str(bundle), "-o", str(tmp_path), "--fast", "--stub", stub]) == 0
    program = (tmp_path / f"errorflow-{make_setup.VERSION}-setup.exe").read_bytes()
    (header,) = struct.unpack_from("<I", program, 0x3C)
    assert program[header : header + 4] == b"PE\0\0"
    assert struct.unpack_from("<H", program, header + 4) == (MACHINES[stub],)
    assert b"longPathAware" in program


def test_nothing_is_left_of_a_failure(bundle: Path, tmp_path: Path) -> None:
    need("makensis")
    with pytest.raises(SystemExit, match="makensis failed"):
        make_setup.main([str(bundle), "-o", str(tmp_path), "--fast", "--sign", "false"])
    assert not list(tmp_path.glob("*.exe"))


def strings(name: str) -> dict[str, str]:
    text = (PACKAGING / "windows" / name).read_text("utf-8")
    return dict(re.findall(r'^!insertmacro SAY (\w+) "(.*)"$', text, re.MULTILINE))


def test_both_languages_say_the_same() -> None:
    english, chinese = strings("setup_english.nsh"), strings("setup_chinese.nsh")
    assert english and english.keys() == chinese.keys()
    for name, text in english.items():
        holes = re.compile(r"\$\{\w+\}|\$\w+")
        assert set(holes.findall(chinese[name])) == set(holes.findall(text)), name


def test_every_text_is_shown_somewhere() -> None:
    sources = "".join(path.read_text("utf-8") for path in (PACKAGING / "windows").glob("*.ns[ih]"))
    assert [name for name in strings("setup_english.nsh") if f"$({name})" not in sources] == []
