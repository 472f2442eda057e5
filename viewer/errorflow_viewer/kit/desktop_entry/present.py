"""Whether the app is in the menu already. Menus ask often, so this loads nothing else and reads next to nothing."""

import os
from collections.abc import Iterator
from pathlib import Path

from errorflow_viewer.kit.desktop_entry import APP_ID

ENTRY = f"{APP_ID}.desktop"
# What was put where, below the `share` folder.
RECORD = f"errorflow/{APP_ID}.json"


def is_there() -> bool:
    """Whether there is an entry for this user alone."""
    try:
        share = data_home()
    except RuntimeError:  # no home
        return False
    return (share / RECORD).is_file() or (share / "applications" / ENTRY).is_file()


def is_of_package() -> bool:
    """Whether an entry for all users starts this very installation."""
    found = list(_for_all())
    if not found:
        return False
    from errorflow_viewer.kit.desktop_entry.program import program
    from errorflow_viewer.kit.desktop_entry.quoting import as_value

    path = program()[0]
    tried = {f"TryExec={as_value(each)}" for each in (path, str(Path(path).resolve()))}
    return any(tried & set(text.splitlines()) for text in found)


def _for_all() -> Iterator[str]:
    for folder in shared_data():
        try:
            yield (folder / "applications" / ENTRY).read_text("utf-8", "replace")
        except OSError:
            continue


def data_home() -> Path:
    """Finds where the desktop looks for what this user installed."""
    from platformdirs import user_data_path

    return user_data_path()


def shared_data() -> list[Path]:
    """Finds where the desktop looks for what is installed for all."""
    from platformdirs import site_data_dir

    return [Path(each) for each in site_data_dir(multipath=True).split(os.pathsep)]
