"""The error of every node's outputs along the depth of a model, with all or a portion of it quantized."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import facts_of, units
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.rank.curves import Curve, Curves, Doubles, Point
from errorflow.study.rank.curves_heights import in_metrics
from errorflow.study.rank.curves_portions import Portion, PortionChoice, portions

METRICS_SHOWN = ("cosine", "relative_l2", "sqnr")
TEXT = "Measuring along the depth"
# Gets the curves after each that became complete.
Give = Callable[[Curves], None]


def depth_points(engine: Engine, inside: bool = False) -> tuple[Point, ...]:
    """Every output of every node that can be quantized, in the order in which they are made.

    Of nodes that no device rounds between, such as a product and its Relu, only what leaves the group, unless `inside`:
    what is cut off before a Relu is no loss and would make a curve jump up and down.
    """
    graph, facts, keys = engine.graph, facts_of(engine.graph), keys_of(engine.graph)
    found = []
    for name in engine.tensors:
        number = graph.tensor_index(name)
        maker = -1 if number is None else int(graph.producers[number])
        if number is None or maker < 0 or not facts.flows[maker] or facts.constant[maker] or not engine.floats[number]:
            continue
        if inside or _leaves(graph, number, maker):
            found.append(Point(keys.best(maker), name, (maker,), facts.types[maker]))
    return tuple(found)


def _leaves(graph: Graph, tensor: int, maker: int) -> bool:
    """Whether a node outside of the maker's group reads it."""
    of = units(graph).of
    readers = graph.consumers[tensor]
    is_output = tensor in graph.outputs
    return bool(is_output or not len(readers) or (of[readers] != of[maker]).any())


def cumulative(
    engine: Engine,
    plan: Plan,
    wanted: PortionChoice | None = None,
    metrics: Sequence[str] = METRICS_SHOWN,
    samples: Sequence[int] | None = None,
    known: Curves | None = None,
    inside: bool = False,
    give: Give | None = None,
    progress: Progress = SILENT,
) -> Curves:
    """A curve per portion, over all samples. What `known` has already is taken from there.

    `inside`: also what does not leave a group of nodes, see `depth_points`.
    """
    wanted = PortionChoice() if wanted is None else wanted
    numbers = tuple(range(engine.samples)) if samples is None else tuple(samples)
    points = depth_points(engine, inside)
    parts = portions(engine, plan, wanted)
    before = _before(known, plan, points, tuple(metrics), numbers)
    missing = [part for part in parts if part.label not in before]
    found = {
        part.label: before.get(part.label, _blank(part, len(metrics), len(points), len(numbers))) for part in parts
    }
    curves = Curves("cumulative", plan, tuple(metrics), numbers, points, tuple(found.values()))
    names = tuple(dict.fromkeys(point.tensor for point in points))
    tables = engine.run_many([part.plan for part in missing], names, numbers, text=TEXT, progress=progress)
    for part, table in zip(missing, tables, strict=True):
        values, sizes = measured(table, points, metrics)
        done = np.ones(sizes.shape, bool)
        found[part.label] = Curve(part.label, "accumulated", values, done, sizes=sizes)
        told = "; ".join(_told(table))
        notes = curves.notes if not told else {**curves.notes, part.label: told}
        curves = Curves("cumulative", plan, tuple(metrics), numbers, points, tuple(found.values()), notes=notes)
        if give is not None:
            give(curves)
    return curves


def measured(table: Table, points: Sequence[Point], metrics: Sequence[str]) -> tuple[Doubles, Doubles]:
    """Metrics × points × samples, and the sizes of what was measured: points × samples."""
    values = np.full((len(metrics), len(points), len(table.samples)), np.nan)
    sizes = np.zeros(values.shape[1:])
    for place, point in enumerate(points):
        for sample in range(len(table.samples)):
            values[:, place, sample], sizes[place, sample] = in_metrics(table.sums(point.tensor, sample), metrics)
    return values, sizes


def _told(table: Table) -> Iterator[str]:
    """Yields what is not coded though it was to be, and what codes hide."""
    yield from sorted({f"{name}: {note}" for name, note in table.notes.items()})
    for name in dict.fromkeys(name for sample in table.hidden for name in sample):
        yield f"{name} was NaN or infinite before it was coded"


def _before(
    known: Curves | None, plan: Plan, points: tuple[Point, ...], metrics: tuple[str, ...], samples: tuple[int, ...]
) -> Mapping[str, Curve]:
    """The complete curves of an earlier time, where they are about the same."""
    if known is None or known.kind != "cumulative" or known.averaged:
        return {}
    if (known.plan, known.points, known.metrics, known.samples) != (plan, points, metrics, samples):
        return {}
    return {curve.label: curve for curve in known.curves if curve.complete}


def _blank(part: Portion, *size: int) -> Curve:
    return Curve(part.label, "accumulated", np.full(size, np.nan), np.zeros(size[1:], bool))
