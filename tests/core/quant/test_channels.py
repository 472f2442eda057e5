"""Activations with a scale per channel: bit for bit those of ONNX Runtime's QDQ model."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.errors import UsageError
from errorflow.formats import read_model
from errorflow.quant.calibrate.channels import ChannelEnds
from errorflow.quant.channel_axes import last_channels
from errorflow.quant.channels import per_channel, with_channels
from errorflow.quant.coding import NO_CHANNELS
from errorflow.quant.fake import fake_quantize
from errorflow.quant.plan import FLOAT, WEIGHTS, Plan, Rule
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.ranges import Calibration, ChannelRanges
from errorflow.quant.scales import qparams_of
from errorflow.run.engine.engine import Engine
from rerun_nets import Case, case, every_tensor
from run_models import floats

EACH = Precision("int8", per_channel=True)
# All of them have each output channel of weights coded for itself, as it is usual.
PLAN = Plan(EACH, Precision("int8", symmetric=True, per_channel=True))


def calibration(net: Case) -> Calibration:
    """With the ranges of all channels."""
    last = last_channels(read_model(net.path).graph)
    found: dict[str, ChannelRanges] = {}
    for name in net.calibration.ranges:
        ends = ChannelEnds(name in last)
        for run in net.runs:
            ends.see(run[name], finite=True)
        known = ends.known()
        if known is not None and ends.axis is not None:
            lows, highs = (tuple(each.tolist()) for each in known)
            found[name] = ChannelRanges(ends.axis, lows, highs)
    return replace(net.calibration, channels=found)


def prepared(net: Case, plan: Plan) -> Calibration:
    return with_channels(calibration(net), plan, read_model(net.path).graph)


@pytest.mark.parametrize("name", ["crossing", "attention", "passing"])
@pytest.mark.parametrize("dtype", CHOICES)
def test_all_tensors_are_those_of_the_qdq_model(name: str, dtype: str, tmp_path: Path) -> None:
    net = case(name, tmp_path)
    plan = replace(PLAN, activations=Precision(dtype, symmetric=dtype.startswith("int"), per_channel=True))
    with Engine(net.path, net.samples, prepared(net, plan)) as engine:
        names = engine.export(plan, tmp_path / "qdq.onnx")
        model = onnx.load(tmp_path / "qdq.onnx")
        axes = [node for node in model.graph.node if node.op_type == "QuantizeLinear" and node.attribute]
        assert len(axes) >= 5
        for number, inputs in enumerate(net.samples):
            want = {**inputs, **every_tensor(model, inputs)}
            for tensor, array in engine.values(plan, engine.tensors, number).items():
                assert np.array_equal(array, want[names.get(tensor, tensor)]), tensor


def test_each_channel_has_the_scale_of_its_own_range(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    given = prepared(net, PLAN).given
    one = np.concatenate([run["one"] for run in net.runs])
    want = qparams_of(one.min(axis=(0, 2, 3)), one.max(axis=(0, 2, 3)), EACH, 1)
    assert given["one"] == want
    with Engine(net.path, net.samples, prepared(net, PLAN)) as engine:
        plan = Plan(FLOAT, FLOAT).with_tensor("one", EACH)
        have, golden = (engine.values(which, ["one"])["one"] for which in (plan, None))
    assert np.array_equal(have, fake_quantize(golden, want))


def test_a_tensor_with_a_loud_channel_is_kept_better(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    loud = {"x": floats(1, 8, 6, 6) * np.array([1, 1, 1, 1, 1, 1, 1, 99], np.float32)[:, None, None]}
    runs = (loud | every_tensor(onnx.load(net.path), loud),)
    net = Case(net.path, (loud,), runs)
    plans = [Plan(FLOAT, FLOAT).with_tensor("x", how) for how in (EACH, Precision("int8"))]
    with Engine(net.path, net.samples, prepared(net, plans[0])) as engine:
        values = [np.asarray(engine.values(plan, ["x"])["x"], np.float32) for plan in plans]
    quiet = [np.abs(value - loud["x"])[:, :7].max() for value in values]
    assert quiet[0] < quiet[1] / 20


def test_a_bias_stays_in_float_where_products_have_no_step_in_common(tmp_path: Path) -> None:
    net = case("passing", tmp_path)
    with Engine(net.path, net.samples, prepared(net, PLAN)) as engine:
        engine.export(PLAN, tmp_path / "each.onnx")
        engine.export(Plan(), tmp_path / "whole.onnx")
    wide = [
        sum(
            tensor.data_type == onnx.TensorProto.INT32
            for tensor in onnx.load(tmp_path / f"{name}.onnx").graph.initializer
        )
        for name in ("each", "whole")
    ]
    assert wide[0] == 0
    assert wide[1] > 0


def test_without_ranges_of_channels_a_tensor_stays_in_float_and_that_is_told(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    with Engine(net.path, net.samples, net.calibration) as engine:
        table = engine.run(PLAN)
        assert set(table.notes.values()) == {NO_CHANNELS}
        assert "one" in table.notes


def test_one_scale_is_still_to_be_had(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    with (
        Engine(net.path, net.samples, prepared(net, PLAN)) as engine,
        Engine(net.path, net.samples, net.calibration) as plain,
    ):
        whole = Plan(Precision("int8"), WEIGHTS)
        assert np.array_equal(engine.values(whole, ["y"])["y"], plain.values(whole, ["y"])["y"])


def test_a_plan_without_channels_needs_nothing(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    read = read_model(net.path).graph
    assert per_channel(Plan(), read) is None
    known = net.calibration
    assert with_channels(known, Plan(), read) is known
    # A weight is no activation.
    assert per_channel(Plan().with_tensor("w", EACH), read) is None
    assert per_channel(Plan().with_tensor("one", EACH), read) == EACH
    assert per_channel(Plan().with_rule(Rule(EACH, types=("Conv",))), read) == EACH


def test_other_bits_for_a_node_are_those_of_the_whole_tensor(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    plan = PLAN.with_bits(16, "anything")
    assert per_channel(plan, read_model(net.path).graph) == EACH
    assert PLAN.with_bits(8, "anything").rules[0].activations == EACH


def test_what_cannot_be_is_a_sentence(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    read = read_model(net.path).graph
    with pytest.raises(UsageError, match="no ranges of channels"):
        with_channels(net.calibration, PLAN, read)
    two = PLAN.with_tensor("one", Precision("uint8", per_channel=True))
    with pytest.raises(UsageError, match="wanted as int8 per channel and as uint8 per channel"):
        with_channels(calibration(net), two, read)


@pytest.mark.parametrize(
    ("channels", "said"),
    [
        (ChannelRanges(1, (0.0,), (1.0,)), "has 1 channels of x along axis 1, and the model has 8"),
        (ChannelRanges(9, (0.0,), (1.0,)), "has no such axis"),
    ],
)
def test_channels_of_another_model_are_refused(channels: ChannelRanges, said: str, tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    graph = read_model(net.path).graph
    wrong = replace(net.calibration, channels={"x": channels})
    with pytest.raises(UsageError, match=said):
        with_channels(wrong, PLAN, graph)
