"""Reset by `errorflow-viewer --reset-settings`: begins anew for a user who is stuck, and keeps a copy of what was
there.
"""

import shutil
import sys
import time
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSettings

ORGANIZATION, DOMAIN, APPLICATION = "Errorflow", "errorflow.github.io", "errorflow"
MARK = ".backup-"


def run() -> int:
    """Needs no display. Returns what the process ends with."""
    QCoreApplication.setOrganizationName(ORGANIZATION)
    QCoreApplication.setOrganizationDomain(DOMAIN)
    QCoreApplication.setApplicationName(APPLICATION)
    store = QSettings()
    if not store.allKeys() and not Path(store.fileName()).is_file():
        _say("There are no settings; nothing was changed.")
        return 0
    try:
        copy = reset(store)
    except OSError as error:
        sys.stderr.write(
            f"errorflow-viewer: The settings in {store.fileName()} could not be reset: {str(error.strerror).lower()}.\n"
            "Make the file and its folder writable, or remove the file.\n"
        )
        return 2
    _say("Settings, keys, layout and recent files are as at the first start.")
    _say(f"What was there is kept in {copy}.")
    _say("A window that is open writes its own again when it is closed.")
    return 0


def _say(line: str) -> None:
    if sys.stdout is not None:  # a program of windows has none on Windows
        sys.stdout.write(f"{line}\n")


def reset(store: QSettings, stamp: str | None = None) -> Path:
    """The copy, in a file beside the settings; where they are no file, in the user's home."""
    stamp = time.strftime("%Y%m%d-%H%M%S") if stamp is None else stamp
    place = Path(store.fileName())
    if place.is_file():
        copy = place.with_name(f"{place.name}{MARK}{stamp}")
        shutil.copyfile(place, copy)  # whatever is in it, also what cannot be read as settings
    else:
        copy = Path.home() / f"errorflow-settings{MARK}{stamp}.ini"
        beside = QSettings(str(copy), QSettings.Format.IniFormat)
        for key in store.allKeys():
            beside.setValue(key, store.value(key))
        beside.sync()
    store.clear()
    store.sync()
    if store.status() == QSettings.Status.AccessError:
        raise PermissionError(13, "it cannot be written")
    return copy
