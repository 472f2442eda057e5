"""A session in the place of MODEL: its model, samples and plan, each of which an option replaces."""

import os
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.errors import FileError, UsageError

if TYPE_CHECKING:
    from errorflow.case.session.model import Session
    from errorflow.quant.plan import Plan
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome
    from errorflow.study.simulate.trial import Trial

# Either says what the samples are, and with it how they are divided and read.
SAMPLES = ("data", "random")
OF_SAMPLES = (*(*SAMPLES, "samples", "calibrate_on", "evaluate", "dim"), *("mean", "std", "layout", "colour", "resize"))
# Either says where the plan begins.
_BEGUN = ("plan", "preset")
_OF_PLAN = (*_BEGUN, "keep_float", "bits", "smooth", "equalize", "method", "calibration")
# What is said once more, and not anew.
_MORE = ("keep_float", "bits")


def taking_sessions(
    arguments: Callable[[ArgumentParser], None], run: Callable[[Namespace], int]
) -> Callable[[Namespace], int]:
    """The same for a command whose MODEL may be a session."""
    return lambda options: run(with_session_of(options, arguments))


def with_session_of(options: Namespace, arguments: Callable[[ArgumentParser], None]) -> Namespace:
    """Adds to the options all that a session says and they do not."""
    from errorflow.case.session.model import SUFFIX
    from errorflow.study.simulate.call import call_of, needs_plan

    if not str(options.model).lower().endswith(SUFFIX):
        refuse_bundle(Path(options.model))
        return options
    session = simulating(Path(options.model))
    assert session.simulation is not None and session.model is not None, "looked at"
    simulation = session.simulation
    parser = ArgumentParser()
    arguments(parser)
    own_plan = needs_plan(simulation.plan)
    words = shlex.split(call_of(session.model, simulation.basis, simulation.plan))[2:]
    kept, blank = vars(parser.parse_args(words)), vars(parser.parse_args([words[0]]))
    kept["plan"] = None if own_plan else kept["plan"]
    given = {name for name, value in vars(options).items() if name in blank and value != blank[name]} - {"model"}
    for group, heads in ((OF_SAMPLES, SAMPLES), (_OF_PLAN, _BEGUN)):
        if given & set(heads):
            kept |= {name: blank[name] for name in group if name in blank}
    begun = simulation.plan if own_plan and not given & set(_BEGUN) else None
    found = {name: value for name, value in kept.items() if name not in given}
    found |= {name: [*kept[name], *getattr(options, name)] for name in _MORE}
    return Namespace(**{**vars(options), **found, "begun": begun})


def refuse_bundle(path: Path) -> None:
    from errorflow.report.bundle.archive import is_bundle

    if path.suffix.lower() == ".zip" and is_bundle(path):
        raise UsageError(
            f"{path.name} is a ticket bundle, in which nothing can be run.",
            f"`errorflow session {path.name} --unpack FOLDER`, put the model and its samples beside case.errorflow, "
            "and give that.",
        )


def simulating(path: Path) -> "Session":
    """The session of a file; one that simulates nothing has no samples and no plan to go on with."""
    from errorflow.case.session.file import read_session

    session = read_session(path).session
    if session.simulation is None or session.model is None:
        raise UsageError(
            f"Nothing is simulated in {path.name}.",
            f"`errorflow session {path.name}` says what it compares. For a simulation name the model, and --data.",
        )
    return session


def begun_plan(options: Namespace) -> "Plan | None":
    """The plan of the session, where no option says it; None: options do."""
    found: Plan | None = getattr(options, "begun", None)
    return found


def check_target(text: str | None, model: Path) -> None:
    """Refused before anything is run: what cannot be written, and what would be lost."""
    from errorflow.case.session.file import read_session
    from errorflow.case.session.model import SUFFIX

    if text is None:
        return
    path = Path(text)
    if path.suffix.lower() != SUFFIX:
        raise UsageError(f"{text} is no name of a session.", f"Let it end with {SUFFIX}.")
    if not path.absolute().parent.is_dir():
        raise FileError(f"There is no folder {path.parent}.", "Make it first, or name a file in another one.")
    held = read_session(path).session.model if os.path.lexists(path) else model
    if held is None or held.resolve() != model.resolve():
        raise FileError(f"{path.name} is a session of another model.", "Name another file, or delete this one first.")


