"""Ranks the parts of a model by running it once for each: quantized alone, or all but it.

A first picture comes early: all parts on one sample, those first that promise most, and then the other samples. Whoever
cancels keeps what is known, and goes on from there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.meter import Share
from errorflow.run.engine.table import Table
from errorflow.study.rank.grounds import check_known
from errorflow.study.rank.model import Doubles, Ground, Measure, Part, Question, Ranking
from errorflow.study.rank.owning import score
from errorflow.study.rank.partial_ranking import Board
from errorflow.study.rank.parts import outputs_of, parts_of
from errorflow.study.rank.reading import order
from errorflow.study.rank.scoring import Scorer
from errorflow.study.rank.switching import Switching
from errorflow.study.rank.tables import Tables
from errorflow.study.simulate.pooled import relative_errors


# What to expect of each part before it is measured: by what its nodes do to their own outputs, on one sample.
def expected(parts: Sequence[Part], graph: Graph, table: Table) -> Doubles:
    """In shares of all; NaN where there is nothing to go by. `table` has the errors of each node on its own."""
    alone, whole = relative_errors(table, "node"), relative_errors(table)
    found = np.array([_power(part, graph, alone, whole) for part in parts])
    total = np.nansum(found)
    return found / total if total > 0 else found


def _power(part: Part, graph: Graph, alone: dict[str, float], whole: dict[str, float]) -> float:
    """The worst of what its nodes make; of an input what codes do to it."""
    known = keys_of(graph).nodes
    nodes = [node for name in part.nodes for node in known.get(name, ())]
    made = [graph.tensor_names[tensor] for node in nodes for tensor in graph.node_outputs[node].tolist() if tensor >= 0]
    names, errors = (made, alone) if nodes else (list(part.tensors), whole)
    powers = [errors[name] ** 2 for name in names if name in errors and np.isfinite(errors[name])]
    return max(powers, default=float("nan"))


TEXTS: dict[Measure, str] = {
    "impact": "Quantizing one part at a time",
    "recovery": "Leaving one part at a time out",
}
# Parts that are looked at on all samples before the others are, and on so many samples before others are at all.
_LEADERS, _CLOSELY = 10, 2
# Parts, at least, that are looked at first.
_FEW = 20
# Seconds between two pictures.
_PAUSE = 0.1
Give = Callable[[Ranking], None]


def nobody(_: Ranking) -> None:
    """Waits for the end."""


def rank(
    engine: Engine,
    plan: Plan,
    question: Question,
    *,
    known: Ranking | None = None,
    give: Give = nobody,
    progress: Progress = SILENT,
    crew: Tables | None = None,
    scorer: Scorer | None = None,
    ground: Ground | None = None,
) -> Ranking:
    """`give` gets what is known a few times a second, also once more before a cancel or an error goes on.

    What `known` holds is not measured again; a `UsageError` says where it does not fit. `crew` runs the parts in place
    of the engine. `ground` of the bench makes the ranking one that later sessions can go on with.
    """
    board = _board(engine, plan, question, ground)
    if known is not None:
        check_known(known, plan, question, ground)
        board.take(known)
    work = _Work(engine, board, engine if crew is None else crew, _Giver(give, board), progress)
    try:
        work.rank(scorer)
    finally:
        work.giver.now()
    return board.ranking()


def _board(engine: Engine, plan: Plan, question: Question, ground: Ground | None) -> Board:
    names = question.outputs if question.outputs else [name for name in engine.outputs if name in engine.shapes]
    if not names:
        raise UsageError("The model has no output that could be measured.", "Name a tensor inside with --output.")
    outputs = outputs_of(engine.graph, names, engine.tensors)
    samples = question.samples if question.samples else tuple(range(engine.samples))
    for sample in samples:
        if not 0 <= sample < engine.samples:
            raise UsageError(f"There is no sample {sample + 1:,}.", f"There are {engine.samples:,}.")
    parts = parts_of(engine.graph, engine.assigned(plan), question)
    return Board(question, plan, parts, outputs, tuple(dict.fromkeys(samples)), ground)


class _Giver:
    def __init__(self, give: Give, board: Board) -> None:
        self._give, self._board = give, board
        self._last = -1.0

    def now(self) -> None:
        self._give(self._board.ranking())
        self._last = monotonic()

    def maybe(self) -> None:
        if monotonic() - self._last >= _PAUSE:
            self.now()


@dataclass(slots=True)
class _Work:
    engine: Engine
    board: Board
    tables: Tables
    giver: _Giver
    progress: Progress

    def rank(self, scorer: Scorer | None) -> None:
        """One sample for all parts; the other samples for those that matter most on it; and then all the rest.

        A third of the parts, those that promise most, are compared on a few samples before anything else.
        """
        board = self.board
        everyone = len(board.parts)
        self._whole()
        first, *others = self._worst_first()
        stages = [
            ([first], max(_FEW, everyone // 3)),
            *(([place], _LEADERS) for place in others[:_CLOSELY]),
            ([first], everyone),
        ]
        for places, most in stages:
            for measure in board.question.measures:
                self._run(measure, places, most)
        if scorer is not None:
            switching = self._switching()
            score(board, scorer, switching, lambda: order(board.ranking()).tolist(), self.giver.now, self.progress)
        for places, most in [*(([place], _LEADERS) for place in others), (others, everyone)]:
            for measure in board.question.measures:
                self._run(measure, places, most)

    def _worst_first(self) -> list[int]:
        """Places of samples. Where outputs are nearly nothing, parts tell little of use."""
        ranking = self.board.ranking()
        sizes = np.nansum(ranking.sizes, axis=1, keepdims=True)
        errors = np.divide(ranking.whole_powers, sizes, out=np.zeros_like(ranking.whole_powers), where=sizes > 0)
        worst = np.nan_to_num(errors, nan=np.inf).sum(axis=0)
        found: list[int] = np.argsort(-worst, kind="stable").tolist()
        return found

    def _whole(self) -> None:
        """The whole plan: on the first sample with all that makes expectations, on the others at the outputs."""
        board = self.board
        missing = board.without_whole
        if np.isnan(board.expected).all():
            table = self.engine.run(board.plan, samples=board.samples[:1], node=True, progress=self.progress)
            board.expected[:] = expected(board.parts, self.engine.graph, table)
            board.put_whole(0, table)
            missing = [place for place in missing if place]
            self.giver.now()
        if missing:
            samples = [board.samples[place] for place in missing]
            table = self.engine.run(board.plan, board.outputs, samples, progress=self.progress)
            for at, place in enumerate(missing):
                board.put_whole(place, table, at)

    def _run(self, measure: Measure, places: Sequence[int], most: int) -> None:
        """The parts that matter most so far, or promise it, on samples on which they are not known yet."""
        by_places: dict[tuple[int, ...], list[int]] = {}
        done = self.board.done[measure]
        for part in order(self.board.ranking()).tolist()[:most]:
            missing = tuple(place for place in places if not done[part, place])
            if missing:
                by_places.setdefault(missing, []).append(part)
        for missing, parts in by_places.items():
            self._run_on(measure, missing, parts)

    def _run_on(self, measure: Measure, places: Sequence[int], parts: Sequence[int]) -> None:
        board, switching = self.board, self._switching()
        before = sum(int(each.sum()) for each in board.done.values())
        total = sum(each.size for each in board.done.values())
        share = Share(self.progress, before, len(parts) * len(places), total, TEXTS[measure])
        tables = self.tables.run_many(
            [switching.plan(measure, [board.parts[part]], board.question.to) for part in parts],
            board.outputs,
            [board.samples[place] for place in places],
            exactly=measure == "recovery" or not set(board.outputs) <= set(self.engine.outputs),
            text=TEXTS[measure],
            progress=share,
        )
        for part, table in zip(parts, tables, strict=True):
            for at, place in enumerate(places):
                board.put(measure, part, place, table, at)
            self.giver.maybe()

    def _switching(self) -> Switching:
        return Switching(self.engine.graph, self.board.plan, self.engine.assigned(self.board.plan))
