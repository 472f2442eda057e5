"""Outlier tables of models that run and of tensors that runs left behind."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import Cancelled
from errorflow.explain.outliers.axes import Axes
from errorflow.explain.outliers.maxima import of_weights
from errorflow.explain.outliers.measure import RunTensor, items_of, of_items, of_model
from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow.formats import read_model
from errorflow.formats.runs import read_run
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.run.samples.asked import SampleSpec
from onnx_models import graph, model, relu, value, weight
from run_models import floats, net, savez

CHANNELS, LOUD = 6, 4


@dataclass(frozen=True, eq=False)
class Kept:
    """A tensor of a run."""

    values: NDArray[Any]
    info: TensorInfo
    path: str = "kept"

    def read(self) -> NDArray[Any]:
        return self.values


def item(values: NDArray[Any], name: str = "t", **facts: Any) -> RunTensor:
    return RunTensor(name, (Kept(values, TensorInfo(name, values.dtype.name, values.shape, values.nbytes, **facts)),))


def only(*items: RunTensor, axes: Axes | None = None) -> Outliers:
    [row] = of_items(items, "run", Axes() if axes is None else axes).rows
    return row


def planted(ratio: float, folder: Path) -> Path:
    """x → Conv, one channel of which is so many times as loud → Relu → Conv that evens it out."""
    first = np.ones((CHANNELS, 1, 1, 1), np.float32)
    first[LOUD] *= ratio
    second = np.full((3, CHANNELS, 1, 1), 0.5, np.float32)
    second[:, LOUD] /= ratio
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "first"),
        relu("c1", "r1", "relu"),
        helper.make_node("Conv", ["r1", "w2"], ["y"], "second"),
    ]
    main = graph(
        *nodes,
        inputs=[value("x", (1, 1, 4, 4))],
        outputs=[value("y", (1, 3, 4, 4))],
        weights=[weight("w1", first), weight("w2", second)],
    )
    onnx.save(model(main, ir_version=10), folder / "m.onnx")
    np.save(folder / "x.npy", np.concatenate([abs(floats(1, 1, 4, 4, seed=seed)) for seed in range(3)]))
    return folder / "m.onnx"


def table(path: Path, **asked: Any) -> OutlierTable:
    return of_model(path, read_model(path).graph, SampleSpec((str(path.parent / "x.npy"),)), **asked)


@pytest.mark.parametrize("power", [1, 5, 9])
def test_a_planted_loud_channel_is_the_worst_row_by_the_bits_of_its_ratio(power: int, tmp_path: Path) -> None:
    found = table(planted(2.0**power, tmp_path), weights=False)
    assert [row.tensor for row in found.worst] == ["c1", "r1", "y"]
    worst = found.worst[0]
    assert (worst.median, worst.most, worst.loud[0], worst.channels) == (power, power, LOUD, CHANNELS)
    assert worst.share(power) == (CHANNELS - 1) / CHANNELS
    assert (worst.node, worst.op_type) == ("first", "Conv")
    assert found.worst[-1].median == 0


def test_it_looks_at_the_weights_by_the_channels_that_they_make(tmp_path: Path) -> None:
    rows = {row.tensor: row for row in table(planted(32, tmp_path)).rows}
    assert (rows["w1"].kind, rows["w1"].axis, rows["w1"].median) == ("weight", 0, 5)
    assert (rows["w2"].channels, rows["w2"].median) == (3, 0)


def test_the_largest_of_all_samples_counts(tmp_path: Path) -> None:
    path = planted(1, tmp_path)
    np.save(tmp_path / "x.npy", np.stack([np.full((1, 4, 4), size, np.float32) for size in (1, -7, 3)]))
    rows = {row.tensor: row.maxima.max() for row in table(path, samples=2).rows}
    assert rows["c1"] == 7
    assert rows["r1"] == 1


def test_tensors_without_channels_are_counted(tmp_path: Path) -> None:
    assert table(planted(1, tmp_path), weights=False).skipped == 1  # x has one


def test_a_closed_model_leaves_nothing(tmp_path: Path) -> None:
    path = planted(8, tmp_path)
    before = sorted(tmp_path.iterdir())
    table(path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("turned", "axis"), [(0, 1), (1, 0)])
def test_a_product_makes_the_columns_of_its_weight(turned: int, axis: int, tmp_path: Path) -> None:
    node = helper.make_node("Gemm", ["x", "w"], ["y"], "fc", transB=turned)
    inside = graph(node, inputs=[value("x", (1, 4))], outputs=[value("y", (1, 4))], weights=[weight("w", floats(4, 4))])
    onnx.save(model(inside), tmp_path / "m.onnx")
    [row] = of_weights(read_model(tmp_path / "m.onnx").graph)
    assert row.axis == axis
    np.testing.assert_array_equal(row.maxima, np.abs(floats(4, 4)).max(axis=1 - axis))


def test_tensors_of_several_runs_are_samples(tmp_path: Path) -> None:
    for number, size in enumerate((2, 8)):
        savez(tmp_path / f"{number}.npz", {"a": np.array([[1.0, size]], np.float32), "s": np.array(3, np.float32)})
    dumps = [read_run(tmp_path / f"{number}.npz") for number in range(2)]
    found = of_items(items_of(dumps), "runs", Axes())
    assert (found.samples, found.skipped) == (2, 1)
    assert found.rows[0].maxima.tolist() == [1, 8]


def test_a_model_says_where_the_channels_of_a_run_are(tmp_path: Path) -> None:
    onnx.save(net(), tmp_path / "m.onnx")
    inside = read_model(tmp_path / "m.onnx").graph
    found = of_items((item(floats(1, 4, 3, 3), "c1"),), "run", Axes(inside), inside).rows[0]
    assert (found.axis, found.node, found.op_type) == (1, "conv1", "Conv")


@pytest.mark.parametrize(
    ("shape", "facts", "told", "axis"),
    [
        ((2, 3, 4, 5), {}, None, 1),
        ((2, 3, 4, 5), {"layout": "NHWC"}, None, 3),
        ((2, 3, 4, 5), {}, -2, 2),
        ((7, 3), {}, None, 1),
    ],
)
def test_channels_are_where_layout_or_user_say(shape: Any, facts: Any, told: int | None, axis: int) -> None:
    assert only(item(floats(*shape), **facts), axes=Axes(told=told)).axis == axis


def test_channels_in_blocks_are_put_together() -> None:
    blocks = np.zeros((1, 2, 2, 2, 16), np.float32)
    blocks[0, 1, :, :, 1] = 9
    row = only(item(blocks, layout="NC1HWC0", original_shape=(1, 18, 2, 2)))
    assert row.channels == 18
    assert row.maxima.argmax() == 17


def test_codes_are_made_real() -> None:
    codes = np.array([[[130], [255]]], np.uint8)
    row = only(item(codes, qparams=QParams((0.5,), (128,), 8, False)))
    assert row.maxima.tolist() == [1.0, 63.5]


@pytest.mark.parametrize("values", [np.ones((2, 3), np.int64), np.ones((2, 3), bool), floats(8), floats(4, 1)])
def test_what_has_no_real_values_or_no_channels_is_left_out(values: NDArray[Any]) -> None:
    found = of_items((item(values), item(floats(1, 2))), "run", Axes())
    assert (len(found.rows), found.skipped) == (1, 1)


def test_values_that_are_none_are_left_out_and_told() -> None:
    row = only(item(np.array([[1, np.nan, np.inf], [2, 3, -np.inf]], np.float32)))
    assert row.maxima.tolist() == [2, 3, 0]
    assert row.note == "3 values that are NaN or infinite are left out."


class Broken(Kept):
    def read(self) -> NDArray[Any]:
        raise ErrorflowError("The file is gone.", "")


def test_a_tensor_that_cannot_be_read_is_told_and_others_are_looked_at() -> None:
    broken = Broken(floats(1, 2), item(floats(1, 2)).stored[0].info)
    found = of_items((RunTensor("bad", (broken,)), item(floats(1, 2))), "run", Axes())
    assert found.notes == ("bad: The file is gone.",)
    with pytest.raises(UsageError, match="No tensor of run could be looked at"):
        of_items((RunTensor("bad", (broken,)),), "run", Axes())


def test_a_cancel_strikes_between_tensors() -> None:
    class Stop:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        of_items((item(floats(1, 2)),), "run", Axes(), progress=Stop())
