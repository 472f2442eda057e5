"""Rankings with known numbers, for whatever shows or keeps them."""

from collections.abc import Mapping, Sequence

import numpy as np

from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.selecting import keys_of
from errorflow.study.rank.model import Measure, Part, Question, Ranking


def parts_of_nodes(graph: Graph, nodes: Sequence[int] | None = None) -> tuple[Part, ...]:
    """One for each node."""
    keys = keys_of(graph)
    return tuple(
        Part(
            keys.best(node),
            graph.op_types[node],
            (keys.best(node),),
            tuple(graph.tensor_names[tensor] for tensor in graph.node_outputs[node].tolist() if tensor >= 0),
        )
        for node in (range(len(graph)) if nodes is None else nodes)
    )


def ranking_of(
    parts: Sequence[Part],
    errors: Sequence[float | None],
    *,
    question: Question | None = None,
    plan: Plan | None = None,
    outputs: Sequence[str] = ("y",),
    samples: int = 2,
    notes: Mapping[str, str] | None = None,
    expected: Sequence[float] | None = None,
) -> Ranking:
    """`errors` are relative errors of the parts, None where nothing is known; other metrics follow from them.

    The second sample is worse by a tenth than the first, and the third by two.
    """
    asked = Question(samples=tuple(range(samples))) if question is None else question
    count = len(parts)
    given = np.array([np.nan if error is None else error for error in errors])
    done = np.array([error is not None for error in errors])
    worse = 1 + 0.1 * np.arange(samples)
    relative = np.broadcast_to(given[:, None, None] * worse, (count, len(outputs), samples))
    values = np.stack([_metric(key, relative) for key in asked.metrics])
    whole = np.stack([_metric(key, np.full((len(outputs), samples), 0.5)) for key in asked.metrics])
    measures: tuple[Measure, ...] = asked.measures
    known = np.repeat(done[:, None], samples, axis=1)
    return Ranking(
        question=asked,
        plan=Plan() if plan is None else plan,
        parts=tuple(parts),
        outputs=tuple(outputs),
        samples=tuple(range(samples)),
        values=dict.fromkeys(measures, values),
        done=dict.fromkeys(measures, known),
        powers=(relative if "impact" in measures else relative[:0]) ** 2 * 100,
        whole=whole,
        whole_powers=np.full((len(outputs), samples), 25.0),
        sizes=np.full((len(outputs), samples), 100.0),
        expected=np.full(count, np.nan) if expected is None else np.array(expected, float),
        notes={} if notes is None else notes,
    )


def _metric(key: str, relative: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> np.ndarray:
    if key == "sqnr":
        with np.errstate(divide="ignore"):
            return -20 * np.log10(relative)
    return 1 - relative**2 / 2 if key == "cosine" else relative.copy()
