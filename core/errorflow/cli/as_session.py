"""`errorflow compare … --session FILE`: the same comparison as a session, with what was measured kept beside it."""

import os
from argparse import Namespace, _ArgumentGroup
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import FileError, UsageError
from errorflow.base.files import have_folder

if TYPE_CHECKING:
    from errorflow.case.scenarios.scenario import Scenario
    from errorflow.case.scenarios.setup import Setup
    from errorflow.case.session.model import Session
    from errorflow.compare.match.model import Match
    from errorflow.compare.model import Comparison
    from errorflow.explain.blame.model import ExactParts


def add_session(group: _ArgumentGroup) -> None:
    group.set_defaults(made_session=None)
    group.add_argument(
        "--session",
        metavar="FILE",
        help="also save the comparison as a session, case.errorflow, for the window and `errorflow diff`",
    )


def with_session(options: Namespace) -> Namespace:
    """The options with the session that they come to, before runs of models take the places of these.

    What no session can hold is refused before anything is run.
    """
    if not options.session:
        return options
    path = Path(options.session)
    problem = next(_problems(options), None)
    if problem is not None:
        raise UsageError(*problem)
    have_folder(path.absolute().parent)
    return Namespace(**vars(options) | {"made_session": _among_what_is_there(path, _session(options))})


def _among_what_is_there(path: Path, made: "Session") -> "Session":
    """Puts the comparison into a session of the same model, which keeps notes and runs; of another model nothing may be
    lost.
    """
    from errorflow.case.session.file import read_session

    if not os.path.lexists(path):
        return made
    held = read_session(path).session
    if held.model is not None and made.model is not None and held.model.resolve() == made.model.resolve():
        pairs = made.hand_pairs or held.hand_pairs
        return replace(held, setup=made.setup, hand_pairs=pairs, simulation=None, bundle=None)
    if any((held.notes, held.note, held.trials, held.rankings, held.searches)):
        raise FileError(
            f"{path.name} is a session of another model, with notes or runs that would be lost.",
            "Name another file, or delete this one first.",
        )
    return made


def save_session(
    options: Namespace, match: "Match", comparison: "Comparison", parts: "ExactParts | None"
) -> tuple[Path, ...]:
    """Writes it whole or not at all; nothing where none was asked for."""
    from errorflow.case.session.file import write_session
    from errorflow.case.session.results import tidy

    session: Session | None = options.made_session
    if session is None or session.setup is None:
        return ()
    path = Path(options.session)
    write_session(session, path.absolute())
    kept = _keep(path.absolute(), session.setup, match, comparison, parts)
    tidy(path.absolute(), [each for each in kept if each is not None])
    return (path,)


def _keep(
    path: Path, setup: "Setup", match: "Match", comparison: "Comparison", parts: "ExactParts | None"
) -> Iterator[Path | None]:
    """Keeps results as the window does: of models that are run all by content, of runs each row by its own."""
    from errorflow.case.scenarios.three import models_in
    from errorflow.case.session.known import KnownRows
    from errorflow.case.session.marks import mark_of
    from errorflow.case.session.results import beside, keep, keep_known
    from errorflow.compare.model import Options

    folder, by_running = beside(path), setup.file("quantized") is not None or bool(models_in(setup))
    is_known = by_running or parts is not None
    if match.by_rules is None and setup.file("simulator") is None and is_known:
        mark = mark_of(setup, setup.shown)
        known = KnownRows(match, comparison.rows, parts) if by_running else KnownRows(parts=parts)
        yield keep_known(folder, mark, known) if mark else None
    if not by_running:
        yield keep(folder, match, Options(), comparison.rows, path.parent)


def _session(options: Namespace) -> "Session":
    """Makes the session with whole paths: it is read from anywhere."""
    from errorflow.cli.asked import session_of
    from errorflow.report.bundle.homes import rehomed

    session = session_of(options)
    assert session.setup is not None, "there is always one"
    return rehomed(replace(session, setup=_by_content(session.setup)), Path.absolute)


def _by_content(setup: "Setup") -> "Setup":
    """Takes the comparison that these files are of, as the window and the guides call it, where their contents tell."""
    from errorflow.case.scenarios import SCENARIOS
    from errorflow.case.scenarios.discover import discover
    from errorflow.case.scenarios.setup import Setup

    kinds = {need: {found.kind for found in discover(path).found} for need, path in setup.files.items()}
    for row in SCENARIOS:
        named = {need: _need_in(row, need) for need in kinds}
        found = Setup(row.key, {named[need]: path for need, path in setup.files.items()}, setup.shapes)
        needs = ((row.need(named[need]), kind) for need, kind in kinds.items())
        if all(need is not None and need.choices & kind for need, kind in needs) and not row.lacks(found):
            return found
    return setup


def _need_in(row: "Scenario", need: str) -> str:
    """The original model and the model that is painted are one option."""
    others = {"model": "original", "original": "model"}
    return others[need] if need in others and row.need(need) is None else need


def _problems(options: Namespace) -> Iterator[tuple[str, str]]:
    from errorflow.case.scenarios.call import SEED
    from errorflow.case.session.model import SUFFIX

    part = options.op_name or options.mapping or options.range is not None or options.select is not None
    if part or options.samples or Path(options.fusion_rule_file or "x.json").is_dir():
        way = "Leave --session out, or -op, -map, -r, -s, --samples."
        yield "A session is about one comparison of two whole runs.", way
    if all(Path(path).suffix == ".npy" for path in (options.my_dump_path, options.golden_dump_path)):
        yield "A session is about runs, not about two single arrays.", "Leave --session out."
    if Path(options.session).suffix.lower() != SUFFIX:
        yield f"{options.session} is no name of a session.", f"Let it end with {SUFFIX}."
    if len(options.inputs) > 1:
        yield "A session keeps one file or folder of inputs.", "Put the inputs into one folder or one .npz."
    if options.random is not None and (options.random != SEED or options.inputs):
        yield f"A session makes up inputs from the seed {SEED}.", f"Give --random {SEED}, or all inputs with --inputs."
