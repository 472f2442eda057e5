"""A session in the place of MODEL where single nodes are not asked about: its model and samples, and its plan whole."""

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.cli.of_session import OF_SAMPLES, SAMPLES, refuse_bundle, simulating

if TYPE_CHECKING:
    from errorflow.case.session.model import Session
    from errorflow.study.simulate.basis import Basis

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
