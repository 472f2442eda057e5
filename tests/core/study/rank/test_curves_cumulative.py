"""Errors along the depth."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.errors import UsageError
from errorflow.base.progress import Cancelled
from errorflow.base.sample import SAMPLES
from errorflow.quant.plan import FLOAT, Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.curves import Curves
from errorflow.study.rank.curves_cumulative import cumulative, depth_points
from errorflow.study.rank.curves_portions import WHOLE, PortionChoice, portions
from planted_faults import FAMILIES, Planted, planted
from rerun_nets import calibration, case, every_tensor

SHARES = ("relative_l2",)


@contextmanager
def _opened(name: str, folder: Path) -> Iterator[Engine]:
    found = case(name, folder)
    with Engine(found.path, found.samples, found.calibration) as engine:
        yield engine


@contextmanager
def _planted(family: str, net: str, folder: Path, samples: int = 3) -> Iterator[tuple[Engine, Planted]]:
    row = next(each for each in FAMILIES if each.key == family)
    fault = planted(row, net, 1, per_channel=False)
    path = folder / "model.onnx"
    onnx.save(fault.model, path)
    given = [fault.base.fed(one) for one in fault.base.samples[:samples]]
    runs = tuple(inputs | every_tensor(fault.model, inputs) for inputs in given)
    with Engine(path, given, calibration(runs)) as engine:
        yield engine, fault


def _means(curves: Curves, label: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    curve = next(curve for curve in curves.curves if curve.label == label)
    return curves.over(curve, "relative_l2").mean


def test_every_output_that_leaves_its_group_is_a_point_in_the_order_of_running(tmp_path: Path) -> None:
    with _opened("residual", tmp_path) as engine:
        points, every = depth_points(engine), depth_points(engine, inside=True)
        order = {name: at for at, name in enumerate(engine.tensors)}
    assert [order[point.tensor] for point in every] == sorted(order[point.tensor] for point in every)
    assert {point.tensor for point in points} < {point.tensor for point in every}
    assert not any(point.type in ("Conv", "BatchNormalization") for point in points if "one" in point.name)
    assert all(engine.graph.op_types[point.nodes[0]] == point.type for point in every)


def test_halves_of_the_plan_are_told_apart(tmp_path: Path) -> None:
    with _opened("plain", tmp_path) as engine:
        found = portions(engine, Plan(), PortionChoice())
        coded = [engine.assigned(part.plan) for part in found]
    assert [part.label for part in found] == ["weights only", "activations only", "weights and activations"]
    assert [(bool(each.activations), bool(each.constants)) for each in coded] == [
        (False, True),
        (True, False),
        (True, True),
    ]
    assert coded[0].coded | coded[1].coded == coded[2].coded


def test_a_faulty_weight_jumps_at_its_node_and_not_before(tmp_path: Path) -> None:
    with _planted("loud weights", "repvgg", tmp_path) as (engine, fault):
        curves = cumulative(engine, Plan(), metrics=SHARES)
        at = next(place for place, point in enumerate(curves.points) if point.name in fault.culprits[0])
    weights, activations = _means(curves, "weights only"), _means(curves, "activations only")
    assert curves.complete
    assert at > 0
    assert weights[:at].max() < 0.1 < 0.5 < weights[at]
    assert activations.max() < 0.2


def test_a_drift_rises_step_by_step(tmp_path: Path) -> None:
    with _planted("drift", "repvgg", tmp_path) as (engine, _):
        curves = cumulative(engine, Plan(), PortionChoice(("weights",)), SHARES)
    weights = _means(curves, "weights only")
    rises = np.diff(weights[: int(np.argmax(weights)) + 1])
    assert len(rises) > 3
    assert (rises > 0).all()
    # What a single layer adds is not what it comes to.
    assert rises.max() < 0.7 * weights.max()


def test_what_is_no_number_stays_in_its_place(tmp_path: Path) -> None:
    with _planted("log of nothing", "logarithm", tmp_path) as (engine, fault):
        plan = Plan().with_tensor(fault.broken, FLOAT)
        curves = cumulative(engine, plan, PortionChoice(("activations",)), SHARES)
    found = curves.over(curves.curves[0], "relative_l2")
    log = next(at for at, point in enumerate(curves.points) if point.type == "Log")
    assert found.broken[log] > 0
    assert not found.broken[:log].any()
    assert len(found.mean) == len(curves.points)
    assert found.measured.tolist() == [3] * len(curves.points)


def test_what_codes_hide_is_told(tmp_path: Path) -> None:
    with _planted("log of nothing", "logarithm", tmp_path) as (engine, fault):
        curves = cumulative(engine, Plan(), PortionChoice(("activations",)), SHARES)
    assert fault.broken in curves.notes["activations only"]


def test_chosen_nodes_have_a_curve_each_beside_the_whole(tmp_path: Path) -> None:
    with _planted("loud weights", "repvgg", tmp_path) as (engine, fault):
        culprit = fault.nodes[0]
        others = next(point.name for point in depth_points(engine) if point.name not in fault.culprits[0])
        wanted = PortionChoice(("both",), only=((culprit,), (others,)), without=((culprit,), (culprit, others)))
        curves = cumulative(engine, Plan(), wanted, SHARES)
    labels = [curve.label for curve in curves.curves]
    both = f"{culprit}+{others}"
    assert labels == [WHOLE, f"only {culprit}", f"only {others}", f"all but {culprit}", f"all but {both}"]
    ends = {label: float(_means(curves, label)[-1]) for label in labels}
    assert ends[WHOLE] > 0.3
    assert ends[f"only {culprit}"] > 0.3 > 0.1 > ends[f"only {others}"]
    assert ends[f"all but {culprit}"] < 0.2
    assert ends[f"all but {both}"] < 0.2


def test_halves_of_chosen_nodes_are_possible(tmp_path: Path) -> None:
    with _opened("plain", tmp_path) as engine:
        name = next(point.name for point in depth_points(engine) if point.type == "Relu")
        found = portions(engine, Plan(), PortionChoice(("weights", "activations"), only=((name,),)))
    assert [part.label for part in found] == [WHOLE, f"only {name}, weights", f"only {name}, activations"]


def test_a_name_that_means_nothing_is_refused(tmp_path: Path) -> None:
    with _opened("plain", tmp_path) as engine, pytest.raises(UsageError, match="nobody"):
        portions(engine, Plan(), PortionChoice(only=(("nobody",),)))


class _Counting:
    """A `Progress` that counts and may stop."""

    def __init__(self, last: int = -1) -> None:
        self.steps, self._last = 0, last

    def step(self, _done: int, _total: int, _text: str) -> None:
        self.steps += 1
        if self.steps == self._last:
            raise Cancelled


def test_what_is_known_is_not_measured_again(tmp_path: Path) -> None:
    given: list[Curves] = []
    with _opened("plain", tmp_path) as engine:
        whole = cumulative(engine, Plan(), metrics=SHARES, give=given.append)
        counting = _Counting()
        again = cumulative(engine, Plan(), metrics=SHARES, known=whole, progress=counting)
        part = cumulative(engine, Plan(), metrics=SHARES, known=given[0])
        other = cumulative(engine, Plan(), PortionChoice(("both",)), SHARES, known=whole)
    assert [curves.share_done for curves in given] == pytest.approx([1 / 3, 2 / 3, 1])
    assert counting.steps == 0
    for found in (again, part):
        for one, two in zip(found.curves, whole.curves, strict=True):
            np.testing.assert_array_equal(one.values, two.values)
    assert other.curves[0] is whole.curves[2]


def test_the_sample_of_one_broken_layer_jumps_where_it_broke() -> None:
    sample = next(each for each in SAMPLES if each.key == "node_fault")
    with np.load(sample.calibration) as archive:
        name = archive.files[0]
        given = [{name: archive[name][at : at + 1]} for at in range(4)]
    runs = tuple(inputs | every_tensor(onnx.load(sample.model), inputs) for inputs in given)
    with Engine(sample.model, given, calibration(runs)) as engine:
        curves = cumulative(engine, Plan(), PortionChoice(("weights", "activations")), SHARES)
    weights, activations = _means(curves, "weights only"), _means(curves, "activations only")
    jump = curves.points[int(np.argmax(weights > 0.5))]
    assert jump.name in sample.truth().restoring_nodes
    assert np.nanmax(activations) < 0.1
