"""Measures what was prepared: rows, stages and verdicts, with all that is known at any moment."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.case.model import Case
from errorflow.case.scenarios.chain import is_chain
from errorflow.case.scenarios.identify import is_quantized
from errorflow.case.scenarios.setup import Setup
from errorflow.case.values import PLAIN, MeasuringSetup, Running, Tell
from errorflow.compare.match.model import AS_THEY_ARE, Match
from errorflow.compare.measure import unmeasured
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.compare.pairs import compare_match
from errorflow.compare.placed import Placed, Side, side_of
from errorflow.compare.summary import summarize
from errorflow.explain.blame.advice import advice_for, is_compiled
from errorflow.explain.blame.by_running import blame_by_running
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.limits import CLEAN, LOST, MOST
from errorflow.explain.blame.measured import relative_error
from errorflow.explain.blame.model import Blame, ExactParts, Kind, ModelVerdict
from errorflow.explain.stages.compare import compare_three
from errorflow.formats import read_model
from errorflow.formats.onnx.claims import can_be_run
from errorflow.graph.model import Graph, Model, Problem

_log = logging.getLogger(__name__)
# What can be run, as its reader calls it.
_RUNS = "ONNX model"
# Advice that a tensor alone calls for, wherever it stands.
_OF_TENSORS = frozenset(("overflow", "sign flipped"))


def measure(
    case: Case,
    match: Match,
    original: Path | None = None,
    *,
    known: Mapping[int, Row] | None = None,
    parts: ExactParts | None = None,
    running: Running = "try",
    work: MeasuringSetup = PLAIN,
    tell: Tell = lambda _: None,
    progress: Progress = SILENT,
) -> Case:
    """Measures in steps: rows as they come; with three runs, which step is at fault; who is to blame as far as rows
    tell; and where an `original` can be run, exactly.

    `tell` hears of each step, and gets what makes the case of that moment. `known` is not measured again, and `parts`,
    which running the nodes of the original found, are not found again. Where both are known there is one step only.
    """
    rows = [_pending(match, number) for number in range(len(match.pairs))]
    for number, row in ({} if known is None else known).items():
        rows[number] = row
    base = replace(case, match=match, blame=None, stages=None, complete=False)

    def now() -> Case:
        return replace(base, comparison=Comparison(tuple(rows)))

    parts = parts if parts is not None and len(parts.exact) == len(case.model.graph) else None
    if parts is None or any(row.note == PENDING for row in rows):
        tell(now)

    def take(number: int, row: Row) -> None:
        rows[number] = row
        tell(now)

    options, crew, journal = work.options, work.crew, work.journal
    # What has no partner is done at once and comes with the others.
    rows[:] = compare_match(
        match, options=options, crew=crew, journal=journal, known=known, on_row=take, progress=progress
    ).rows
    # The user may have matched other tensors by hand: these are the whole way from float to the board.
    whole = None if case.three is None else replace(case.three, total=match)
    stages = None if whole is None else compare_three(whole, total=now().comparison, progress=progress)
    original = None if running == "never" else original
    found = _blamed(replace(now(), complete=True, stages=stages), match, original, parts, tell, progress)
    if running == "must" and original is not None and found.blame is not None and found.blame.why:
        raise UsageError(f"No node could be run: {found.blame.why}", "Leave --exact out to see an estimate.")
    return found


def _pending(match: Match, number: int) -> Row:
    pair = match.pairs[number]
    waits = pair.candidate is not None and pair.reference is not None and not pair.note
    return unmeasured(pair, PENDING if waits else "")


def _blamed(
    case: Case, match: Match, original: Path | None, parts: ExactParts | None, tell: Tell, progress: Progress
) -> Case:
    graph, comparison = case.model.graph, case.comparison
    side = side_of(graph, comparison)
    is_listed = is_chain(graph)
    odd = () if is_listed else tuple(misfits(match, comparison, graph, side))
    known = not (is_listed or odd)
    if odd:  # a case that goes on has them already
        match = replace(match, problems=tuple(dict.fromkeys((*match.problems, *odd))))
    estimated = blame(graph, comparison, side=side, leads_on=known, progress=progress)
    estimated = estimated if known else replace(estimated, model=_of_rows(estimated, comparison, odd))
    case = replace(case, blame=estimated, match=match)
    if original is None or not known:
        return case
    if parts is None:
        tell(lambda: case)
    theirs = None if parts is not None else _candidate_of(case, original, progress)
    found, why = blame_by_running(
        original, graph, comparison, match, side=side, candidate=theirs, known=parts, progress=progress
    )
    if why:
        _log.info("who is to blame is estimated: %s", why)
    return replace(case, blame=found)


def _candidate_of(case: Case, original: Path, progress: Progress) -> Callable[[], Model] | None:
    """Finds how to read the candidate, where it is a model that was run."""
    setup = case.session.setup
    path = None if setup is None else setup.file("quantized")
    if path is None or path == original or not can_be_run(path):
        return None
    return partial(_with_shapes, path, progress)


def _with_shapes(path: Path, progress: Progress) -> Model:
    model = read_model(path, progress)
    return model if model.infer_shapes is None else model.infer_shapes(progress)


def _of_rows(found: Blame, comparison: Comparison, odd: Sequence[Problem]) -> ModelVerdict:
    """Judges by all tensors where the outputs and the flow are unknown, or the model is `odd`."""
    said = summarize(comparison).verdict
    kinds: dict[str, Kind] = {"good": "good", "nothing": "nothing"}
    kind = kinds.get(said.key, "beyond limits")
    assert found.evidence is not None
    seen = {"healthy" if kind == "good" else kind} | (found.evidence.seen & _OF_TENSORS)
    text = " ".join((said.text, *(problem.text for problem in odd)))
    return ModelVerdict(kind, text, advice=advice_for({"nothing"} if odd else seen, found.evidence.vendor))


def original_of(setup: Setup, model: Model) -> Path | None:
    """The float model that can be run to find out exactly what each node adds; None: there is none."""
    if (original := setup.file("original")) is not None:
        return original if can_be_run(original) else None
    if model.format == _RUNS and not is_quantized(model):
        return model.path
    named = (setup.file(need) for need in ("model", "reference"))
    return next((path for path in named if path is not None and path != model.path and can_be_run(path)), None)


# So many at least must speak against it; one may be odd for itself.
SEVERAL = 2


def misfits(match: Match, comparison: Comparison, graph: Graph, side: Side) -> Iterator[Problem]:
    """Yields the problems because of which no verdict can be built."""
    placed = Placed.of(graph, comparison, side)
    infos = [row.candidate if side == "candidate" else row.reference for row in comparison.rows]
    names = {info.name for info in infos if info is not None}
    if side == "candidate" and any(pair.listed is not None for pair in match.pairs):  # operators that were dumped
        names.update(match.only_candidate)
    there = (infos[number] for number in chain(placed.read.values(), *placed.about.values()))
    known = len({info.name for info in there if info is not None})
    # Fused operators have few names in common with a float graph.
    fused = any(pair.rule == "origin" for pair in match.pairs) and not is_compiled(graph)
    if known < MOST * min(len(names), len(graph)) and not (fused and known):
        yield Problem(f"{known:,} of {len(names):,} tensors are in {graph.name}: it may be another model.")
    yield from _other_shapes(match, graph, side, placed)
    yield from _other_scales(match, comparison)


def _other_shapes(match: Match, graph: Graph, side: Side, placed: Placed) -> Iterator[Problem]:
    """Batches may differ; what an NPU keeps in layouts of its own says nothing."""
    differ, count = list[str](), 0
    for tensor, number in zip(placed.tensors.tolist(), placed.numbers.tolist(), strict=True):
        pair, said = match.pairs[number], graph.shapes[tensor]
        stored = pair.candidate if side == "candidate" else pair.reference
        if stored is None or not said or pair.way != AS_THEY_ARE or not all(isinstance(size, int) for size in said):
            continue
        count, shape = count + 1, stored.info.shape
        if len(shape) == len(said) and shape[1:] != said[1:]:
            differ.append(f"{graph.tensor_names[tensor]} is {shape} and {said} in the model")
    if len(differ) >= max(SEVERAL, MOST * count):
        yield Problem(f"{len(differ):,} of {count:,} shapes differ, {differ[0]}: it is another model.")


def _other_scales(match: Match, comparison: Comparison) -> Iterator[Problem]:
    """Codes that make no sense where what is made of them does."""
    errors: dict[bool, list[float]] = {True: [], False: []}
    for pair, row in zip(match.pairs, comparison.rows, strict=True):
        if row.values and pair.candidate is not None:
            errors[pair.qparams is not None and pair.candidate.info.qparams is None].append(relative_error(row))
    far, good = sum(error > LOST for error in errors[True]), sum(error <= CLEAN for error in errors[False])
    least, several = max(SEVERAL, MOST * len(errors[True])), max(SEVERAL, MOST * len(errors[False]))
    if far >= least and good >= several and not any(error <= CLEAN for error in errors[True]):
        yield Problem(
            f"{far:,} of {len(errors[True]):,} tensors in codes are far off with these scales: another record."
        )
