"""The `.errorflow` file: a session as JSON, with the ways to its files from where it lies."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from errorflow import __version__
from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source, write_atomic
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.fields import Fields, is_number, is_pair_of, is_text, is_whole
from errorflow.case.session.guided import guide_of, guide_rows
from errorflow.case.session.model import PALETTES, SUFFIX, HandPair, Painting, Session, Sights
from errorflow.case.session.places import found, written
from errorflow.case.session.ranked import question_of, question_rows, ranking_rows, rankings_of
from errorflow.case.session.searched import search_rows, searches_of, sought_of, sought_rows
from errorflow.case.session.simulated import (
    labelled_of,
    labelled_rows,
    simulation_of,
    simulation_rows,
    trial_rows,
    trials_of,
)
from errorflow.case.session.upgrades import VERSION, upgraded
from errorflow.study.rank.model import MEASURES

MARK = "errorflow-session"
MOST_BYTES = 64 << 20
_PAIRINGS = ("side", "stacked", "")
_OLDER = "Open an older copy of it if there is one, or open the model and the runs anew."


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that was read, and what in it could not be."""

    session: Session
    problems: tuple[str, ...] = ()
    # Of a draft, the file that it is to be saved as; None: it has none yet, or is no draft.
    belongs_to: Path | None = None


def write_session(session: Session, path: Path) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, session_text(session, path.parent))


