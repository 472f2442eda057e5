"""Whether things may glide: what the user chose, else what the system was told."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QStyle

from errorflow_viewer.kit.portal import Question, listen
from errorflow_viewer.kit.settings import Settings

# Of Windows, as `SystemParametersInfo` asks for it.
_ANIMATED_AREAS = 0x1042
# What desktops are asked, and the answer that stands for less motion.
_REDUCED: dict[Question, object] = {
    ("org.freedesktop.appearance", "reduced-motion"): 1,
    ("org.gnome.desktop.interface", "enable-animations"): False,
}
# What the desktop answered last.
_answers: dict[Question, bool] = {}


def is_reduced(settings: Settings) -> bool:
    """Whether all that would glide is to jump."""
    choice = settings.reduced_motion
    return system_reduces() if choice == "system" else choice == "on"


def system_reduces() -> bool:
    """Whether the system was told to reduce motion, as far as it can be known."""
    return any(_answers.values()) or _files_say_so() or _style_says_so()


def ask_desktop(told: Callable[[], None], parent: QObject) -> None:
    """Asks the desktop behind its bus, on Linux; `told` is called when an answer changes something, now or later."""
    listen(tuple(_REDUCED), lambda place, name, value: _take((place, name), value, told), parent)


def _take(question: Question, value: object, told: Callable[[], None]) -> None:
    before = system_reduces()
    _answers[question] = value == _REDUCED[question]
    if system_reduces() != before:
        told()


def _style_says_so() -> bool:
    return not QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)


@cache
def _files_say_so() -> bool:
    """Whether files say so; read once: it does not change in the middle of work."""
    if sys.platform == "win32":
        return _windows()
    if sys.platform == "darwin":
        return _mac()
    return _linux()


def _linux() -> bool:
    """Reads what Plasma and GTK keep in files."""
    from platformdirs import user_config_path

    root = user_config_path()
    asked = (
        ("kdeglobals", "KDE", "AnimationDurationFactor"),
        ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations"),
        ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations"),
    )
    return any(_value(root / file, section, key) in ("0", "false", "0.0") for file, section, key in asked)


def _value(path: Path, section: str, key: str) -> str:
    try:
        text = path.read_text(encoding="utf-8")[:200_000]
    except (OSError, ValueError):
        return ""
    import configparser

    found = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        found.read_string(text)
        return found.get(section, key, fallback="").strip().lower()
    except (ValueError, AttributeError, configparser.Error):
        return ""


def _windows() -> bool:
    import ctypes

    on = ctypes.c_int(1)
    library = getattr(ctypes, "windll", None)
    if library is None:
        return False
    known = library.user32.SystemParametersInfoW(_ANIMATED_AREAS, 0, ctypes.byref(on), 0)
    return bool(known) and not on.value


def _mac() -> bool:
    """`[[NSWorkspace sharedWorkspace] accessibilityDisplayShouldReduceMotion]`."""
    import ctypes
    import ctypes.util

    path = ctypes.util.find_library("objc")
    if path is None:
        return False
    objc = ctypes.cdll.LoadLibrary(path)
    objc.objc_getClass.restype = objc.sel_registerName.restype = ctypes.c_void_p
    objc.objc_getClass.argtypes = objc.sel_registerName.argtypes = [ctypes.c_char_p]
    ask = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("objc_msgSend", objc))
    answer = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)(("objc_msgSend", objc))
    kind = objc.objc_getClass(b"NSWorkspace")
    if not kind:
        return False
    space = ask(kind, objc.sel_registerName(b"sharedWorkspace"))
    return bool(answer(space, objc.sel_registerName(b"accessibilityDisplayShouldReduceMotion")))