def save_simulation(path: Path, outcome: "Outcome", bench: "Bench") -> None:
    """Saves a simulation as a session, with the run that it is: the window simulates it again from there.

    In a session of the model that is there already, all else stays.
    """
    from errorflow.case.session.file import read_session, write_session
    from errorflow.case.session.model import Session, Simulation
    from errorflow.report.bundle.homes import rehomed
    from errorflow.study.simulate.trying import trial_of

    basis = rehomed(bench.basis, Path.absolute)
    model, path = bench.model.path.absolute(), path.absolute()
    session = read_session(path).session if os.path.lexists(path) else Session(model)
    trial = replace(trial_of(_free(session), outcome, bench), basis=basis)
    # The same once more takes its place, but not that of one which was evaluated.
    same = [each.name for each in session.trials if _is_alike(each, trial) and each.accuracy is None]
    trial = replace(trial, name=same[0]) if same else trial
    others = (each for each in session.trials if each.name != trial.name)
    simulation = Simulation(basis, outcome.plan)
    write_session(replace(session, simulation=simulation, trials=(*others, trial)), path)


def _is_alike(one: "Trial", other: "Trial") -> bool:
    """Whether the preset that the options name is the one that is meant anyway."""
    basis = replace(one.basis, own=other.basis.own)
    return (basis, one.plan, one.method) == (other.basis, other.plan, other.method)


def _free(session: "Session") -> str:
    names = {each.name for each in session.trials}
    return next(name for number in range(1, len(names) + 2) if (name := f"Run {number}") not in names)


# A session in the place of MODEL where single nodes are not asked about: its model and samples, and its plan whole.

# What is a file of its own.
_FILES = ("calibration", "reference")


def taking_samples(run: Callable[[Namespace], int]) -> Callable[[Namespace], int]:
    """The same for a command whose MODEL may be a session."""
    return lambda options: run(with_samples_of(options))


def with_samples_of(options: Namespace) -> Namespace:
    """Adds to the options what a session says of samples and they do not.

    `begun` is the plan of the session then, and `basis` what it simulates on, where no other samples are given.
    """
    from errorflow.case.session.model import SUFFIX

    paths = vars(options).get("paths")
    first = paths[0] if paths else options.model
    if first is None or not str(first).lower().endswith(SUFFIX):
        if first is not None:
            refuse_bundle(Path(first))
        return options
    session = simulating(Path(first))
    assert session.simulation is not None, "looked at"
    basis = session.simulation.basis
    kept, blank = _said(session, basis)
    given = {name for name, value in blank.items() if vars(options).get(name, value) != value}
    others = bool(given & {*SAMPLES, "calibrate_data"})
    wanted = [*(() if others else OF_SAMPLES), *_FILES]
    found = {name: kept[name] for name in wanted if name in vars(options) and name not in given}
    if not others:
        found |= _divided(options, basis)
        found |= _labelled(options, session) if "labels" in vars(options) else {}
    found |= {"paths": [str(session.model), *paths[1:]]} if paths else {"model": str(session.model)}
    has_basis = not others and not given & {*OF_SAMPLES, *_FILES}
    more: dict[str, Any] = {
        "begun": session.simulation.plan,
        "basis": basis if has_basis else None,
        "case": Path(first).name,
    }
    more |= {} if "reference" in vars(options) else {"reference": basis.reference}
    return Namespace(**{**vars(options), **found, **more})


def _said(session: "Session", basis: "Basis") -> tuple[dict[str, Any], dict[str, Any]]:
    """Makes two sets of options: what the basis says, and the defaults of a command that simulates."""
    from errorflow.cli.planned import add_simulated
    from errorflow.study.simulate.call import call_of

    assert session.model is not None, "looked at"
    parser = ArgumentParser()
    add_simulated(parser)
    words = shlex.split(call_of(session.model, basis))[2:]
    kept, blank = (vars(parser.parse_args(each)) for each in (words, words[:1]))
    kept |= {name: None if kept[name] is None else Path(kept[name]) for name in _FILES}
    return kept, {**blank, "calibrate_data": []}


def _divided(options: Namespace, basis: "Basis") -> dict[str, Any]:
    """A command that cannot divide samples takes those that calibrate."""
    if "calibrate_on" in vars(options) or options.samples is not None or basis.calibrate_on is None:
        return {}
    return {"samples": basis.calibrate_on}


def _labelled(options: Namespace, session: "Session") -> dict[str, Any]:
    """Reads what is evaluated; a file of Python that a session names is run only if the user named it."""
    assert session.simulation is not None, "looked at"
    labelled, basis = session.labelled, session.simulation.basis
    found: dict[str, Any] = {}
    others = labelled.data or basis.others
    if others:
        found |= {"data": list(others), "calibrate_data": list(basis.asked.paths)}
    if options.labels is None and labelled.labels is not None:
        found["labels"] = labelled.labels
    if not options.outputs and labelled.output:
        found["outputs"] = [labelled.output]
    return found
