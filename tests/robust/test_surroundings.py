"""Wherever it is started, it works; or it says what lacks and what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from needed import needing
from robust.screens import screen
from robust.started import PATIENCE, SAMPLE, command, notices, opened, start, surroundings, wait_for

NO_FONTS = (
    "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig><dir>/nonexistent</dir></fontconfig>"
)
NOBODY = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups")


def is_clean(done: "subprocess.CompletedProcess[str]") -> bool:
    """It has drawn the sample, and has had nothing to complain of."""
    return done.returncode == 0 and opened(done.stdout) and done.stderr == ""


ODD: tuple[dict[str, str | None], ...] = (
    {"HOME": "/proc/nothing"},
    {"HOME": "relative"},
    {"XDG_RUNTIME_DIR": None},
    {"TMPDIR": "/proc/none"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "xx_YY.nonsense"},
    {"LC_ALL": "zh_CN.UTF-8"},
    {"TZ": "Nowhere/Else%%"},
    {"QT_SCALE_FACTOR": "2"},
    {"QT_SCALE_FACTOR": "1.5"},
    {"QT_SCALE_FACTOR": "nonsense"},
    {"QT_PLUGIN_PATH": "/usr/lib/x86_64-linux-gnu/qt5/plugins"},
    {"QT_STYLE_OVERRIDE": "nonsense"},
    {"QT_QPA_PLATFORMTHEME": "nonsense"},
)
# Several at once, as each start takes a while; each alone in the longer tests.
TOGETHER: tuple[dict[str, str | None], ...] = (
    {},
    {"HOME": "/proc/nothing", "TMPDIR": "/proc/none", "XDG_RUNTIME_DIR": None, "LC_ALL": "C"},
    {"TZ": "Nowhere/Else%%", "QT_SCALE_FACTOR": "1.5", "QT_PLUGIN_PATH": "/nowhere", "QT_STYLE_OVERRIDE": "nonsense"},
)


@pytest.mark.parametrize("changes", [*TOGETHER, *(pytest.param(each, marks=pytest.mark.slow) for each in ODD)], ids=str)
def test_it_opens_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None]) -> None:
    monkeypatch.chdir(tmp_path)  # below which a home is that is no whole path
    done = start(surroundings(tmp_path, **changes), str(SAMPLE))
    assert is_clean(done), (done.returncode, done.stdout, done.stderr)


def test_without_any_fonts_its_own_is_used(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text(NO_FONTS)
    then = "from PySide6.QtGui import QFontInfo; print('font:', QFontInfo(window.font()).family()); window.close()"
    done = start(surroundings(tmp_path, FONTCONFIG_FILE=str(tmp_path / "fonts.conf")), str(SAMPLE), then=then)
    assert is_clean(done), (done.returncode, done.stdout, done.stderr)
    assert "font: Errorflow Sans" in done.stdout


CHINESE = {"LC_ALL": "zh_CN.UTF-8", "LANGUAGE": "zh_CN"}
# What the window speaks, what is chosen, whether the ways to a language on the start page can be pressed, and messages.
SPOKEN = """
from errorflow.base.language import current
def tell():
    links = window.start.findChild(Greeting).languages
    print("spoken:", current().key, window.speech.choice, *(link.isEnabled() for link in links.values()),
          sum(row.notice.key == "unreadable" for row in window.banners.rows))
