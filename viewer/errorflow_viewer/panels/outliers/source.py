"""Of which tensors the outliers can be listed: those that flow in a simulation, or those of one of two runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from errorflow.base.progress import Progress
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match
    from errorflow.explain.outliers.measure import Item
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.simulate.bench import Bench

Side = Literal["reference", "candidate"]


@dataclass(frozen=True, slots=True)
class Source:
    """Two that are of the same things are of the same `key`; `text` says what is looked at."""

    key: tuple[object, ...]
    text: str = field(compare=False)
    look: Callable[[Progress], "OutlierTable"] = field(compare=False)
    # It is quickly done, as what was done before to make it.
    is_quick: bool = False


def source_of(state: State, side: Side) -> Source | None:
    """None: nothing is there whose channels could be looked at."""
    if state.model is None:
        return None
    if state.simulated is not None:
        return _of_bench(state.simulated.bench)
    compared = state.case
    if compared is None or compared.match is None or not compared.complete:
        return None
    return _of_runs(compared.match, state.model.graph, side)


def _of_bench(bench: "Bench") -> Source:
    count = _samples(bench)
    on = "all samples" if count is None else counted(count, "sample", "samples")
    return Source((bench,), f"in float on {on}", lambda progress: _run(bench, count, progress), True)


def _samples(bench: "Bench") -> int | None:
    """As many as calibrate; None: all that the simulation takes are there to be evaluated only."""
    basis = bench.basis
    has_own = basis.own and bench.floated.back is not None
    return basis.samples if has_own or basis.calibration is not None else bench.calibration.samples


def _run(bench: "Bench", count: int | None, progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.measure import of_model

    model = bench.simulated  # also as steps of the plan, such as smoothing, have made it
    found = of_model(model.path, model.graph, bench.basis.asked, count, progress=progress)
    return replace(found, label=bench.floated.path.name)


def _of_runs(match: "Match", graph: Graph, side: Side) -> Source:
    return Source((match, side), f"of the {side} run", lambda progress: _read(match, graph, side, progress))


def _read(match: "Match", graph: Graph, side: Side, progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.axes import Axes
    from errorflow.explain.outliers.measure import of_items
    from errorflow.explain.outliers.weights import of_weights

    found = of_items(tuple(_items(match, side)), f"the {side} run", Axes(graph), graph, progress)
    return replace(found, rows=(*found.rows, *of_weights(graph, progress)))


def _items(match: "Match", side: Side) -> Iterator["Item"]:
    from errorflow.explain.outliers.measure import Item

    for pair in match.pairs:
        stored = pair.reference if side == "reference" else pair.candidate
        if stored is not None:
            yield Item(pair.tensor, (stored,))
