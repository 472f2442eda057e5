"""Puts the app into the menus of a Linux desktop, and takes it out again."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from errorflow.base import ErrorflowError, dataclass, field, replace
from errorflow.base.codec import Codec, Each, parsed
from errorflow.base.files import write_atomic
from errorflow.base.values import word_list
from errorflow_viewer.kit.desktop_entry import APP_ID, choices
from errorflow_viewer.kit.desktop_entry.data import DesktopFile, desktop_files
from errorflow_viewer.kit.desktop_entry.present import ENTRY, RECORD, data_home

# What was put where, so that exactly that is taken away.
_MOST_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class OpeningChoice:
    """Choice of what a kind of files was opened with from then on, and what it was before; empty: nothing was said."""

    given: str
    before: str


@dataclass(frozen=True, slots=True)
class Record:
    """Paths are relative to the `share` folder; `folders` are those that were not there before."""

    files: Each[tuple[str, ...]] = ()
    folders: Each[tuple[str, ...]] = ()
    choices: Mapping[str, OpeningChoice] = field(default_factory=dict)
    # So many folders were not there either: `share` itself, the one it is in, and so on.
    above: int = 0


def read_record(share: Path) -> Record:
    """An empty one if there is none, or if it is not what was written."""
    try:
        with (share / RECORD).open("rb") as file:
            found: Record = Codec().read(Record, parsed(file.read(_MOST_BYTES)), notes=[])
    except (OSError, ValueError):
        return Record()
    return replace(found, files=_ours(found.files), folders=_inside(found.folders))


def write_record(share: Path, record: Record) -> None:
    write_atomic(share / RECORD, json.dumps({"version": 1, **Codec().plain(record)}, indent=1) + "\n")


def _inside(paths: Sequence[str]) -> tuple[str, ...]:
    """Keeps the paths of a list that do not lead out of the folder."""
    return tuple(
        path for path in paths if not PurePosixPath(path).is_absolute() and ".." not in PurePosixPath(path).parts
    )


def _ours(paths: Sequence[str]) -> tuple[str, ...]:
    """Keeps only our files: a list that was changed removes nothing else."""
    return tuple(path for path in _inside(paths) if PurePosixPath(path).name.startswith(APP_ID))


SESSION, MODEL = "application/x-errorflow-session", "application/x-onnx"


@dataclass(frozen=True, slots=True)
class EntryStep:
    """Result for one file."""

    what: Literal["wrote", "kept", "removed"]
    path: Path


@dataclass(frozen=True, slots=True)
class Done:
    """Results for all files, and in `notes` what else is worth knowing, as sentences."""

    steps: tuple[EntryStep, ...]
    notes: tuple[str, ...] = ()


def share_of(prefix: Path | None) -> Path:
    """The folder below which all is put: of this user, or of a prefix such as /usr/local."""
    if prefix is not None:
        return prefix.absolute() / "share"
    try:
        return data_home()
    except RuntimeError as error:
        raise ErrorflowError(
            "There is no home folder to put a menu entry into.", "Set HOME, or name a folder with --prefix DIR."
        ) from error


def install(command: Sequence[str], prefix: Path | None = None) -> Done:
    """Once more is as good as once: what is there and right is kept."""
    share = share_of(prefix)
    files = desktop_files(command)
    before = read_record(share)
    said = dict(before.choices) if prefix is not None else {**_wanted(), **before.choices}
    # First of all: what is not finished can be taken away as well.
    paths = _joined(before.files, (file.path for file in files))
    _write(share, Record(paths, _new_folders(share, files, before), said, max(before.above, _missing_above(share))))
    steps = [_put(share, file) for file in files]
    notes = list(refresh(share))
    if prefix is None:
        notes += _choose({kind: choice for kind, choice in said.items() if kind not in before.choices})
    return Done(tuple(steps), tuple(notes))


def remove(prefix: Path | None = None) -> Done:
    """Takes away what was put there, also when half of it is gone already."""
    share = share_of(prefix)
    before = read_record(share)
    known = (file.path for file in desktop_files(("errorflow-viewer",)))
    try:
        steps = [EntryStep("removed", share / path) for path in _joined(before.files, known) if _take(share / path)]
        if prefix is None:
            _take_back(before.choices)
        notes = refresh(share) if steps else ()
        folders = frozenset(before.folders)
        clear_made(share, folders)
        _take(share / RECORD)
        _remove_empty(share, folders | {str(PurePosixPath(RECORD).parent)})
        for folder in (share, *share.parents)[: before.above]:
            _remove_empty(folder, frozenset({"."}))
    except OSError as error:
        raise _refused(share, error) from error
    return Done(tuple(steps), notes)


def _wanted() -> dict[str, OpeningChoice]:
    """Chooses: a session is ours; a model stays with the app that it was opened with so far."""
    result: dict[str, OpeningChoice] = {}
    session = choices.chosen(SESSION)
    if session not in ("", ENTRY):
        result[SESSION] = OpeningChoice(ENTRY, choices.said(SESSION))
    other = "" if choices.chosen(MODEL) else choices.offered(MODEL, ENTRY)
    if other:
        result[MODEL] = OpeningChoice(other, "")
    return result


def _choose(wanted: Mapping[str, OpeningChoice]) -> Iterator[str]:
    for kind, choice in wanted.items():
        if not choices.say(kind, choice.given):
            yield f"{choices.user_list()} could not be read and is left as it is."
        elif kind == MODEL:
            yield f"ONNX models still open with {choice.given} on a double click; “Open with” has Errorflow too."


def _take_back(said: Mapping[str, OpeningChoice]) -> None:
    """Takes back a choice only where no other was made since."""
    for kind, choice in said.items():
        if choices.said(kind) == choice.given:
            choices.say(kind, choice.before)


def _put(share: Path, file: DesktopFile) -> EntryStep:
    path = share / file.path
    try:
        if path.is_file() and path.read_bytes() == file.data:
            return EntryStep("kept", path)
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(share, error) from error
    write_atomic(path, file.data)
    return EntryStep("wrote", path)


def _write(share: Path, record: Record) -> None:
    try:
        (share / RECORD).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(share, error) from error
    write_record(share, record)


def _take(path: Path) -> bool:
    """Whether there was something to take away."""
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _joined(first: Sequence[str], then: Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *then)))


def _new_folders(share: Path, files: Sequence[DesktopFile], before: Record) -> tuple[str, ...]:
    """Lists those that are not there yet, and those that an earlier time made."""
    all_of_them = {str(parent) for file in files for parent in PurePosixPath(file.path).parents} - {"."}
    made = {path for path in all_of_them if path in before.folders or not (share / path).is_dir()}
    return tuple(sorted(made))


def _missing_above(share: Path) -> int:
    """Counts the folders down to `share` that are not there: a new home may have none of them."""
    return sum(not folder.is_dir() for folder in (share, *share.parents))


def _remove_empty(share: Path, folders: frozenset[str]) -> None:
    for path in sorted(folders, key=lambda each: each.count("/"), reverse=True):
        folder = share / path
        if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
            folder.rmdir()


def _refused(share: Path, error: OSError) -> ErrorflowError:
    reason = error.strerror if error.strerror else str(error)
    return ErrorflowError(
        f"The menu entry cannot be put into or taken out of {share}: {reason}.",
        "Name a folder that you may write to with --prefix DIR, or set XDG_DATA_HOME.",
    )


# Has the desktop read what was put there or taken away: it looks into lists that its own tools make.

_SECONDS = 120.0
# What the tool for MIME types makes beside `packages`.
_OF_MIME = word_list(
    "aliases generic-icons globs globs2 icons magic mime.cache subclasses treemagic types version XMLnamespaces"
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
    """Refreshes a list of icons that is kept up to date: a new one would hide icons that come later, and is not
    begun.
    """
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
    """Clears, of `folders` that were not there before ours, the lists of nothing that the tools leave behind."""
    if "applications" in folders and not list((share / "applications").glob("*.desktop")):
        (share / "applications" / "mimeinfo.cache").unlink(missing_ok=True)
    mime = share / "mime"
    if "mime" not in folders or list(mime.glob("packages/*.xml")):
        return
    for name in _OF_MIME:
        (mime / name).unlink(missing_ok=True)
    for kinds in [each for each in mime.glob("*") if each.is_dir() and not any(each.iterdir())]:
        kinds.rmdir()
