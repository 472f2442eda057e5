"""Opens a bundle: the same session, with all that was found, where none of its files are."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from tempfile import TemporaryDirectory
from typing import Any

from errorflow.base import SILENT, ErrorflowError, FileError, FormatError, Progress, UsageError
from errorflow.base.files import Source, is_file, is_folder, recency
from errorflow.base.sample import other_of
from errorflow.case.comparing import with_shapes
from errorflow.case.model import Case
from errorflow.case.opening import is_result, is_session, open_case
from errorflow.case.session.file import Opened, parse_session, read_session
from errorflow.case.session.model import Session
from errorflow.formats import read_model
from errorflow.graph.model import Model
from errorflow.report.bundle.archive import is_bundle, manifest_of, unpack
from errorflow.report.bundle.form import told_in
from errorflow.report.bundle.found_file import MOST_BYTES, found_of, is_below, kept_in
from errorflow.report.bundle.graph_file import model_of
from errorflow.report.bundle.model import (
    FOUND,
    GRAPH,
    KEPT,
    MANIFEST,
    MARK,
    SECOND,
    SECONDS,
    SESSION,
    SUFFIX,
    Bundle,
    Manifest,
    decoded,
    read,
)
from errorflow.report.bundle.sizes import uses_of

# Of bundles that stay unpacked: the ones that were not opened longest give way.
MOST_KEPT = 8
# Letters of a digest that a folder is called by.
_SHORT = 24
# In which checksums that are wrong are named.
_PROBLEMS = "problems.txt"
# By path, size and time.
_digests: dict[tuple[str, int, int], str] = {}


def open_bundle(path: Path, folder: Path, progress: Progress = SILENT) -> Bundle:
    """Unpacks it into a new folder below `folder`, unless it lies there already, and reads it."""
    return read_bundle(path, _unpacked(path, folder, progress), progress)


def reopened(path: Path, folder: Path, progress: Progress = SILENT) -> Case:
    """The case of a bundle, or of a session that was saved of one, with what was decided since."""
    if is_bundle(path) or path.suffix.lower() == SUFFIX:
        return _of_bundle(open_bundle(path, folder, progress), path)
    opened = read_session(path)
    assert opened.session.bundle is not None, "it came in one"
    case = _of_bundle(open_bundle(opened.session.bundle, folder, progress), path)
    session = with_case(opened.session, folder, progress)
    return replace(case, session=session, unread=(*opened.problems, *case.unread))


def _of_bundle(bundle: Bundle, path: Path) -> Case:
    answers = told_in(bundle.path).answers
    return replace(bundle.case, path=path, unread=bundle.problems, form=answers)


def open_session(path: Path, folder: Path, progress: Progress = SILENT) -> Opened:
    """Opens only the session that is in a bundle, unpacked as above."""
    place = _unpacked(path, folder, progress)
    return _session(path, place)


def with_case(session: Session, folder: Path, progress: Progress = SILENT) -> Session:
    """A session that was saved of a bundle: what was decided is its own, what it is about is in the bundle."""
    assert session.bundle is not None, "it came in one"
    held = open_session(session.bundle, folder, progress).session
    return replace(session, model=held.model, setup=held.setup, second=held.second, since=held.since)


def _unpacked(path: Path, folder: Path, progress: Progress) -> Path:
    place = folder / digest_of(path, progress)[:_SHORT]
    if not is_file(place / MARK):
        _unpack_whole(path, place, progress)
    try:
        os.utime(place)
        _make_room(folder, place)
    except OSError:  # it is still there
        pass
    return place


def _session(path: Path, folder: Path) -> Opened:
    opened = parse_session(_data(folder, SESSION), folder, SESSION)
    session = replace(opened.session, bundle=path)
    has_second = is_file(folder / SECOND) or _has_second(session)
    return replace(opened, session=session if has_second else replace(session, pairing=""))


def _has_second(session: Session) -> bool:
    """Whether the graph that was shown beside the painted one came along, as models with their weights do."""
    files = {} if session.setup is None else session.setup.files
    others = (session.second, *(path for key, path in files.items() if key in SECONDS))
    return any(path is not None and path != session.model and is_file(path) for path in others)


def read_bundle(path: Path, folder: Path, progress: Progress = SILENT) -> Bundle:
    """Reads a bundle that was unpacked."""
    progress.step(0, 3, f"Opening {path.name}")
    manifest = manifest_of(_data(folder, MANIFEST))
    opened = _session(path, folder)
    session = opened.session
    model = _model(path, folder, manifest, progress)
    progress.step(2, 3, f"Opening {path.name}")
    kept = decoded(_data(folder, KEPT), KEPT)
    rows = decoded(_data(folder, FOUND), FOUND)
    found = found_of(rows, model.graph, kept_in(folder, kept))
    said, name = _said(rows), manifest.title
    case = Case(session, model, found.comparison, found.match, found.blame, found.stages, name=name, **said)
    problems = [*opened.problems, *_text(folder / _PROBLEMS).splitlines()]
    try:
        case = replace(case, second=_second(folder, session))
    except ErrorflowError as error:  # all else is shown
        problems.append(error.message)
    return Bundle(path, folder, manifest, case, tuple(problems))


def _second(folder: Path, session: Session) -> Model | None:
    """The graph beside the painted one, under the path that the session knows it by; None: none came along."""
    if not is_file(folder / SECOND):
        return None
    rows = decoded(_data(folder, SECOND), SECOND)
    model = model_of(rows, folder)
    known = dict(uses_of(session)).get(str(rows.get("use", "")))
    name = PureWindowsPath(str(rows.get("name", ""))).name  # which knows both kinds of separators
    return replace(model, path=folder / (SECOND if name in ("", "..") else name) if known is None else known)


def _said(rows: dict[str, Any]) -> dict[str, Any]:
    return {
        "made_up": rows.get("made_up") is True,
        **{name: read(dict[str, str], rows.get(name, {}), FOUND) for name in ("facts", "sides")},
        **{name: read(tuple[str, ...], rows.get(name, []), FOUND) for name in ("compared", "problems")},
    }


def digest_of(path: Path, progress: Progress = SILENT) -> str:
    """Computes the digest of all of a file; one that is as it was is not read again."""
    with Source(path, head=0) as source:
        key = str(path), source.size, source.modified
        if key not in _digests:
            digest = hashlib.sha256()
            for piece in source.pieces():
                progress.step(0, 0, f"Looking at {path.name}")
                digest.update(piece)
            if len(_digests) >= MOST_KEPT:
                _digests.clear()
            _digests[key] = digest.hexdigest()
        return _digests[key]


def unpack_to(path: Path, folder: Path, progress: Progress = SILENT) -> tuple[Manifest, tuple[str, ...]]:
    """Unpacks all of it into a folder of the user's, which must be new or empty."""
    if is_folder(folder) and any(folder.iterdir()):
        raise FileError(f"{folder} is not empty.", "Name a new folder: nothing in there is overwritten.")
    return unpack(path, folder, progress)


