"""Ranking of a model's parts by running it once for each: quantized alone, or all but it.

A first picture comes early: all parts on one sample, those first that promise most, and then as many samples as it
takes to tell the first parts apart. There it ends, or goes on with the rest. A cancel keeps what is known, and the
ranking goes on from there.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from time import monotonic
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.compare.metrics.sums import Sums
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.meter import Share
from errorflow.run.engine.table import Table
from errorflow.study.rank.grounds import check_known
from errorflow.study.rank.model import Doubles, Ground, Measure, OwnMeasure, Part, Question, Ranking
from errorflow.study.rank.parts import outputs_of, parts_of
from errorflow.study.rank.reading import order
from errorflow.study.rank.sureness import leading, undecided
from errorflow.study.rank.switching import Switching
from errorflow.study.rank.tables import PlanTables, Scorer, floating
from errorflow.study.simulate.pooled import relative_errors


# What to expect of each part before it is measured: by what its nodes do to their own outputs, on one sample.
def expected(parts: Sequence[Part], graph: Graph, table: Table) -> Doubles:
    """Estimates in shares of all; NaN where there is nothing to go by. `table` has the errors of each node on its
    own.
    """
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


TEXTS: dict[Measure, str] = {"impact": "Quantizing one part at a time", "recovery": "Leaving one part at a time out"}
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
    crew: PlanTables | None = None,
    scorer: Scorer | None = None,
    ground: Ground | None = None,
    first: int | None = None,
) -> Ranking:
    """`first`: it ends as soon as the order of so many is decided, 0: of as many as are of interest; None: all parts
    are run on all samples.

    `give` gets what is known a few times a second, also once more before a cancel or an error goes on.

    What `known` holds is not measured again; a `UsageError` says where it does not fit. `crew` runs the parts in place
    of the engine. `ground` of the bench makes the ranking one that later sessions can go on with.
    """
    board = _board(engine, plan, question, ground)
    if known is not None:
        check_known(known, plan, question, ground)
        board.take(known)
    work = _Work(engine, board, engine if crew is None else crew, _Giver(give, board), progress)
    try:
        work.rank(scorer, first)
    finally:
        work.giver.now()
    return board.ranking()


Columns = TypeVar("Columns", Doubles, NDArray[np.bool_])
_HIDDEN = "makes values that are no numbers, which codes hide"
_NOTHING = "was not measured: what it makes differs in shape"


class Board:
    """One ranking; `ranking` is what it holds now."""

    def __init__(
        self,
        question: Question,
        plan: Plan,
        parts: tuple[Part, ...],
        outputs: tuple[str, ...],
        samples: tuple[int, ...],
        ground: Ground | None,
    ) -> None:
        self.question, self.plan, self.parts, self.outputs, self.samples = question, plan, parts, outputs, samples
        self._ground = ground
        known = {metric.key: metric for metric in METRICS}
        self._metrics: Sequence[Metric] = [known[key] for key in question.metrics]
        sizes = len(parts), len(outputs), len(samples)
        self._values = {measure: _nothing(len(self._metrics), *sizes) for measure in question.measures}
        self.done = {measure: np.zeros((len(parts), len(samples)), bool) for measure in question.measures}
        self._powers = _nothing(*sizes) if "impact" in question.measures else np.zeros((0, *sizes[1:]))
        self._whole = _nothing(len(self._metrics), *sizes[1:])
        self._whole_powers, self._sizes, self._counts = (_nothing(*sizes[1:]) for _ in range(3))
        self.expected = np.full(len(parts), np.nan)
        self._notes: dict[str, str] = {}
        self._own: OwnMeasure | None = None

    def ranking(self) -> Ranking:
        """A copy, which stays as it is."""
        own = self._own
        return Ranking(
            self.question,
            self.plan,
            self.parts,
            self.outputs,
            self.samples,
            {measure: values.copy() for measure, values in self._values.items()},
            {measure: done.copy() for measure, done in self.done.items()},
            self._powers.copy(),
            self._whole.copy(),
            self._whole_powers.copy(),
            self._sizes.copy(),
            self.expected.copy(),
            notes=dict(self._notes),
            counts=np.nan_to_num(self._counts),
            own=None if own is None else replace(own, values=_copied(own.values), done=_copied(own.done)),
            ground=self._ground,
        )

    def put(self, measure: Measure, part: int, place: int, table: Table, at: int = 0) -> None:
        """Puts in what a table says of a part: `place` is that of the sample in this ranking, `at` that in the
        table.
        """
        for output, name in enumerate(self.outputs):
            sums = table.sums(name, at)
            if sums is None:
                self.note(part, _NOTHING)
                continue
            self._values[measure][:, part, output, place] = self._metrics_of(sums)
            if measure == "impact":
                self._powers[part, output, place] = _partial_ranking_power(sums)
        self.done[measure][part, place] = True
        if measure == "impact" and table.hidden and table.hidden[at]:
            self.note(part, _HIDDEN)
        for name in self.parts[part].tensors:
            if name in table.notes:
                self.note(part, f"{name} is left in float: {table.notes[name]}")

    def note(self, part: int, text: str) -> None:
        before = self._notes.get(self.parts[part].name, "")
        if text not in before:
            self._notes[self.parts[part].name] = f"{before}; {text}" if before else text

    def put_whole(self, place: int, table: Table, at: int = 0) -> None:
        """Puts in what the whole plan does to the sample at that place; it stands at `at` in the table."""
        for output, name in enumerate(self.outputs):
            sums = table.sums(name, at)
            if sums is not None:
                self._whole[:, output, place] = self._metrics_of(sums)
                self._whole_powers[output, place] = _partial_ranking_power(sums)
                self._sizes[output, place] = float(sums.rr)
                self._counts[output, place] = sums.count

    @property
    def without_whole(self) -> list[int]:
        """Places of the samples on which the whole plan was not measured yet."""
        found: list[int] = np.flatnonzero(np.isnan(self._counts).any(axis=0)).tolist()
        return found

    def put_own(self, own: OwnMeasure) -> None:
        self._own = own

    @property
    def own(self) -> OwnMeasure | None:
        return self._own

    def take(self, known: Ranking) -> None:
        """Takes what another ranking of the same knows already, where it is wanted."""
        parts = {part.name: place for place, part in enumerate(self.parts)}
        pairs = [(parts[part.name], at) for at, part in enumerate(known.parts) if part.name in parts]
        same = [(mine, at) for mine, at in pairs if self.parts[mine] == known.parts[at]]
        mine, theirs = (np.array([pair[side] for pair in same], int) for side in (0, 1))
        here = np.array([place for place, sample in enumerate(self.samples) if sample in known.samples], int)
        there = np.array([known.samples.index(self.samples[place]) for place in here.tolist()], int)
        to, of = (mine[:, np.newaxis], here), (theirs[:, np.newaxis], there)
        for measure in set(self.done) & set(known.done):
            self.done[measure][to] = known.done[measure][of]
            self._values[measure][:, to[0], :, to[1]] = known.values[measure][:, of[0], :, of[1]]
        if len(self._powers) and len(known.powers):
            self._powers[to[0], :, to[1]] = known.powers[of[0], :, of[1]]
        self._whole[:, :, here] = known.whole[:, :, there]
        for target, source in ((self._whole_powers, known.whole_powers), (self._sizes, known.sizes)):
            target[:, here] = source[:, there]
        if known.counts.size:
            self._counts[:, here] = np.where(known.counts[:, there] > 0, known.counts[:, there], np.nan)
        self.expected[mine] = known.expected[theirs]
        self._notes |= {name: text for name, text in known.notes.items() if name in parts}
        if known.parts == self.parts and known.own is not None:
            # Others hold the known one: this one is written to.
            own = known.own
            self._own = replace(own, values=_copied(own.values), done=_copied(own.done))

    def _metrics_of(self, sums: Sums) -> list[float]:
        with np.errstate(all="ignore"):
            return [metric.of(sums) for metric in self._metrics]


def _partial_ranking_power(sums: Sums) -> float:
    return float("nan") if sums.broken else float(sums.dd)


def _nothing(*sizes: int) -> Doubles:
    return np.full(sizes, np.nan)


def _copied(columns: Mapping[Measure, Columns]) -> dict[Measure, Columns]:
    return {measure: values.copy() for measure, values in columns.items()}


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
    tables: PlanTables
    giver: _Giver
    progress: Progress

    def rank(self, scorer: Scorer | None, wanted: int | None) -> None:
        """Ranks one sample for all parts; the other samples for those that matter most on it; and then all the rest.

        A third of the parts, those that promise most, are compared on a few samples before anything else.
        """
        board = self.board
        everyone = len(board.parts)
        self._whole()
        first, *others = self._worst_first()
        for places, most in (
            ([first], max(_FEW, everyone // 3)),
            *(([place], _LEADERS) for place in others[:_CLOSELY]),
            ([first], everyone),
        ):
            for measure in board.question.measures:
                self._run(measure, places, most)
        if scorer is not None:
            switching = self._switching()
            score(board, scorer, switching, lambda: order(board.ranking()).tolist(), self.giver.now, self.progress)
        for measure in board.question.measures:
            self._decide(measure, leading(everyone, wanted or 0))
        for measure in board.question.measures if wanted is None else ():
            self._run(measure, others, everyone)

    def _decide(self, measure: Measure, first: int) -> None:
        """Runs what could still change the order of the first so many, a sample at a time."""
        done, worst = self.board.done[measure], self._worst_first()
        while parts := undecided(self.board.ranking(), measure, first):
            places = [next(place for place in worst if not done[part, place]) for part in parts]
            for place in dict.fromkeys(places):
                self._run_on(measure, (place,), [part for part, its in zip(parts, places, strict=True) if its == place])

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


_TEXT = "Measuring by your own measure"


def score(
    board: Board,
    scorer: Scorer,
    switching: Switching,
    order: Callable[[], Sequence[int]],
    give: Callable[[], None],
    progress: Progress,
) -> None:
    """Asks the scorer once for each part and measure that is not known yet."""
    own = board.own
    if own is None or not _fits(own, board, scorer):
        own = _begun(board, scorer)
        board.put_own(own)
        give()
    total = sum(done.size for done in own.done.values())
    for measure in board.question.measures:
        for part in order():
            if not own.done[measure][part]:
                progress.step(sum(int(done.sum()) for done in own.done.values()), total, _TEXT)
                plan = switching.plan(measure, [board.parts[part]], board.question.to)
                own.values[measure][part] = scorer.score(plan)
                own.done[measure][part] = True
                give()


def _fits(own: OwnMeasure, board: Board, scorer: Scorer) -> bool:
    """Whether what is known is of this scorer, and of all that is asked."""
    same = (own.label, own.higher_is_better, own.digest) == (scorer.label, scorer.higher_is_better, _digest(scorer))
    return same and set(board.question.measures) <= set(own.done)


def _begun(board: Board, scorer: Scorer) -> OwnMeasure:
    count, measures = len(board.parts), board.question.measures
    return OwnMeasure(
        scorer.label,
        scorer.higher_is_better,
        {measure: np.full(count, np.nan) for measure in measures},
        {measure: np.zeros(count, bool) for measure in measures},
        scorer.score(board.plan),
        scorer.score(floating(board.plan)),
        _digest(scorer),
    )


def _digest(scorer: Scorer) -> str:
    return blake2b(scorer.identity.encode(), digest_size=16).hexdigest()
