"""`errorflow session FILE`: what a session holds, and the same comparison without a window."""

import json
import math
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.errors import UsageError
from errorflow.cli.command import Command
from errorflow.cli.compare import COMPARE
from errorflow.cli.hand_pairs import pair_option
from errorflow.cli.meter import Meter, plain
from errorflow.cli.ticket import tell_bundle, unpack_bundle

if TYPE_CHECKING:
    from errorflow.case.session.file import Opened
    from errorflow.case.session.model import Session, Simulation
    from errorflow.quant.plan import Plan
    from errorflow.study.simulate.trial import Trial


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a session, case.errorflow, or a ticket bundle, case.zip")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--unpack", metavar="FOLDER", help="unpack a ticket bundle into a new folder")
    parser.add_argument("--look-in", metavar="FOLDER", help="look for files that have moved, and save where they are")
    parser.add_argument(
        "--note", metavar="TEXT", help="write a note on the session, in place of the one there; '' removes it"
    )
    parser.add_argument(
        "--note-on",
        nargs=2,
        action="append",
        metavar=("NODE", "TEXT"),
        help="write a note on a node; '' removes it; may be given several times",
    )
    parser.add_argument(
        "--compare", metavar="FOLDER", dest="out", help="compare what it compares, and write the results into a folder"
    )


def _run(options: Namespace) -> int:
    from errorflow.case.session.file import read_session
    from errorflow.report.bundle.archive import is_bundle

    path = Path(options.file)
    if is_bundle(path) or path.suffix.lower() == ".zip" or options.unpack is not None:
        return _bundle(path, options)
    opened = read_session(path)
    if options.look_in is not None:
        opened = _looked(opened, path, Path(options.look_in))
    if options.note is not None or options.note_on:
        opened = _noted(opened, path, options.note, [] if options.note_on is None else options.note_on)
    if options.out is not None:
        return _compare(opened.session, options.out)
    print(json.dumps(_data(opened), indent=2) if options.json else plain("\n".join(_lines(opened))))
    return 0


def _bundle(path: Path, options: Namespace) -> int:
    if any(value is not None for value in (options.look_in, options.note, options.note_on, options.out)):
        text = f"{path.name} is a ticket bundle, which stays as it was sent."
        raise UsageError(text, "Unpack it with --unpack FOLDER.")
    return tell_bundle(path, options.json) if options.unpack is None else unpack_bundle(path, Path(options.unpack))


def _looked(opened: "Opened", path: Path, folder: Path) -> "Opened":
    from errorflow.case.session.file import write_session
    from errorflow.case.session.moved import looked_for

    with Meter() as meter:
        session = looked_for(opened.session, folder, meter)
    if session != opened.session:
        write_session(session, path)
    return replace(opened, session=session)


def _noted(opened: "Opened", path: Path, note: str | None, on: list[list[str]]) -> "Opened":
    from errorflow.case.session.file import write_session
    from errorflow.case.session.noting import with_note, with_note_on

    session = opened.session if note is None else with_note(opened.session, note)
    for node, text in on:
        session = with_note_on(session, node, text)
    write_session(session, path)
    return replace(opened, session=session)


def _compare(session: "Session", out: str) -> int:
    words = _words(session)
    if words[1:2] != ["compare"]:
        raise UsageError("The session compares nothing.", "Open it in the window, choose two runs, and save it.")
    parser = ArgumentParser(prog="errorflow compare")
    COMPARE.arguments(parser)
    _check(session)
    options = parser.parse_args([*words[2:], "-out", out])
    options.hand_pairs = tuple((pair.candidate, pair.reference) for pair in session.hand_pairs)
    return COMPARE.run(options)


def _check(session: "Session") -> None:
    """Refuses a comparison whose files are not all named."""
    from errorflow.case.scenarios import scenario_of
    from errorflow.case.scenarios.filling import lack_text

    row = None if session.setup is None else scenario_of(session.setup.scenario)
    lack = "" if row is None or session.setup is None else lack_text(row, session.setup)
    if lack:
        raise UsageError(f"The session cannot be compared yet. {lack}", "Open it in the window, choose it, and save.")


def _words(session: "Session") -> list[str]:
    """The comparison as words of a command line, without pairs by hand; empty: there is none."""
    from errorflow.case.scenarios.call import call_of

    return [] if session.setup is None else shlex.split(call_of(session.setup))


def _call(session: "Session") -> str:
    """Writes the call of a session as it is typed."""

    pairs = (pair_option(pair.candidate, pair.reference) for pair in session.hand_pairs)
    words = _words(session)
    return shlex.join([*words, *filter(None, pairs)] if words else [])


