"""What stands in the way of a window, in a sentence."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.emergency import of_others, text_for
from errorflow_viewer.kit.obstacles import PACKAGES, absent_of, lacking, of_any, of_failed_import, of_platform

NOT_LOADED = 'Could not load the Qt platform plugin "xcb" in "" even though it was found.'
UNREACHED = "could not connect to display :7"


@pytest.mark.parametrize("library", PACKAGES)
def test_a_library_that_is_missing_is_named_with_its_packages(library: str) -> None:
    error = ImportError(f"{library}: cannot open shared object file: No such file or directory")
    said = of_failed_import(error, {}, lambda *_: ())
    debian, fedora = PACKAGES[library]
    assert library in said.message and f"apt install {debian} " in said.hint and f"dnf install {fedora} " in said.hint


@pytest.mark.parametrize(
    ("lines", "surroundings", "reason", "words"),
    [
        ([NOT_LOADED], {}, "libxcb-cursor.so.0: cannot open shared object file: No such file", "libxcb-cursor0"),
        ([NOT_LOADED], {"DISPLAY": ":7"}, "libodd.so.1: cannot open shared object file: No such", "libodd.so.1"),
        ([UNREACHED, NOT_LOADED], {"DISPLAY": ":7"}, "", "the display :7 does not answer"),
        (["could not connect to display ", NOT_LOADED], {}, "", "there is no display here"),
        (['Could not find the Qt platform plugin "x" in ""'], {"QT_QPA_PLATFORM": "x"}, "", "env -u QT_QPA_PLATFORM"),
        (['Could not find the Qt platform plugin "xcb" in ""'], {"QT_PLUGIN_PATH": "/x"}, "", "env -u QT_PLUGIN_PATH"),
        (['Could not find the Qt platform plugin "xcb" in ""'], {}, "", "the part of Qt for xcb is missing"),
        ([NOT_LOADED], {"DISPLAY": ":7", "LD_PRELOAD": "/x"}, "", "env -u LD_PRELOAD"),
        ([NOT_LOADED], {"DISPLAY": ":7"}, "undefined symbol: x", "undefined symbol: x"),
        ([], {"DISPLAY": ":7"}, "", "QT_DEBUG_PLUGINS=1"),
    ],
)
def test_what_qt_says_becomes_a_sentence(
    lines: list[str], surroundings: Mapping[str, str], reason: str, words: str
) -> None:
    said = of_platform(lines, surroundings, lambda _: reason, lambda *_: ())
    assert words in str(said)


GL_GONE = "libGL.so.1: cannot open shared object file: No such file or directory"


@pytest.mark.parametrize("way", ["import", "plug-in"])
def test_all_libraries_that_are_missing_are_named_at_once(way: str) -> None:
    gone = ("libEGL.so.1", "libGL.so.1", "libxcb.so.1", "libxcb-shm.so.0", "libnobodys.so.3")
    if way == "import":
        said = of_failed_import(ImportError(GL_GONE), {}, lambda *_: gone)
    else:
        said = of_platform([NOT_LOADED], {}, lambda _: GL_GONE, lambda *_: gone)
    assert "libGL.so.1, libEGL.so.1, libxcb.so.1, libxcb-shm.so.0 are not installed" in said.message
    assert "apt install libgl1 libegl1 libxcb1 libxcb-shm0 " in said.hint
    assert "dnf install libglvnd-glx libglvnd-egl libxcb (" in said.hint  # each once


@pytest.mark.parametrize(("surroundings", "plugin"), [({}, "xcb"), ({"WAYLAND_DISPLAY": "wayland-0"}, "wayland")])
def test_only_the_plug_in_of_this_desktop_counts(surroundings: Mapping[str, str], plugin: str) -> None:
    asked: list[str] = []

    def absent(plugins: Sequence[str], _: Mapping[str, str]) -> tuple[str, ...]:
        asked.extend(plugins)
        return ()

    of_failed_import(ImportError(GL_GONE), surroundings, absent)
    assert asked == [plugin]


@pytest.mark.skipif(sys.platform != "linux", reason="asks the loader of Linux")
def test_the_loader_says_what_is_not_there(tmp_path: Path) -> None:
    import PySide6

    whole = next(Path(PySide6.__path__[0]).glob("Qt/plugins/platforms/libqoffscreen.so"))
    broken = tmp_path / whole.name
    broken.write_bytes(whole.read_bytes().replace(b"\0libQt6Gui.so.6\0", b"\0libGone6.so.66\0"))
    assert absent_of([whole], os.environ) == ()
    assert "libGone6.so.66" in absent_of([whole, broken], os.environ)
    assert absent_of([broken], {"PATH": str(tmp_path)}) == ()  # nobody to ask


def test_a_plug_in_that_is_whole_lacks_nothing() -> None:
    assert lacking("offscreen") == "" and lacking("nonsense") == ""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ErrorflowError("One.", "Two."), "One. Two."),
        (MemoryError(), "not enough memory"),
        (ValueError("odd"), "ValueError: odd"),
        (ModuleNotFoundError("No module named 'msgspec'", name="msgspec"), "msgspec is missing or broken"),
    ],
)
def test_whatever_ends_a_start_is_a_sentence(error: Exception, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "QT_PLUGIN_PATH"):
        monkeypatch.delenv(name, raising=False)
    assert words in str(of_any(error))


@pytest.mark.parametrize("text", ["Install it by: sudo apt install libxcb-cursor0. " * 6, "没有安装这个库。" * 30])
def test_a_box_that_breaks_no_lines_gets_them_broken(text: str) -> None:
    said = f"{text.strip()}\n\nDo this."
    lines = text_for("xmessage", said).splitlines()
    assert max(map(len, lines)) <= 76 and lines[-2:] == ["", "Do this."]
    assert "".join("".join(lines).split()) == "".join(said.split()) and not any(
        line.endswith("libxcb-") for line in lines
    )
    assert text_for("zenity", said) == said


def test_programs_that_are_not_ours_get_their_own_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    surroundings = {"LD_LIBRARY_PATH": "/opt/errorflow/_internal", "LD_LIBRARY_PATH_ORIG": "/users", "HOME": "/h"}
    assert of_others(surroundings) == surroundings
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert of_others(surroundings) == {"LD_LIBRARY_PATH": "/users", "HOME": "/h"}
