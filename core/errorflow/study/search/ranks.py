"""The ranking that a search goes along: by the noise of each part, by AMCT's sensitivity, or out of a file."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base.errors import UsageError, WrongFileError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.run.engine.table import Measure, Table
from errorflow.study.rank.model import Part
from errorflow.study.rank.ranking_file import load_ranking
from errorflow.study.rank.reading import order, value
from errorflow.study.search.model import SearchRequest
from errorflow.study.search.named_ranking import read_ranking
from errorflow.study.search.space import Space
from errorflow.study.simulate.bench import Bench

NOISE = "power of the error that the part alone brings to the outputs, over that of the reference"
AMCT = "0.5 + 0.5 · cosine of what the part makes of the float model's values, quantized and not"


@dataclass(frozen=True, slots=True)
class RankedParts:
    """Parts by their number before, the worst first, and the number of each."""

    order: tuple[int, ...]
    scores: tuple[float, ...]
    text: str
    notes: tuple[str, ...] = ()


def ranks_of(space: Space, bench: Bench, wish: SearchRequest, progress: Progress) -> RankedParts:
    if wish.ranking is not None:
        return _of_file(space, wish.ranking)
    if wish.by == "amct":
        scores = amct_scores(space, bench, progress)
        return RankedParts(_order(scores, lowest_first=True), scores, AMCT)
    powers = space.ledger.by_part.max(axis=1, initial=0.0)
    # Of parts that hold others the largest would come first, whatever it takes along that does no harm.
    order = _order((powers / space.ledger.sizes).tolist(), lowest_first=False)
    return RankedParts(order, tuple(powers.tolist()), NOISE)


def _order(scores: Sequence[float], *, lowest_first: bool) -> tuple[int, ...]:
    """Equal ones in the order of running."""
    return tuple(sorted(range(len(scores)), key=lambda part: scores[part] if lowest_first else -scores[part]))


def _of_file(space: Space, path: Path) -> RankedParts:
    """Ranks in the order of the file; what it does not name comes behind, by its noise."""
    rows = _rows_of(path)
    numbers = {name: number for number, part in enumerate(space.parts) for name in (*part.tensors, *part.nodes[::-1])}
    numbers |= {part.name: number for number, part in enumerate(space.parts)}
    named: dict[int, float] = {}
    unknown = [name for name, _ in rows if name not in numbers]
    for name, score in rows:
        if name in numbers:
            named.setdefault(numbers[name], score)
    if len(named) < len(unknown):
        raise UsageError(
            f"{path.name} is of another model: {len(unknown):,} of its {len(rows):,} names are no parts of this one.",
            "Rank the same model, by the same kind of parts.",
        )
    power = space.ledger.by_part.max(axis=1, initial=0.0)
    others = [part for part in range(len(space.parts)) if part not in named]
    others.sort(key=lambda part: -power[part])
    scores = tuple(named.get(part, float("nan")) for part in range(len(space.parts)))
    notes = (
        *_said(unknown, "are not in the model"),
        *_said([space.parts[part].name for part in others], "are not in it"),
    )
    return RankedParts((*named, *others), scores, f"as in {path.name}", tuple(f"{path.name}: {note}" for note in notes))


def _rows_of(path: Path) -> list[tuple[str, float]]:
    """Reads a ranking of ours by its first measure and metric; of AMCT's as they stand there."""
    try:
        ranking = load_ranking(path)
    except WrongFileError:
        return read_ranking(path)
    numbers = value(ranking)
    return [(ranking.parts[part].name, float(numbers[part])) for part in order(ranking).tolist()]


def _said(names: Sequence[str], what: str) -> tuple[str, ...]:
    if not names:
        return ()
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return (f"{', '.join(names[:3])}{more} {what}.",)


def sensitivity_of(rr: float, cc: float, rc: float) -> float:
    """Computes from 0 to 1, the worst first: half of the cosine, and a half. What is nothing but zeros cannot lose
    anything.
    """
    if rr == 0:
        return 1.0
    if cc == 0:
        return 0.0
    return 0.5 + 0.5 * rc / float(np.sqrt(rr) * np.sqrt(cc))


def amct_scores(space: Space, bench: Bench, progress: Progress) -> tuple[float, ...]:
    """Each part is fed with what the float model has there; the mean over the samples, of its worst tensor."""
    table = bench.engine.run(space.plan, node=True, progress=progress)
    graph = bench.engine.graph
    makers = keys_of(graph).nodes
    return tuple(_of_part(table, graph, part, makers) for part in space.parts)


def amct_of_nodes(bench: Bench, plan: Plan, nodes: Sequence[int], progress: Progress) -> tuple[float, ...]:
    """The same of single nodes, whatever the parts of a search are."""
    table = bench.engine.run(plan, node=True, progress=progress)
    graph = bench.engine.graph
    return tuple(_worst(table, _made(graph, [node]), "node") for node in nodes)


def _of_part(table: Table, graph: Graph, part: Part, makers: Mapping[str, Sequence[int]]) -> float:
    nodes = {node for name in part.nodes for node in makers.get(name, ())}
    made = _made(graph, nodes)
    # An input of the model is made by nobody.
    return _worst(table, made, "node") if made else _worst(table, part.tensors, "accumulated")


def _made(graph: Graph, nodes: Iterable[int]) -> list[str]:
    return [graph.tensor_names[tensor] for node in nodes for tensor in graph.node_outputs[node].tolist() if tensor >= 0]


def _worst(table: Table, names: Iterable[str], measure: Measure) -> float:
    found = [_mean(table, name, measure) for name in names if name in table.places]
    return min((each for each in found if not math.isnan(each)), default=1.0)


def _mean(table: Table, name: str, measure: Measure) -> float:
    """Averages over the samples; what is no number is as bad as it gets."""
    found = [table.sums(name, place, measure) for place in range(len(table.samples))]
    known = [
        0.0 if each.broken else sensitivity_of(float(each.rr), float(each.cc), float(each.rc)) for each in found if each
    ]
    return sum(known) / len(known) if known else math.nan
