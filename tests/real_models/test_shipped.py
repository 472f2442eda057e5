"""On models that others use: the engine has the bits of ONNX Runtime, its parts add up, and toggles lose nothing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.quant.operators import flowing
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from real_models.shipped import SAMPLES, SHIPPED, VOICE, Shipped
from rerun_nets import Array, Case, every_tensor

RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")
PER_CHANNEL = Precision("int8", symmetric=True, per_channel=True)


@pytest.fixture(
    scope="module",
    # One engine for all tests of a model.
    params=[pytest.param(each, id=each.key, marks=pytest.mark.xdist_group(each.key)) for each in SHIPPED],
)
def model(request: pytest.FixtureRequest) -> Iterator[tuple[Case, Engine]]:
    shipped: Shipped = request.param
    case = shipped.case()
    with shipped.opened(case) as engine:
        yield case, engine


def test_in_float_all_tensors_are_those_of_onnx_runtime(model: tuple[Case, Engine]) -> None:
    case, engine = model
    for number, run in enumerate(case.runs):
        found = engine.values(None, engine.tensors, number)
        assert [name for name, array in found.items() if not _equal(array, run[name])] == []


@pytest.mark.parametrize(
    "plan",
    [Plan(), Plan(Precision("int16"), PER_CHANNEL), preset("onnxruntime").plan],
    ids=["uint8", "int16 and weights per channel", "the tool's default"],
)
def test_with_all_in_codes_all_tensors_are_those_of_the_exported_model(
    model: tuple[Case, Engine], plan: Plan, tmp_path: Path
) -> None:
    case, engine = model
    names = engine.export(plan, tmp_path / "qdq.onnx")
    exported = onnx.load(tmp_path / "qdq.onnx")
    assert any(node.op_type == "QuantizeLinear" for node in exported.graph.node)
    for number, sample in enumerate(case.samples):
        want = {**sample, **every_tensor(exported, sample, tmp_path)}
        found = engine.values(plan, engine.tensors, number)
        assert found.keys() == set(engine.tensors)
        assert [name for name, array in found.items() if not _equal(array, want[names.get(name, name)])] == []


def test_introduced_and_inherited_add_up_to_the_error(model: tuple[Case, Engine]) -> None:
    _, engine = model
    table = engine.run(Plan(), split=True)
    error = table.column(RELATIVE)
    introduced, inherited, share = (table.part(part) for part in ("introduced", "inherited", "share"))
    known = np.isfinite(error) & np.isfinite(share)
    assert known.any()
    # error = introduced + inherited, as vectors; the share is that of their product with the error.
    want = error**2 * (1 - 2 * share) + introduced**2
    scale = error**2 + introduced**2
    assert (np.abs(inherited**2 - want)[known] <= 1e-9 * scale[known]).all()


def test_after_a_toggle_and_back_all_numbers_are_as_before(model: tuple[Case, Engine]) -> None:
    _, engine = model
    before = engine.run(Plan(), split=True)
    toggled = engine.run(Plan().keeping_float(_middle(engine)), split=True)
    back = engine.run(Plan(), split=True)
    assert not np.array_equal(toggled.rows, before.rows, equal_nan=True)
    assert np.array_equal(back.rows, before.rows, equal_nan=True)
    assert back.built == 0


def test_a_toggle_gives_what_an_engine_gives_that_never_saw_another_plan(model: tuple[Case, Engine]) -> None:
    case, engine = model
    plan = Plan().keeping_float(_middle(engine))
    engine.run(Plan())
    with Engine(case.path, case.samples, case.calibration) as fresh:
        assert np.array_equal(engine.run(plan).rows, fresh.run(plan).rows, equal_nan=True)
    assert len(engine.run(plan).samples) == SAMPLES


@pytest.mark.xdist_group(VOICE.key)
def test_a_model_inside_an_if_runs_and_stays_in_float() -> None:
    case = VOICE.case()
    with VOICE.opened(case) as engine:
        for number, run in enumerate(case.runs):
            assert all(
                _equal(array, run[name]) for name, array in engine.values(Plan(), engine.tensors, number).items()
            )
        assert not engine.assigned(Plan()).coded
        table = engine.run(Plan(), engine.outputs)
        assert (table.column(RELATIVE)[:, [table.places[name] for name in engine.outputs]] == 0).all()


def _middle(engine: Engine) -> str:
    """The name of a node half-way down whose toggle changes something."""
    graph, coded = engine.graph, engine.assigned(Plan()).activations
    names = [
        node.name if node.name else next(filter(None, node.outputs))
        for node in graph.nodes()
        if flowing(node) and any(graph.tensor_index(name) in coded for name in node.outputs if name)
    ]
    return names[len(names) // 2]


def _equal(one: Array, other: Array) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
