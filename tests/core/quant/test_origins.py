"""Where values that are no numbers begin."""

from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.origins import origin
from onnx_models import graph, model, relu, value, weight


def read(folder: Path) -> Graph:
    weights = [weight("w", np.full((2, 3, 1, 1), np.nan, np.float32)), weight("b", np.zeros(2, np.float32))]
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv"), relu("c", "y", "last")]
    main = graph(*nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", None)], weights=weights)
    onnx.save(model(main), folder / "m.onnx")
    return read_model(folder / "m.onnx").graph


def test_a_constant_that_is_no_number_is_named(tmp_path: Path) -> None:
    assert origin(read(tmp_path), "c") == ": conv (Conv) makes it, whose w holds such values itself"


def test_the_node_is_named(tmp_path: Path) -> None:
    assert origin(read(tmp_path), "y") == ": last (Relu) makes it"


def test_an_input_is_made_by_nobody(tmp_path: Path) -> None:
    assert origin(read(tmp_path), "x") == ""
    assert origin(read(tmp_path), "nothing") == ""
