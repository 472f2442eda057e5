"""Calibration of small nets, against ONNX Runtime's own tool and against the tensors themselves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, shape_inference
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import Cancelled
from errorflow.formats import read_model
from errorflow.quant.calibrate import METHODS
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.calibrate.histogram import MANTISSA
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.calibrating import JUDGES, Calibrated, CalibrationRequest, calibrate
from errorflow.run.collecting import MOST
from errorflow.run.samples.asked import SampleSpec
from onnx_models import graph, model, relu, value, weight
from run_models import floats, net

COUNT = 6
SAMPLES = np.concatenate([floats(1, 3, 4, 4, seed=seed) * (1 + seed) for seed in range(COUNT)])


class Reader(CalibrationDataReader):  # type: ignore[misc] # ONNX Runtime has no types
    """What ONNX Runtime's tool reads."""

    def __init__(self, samples: NDArray[np.float32]) -> None:
        self._left: Iterator[NDArray[np.float32]] = iter(samples)

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        found = next(self._left, None)
        return None if found is None else {"x": found[np.newaxis]}


@pytest.fixture
def net_path(tmp_path: Path) -> Path:
    onnx.save(shape_inference.infer_shapes(net()), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def calibrated(path: Path, samples: NDArray[Any] | None = None, *keys: str, **wish: Any) -> Calibrated:
    data = path.parent / "x.npy"
    np.save(data, SAMPLES if samples is None else samples)
    methods = methods_of(keys if keys else ["minmax"])
    return calibrate(path, read_model(path).graph, SampleSpec((str(data),)), CalibrationRequest(methods, **wish))


def ranges(path: Path, key: str, **wish: Any) -> dict[str, Range]:
    [found] = calibrated(path, None, key, **wish).calibrations
    return dict(found.ranges)


def theirs(path: Path, method: CalibrationMethod, each: bool = False, **options: Any) -> dict[str, tuple[float, float]]:
    """By ONNX Runtime's tool; `each`: shown one sample after the other, as its moving average wants it."""
    augmented = str(path.with_name("augmented.onnx"))
    tool = create_calibrator(path, [], augmented, method, extra_options=options)
    for samples in np.split(SAMPLES, COUNT) if each else [SAMPLES]:
        tool.collect_data(Reader(samples))
    found = {name: part.range_value for name, part in tool.compute_data().items()}
    return {name: (float(np.squeeze(low)), float(np.squeeze(high))) for name, (low, high) in found.items()}


def flat(found: dict[str, Range]) -> dict[str, tuple[float, float]]:
    return {name: (each.low, each.high) for name, each in found.items()}


def test_minmax_is_that_of_onnx_runtime(net_path: Path) -> None:
    assert flat(ranges(net_path, "minmax")) == theirs(net_path, CalibrationMethod.MinMax)


def test_the_moving_average_is_that_of_onnx_runtime(net_path: Path) -> None:
    found = theirs(net_path, CalibrationMethod.MinMax, each=True, moving_average=True)
    assert flat(ranges(net_path, "moving-average")) == found


@pytest.mark.parametrize("symmetric", [False, True])
def test_percentiles_are_those_of_onnx_runtime_within_a_bin_of_each(net_path: Path, symmetric: bool) -> None:
    bins, percent = 2048, 99.0
    found = theirs(net_path, CalibrationMethod.Percentile, symmetric=symmetric, num_bins=bins, percentile=percent)
    own = ranges(net_path, f"percentile-{percent:g}", precision=Precision("int8", symmetric=symmetric))
    # Theirs are edges of equal bins over all magnitudes; few values leave gaps of several bins between two of them.
    run = calibrated(net_path).tensors
    size = {tensor.name: max(abs(tensor.low), abs(tensor.high)) for tensor in run}
    for name, (low, high) in found.items():
        room = size[name] * (2 / bins + 2**-MANTISSA) + gap(net_path, name, percent)
        if symmetric:
            assert max(-own[name].low, own[name].high) == pytest.approx(max(-low, high), abs=room)
        else:
            assert (own[name].low, own[name].high) == pytest.approx((low, high), abs=room)


def gap(path: Path, name: str, percent: float) -> float:
    """How far apart the values are around the percentile, on either side or in magnitude."""
    values = tensors(path)[name]
    share = percent / 100
    found = 0.0
    for each, part in ((values, (1 + share) / 2), (values, (1 - share) / 2), (abs(values), share)):
        found = max(found, float(np.quantile(each, part, method="higher") - np.quantile(each, part, method="lower")))
    return found


def tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """All values of all samples."""
    import onnxruntime

    proto = onnx.load(path)
    known = {output.name for output in proto.graph.output}
    names = [name for node in proto.graph.node for name in node.output]
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    runs = [session.run(names, {"x": sample[np.newaxis]}) for sample in SAMPLES]
    found = {name: np.concatenate([run[place].ravel() for run in runs]) for place, name in enumerate(names)}
    return found | {"x": SAMPLES.ravel()}


def test_every_tensor_that_flows_is_seen_in_the_order_of_running(net_path: Path) -> None:
    found = calibrated(net_path)
    assert [tensor.name for tensor in found.tensors] == ["x", "c1", "r1", "c2", "s", "f", "y"]
    assert found.tensors[1].count == COUNT * 4 * 4 * 4


def test_all_methods_share_one_pass(net_path: Path) -> None:
    found, exact = calibrated(net_path, None, "all", judges=JUDGES), tensors(net_path)
    assert [each.method for each in found.calibrations] == [method.key for method in METHODS]
    for place, calibration in enumerate(found.calibrations):
        [alone] = calibrated(net_path, None, calibration.method).calibrations
        assert dict(alone.ranges) == dict(calibration.ranges)
        for row in found.tensors:
            values, each = exact[row.name], row.found[place]
            outside = float(((values < each.low) | (values > each.high)).mean())
            # Of the bins at both ends it is not known which of their values are outside.
            assert each.clipped == pytest.approx(outside, abs=0.02 + 2 / len(values))
    assert all(tensor.found[0].clipped == 0 for tensor in found.tensors)
    assert all(np.isfinite(each.sqnr).all() and len(each.sqnr) == 2 for row in found.tensors for each in row.found)
    assert all(min(tensor.found[0].sqnr) > 30 for tensor in found.tensors)


def test_the_facts_name_model_data_and_how_it_ran(net_path: Path) -> None:
    first, again = calibrated(net_path), calibrated(net_path)
    facts = dict(first.calibrations[0].facts)
    assert facts["model"] == "m.onnx"
    assert facts["optimisation"] == "off"
    assert facts["samples"].startswith("All 6 samples")
    assert facts == dict(again.calibrations[0].facts)
    other = calibrated(net_path, SAMPLES[:3]).calibrations[0].facts
    assert other["data"] != facts["data"]
    assert other["model digest"] == facts["model digest"]


def test_only_the_first_samples_calibrate(net_path: Path) -> None:
    few = calibrated(net_path, None, first=2)
    assert few.calibrations[0].samples == 2
    assert few.calibrations[0].facts["samples"] == (
        "The first 2 of 6 samples calibrate; the other 4 are left for evaluation."
    )
    assert dict(few.calibrations[0].ranges) == dict(calibrated(net_path, SAMPLES[:2]).calibrations[0].ranges)


def test_values_that_are_no_numbers_are_told_with_their_first_tensor(net_path: Path) -> None:
    bad = SAMPLES.copy()
    bad[3, 0, 0, 0] = np.nan
    found = calibrated(net_path, bad)
    assert found.notes[0] == "x.npy[3]: x holds 1 NaN and 0 infinite values."
    assert found.notes[-1].startswith("x is the first tensor with values that are no numbers: 1 NaN, 0 infinite; ")
    assert all(np.isfinite([each.low, each.high]).all() for each in found.calibrations[0].ranges.values())


def test_a_tensor_without_a_finite_value_has_no_range(tmp_path: Path) -> None:
    log = helper.make_node("Log", ["x"], ["y"])
    onnx.save(model(graph(log, inputs=[value("x", (1, 2))], outputs=[value("y", None)])), tmp_path / "m.onnx")
    found = calibrated(tmp_path / "m.onnx", -np.ones((3, 2), np.float32), "all")
    assert dict(found.calibrations[0].notes) == {"y": "No finite value was seen."}
    assert set(found.calibrations[0].ranges) == {"x"}
    assert "y is the first tensor" in found.notes[-1]


def test_made_up_samples_are_told(net_path: Path) -> None:
    found = calibrate(
        net_path, read_model(net_path).graph, SampleSpec(seed=1, count=2), CalibrationRequest(methods_of(["minmax"]))
    )
    assert found.made_up
    assert found.calibrations[0].facts["made up"] == "yes"
    assert "they say nothing about real data" in found.notes[0]


def chain(path: Path) -> Path:
    """More nodes than a segment has, read again at the end; a constant as a node, and whole numbers in between."""
    nodes = [helper.make_node("Constant", [], ["half"], value=weight("half", np.float32(0.5)))]
    nodes += [helper.make_node("Mul" if n % 2 else "Add", [f"t{n}", "half"], [f"t{n + 1}"]) for n in range(2 * MOST)]
    nodes += [
        helper.make_node("Cast", [f"t{2 * MOST}"], ["whole"], to=TensorProto.INT64),
        helper.make_node("Cast", ["whole"], ["small"], to=TensorProto.BFLOAT16),
        helper.make_node("Cast", ["small"], ["wide"], to=TensorProto.DOUBLE),
        helper.make_node("Cast", ["wide"], ["again"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["again", "t0"], ["y"]),
    ]
    inputs = [value("t0", ("n", "m"))]
    onnx.save(model(graph(*nodes, inputs=inputs, outputs=[value("y", None)]), ir_version=10), path)
    return path


def test_samples_of_several_shapes_flow_through_the_same_segments(tmp_path: Path) -> None:
    path, samples = chain(tmp_path / "m.onnx"), [floats(2, 3), floats(5, 1, seed=1), 9 * floats(1, 7, seed=2)]
    for number, sample in enumerate(samples):
        np.save(tmp_path / f"{number}.npy", sample)
    found = calibrate(
        path, read_model(path).graph, SampleSpec((str(tmp_path),)), CalibrationRequest(methods_of(["minmax"]))
    )
    seen = {tensor.name: tensor for tensor in found.tensors}
    assert "half" not in seen
    assert "whole" not in seen
    assert {"small", "wide", "again", "y", "t0"} <= seen.keys()
    assert len(seen) == 2 * MOST + 1 + 4
    assert seen["y"].count == 6 + 5 + 7
    expected = samples[0]
    for number in range(2 * MOST):
        expected = expected * np.float32(0.5) if number % 2 else expected + np.float32(0.5)
    assert seen["t0"].low == float(min(sample.min() for sample in samples))
    assert seen[f"t{2 * MOST}"].high == pytest.approx(float(expected.max()), rel=1e-3)


def test_a_cancel_ends_it(net_path: Path) -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    np.save(net_path.parent / "x.npy", SAMPLES)
    asked = SampleSpec((str(net_path.parent / "x.npy"),))
    with pytest.raises(Cancelled):
        calibrate(net_path, read_model(net_path).graph, asked, CalibrationRequest(methods_of(["all"])), Impatient())


def test_how_far_it_is_is_told(net_path: Path) -> None:
    told: list[tuple[int, int]] = []

    class Listening:
        def step(self, done: int, total: int, text: str) -> None:
            told.append((done, total))

    np.save(net_path.parent / "x.npy", np.tile(SAMPLES, (50, 1, 1, 1)))
    asked = SampleSpec((str(net_path.parent / "x.npy"),))
    calibrate(net_path, read_model(net_path).graph, asked, CalibrationRequest(methods_of(["all"])), Listening())
    totals = {total for _, total in told}
    assert 6 * 50 * COUNT in totals
    assert all(done <= total for done, total in told)


def test_a_sample_that_the_model_cannot_take_is_named(tmp_path: Path) -> None:
    reshape = helper.make_node("Reshape", ["x", "shape"], ["y"])
    main = graph(
        reshape,
        inputs=[value("x", ("n", 3))],
        outputs=[value("y", None)],
        weights=[weight("shape", np.array([2, 3], np.int64))],
    )
    onnx.save(model(main), tmp_path / "m.onnx")
    (tmp_path / "data").mkdir()
    for number, rows in enumerate((2, 5)):
        np.save(tmp_path / "data" / f"{number}.npy", floats(rows, 3))
    asked = SampleSpec((str(tmp_path / "data"),))
    with pytest.raises(ErrorflowError, match=r"^1\.npy: ONNX Runtime cannot run m\.onnx: "):
        calibrate(
            tmp_path / "m.onnx",
            read_model(tmp_path / "m.onnx").graph,
            asked,
            CalibrationRequest(methods_of(["minmax"])),
        )


def test_unknown_operators_are_named(tmp_path: Path) -> None:
    strange = helper.make_node("Strange", ["x"], ["y"], domain="acme")
    main = graph(strange, inputs=[value("x", (1, 2))], outputs=[value("y", None)])
    onnx.save(model(main, domains={"": 17, "acme": 1}), tmp_path / "m.onnx")
    with pytest.raises(ErrorflowError, match="acme:Strange"):
        calibrated(tmp_path / "m.onnx", floats(1, 2))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (CalibrationRequest(()), "No method of calibration"),
        (CalibrationRequest(METHODS, first=0), "At least one sample"),
    ],
    ids=["no method", "no sample"],
)
def test_what_is_wrong_is_a_sentence(wish: CalibrationRequest, said: str, net_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        calibrate(net_path, read_model(net_path).graph, SampleSpec(seed=1), wish)


def test_inputs_that_nobody_reads_are_seen(tmp_path: Path) -> None:
    main = graph(relu(), inputs=[value("x", (1, 2)), value("z", (1, 2))], outputs=[value("y", None)])
    onnx.save(model(main), tmp_path / "m.onnx")
    np.savez(tmp_path / "a.npz", x=np.ones((1, 2), np.float32), z=np.ones((1, 2), np.float32))
    path = tmp_path / "m.onnx"
    found: Calibration = calibrate(
        path, read_model(path).graph, SampleSpec((str(tmp_path / "a.npz"),)), CalibrationRequest(methods_of(["minmax"]))
    ).calibrations[0]
    assert set(found.ranges) == {"x", "z", "y"}


def test_ranges_of_channels_are_kept_on_request_within_those_of_the_method(net_path: Path) -> None:
    assert not calibrated(net_path).calibrations[0].channels
    found = calibrated(net_path, None, "minmax", "percentile-99", per_channel=True).calibrations
    whole, clipped = (each.channels["x"] for each in found)
    assert whole.axis == 1
    assert whole.lows == tuple(SAMPLES.min(axis=(0, 2, 3)).tolist())
    assert whole.highs == tuple(SAMPLES.max(axis=(0, 2, 3)).tolist())
    ends = found[1].ranges["x"]
    assert clipped.lows == tuple(max(low, ends.low) for low in whole.lows)
    assert clipped.highs == tuple(min(high, ends.high) for high in whole.highs)
    assert clipped != whole
    assert found[0].channels["y"].axis == 1


def test_how_loud_channels_are_is_always_known(net_path: Path) -> None:
    samples = SAMPLES * np.array([1, 1, 64], np.float32)[:, np.newaxis, np.newaxis]
    seen = {tensor.name: tensor.channels for tensor in calibrated(net_path, samples).tensors}
    channels = seen["x"]
    assert channels is not None
    assert (channels.loudness.channels, channels.axis, channels.lows) == (3, 1, ())
    assert 20 < channels.loudness.ratio < 200
    assert 4 < channels.loudness.bits_lost < 8
