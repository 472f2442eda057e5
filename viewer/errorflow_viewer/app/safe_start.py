"""A start that leaves out what may be the reason that another one fails: settings, what was open, additions to Qt."""

from collections.abc import MutableMapping
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QSettings

# What leads Qt to additions of the desktop, or of another program, and what is said in its place.
_LEFT_OUT = ("QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QT_STYLE_OVERRIDE", "QT_IM_MODULE", "QT_IM_MODULES")
_INSTEAD = {"QT_QPA_PLATFORMTHEME": "generic", "QT_XCB_GL_INTEGRATION": "none"}


def leave_out(surroundings: MutableMapping[str, str]) -> None:
    """Leaves out additions; to be called before there is an application."""
    for name in _LEFT_OUT:
        surroundings.pop(name, None)
    surroundings.update(_INSTEAD)


class BlankSettings:
    """Settings as at a first start, and gone at the end."""

    def __init__(self) -> None:
        try:
            self._folder: TemporaryDirectory[str] | None = TemporaryDirectory(prefix="errorflow-safe-")
        except OSError:  # nothing can be written there: then nothing is kept either
            self._folder = None
        place = "/nowhere" if self._folder is None else self._folder.name
        self.store = QSettings(str(Path(place, "settings.ini")), QSettings.Format.IniFormat)

    def end(self) -> None:
        self.store.sync()
        if self._folder is not None:
            self._folder.cleanup()