def _lines(opened: "Opened") -> list[str]:
    from errorflow.case.session.moved import files_of, is_there, missing

    session, lost = opened.session, missing(opened.session)
    needs = {} if session.setup is None else session.setup.files
    fed = _fed(session)
    names = {path: [need for need, other in (*needs.items(), *fed) if other == path] for path in files_of(session)}
    lines = ["Note", *(f"  {line}" for line in session.note.splitlines())] if session.note else []
    lines += ["Files"]
    for path, uses in names.items():
        model = ["model"] if path == session.model and "model" not in uses else []
        model += ["second graph"] if path == session.second else []
        model += ["compared with"] if path == session.since else []
        model += ["ticket bundle"] if path == session.bundle else []
        gone = "" if is_there(path) else "  (not there)"
        lines.append(f"  {', '.join([*model, *uses])}: {path}{gone}")
    lines += ["Decided", *(f"  {text}" for text in _decided(session))]
    if session.simulation is not None:
        lines += ["Simulated", *(f"  {text}" for text in _simulated(session.simulation))]
    if session.trials:
        lines += ["Tried", *(f"  {text}" for text in map(_tried, session.trials))]
    if session.setup is not None:
        lines += ["The same comparison", f"  {_call(session)}"]
    if lost:
        lines.append("! Files are not where they were: name the folder that they are in with --look-in FOLDER.")
    return [*lines, *(f"! {problem}" for problem in opened.problems)]


def _fed(session: "Session") -> list[tuple[str, Path]]:
    """Lists what a simulation needs, with what for."""
    if session.simulation is None:
        return []
    basis = session.simulation.basis
    named = (("calibration", basis.calibration), ("float model", basis.reference))
    return [
        *(("samples", Path(path)) for path in basis.asked.paths),
        *(("samples to measure errors on", Path(path)) for path in basis.others),
        *((use, path) for use, path in named if path),
    ]


def _simulated(simulation: "Simulation") -> list[str]:
    from errorflow.graph.build import counted

    basis, plan = simulation.basis, simulation.plan
    found = [_planned(plan)]
    if basis.samples is not None:
        found.append(f"on the first {counted(basis.samples, 'sample', 'samples')}")
    if not basis.asked.paths:
        found.append("on samples that are made up")
    if basis.method:
        found.append(f"calibrated by {basis.method}")
    if simulation.against:
        found.append(f"compared with {simulation.against}")
    return found


def _planned(plan: "Plan") -> str:
    from errorflow.quant.changes import beginning, brief, changes

    changed = brief(changes(beginning(plan), plan))
    name = plan.preset if plan.preset else "a plan of its own"
    return f"{name}, changed by hand ({changed})" if changed else name


def _tried(trial: "Trial") -> str:
    parts = (_planned(trial.plan), trial.samples, trial.verdict)
    return f"{trial.name}: {'. '.join(part.rstrip('.') for part in parts if part)}."


def _decided(session: "Session") -> list[str]:
    from errorflow.graph.build import counted

    painting = session.painting
    limits = ", ".join(f"{key} {good:g} to {bad:g}" for key, (good, bad) in painting.limits.items())
    found = [f"painted by {painting.metric}, palette {painting.palette}"]
    found += [f"limits: {limits}"] if limits else []
    if session.hand_pairs:
        found.append(f"{counted(len(session.hand_pairs), 'pair', 'pairs')} made or parted by hand")
    found += [f"note on {node}: {text}" for node, text in session.notes.items()]
    if session.guide is not None:
        found.append(f"guide {session.guide.flow}, at the step {session.guide.at}")
    return found


def _simulation_data(simulation: "Simulation") -> dict[str, Any]:
    from errorflow.quant.plan_file import plain_plan

    return {
        "samples": list(simulation.basis.asked.paths),
        "evaluated": list(simulation.basis.others),
        "method": simulation.basis.method,
        "plan": plain_plan(simulation.plan),
        "against": simulation.against,
    }


def _finite(outputs: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float | None]]:
    """JSON has no form for what is no number."""
    return {
        name: {key: value if math.isfinite(value) else None for key, value in found.items()}
        for name, found in outputs.items()
    }


def _data(opened: "Opened") -> dict[str, Any]:
    from errorflow.case.session.moved import missing

    session = opened.session
    setup = session.setup
    return {
        "model": None if session.model is None else str(session.model),
        "scenario": "" if setup is None else setup.scenario,
        "files": {} if setup is None else {need: str(path) for need, path in setup.files.items()},
        "missing": [str(path) for path in missing(session)],
        "metric": session.painting.metric,
        "limits": {key: list(pair) for key, pair in session.painting.limits.items()},
        "pairs": [[pair.candidate, pair.reference] for pair in session.hand_pairs],
        "note": session.note,
        "notes": dict(session.notes),
        "guide": None if session.guide is None else {"flow": session.guide.flow, "step": session.guide.at},
        "since": None if session.since is None else str(session.since),
        "simulation": None if session.simulation is None else _simulation_data(session.simulation),
        "trials": [
            {"name": trial.name, "outputs": _finite(trial.outputs), "verdict": trial.verdict}
            for trial in session.trials
        ],
        "call": _call(session),
        "problems": list(opened.problems),
    }


SESSION = Command("session", "Say what a session holds, or compare what it compares.", _arguments, _run)