def _unpack_whole(path: Path, place: Path, progress: Progress) -> None:
    """Unpacks beside the place first, so that what was interrupted is never taken for whole."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=place.parent))
    except OSError as error:
        raise FileError(
            f"{path.name} could not be unpacked: {str(error.strerror).lower()}.", "Free some space, and open it again."
        ) from error
    try:
        _, problems = unpack(path, beside, progress)
        # Names of members may be no UTF-8; whatever such a file says in the bundle is not ours.
        (beside / _PROBLEMS).write_text("\n".join(problems), encoding="utf-8", errors="backslashreplace")
        (beside / MARK).touch()  # people who pack it anew may leave it out
        if is_folder(place) and not is_file(place / MARK):
            shutil.rmtree(place)
        beside.replace(place)
    except OSError as error:
        if not is_file(place / MARK):  # else another window was faster
            raise FileError(
                f"{path.name} could not be unpacked: {str(error.strerror).lower()}.",
                "Free some space, and open it again.",
            ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _make_room(folder: Path, needed: Path) -> None:
    places = [place for place in folder.iterdir() if place.is_dir() and place != needed and len(place.name) == _SHORT]
    places.sort(key=lambda place: recency(place.stat().st_mtime), reverse=True)
    for place in places[MOST_KEPT - 1 :]:
        shutil.rmtree(place, ignore_errors=True)


def _data(folder: Path, name: str) -> bytes:
    path = folder / name
    if not is_file(path):
        raise FormatError(f"{name} is missing in the bundle.", "Ask for it once more, as Errorflow wrote it.")
    with Source(path, head=0) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{name} of the bundle is too large.", "Ask for it once more, as Errorflow wrote it.")
        return source.read(0, source.size)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if is_file(path) else ""


def _model(path: Path, folder: Path, manifest: Manifest, progress: Progress) -> Model:
    """The graph as it was painted; with the weights of the model where that came along."""
    model = replace(model_of(decoded(_data(folder, GRAPH), GRAPH), folder), path=path)
    for original in manifest.originals:
        file = folder / original.member
        if not original.member.startswith("model/") or not is_below(original.member) or not is_file(file):
            continue
        try:
            whole = read_model(file, progress)
        except ErrorflowError:  # it is not what is painted
            continue
        if whole.graph.tensor_names == model.graph.tensor_names:
            return replace(model, graph=replace(model.graph, weights=whole.graph.weights))
    return model


# The case of any file that holds one: a session, a ticket bundle, a session that was saved of one, or a table.


def is_side(path: Path) -> bool:
    """Whether it is a session, a table of tensors, or a bundle."""
    return is_result(path) or is_bundle(path)


@contextmanager
def case_in(path: Path, progress: Progress = SILENT, *, tensors: bool = True) -> Iterator[Case]:
    """A session is measured again; a bundle holds what was. Tensors can be read until this is left."""
    if not _is_of_bundle(path):
        with open_case(path, progress, tensors=tensors) as case:
            yield case
        return
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        yield reopened(path, Path(place), progress)


def side_in(path: Path, progress: Progress = SILENT) -> Case:
    """Opens one of two that are held against each other: what was found, whose tensors are not looked at."""
    with case_in(path, progress, tensors=False) as case:
        if not case.was_compared:
            way = "Open it in the window, compare two runs or simulate the model, and save it."
            raise UsageError(f"{path.name} compares nothing.", way)
        _ = case.findings
        return case


def with_second(case: Case, progress: Progress = SILENT) -> Case:
    """Adds the graph that is shown beside the painted one, if its model can be read."""
    path = None if case.second is not None else second_of(case.session, case.model.path)
    if path is None:
        return case
    try:
        return replace(case, second=with_shapes(read_model(path, progress), progress))
    except ErrorflowError:  # the bundle says that it is not in it
        return case


def second_of(session: Session, shown: Path) -> Path | None:
    """The file of the second graph; None: none is shown."""
    if not session.pairing or session.second is not None:
        return session.second if session.pairing else None
    files = {} if session.setup is None else session.setup.files
    others = (files[key] for key in SECONDS if key in files and files[key] != shown)
    return next(others, other_of(shown))


def _is_of_bundle(path: Path) -> bool:
    if is_bundle(path) or path.suffix.lower() == SUFFIX:
        return True
    return is_session(path) and read_session(path).session.bundle is not None
