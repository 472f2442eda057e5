"""The numbers of a ranking while it is made: written one part at a time, and given as values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.compare.metrics.sums import Sums
from errorflow.quant.plan import Plan
from errorflow.run.engine.table import Table
from errorflow.study.rank.model import Doubles, Ground, Measure, Own, Part, Question, Ranking

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
        self._own: Own | None = None

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
        """What a table says of a part: `place` is that of the sample in this ranking, `at` that in the table."""
        for output, name in enumerate(self.outputs):
            sums = table.sums(name, at)
            if sums is None:
                self.note(part, _NOTHING)
                continue
            self._values[measure][:, part, output, place] = self._metrics_of(sums)
            if measure == "impact":
                self._powers[part, output, place] = _power(sums)
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
        """What the whole plan does to the sample at that place; it stands at `at` in the table."""
        for output, name in enumerate(self.outputs):
            sums = table.sums(name, at)
            if sums is not None:
                self._whole[:, output, place] = self._metrics_of(sums)
                self._whole_powers[output, place] = _power(sums)
                self._sizes[output, place] = float(sums.rr)
                self._counts[output, place] = sums.count

    @property
    def without_whole(self) -> list[int]:
        """Places of the samples on which the whole plan was not measured yet."""
        found: list[int] = np.flatnonzero(np.isnan(self._counts).any(axis=0)).tolist()
        return found

    def put_own(self, own: Own) -> None:
        self._own = own

    @property
    def own(self) -> Own | None:
        return self._own

    def take(self, known: Ranking) -> None:
        """What another ranking of the same knows already, where it is asked for."""
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


def _power(sums: Sums) -> float:
    return float("nan") if sums.broken else float(sums.dd)


def _nothing(*sizes: int) -> Doubles:
    return np.full(sizes, np.nan)


def _copied(columns: Mapping[Measure, Columns]) -> dict[Measure, Columns]:
    return {measure: values.copy() for measure, values in columns.items()}
