"""Preparation: everything between the files that the user gave and the first number."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import SILENT, Progress, UsageError
from errorflow.case.scenarios.call import SEED, asked_of
from errorflow.case.scenarios.chain import chain_of
from errorflow.case.scenarios.setup import Setup
from errorflow.case.values import WHOLE, Narrowed, Prepared
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchPlan, MatchRequest, plan
from errorflow.explain.stages.compare import Three
from errorflow.formats import read_tensors

if TYPE_CHECKING:
    from errorflow.case.scenarios.three import Runs
    from errorflow.run.both import RunInputs


def prepare(
    setup: Setup, progress: Progress = SILENT, folder: Path | None = None, narrowed: Narrowed = WHOLE
) -> Prepared:
    """Opens both runs and matches them; whatever makes no sense is an `ErrorflowError`.

    Models that are run first leave their tensors in `folder`, where these are read as long as the case is in use.
    """
    fed = _fed(setup) if narrowed.fed is None else narrowed.fed
    if setup.file("quantized") is not None:
        return _run_both(setup, fed, folder, progress)
    from errorflow.case.scenarios.three import models_in, run_models

    if setup.file("inputs") is not None and not models_in(setup):
        raise UsageError("Inputs are for models that are run.", "Choose a model in place of a run, or leave them out.")
    runs = run_models(setup, fed, folder, progress)
    asked = partial(asked_of, pieces=narrowed.pieces, selection=narrowed.selection)
    found = plan(asked(runs.setup), progress)
    match = replace(found.match, problems=(*runs.notes, *found.match.problems))
    candidate = setup.file("candidate")
    shown = runs.setup.shown
    made = None if shown is not None or candidate is None else chain_of(match, candidate)
    three = _three(runs, match, asked, progress)
    return Prepared(replace(found, match=match), made, three, runs.made_up, runs.written, shown)


def _fed(setup: Setup) -> "RunInputs":
    from errorflow.run.both import RunInputs

    inputs = setup.file("inputs")
    return RunInputs(() if inputs is None else (inputs,), setup.shapes, SEED if inputs is None else None)


def _run_both(setup: Setup, fed: "RunInputs", folder: Path | None, progress: Progress) -> Prepared:
    from errorflow.compare.match.by_quantized import match_quantized
    from errorflow.run.both import run_both

    original, quantized = setup.file("original"), setup.file("quantized")
    if original is None or quantized is None or folder is None:
        raise UsageError("Two models are needed to run both.", "Choose the float model and the quantized one.")
    both = run_both(quantized, original, fed, folder, progress)
    golden, mine = (read_tensors(ran.path, progress) for ran in (both.reference_run, both.candidate_run))
    match = match_quantized(golden, mine, both.reference.graph, both.candidate.graph, progress)
    notes = dict.fromkeys((*both.reference_run.notes, *both.candidate_run.notes))
    match = replace(match, problems=(*notes, *match.problems))
    written = both.reference_run.path, both.candidate_run.path
    return Prepared(MatchPlan(match), made_up=both.reference_run.made_up, written=written)


def _three(runs: "Runs", total: Match, asked: Callable[[Setup], MatchRequest], progress: Progress) -> Three | None:
    """Simulator against float and board against simulator, where there is a simulator."""
    if runs.setup.file("simulator") is None:
        return None
    from errorflow.case.scenarios.three import steps_of

    steps = steps_of(runs, asked, progress)
    return Three(steps.quantization, steps.deployment, total)
