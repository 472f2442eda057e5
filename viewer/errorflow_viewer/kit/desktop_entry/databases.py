"""Has the desktop read what was put there or taken away: it looks into lists that its own tools make."""

import os
import shutil
import subprocess
from pathlib import Path

_SECONDS = 120.0
# What the tool for MIME types makes beside `packages`.
_OF_MIME = (
    "aliases",
    "generic-icons",
    "globs",
    "globs2",
    "icons",
    "magic",
    "mime.cache",
    "subclasses",
    "treemagic",
    "types",
    "version",
    "XMLnamespaces",
)


def refresh(share: Path) -> tuple[str, ...]:
    """Runs those tools that are there; says in a sentence which one is missing or failed."""
    notes: list[str] = []
    if (share / "mime" / "packages").is_dir():
        notes += _run(share, "update-mime-database", "mime")
    if (share / "applications").is_dir():
        notes += _run(share, "update-desktop-database", "applications")
    notes += _refresh_icons(share)
    return tuple(notes)


def _refresh_icons(share: Path) -> list[str]:
    """A list of icons that nobody else keeps up to date would hide icons that come later: one is not begun."""
    folder = share / "icons" / "hicolor"
    if (folder / "icon-theme.cache").is_file():
        return _run(share, "gtk-update-icon-cache", "icons/hicolor", "--quiet", "--force", "--ignore-theme-index")
    if folder.is_dir():
        os.utime(folder)  # running desktops look at its date
    return []


def _run(share: Path, tool: str, folder: str, *options: str) -> list[str]:
    found = shutil.which(tool)
    if found is None:
        return [f"{tool} is not installed: the desktop may notice the change only after the next login."]
    try:
        subprocess.run(
            [found, *options, str(share / folder)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return [f"{tool} failed: {error}"]
    return []


def clear_made(share: Path, folders: frozenset[str]) -> None:
    """Of `folders` that were not there before ours, the lists of nothing that the tools leave behind."""
    if "applications" in folders and not list((share / "applications").glob("*.desktop")):
        (share / "applications" / "mimeinfo.cache").unlink(missing_ok=True)
    mime = share / "mime"
    if "mime" not in folders or list(mime.glob("packages/*.xml")):
        return
    for name in _OF_MIME:
        (mime / name).unlink(missing_ok=True)
    for kinds in [each for each in mime.glob("*") if each.is_dir() and not any(each.iterdir())]:
        kinds.rmdir()