from errorflow_viewer.pages.start.page import Greeting
tell()
"""


def spoken(tmp_path: Path, then: str, *arguments: str, **changes: str) -> list[str]:
    done = start(surroundings(tmp_path, **changes), *arguments, then=f"{SPOKEN}{then}\nwindow.close()")
    assert done.returncode == 0, (done.stdout, done.stderr)
    return [line.removeprefix("spoken: ") for line in done.stdout.splitlines() if line.startswith("spoken: ")]


@pytest.fixture
def no_fonts(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "fonts.conf").write_text(NO_FONTS)
    return {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}


def test_where_no_font_has_chinese_it_speaks_english_and_says_what_to_install(
    tmp_path: Path, no_fonts: dict[str, str]
) -> None:
    done = start(surroundings(tmp_path, **CHINESE, **no_fonts), then=f"{SPOKEN}window.close()")
    assert "spoken: en system True True 1" in done.stdout, (done.stdout, done.stderr)
    (said,) = notices(done.stdout)
    assert "so the window speaks English" in said and "fonts-noto-cjk" in said and "View → Language" in said


def test_a_language_that_no_font_can_show_is_chosen_and_given_up_again(
    tmp_path: Path, no_fonts: dict[str, str]
) -> None:
    then = """
window.commands.made["language.zh_CN"].trigger(); tell()
window.start.findChild(Greeting).languages["zh_CN"].click(); tell()
button, = [b for row in window.banners.rows for b in row.buttons() if b.text() == "Stay with English"]
button.click(); tell()
window.commands.made["language.zh_CN"].trigger(); tell()"""
    assert spoken(tmp_path, then, **no_fonts) == [
        "en system False True 0",
        "en zh_CN True True 1",
        "en zh_CN True True 1",
        "en en False True 0",
        "en zh_CN True True 1",
    ]
    (said,) = notices(start(surroundings(tmp_path, **no_fonts)).stdout)
    assert "No font here has Chinese characters" in said  # it is asked for still


@needing("fc-list")
def test_where_a_font_has_chinese_it_is_spoken(tmp_path: Path) -> None:
    if not subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, check=True).stdout:
        pytest.skip("no font here has Chinese characters")
    assert spoken(tmp_path, "", **CHINESE) == ["zh_CN system True False 0"]


def test_the_test_of_itself_tells_of_a_language_without_a_font(tmp_path: Path, no_fonts: dict[str, str]) -> None:
    """Which is no reason to fail: English can be read."""
    code = "import sys; from errorflow_viewer.app.start import main; sys.exit(main(['--self-test']))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=surroundings(tmp_path, **no_fonts),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert "no font for Chinese" in done.stdout


def as_shell(tmp_path: Path, script: str, **changes: str | None) -> "subprocess.CompletedProcess[str]":
    """`"$@"` is the app with a sample."""
    return subprocess.run(
        ["bash", "-c", script, "-", *command(str(SAMPLE))],
        env=surroundings(tmp_path, **changes),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_with_nothing_to_write_to_or_read_from(tmp_path: Path) -> None:
    done = as_shell(tmp_path, '"$@" <&- >&- 2>&-')
    assert done.returncode == 0


def test_what_is_kept_is_for_this_user_alone_where_the_system_says_so(tmp_path: Path) -> None:
    done = as_shell(tmp_path, 'umask 077; "$@"')
    assert is_clean(done), done.stderr
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert kept and all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_a_full_disk_is_no_reason_not_to_open_anything(tmp_path: Path) -> None:
    done = as_shell(tmp_path, 'ulimit -f 0; trap "" XFSZ; "$@"')
    assert done.returncode == 0 and opened(done.stdout), done.stderr
    assert "Traceback" not in done.stderr


def can_be_anybody() -> bool:
    """Whether the interpreter can be started as a user whom no system knows."""
    try:
        done = subprocess.run([*NOBODY, sys.executable, "-c", "import PySide6"], capture_output=True, check=False)
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not can_be_anybody(), reason="nobody can start this interpreter as another user")
@pytest.mark.parametrize("home", ["read-only", "none"])
def test_somebody_whom_no_system_knows_opens_a_model(tmp_path: Path, home: str) -> None:
    """As in a container that is started with a number for its user."""
    environment = surroundings(tmp_path, **({"HOME": None} if home == "none" else {}))
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and str(folder) != "/":
            folder.chmod(folder.stat().st_mode | 0o055)
    (tmp_path / "home").chmod(0o555)
    os.chown(tmp_path / "run", 54321, 54321)
    done = subprocess.run(
        [*NOBODY, *command(str(SAMPLE))], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0 and opened(done.stdout), (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr


def test_without_a_display_it_says_what_to_do(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path, QT_QPA_PLATFORM=None))
    assert done.returncode == 3
    assert "there is no display here" in done.stderr and "errorflow --help" in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 2


def test_a_display_that_does_not_answer_is_named(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path, QT_QPA_PLATFORM=None, DISPLAY=":9797"))
    assert done.returncode == 3
    assert "the display :9797 does not answer" in done.stderr and "ssh -X" in done.stderr


def test_a_platform_that_there_is_not_is_named(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path, QT_QPA_PLATFORM="nonsense"))
    assert done.returncode == 3
    assert "QT_QPA_PLATFORM asks for nonsense" in done.stderr and "env -u QT_QPA_PLATFORM" in done.stderr


def test_in_chinese_surroundings_it_says_so_in_chinese(tmp_path: Path) -> None:
    done = start(surroundings(tmp_path, QT_QPA_PLATFORM=None, LC_ALL="zh_CN.UTF-8", PYTHONUTF8="1"))
    assert done.returncode == 3 and "没有显示器" in done.stderr


def test_from_a_menu_the_sentence_is_shown_in_a_box(tmp_path: Path) -> None:
    """Nobody reads what is written to a terminal that is not there."""
    said = tmp_path / "said"
    box = tmp_path / "bin" / "zenity"
    box.parent.mkdir()
    box.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "[$LD_LIBRARY_PATH]" >{said}.part; mv {said}.part {said}\n')
    box.chmod(0o755)
    path = f"{box.parent}:{os.environ['PATH']}"
    start(surroundings(tmp_path, QT_QPA_PLATFORM=None, DISPLAY=":9797", PATH=path))
    wait_for(said.exists, "the box")
    assert "the display :9797 does not answer" in said.read_text()


def test_libraries_of_another_program_are_named_as_the_reason(tmp_path: Path) -> None:
    astray = tmp_path / "toolkit"
    astray.mkdir()
    (astray / "numpy.py").write_text("raise ImportError('not this one', name='numpy')")
    environment = surroundings(tmp_path)
    environment["PYTHONPATH"] = f"{astray}{os.pathsep}{environment['PYTHONPATH']}"
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from errorflow_viewer.app.start import main; sys.exit(main())"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 3
    assert "cannot start with numpy" in done.stderr and "env -u PYTHONPATH" in done.stderr


def test_a_safe_start_shows_the_file_and_keeps_no_settings(tmp_path: Path) -> None:
    environment = surroundings(tmp_path, QT_PLUGIN_PATH="/nowhere", QT_STYLE_OVERRIDE="nonsense")
    done = start(environment, "--safe", str(SAMPLE))
    assert is_clean(done), done.stderr
    assert any("This is a safe start" in text for text in notices(done.stdout))
    assert not list((tmp_path / "home").rglob("*.conf"))


@pytest.mark.window
@pytest.mark.parametrize(
    ("size", "more", "changes"),
    [
        ("800x600x16", (), {}),
        ("1280x800x24", ("-listen", "tcp"), {"QT_X11_NO_MITSHM": "1"}),
        ("1280x800x24", ("-extension", "MIT-SHM", "-extension", "GLX"), {"QT_SCALE_FACTOR": "2"}),
    ],
    ids=str,
)
def test_on_a_screen_of_an_odd_kind_it_opens_a_model(
    tmp_path: Path, size: str, more: tuple[str, ...], changes: dict[str, str]
) -> None:
    with screen(size, *more) as (display, _):
        address = f"127.0.0.1{display}" if "-listen" in more else display  # as over ssh -X
        done = start(surroundings(tmp_path, QT_QPA_PLATFORM="xcb", DISPLAY=address, **changes), str(SAMPLE))
    assert done.returncode == 0 and opened(done.stdout), (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
