"""Errorflow: its calibration, its engine, and the units of every other side one by one."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx  # noqa: F401 - loaded before the memory is looked at, as in the engine's process
import onnxruntime
from rerun_peers.agreement import TOP
from rerun_peers.work import EQUAL, Meter, Unit, Work, spent

from errorflow import __version__
from errorflow.compare.metrics import METRICS
from errorflow.formats import read_model
from errorflow.quant.plan import ACTIVATIONS, FLOAT, WEIGHTS, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.collecting import CollectRequest, collected
from errorflow.run.engine.engine import Budget, Engine
from errorflow.run.engine.table import Table
from errorflow.run.model import wanted_of
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.reading import order
from errorflow.study.simulate.noise import noise_of

PRECISIONS = {
    "activation": ACTIVATIONS,
    "weight": WEIGHTS,
    "weights": Precision("int8", symmetric=True, per_channel=True),
}
# Its scale follows from the others.
BIAS = "bias"
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
_BARE = Plan(FLOAT, FLOAT)


def measure(work: Work, meter: Meter) -> dict[str, Any]:
    onnxruntime.set_default_logger_severity(4)
    samples = work.samples(work.images)
    meter.take("minmax", lambda: _calibration(work, work.calibration_images, "minmax"), times=1)
    meter.take(
        "histogram", lambda: _calibration(work, work.calibration_images, "percentile"), times=1, note="percentile"
    )
    groups = meter.take("first", lambda: _first(work, samples[:1]), times=1)
    meter.rows["first"]["note"] = f"{groups} groups"
    calibration = _calibration(work, work.images, "minmax")
    scores: dict[str, dict[str, float]] = {}
    with Engine(Path(work.model), samples, calibration) as engine:
        engine.run(_BARE, engine.outputs, [0])
        for side, units in work.units.items():
            scores[side] = meter.take(f"toggle {side}", partial(_ranked, engine, units))
    for side, own in work.ranges.items():
        ranges = {**calibration.ranges, **{name: Range(*ends) for name, ends in own.items()}}
        with Engine(Path(work.model), samples, Calibration(side, ranges)) as engine:
            scores[f"{side}, its ranges"] = _ranked(engine, work.units[side])
    with Engine(Path(work.model), samples, calibration) as engine:
        meter.take("table", lambda: _table(engine), times=1)
    return {"version": __version__, "scores": scores, "units": {}}


def sensitivity(work: Work, meter: Meter) -> dict[str, Any]:
    """Ranks the units of the other sides, with their ranges where they have their own; each in a new engine."""
    onnxruntime.set_default_logger_severity(4)
    samples = work.samples(work.images)
    own = _calibration(work, work.images, "minmax")
    scores: dict[str, dict[str, float]] = {}
    for side, units in work.units.items():
        ranges = {**own.ranges, **{name: Range(*ends) for name, ends in work.ranges.get(side, {}).items()}}
        with Engine(Path(work.model), samples, Calibration(side, ranges), Budget(threads=1)) as engine:
            scores[side] = meter.take(f"rank {side}", partial(_ranked, engine, units))
    groups = meter.take("first", partial(_first, work, samples[:1]), times=1)
    meter.rows["first"]["note"] = f"{groups} groups"
    return {"version": __version__, "scores": scores, "units": {}, "early": _early(work, samples, own)}


def _early(work: Work, samples: Sequence[Any], calibration: Calibration) -> dict[str, Any]:
    """When the first five of a whole ranking over all samples, as users get it, were known; in shares of its time."""
    pictures: list[tuple[float, list[int]]] = []

    def take(ranking: Ranking) -> None:
        pictures.append((spent(), order(ranking).tolist()[:TOP]))

    with Engine(Path(work.model), samples, calibration, Budget(threads=1)) as engine:
        begun = spent()
        found = rank(engine, Plan(), Question(metrics=("sqnr",)), give=take)
        end = spent()
    last = order(found).tolist()[:TOP]
    wrong = [took for took, top in pictures if set(top) != set(last)]
    right = [took for took, top in pictures if set(top) == set(last) and (not wrong or took > wrong[-1])]
    return {
        "parts": len(found.parts),
        "samples": len(found.samples),
        "seconds": end - begun,
        "share": (right[0] - begun) / (end - begun) if right else 1.0,
    }


def _calibration(work: Work, count: int, method: str) -> Calibration:
    wanted = wanted_of(read_model(work.model).graph)
    request = CollectRequest(work.model, wanted, SampleSpec((work.data,)), count, (method,), Precision())
    seen = collected(request, _silent)
    ranges = {tensor.name: Range(tensor.found[0].low, tensor.found[0].high) for tensor in seen.tensors if tensor.found}
    return Calibration(method, ranges, count)


def _silent(*_: object) -> None:
    """Nobody watches."""


def _first(work: Work, samples: Sequence[Any]) -> int:
    with Engine(Path(work.model), samples, _calibration(work, 1, "minmax")) as engine:
        return len(noise_of(engine, Plan()).sources)


def _table(engine: Engine) -> None:
    table = engine.run(Plan())
    for metric in METRICS:
        table.column(metric)


def _ranked(engine: Engine, units: Mapping[str, Unit]) -> dict[str, float]:
    tables = engine.run_many(map(_plan, units.values()), engine.outputs, [0], exactly=False)
    return {name: _score(engine, table) for name, table in zip(units, tables, strict=True)}


def _plan(unit: Unit) -> Plan:
    tensors = tuple(sorted((name, PRECISIONS[kind]) for name, kind in unit.items() if kind != BIAS))
    return Plan(FLOAT, FLOAT, biases=BIAS in unit.values(), tensors=tensors)


def _score(engine: Engine, table: Table) -> float:
    """The SQNR of the worst output."""
    places = [table.places[name] for name in engine.outputs if name in table.places]
    with np.errstate(all="ignore"):
        found = table.column(_SQNR)[0, places]
    return float(np.nanmin([EQUAL, *found]))
