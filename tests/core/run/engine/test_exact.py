"""Every tensor of an engine is bit for bit that of the plan's QDQ model in ONNX Runtime."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import CHOICES, Precision
from errorflow.run.engine.engine import Engine
from rerun_nets import ALL, Case, Opened, every_tensor

PER_CHANNEL = Precision("int8", symmetric=True, per_channel=True)
PRECISIONS = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), st.just(False), st.booleans())
WEIGHTS = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), st.booleans(), st.booleans())


def plans(case: Case) -> st.SearchStrategy[Plan]:
    """Any: wishes for all, rules about some nodes, and single tensors."""
    graph = onnx.load(case.path).graph
    tensors = [name for node in graph.node for name in node.output] + [value.name for value in graph.input]
    types = sorted({node.op_type for node in graph.node})
    wishes = st.one_of(st.just(FLOAT), PRECISIONS)
    rule = st.builds(
        Rule,
        st.one_of(st.just("keep"), wishes),
        st.one_of(st.just("keep"), st.just(FLOAT), WEIGHTS),
        types=st.lists(st.sampled_from(types), max_size=2).map(tuple),
        ends=st.lists(st.sampled_from(tensors), max_size=1).map(tuple),
    )
    return st.builds(
        Plan,
        st.one_of(PRECISIONS, wishes),
        st.one_of(WEIGHTS, st.just(FLOAT)),
        st.booleans(),
        rules=st.lists(rule, max_size=2).map(tuple),
        tensors=st.dictionaries(st.sampled_from(tensors), wishes, max_size=3).map(lambda d: tuple(sorted(d.items()))),
    )


def check(case: Case, engine: Engine, plan: Plan, folder: Path) -> None:
    target = folder / "qdq.onnx"
    names = engine.export(plan, target)
    model = onnx.load(target)
    for number, inputs in enumerate(case.samples):
        want = {**inputs, **every_tensor(model, inputs, folder)}
        found = engine.values(plan, engine.tensors, number)
        assert found.keys() == set(engine.tensors)
        for name, array in found.items():
            assert np.array_equal(array, want[names.get(name, name)], equal_nan=array.dtype.kind == "f"), name


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        Plan(weights=PER_CHANNEL),
        Plan(Precision("int16"), Precision("int4", symmetric=True, per_channel=True)),
        Plan(FLOAT, PER_CHANNEL),
        Plan(weights=FLOAT),
        Plan(FLOAT, FLOAT),
    ],
    ids=["uint8", "per channel", "int16 and int4", "weights", "activations", "float"],
)
def test_all_tensors_are_those_of_the_qdq_model(name: str, plan: Plan, opened: Opened, tmp_path: Path) -> None:
    check(*opened(name), plan, tmp_path)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_plan_gives_the_tensors_of_its_qdq_model(
    name: str, data: st.DataObject, opened: Opened, tmp_path: Path
) -> None:
    case, engine = opened(name)
    check(case, engine, data.draw(plans(case)), tmp_path)


@pytest.mark.parametrize("name", ALL)
def test_in_float_they_are_those_of_the_model_itself(name: str, opened: Opened) -> None:
    case, engine = opened(name)
    for number, run in enumerate(case.runs):
        found = engine.values(None, engine.tensors, number)
        for tensor, array in found.items():
            assert np.array_equal(array, run[tensor]), tensor
