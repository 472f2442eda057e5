"""What is gained with the worst kept in float."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from errorflow.base.errors import UsageError
from errorflow.base.progress import Cancelled
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.curves import Curves
from errorflow.study.rank.curves_knee import knee_of
from errorflow.study.rank.curves_recovery import NONE, RecoveryRequest, coarse_first, recovery
from errorflow.study.rank.model import Part, Question
from errorflow.study.rank.parts import parts_of
from planted_faults import FAMILIES, planted
from rerun_nets import calibration, case, every_tensor

KEYS = ("relative_l2", "sqnr")


@contextmanager
def _ranked(folder: Path) -> Iterator[tuple[Engine, tuple[Part, ...]]]:
    """A net with one faulty layer, whose part is the first of all."""
    fault = planted(next(row for row in FAMILIES if row.key == "loud weights"), "repvgg", 1, per_channel=False)
    path = folder / "model.onnx"
    onnx.save(fault.model, path)
    given = [fault.base.fed(one) for one in fault.base.samples[:3]]
    runs = tuple(inputs | every_tensor(fault.model, inputs) for inputs in given)
    with Engine(path, given, calibration(runs)) as engine:
        parts = parts_of(engine.graph, engine.assigned(Plan()), Question("unit"))
        yield engine, tuple(sorted(parts, key=lambda part: fault.culprits[0].isdisjoint(part.nodes)))


@for_any(st.integers(0, 300))
def test_every_number_comes_once_and_the_ends_first(count: int) -> None:
    found = list(coarse_first(count))
    assert sorted(found) == list(range(count + 1))
    assert found[:2] == [0, count][: len(found)]
    early = sorted(found[: 2 + 8])
    assert max(np.diff(early), default=0) <= max(1, -(-count // 8) + 1)


def test_one_kept_restores_a_faulty_layer(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        curves = recovery(engine, Plan(), RecoveryRequest(parts, metrics=KEYS))
    found = curves.over(curves.curves[0], "relative_l2")
    assert curves.complete
    assert [point.name for point in curves.points] == [NONE, *(part.name for part in parts)]
    assert found.mean[0] > 0.3 > 0.1 > found.mean[1]
    # With all parts in float nothing is coded.
    assert found.mean[-1] == 0
    assert curves.over(curves.curves[0], "sqnr").exact[-1] == 3
    knee = knee_of(curves, curves.curves[0], "sqnr")
    assert knee is not None
    assert knee.at == 1


def test_in_16_bits_much_is_gained_too(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        curves = recovery(engine, Plan(), RecoveryRequest(parts, 16, KEYS))
    found = curves.over(curves.curves[0], "relative_l2").mean
    assert found[0] > 0.3 > 0.1 > found[1]
    assert 0 < found[-1] < 0.02


def test_what_a_part_alone_does_stands_beside_it(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        curves = recovery(engine, Plan(), RecoveryRequest(parts[:4], metrics=KEYS, marks=True))
        impacts = {part.name: np.full((2, 1, 3), 7.0) for part in parts[:4]}
        given = recovery(engine, Plan(), RecoveryRequest(parts[:4], metrics=KEYS, marks=True, impacts=impacts))
    line, marks = curves.curves
    assert (curves.kind, line.look, marks.look, marks.start) == ("partial", "line", "marks", 1)
    alone = curves.over(marks, "relative_l2")
    assert alone.mean[1] > 0.3 > 0.1 > np.nanmax(alone.mean[2:])
    assert curves.complete
    np.testing.assert_array_equal(given.curves[1].values[:, 1:], 7.0)


def test_intermediate_tensors_and_some_samples_can_be_asked_for(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        tensor = next(name for name in engine.tensors if name not in engine.outputs)
        wish = RecoveryRequest(parts[:2], metrics=KEYS, outputs=(tensor, engine.outputs[0]), samples=(2, 0))
        curves = recovery(engine, Plan(), wish)
    assert curves.outputs == (tensor, engine.outputs[0])
    assert (curves.samples, curves.curves[0].values.shape) == ((2, 0), (2, 3, 2))


class _StopAfter:
    def __init__(self) -> None:
        self.known: list[Curves] = []

    def __call__(self, curves: Curves) -> None:
        self.known.append(curves)
        if len(self.known) == 3:
            raise Cancelled


def test_what_was_cancelled_is_gone_on_with(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        stopped, given = _StopAfter(), list[Curves]()
        with pytest.raises(Cancelled):
            recovery(engine, Plan(), RecoveryRequest(parts, metrics=KEYS), give=stopped)
        known = stopped.known[-1]
        rest = recovery(engine, Plan(), RecoveryRequest(parts, metrics=KEYS), known, given.append)
        whole = recovery(engine, Plan(), RecoveryRequest(parts, metrics=KEYS))
    assert np.flatnonzero(known.curves[0].done.all(axis=1)).tolist() == [0, len(parts) // 2, len(parts)]
    assert len(given) == len(parts) + 1 - 3
    np.testing.assert_array_equal(rest.curves[0].values, whole.curves[0].values)


def test_of_another_ranking_only_its_equal_beginning_is_taken(tmp_path: Path) -> None:
    with _ranked(tmp_path) as (engine, parts):
        known = recovery(engine, Plan(), RecoveryRequest(parts[:4], metrics=KEYS))
        given: list[Curves] = []
        turned = (*parts[:2], parts[3], parts[2])
        recovery(engine, Plan(), RecoveryRequest(turned, metrics=KEYS), known, given.append)
        others: list[Curves] = []
        recovery(engine, replace(Plan(), biases=False), RecoveryRequest(parts[:4], metrics=KEYS), known, others.append)
    assert len(given) == 2
    assert len(others) == 5


def test_a_part_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    found = case("plain", tmp_path)
    with Engine(found.path, found.samples, found.calibration) as engine:
        part = parts_of(engine.graph, engine.assigned(Plan()), Question("unit"))[0]
        with pytest.raises(UsageError, match="twice"):
            recovery(engine, Plan(), RecoveryRequest((part, part)))