def session_text(session: Session, folder: Path, belongs_to: Path | None = None) -> str:
    """What is in the file if it is kept in that folder. `belongs_to`: it is a draft of another file."""
    rows = dict(_rows(session, folder))
    if belongs_to is not None:
        rows["belongs_to"] = written(belongs_to, folder)
    # Names of files need not be UTF-8: what is not is escaped.
    text = json.dumps(rows, indent=1, allow_nan=False) + "\n"
    if len(text) > MOST_BYTES and session.trials:  # nobody could read it again: the oldest give way
        return session_text(replace(session, trials=session.trials[len(session.trials) // 2 + 1 :]), folder, belongs_to)
    return text


def read_session(path: Path) -> Opened:
    """What is in the file: single odd values are left out and noted, a file of another kind is an error."""
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for a session.", "Open the model itself.")
        data = source.read(0, source.size)
    return parse_session(data, path.parent, path.name)


def parse_session(data: bytes, folder: Path, name: str = "The session") -> Opened:
    """`read_session` of what a file in that folder holds."""
    if not data.strip():
        raise FormatError(f"{name} is empty: nothing was ever saved in it, or all of it was lost.", _OLDER)
    try:
        rows = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is broken: it is no whole JSON.", _OLDER) from error
    version = rows.get(MARK) if isinstance(rows, dict) else None
    if not is_whole(version) or version < 1:
        hint = _OLDER if name.endswith(SUFFIX) else "Open a file that ends with .errorflow."
        raise WrongFileError(f"{name} is not a session of Errorflow.", hint)
    problems: list[str] = []
    fields = Fields(upgraded(rows, version), problems)
    session, belongs_to = _session(fields, folder), _file(fields, "belongs_to", folder)
    return Opened(session, tuple(problems), belongs_to)


def _rows(session: Session, folder: Path) -> Mapping[str, Any]:
    setup = session.setup
    return {
        MARK: VERSION,
        "written_by": __version__,
        "model": None if session.model is None else written(session.model, folder),
        "setup": None
        if setup is None
        else {
            "scenario": setup.scenario,
            "files": {need: written(path, folder) for need, path in setup.files.items()},
            "shapes": list(setup.shapes),
        },
        "painting": asdict(session.painting),
        "simulation": simulation_rows(session.simulation, folder),
        "trials": trial_rows(session.trials, folder),
        "question": question_rows(session.question, folder),
        "rankings": ranking_rows(session.rankings, folder),
        "sought": sought_rows(session.sought, folder),
        "searches": search_rows(session.searches, folder),
        "labelled": labelled_rows(session.labelled, folder),
        "hand_pairs": [[pair.candidate, pair.reference] for pair in session.hand_pairs],
        "notes": dict(session.notes),
        "note": session.note,
        "since": None if session.since is None else written(session.since, folder),
        "bundle": None if session.bundle is None else written(session.bundle, folder),
        "guide": guide_rows(session.guide, folder),
        "second": None if session.second is None else written(session.second, folder),
        "pairing": session.pairing,
        "sights": asdict(session.sights),
        "second_sights": None if session.second_sights is None else asdict(session.second_sights),
        "search": session.search,
        "node": session.node,
    }


def _session(rows: Fields, folder: Path) -> Session:
    return Session(
        model=_file(rows, "model", folder),
        setup=None if rows.rows.get("setup") is None else _setup(rows.inside("setup"), folder),
        painting=_painting(rows.inside("painting")),
        hand_pairs=tuple(
            HandPair(*pair) for pair in rows.entries("hand_pairs", _is_hand_pair, "two names, one of them at least")
        ),
        simulation=simulation_of(rows, folder),
        trials=trials_of(rows, folder),
        question=question_of(rows, folder),
        rankings=rankings_of(rows, folder),
        sought=sought_of(rows, folder),
        searches=searches_of(rows, folder),
        labelled=labelled_of(rows, folder),
        notes=rows.mapping("notes", is_text, "a text"),
        note=rows.text("note"),
        since=_file(rows, "since", folder),
        bundle=_file(rows, "bundle", folder),
        guide=guide_of(rows, folder),
        second=_file(rows, "second", folder),
        pairing=rows.choice("pairing", _PAIRINGS, ""),  # type: ignore[arg-type]  # one of the allowed texts
        sights=_sights(rows.inside("sights")),
        second_sights=None if rows.rows.get("second_sights") is None else _sights(rows.inside("second_sights")),
        search=rows.text("search"),
        node=rows.text("node"),
    )


def _is_hand_pair(value: object) -> bool:
    return is_pair_of(is_text)(value) and value != ["", ""]


def _file(rows: Fields, key: str, folder: Path) -> Path | None:
    text = rows.text(key)
    return _found(text, folder, rows.problems) if text else None


def _found(text: str, folder: Path, problems: list[str]) -> Path | None:
    try:
        return found(text, folder)
    except FormatError as error:
        problems.append(str(error))
        return None


def _setup(rows: Fields, folder: Path) -> Setup:
    named = rows.mapping("files", is_text, "a file's name")
    files = {need: _found(text, folder, rows.problems) for need, text in named.items()}
    return Setup(
        rows.text("scenario"),
        {need: path for need, path in files.items() if path is not None},
        rows.entries("shapes", is_text, "a text"),
    )


def _painting(rows: Fields) -> Painting:
    first = Painting()
    limits = rows.mapping("limits", is_pair_of(is_number), "two numbers")
    return replace(
        first,
        metric=rows.text("metric", first.metric),
        swapped=rows.flag("swapped", first.swapped),
        palette=rows.choice("palette", PALETTES, first.palette),
        limits={key: (float(good), float(bad)) for key, (good, bad) in limits.items() if good != bad},
        preset=rows.text("preset"),
        edges=rows.flag("edges", first.edges),
        front=rows.flag("front", first.front),
        blamed=rows.flag("blamed", first.blamed),
        ranked=rows.choice("ranked", (*MEASURES, ""), first.ranked),
    )


def _sights(rows: Fields) -> Sights:
    return Sights(
        view=rows.text("view", "auto"),
        bodies=rows.entries("bodies", is_whole, "a whole number"),
        function=max(rows.whole("function", -1), -1),
        open_groups=None
        if rows.rows.get("open_groups") is None
        else rows.entries("open_groups", is_text, "a group's name"),
        zoom=max(rows.number("zoom", 0.0), 0.0),
        x=rows.number("x", 0.0),
        y=rows.number("y", 0.0),
        width=rows.number("width", 0.0),
        height=rows.number("height", 0.0),
        room_width=max(rows.whole("room_width", 0), 0),
        room_height=max(rows.whole("room_height", 0), 0),
        cut=_choice(rows, "cut"),
        constants=_choice(rows, "constants"),
        quiet=_choice(rows, "quiet"),
        across=_choice(rows, "across"),
        whole=rows.entries("whole", is_text, "a tensor's name"),
        tensor=rows.text("tensor"),
        group=rows.text("group"),
    )


def _choice(rows: Fields, key: str) -> bool | None:
    """None: nothing was chosen, or what is odd and is noted."""
    chosen = rows.flag(key, False)
    return chosen if isinstance(rows.rows.get(key), bool) else None
