"""Where the channels of a tensor are."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from errorflow.formats import read_model
from errorflow.quant.channel_axes import last_channels
from onnx_models import graph, model, relu, value, weight
from rerun_nets import case
from run_models import floats

make = helper.make_node


def of_nodes(tmp_path: Path, *nodes: onnx.NodeProto, shape: tuple[int, ...]) -> frozenset[str]:
    weights = [
        weight("w", floats(4, 4)),
        weight("k", floats(4, 4, 1)),
        weight("sizes", np.array([1, 4, 2, 2], np.int64)),
    ]
    main = graph(*nodes, inputs=[value("x", shape)], outputs=[value("y", None)], weights=weights)
    path = tmp_path / "m.onnx"
    onnx.save(model(main), path)
    return last_channels(read_model(path).graph)


def test_convolutions_keep_them_second(tmp_path: Path) -> None:
    found = of_nodes(tmp_path, make("Conv", ["x", "k"], ["c"]), relu("c", "y"), shape=(1, 4, 6))
    assert found == frozenset()


def test_products_of_matrices_have_them_last_and_so_has_what_is_made_of_them(tmp_path: Path) -> None:
    nodes = [make("MatMul", ["x", "w"], ["m"]), relu("m", "r"), make("Add", ["x", "r"], ["y"])]
    assert of_nodes(tmp_path, *nodes, shape=(1, 6, 4)) == {"m", "r", "y"}


def test_a_convolution_behind_has_them_second_again(tmp_path: Path) -> None:
    nodes = [make("MatMul", ["x", "w"], ["m"]), make("Conv", ["m", "k"], ["c"]), relu("c", "y")]
    assert of_nodes(tmp_path, *nodes, shape=(1, 4, 4)) == {"m"}


def test_what_is_turned_around_has_them_elsewhere(tmp_path: Path) -> None:
    nodes = [
        make("MatMul", ["x", "w"], ["m"]),
        make("Transpose", ["m"], ["t"], perm=[0, 2, 1]),
        make("Reshape", ["m", "sizes"], ["heads"]),
        make("Transpose", ["heads"], ["y"], perm=[0, 2, 1, 3]),
    ]
    assert of_nodes(tmp_path, *nodes, shape=(1, 4, 4)) == {"m", "heads", "y"}


def test_all_of_a_transformer_but_what_is_turned(tmp_path: Path) -> None:
    net = case("attention", tmp_path)
    read = read_model(net.path).graph
    flowing = {name for run in net.runs for name in run} - {"x", "kt"}
    assert last_channels(read) == flowing
