"""Recovery of the outputs with the first parts of a ranking kept in float or in more bits: none, one, two … all of
them.

Nothing says that more parts kept are better, so every number of parts is measured, coarsely at first: none, all, then
the middle of every gap. A curve that was begun can be gone on with.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import Switch
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.rank.curves import Bools, Curve, Curves, Doubles, Kind, Point
from errorflow.study.rank.curves_heights import in_metrics
from errorflow.study.rank.model import Part
from errorflow.study.rank.parts import outputs_of
from errorflow.study.rank.switching import Switching

METRICS_SHOWN = ("relative_l2", "cosine", "sqnr")
NONE = "none"
TEXT = "Keeping more and more of the worst"
# By the name of a part what it alone does: metrics × outputs × samples.
Impacts = Mapping[str, Doubles]
Give = Callable[[Curves], None]


@dataclass(frozen=True, slots=True)
class RecoveryRequest:
    """Wish for what is to be measured along a ranking."""

    # Worst first.
    parts: tuple[Part, ...]
    to: Switch = FLOAT
    metrics: tuple[str, ...] = METRICS_SHOWN
    # Tensors; none: the outputs of the model.
    outputs: tuple[str, ...] = ()
    # None: all.
    samples: tuple[int, ...] | None = None
    # Also what each part alone does, as marks, but for those that are known already.
    marks: bool = False
    impacts: Impacts | None = None


def recovery(
    engine: Engine,
    plan: Plan,
    wish: RecoveryRequest,
    known: Curves | None = None,
    give: Give | None = None,
    progress: Progress = SILENT,
) -> Curves:
    """A curve per output; `give` gets what is known after each run. What `known` has is taken from there."""
    return _Work(engine, plan, wish, known).done(give, progress)


def coarse_first(count: int) -> Iterator[int]:
    """The numbers from 0 to `count`: both ends, then the middle of each gap, and so on."""
    yield 0
    if count:
        yield count
    gaps = [(0, count)]
    for low, high in gaps:
        middle = (low + high) // 2
        if low < middle < high:
            yield middle
            gaps += [(low, middle), (middle, high)]


class _Work:
    def __init__(self, engine: Engine, plan: Plan, wish: RecoveryRequest, known: Curves | None) -> None:
        if len({part.name for part in wish.parts}) != len(wish.parts):
            raise UsageError("A part is named twice in the ranking.", "Name each once.")
        self._engine, self._plan, self._wish = engine, plan, wish
        self._outputs = outputs_of(engine.graph, wish.outputs, engine.tensors)
        if not self._outputs:
            self._outputs = tuple(name for name in engine.outputs if name in engine.shapes)
        self._samples = tuple(range(engine.samples)) if wish.samples is None else wish.samples
        self._switching = Switching(engine.graph, plan, engine.assigned(plan))
        self._points = (Point(NONE), *(self._point(part) for part in wish.parts))
        size = (len(wish.metrics), len(self._outputs), len(self._points), len(self._samples))
        # What is kept, and what a part alone does.
        self._kept, self._alone = np.full(size, np.nan), np.full(size, np.nan)
        # Σ r² is the same whatever is coded: outputs × samples.
        self._sizes = np.zeros((len(self._outputs), len(self._samples)))
        self._is_kept, self._is_alone = (np.zeros(len(self._points), bool) for _ in range(2))
        self._take_impacts()
        if known is not None:
            self._take(known)

    def done(self, give: Give | None, progress: Progress) -> Curves:
        kept_to_do = [count for count in coarse_first(len(self._wish.parts)) if not self._is_kept[count]]
        alone_to_do = [at for at in range(1, len(self._points)) if self._wish.marks and not self._is_alone[at]]
        plans = [self._kept_plan(count) for count in kept_to_do] + [self._alone_plan(at) for at in alone_to_do]
        tables = self._engine.run_many(plans, self._outputs, self._samples, text=TEXT, progress=progress)
        for count, table in zip(kept_to_do, islice(tables, len(kept_to_do)), strict=True):
            self._note(self._kept, self._is_kept, count, table)
            if give is not None:
                give(self.curves())
        for at, table in zip(alone_to_do, tables, strict=True):
            self._note(self._alone, self._is_alone, at, table)
            if give is not None:
                give(self.curves())
        return self.curves()

    def curves(self) -> Curves:
        found = []
        for at, output in enumerate(self._outputs):
            sizes = np.repeat(self._sizes[None, at], len(self._points), axis=0)
            known = np.repeat(self._is_kept[:, None], len(self._samples), axis=1)
            found.append(Curve(self._label(output), "recovery", self._kept[:, at].copy(), known, output, sizes=sizes))
            if self._wish.marks:
                known = np.repeat(self._is_alone[:, None], len(self._samples), axis=1)
                label = f"{output}, quantized alone" if len(self._outputs) > 1 else "quantized alone"
                found.append(Curve(label, "impact", self._alone[:, at].copy(), known, output, "marks", 1, sizes))
        wish = self._wish
        kind: Kind = "partial" if wish.marks else "recovery"
        return Curves(kind, self._plan, wish.metrics, self._samples, self._points, tuple(found), wish.to)

    def _label(self, output: str) -> str:
        return f"{output}, worst kept in {self._word}" if len(self._outputs) > 1 else f"worst kept in {self._word}"

    @property
    def _word(self) -> str:
        return "float" if self._wish.to == FLOAT else f"{self._wish.to} bits"

    def _point(self, part: Part) -> Point:
        named = keys_of(self._engine.graph).nodes
        nodes = dict.fromkeys(node for name in part.nodes for node in named.get(name, ()))
        return Point(part.name, nodes=tuple(nodes), type=part.type)

    def _kept_plan(self, count: int) -> Plan:
        return self._switching.without(self._wish.parts[:count], self._wish.to) if count else self._plan

    def _alone_plan(self, at: int) -> Plan:
        return self._switching.alone([self._wish.parts[at - 1]])

    def _note(self, values: Doubles, known: Bools, at: int, table: Table) -> None:
        for place, output in enumerate(self._outputs):
            for sample in range(len(self._samples)):
                found, size = in_metrics(table.sums(output, sample), self._wish.metrics)
                values[:, place, at, sample], self._sizes[place, sample] = found, size
        known[at] = True

    def _take_impacts(self) -> None:
        for at, part in enumerate(self._wish.parts, 1):
            found = (self._wish.impacts if self._wish.impacts is not None else {}).get(part.name)
            if found is not None and found.shape == self._alone[:, :, at].shape:
                self._alone[:, :, at] = found
                self._is_alone[at] = True

    def _take(self, known: Curves) -> None:
        """Takes what was measured of the same: with another order of parts, as far as the first of them are the
        same.
        """
        same = (known.plan, known.metrics, known.samples, known.to, known.averaged)
        if same != (self._plan, self._wish.metrics, self._samples, self._wish.to, False):
            return
        pairs = zip(known.points, self._points, strict=False)
        alike = next((at for at, (old, new) in enumerate(pairs) if old != new), None)
        alike = min(len(known.points), len(self._points)) if alike is None else alike
        places = {point: at for at, point in enumerate(known.points)}
        lines = {curve.output: curve for curve in known.curves if curve.look == "line"}
        marks = {curve.output: curve for curve in known.curves if curve.look == "marks"}
        if all(output in lines for output in self._outputs):
            self._sizes = np.stack([_sizes(lines[output]) for output in self._outputs])
            for at in range(alike):
                if all(lines[output].done[at].all() for output in self._outputs):
                    self._kept[:, :, at] = np.stack([lines[output].values[:, at] for output in self._outputs], axis=1)
                    self._is_kept[at] = True
        if all(output in marks for output in self._outputs):
            for at, point in enumerate(self._points):
                place = places.get(point)
                if place is not None and all(marks[output].done[place].all() for output in self._outputs):
                    columns = [marks[output].values[:, place] for output in self._outputs]
                    self._alone[:, :, at] = np.stack(columns, axis=1)
                    self._is_alone[at] = True


def _sizes(curve: Curve) -> Doubles:
    """Sizes by sample; 0: not known."""
    found: Doubles = curve.sizes.max(axis=0) if curve.sizes.size else np.zeros(curve.done.shape[1])
    return found


def thresholded(curves: Curves, threshold: float) -> Curves:
    """The same, saying that only parts below a threshold were taken."""
    return replace(curves, threshold=threshold)
