"""Rankings of small nets whose truth is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from errorflow.base.progress import Cancelled
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Budget, Engine
from errorflow.study.rank.model import Measure, Part, Question, Ranking
from errorflow.study.rank.ranking import TEXTS
from rerun_nets import case

PLAN = preset("onnxruntime").plan


def engine_of(name: str, folder: Path, samples: int = 3) -> Engine:
    net = case(name, folder, samples)
    return Engine(net.path, net.samples, net.calibration, Budget(segments=5))


def same(one: Ranking, other: Ranking) -> bool:
    """All but where they stand on."""
    arrays = ("powers", "whole", "whole_powers", "sizes", "expected", "counts")
    return (
        (one.question, one.plan, one.parts, one.outputs, one.samples)
        == (other.question, other.plan, other.parts, other.outputs, other.samples)
        and all(np.array_equal(getattr(one, key), getattr(other, key), equal_nan=True) for key in arrays)
        and all(np.array_equal(one.values[key], other.values[key], equal_nan=True) for key in one.values)
        and all(np.array_equal(one.done[key], other.done[key]) for key in one.done)
        and one.notes == other.notes
    )


@dataclass
class Seen:
    """Whoever gets pictures, and cancels when so much of the parts is done."""

    share: float = 2.0
    pictures: list[Ranking] = field(default_factory=list)

    def give(self, ranking: Ranking) -> None:
        self.pictures.append(ranking)

    def step(self, done: int, total: int, text: str) -> None:
        if text in TEXTS.values() and done >= self.share * total:
            raise Cancelled


def made_up(values: Sequence[Sequence[float]], metric: str = "cosine", *, recovery: bool = False) -> Ranking:
    """Of parts × samples, by one metric at one output."""
    table = np.array(values, np.float64)[:, np.newaxis]
    count, _, samples = table.shape
    measure: Measure = "recovery" if recovery else "impact"
    parts = tuple(Part(f"p{number}", "Conv", (f"p{number}",), (f"t{number}",)) for number in range(count))
    zero = np.zeros((1, samples))
    return Ranking(
        Question(measures=(measure,), metrics=(metric,)),
        PLAN,
        parts,
        ("y",),
        tuple(range(samples)),
        {measure: table[np.newaxis]},
        {measure: np.ones((count, samples), bool)},
        np.zeros((0 if recovery else count, 1, samples)),
        zero[np.newaxis],
        zero,
        np.ones((1, samples)),
        np.full(count, np.nan),
    )
