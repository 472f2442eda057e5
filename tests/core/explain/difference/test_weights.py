"""A weight of one model against the one that the other model has for it."""

import logging
import shutil
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from errorflow.base.sample import SAMPLES
from errorflow.explain.difference.link import link
from errorflow.explain.difference.weights import OtherModel
from errorflow.explain.inspect.choices import TensorChoice, node_choices
from errorflow.explain.inspect.look import Looked, look
from errorflow.explain.inspect.others import NO_OTHER
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from onnx_models import graph, model, value

CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")
Side = Literal["reference", "candidate"]


class Calibration:
    def __init__(self) -> None:
        with np.load(CLEAN.calibration) as stored:
            self._inputs = iter(np.split(stored["image"][:4], 4))

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        image = next(self._inputs, None)
        return None if image is None else {"image": image}


@pytest.fixture(scope="module", params=[("QDQ", False), ("QDQ", True), ("QOperator", True)])
def quantized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    form, per_channel = request.param
    folder = tmp_path_factory.mktemp("quantized")
    CalibrationDataReader.register(Calibration)
    logging.disable(logging.WARNING)  # it advises on models of all kinds
    given = str(shutil.copy(CLEAN.model, folder / "float.onnx"))
    quantize_static(
        given,
        str(folder / "int8.onnx"),
        Calibration(),
        quant_format=QuantFormat[form],
        per_channel=per_channel,
        weight_type=QuantType.QInt8,
    )
    logging.disable(logging.NOTSET)
    return folder / "int8.onnx"


def weights_of(graph: Graph) -> list[TensorChoice]:
    """Those of products, not of what quantizes."""
    nodes = [node for node in range(len(graph)) if "Conv" in graph.op_types[node] or "Gemm" in graph.op_types[node]]
    every = [choice for node in nodes for choice in node_choices(graph, node, None, None) if choice.end == "weight"]
    names = ("scale", "zero_point")
    return [choice for choice in every if not choice.name.endswith(names)]


def looked(here: Graph, there: Graph, side: Side, choice: TensorChoice) -> Looked:
    links = link(here, there) if side == "reference" else link(there, here)
    other = OtherModel(links, side, "other.onnx")
    return look(choice, here, None, None, others=lambda _: other)


def test_each_weight_finds_its_codes_and_is_within_half_a_step(quantized: Path) -> None:
    here, there = read_model(CLEAN.model).graph, read_model(quantized).graph
    choices = weights_of(here)
    assert len(choices) == 30  # of 14 convolutions and a Gemm, each with a bias
    for choice in choices:
        seen = looked(here, there, "reference", choice)
        assert seen.tensors.together and seen.row is not None, seen.other
        reference, candidate = seen.tensors.sides
        assert reference is not None and candidate is not None and seen.tensors.qparams is not None
        assert np.array_equal(reference, here.weights.read(choice.name))
        step = max(seen.tensors.qparams.scales)
        assert float(np.abs(reference - candidate).max()) <= step * 0.5001
        assert seen.row.values["sqnr"] > 25


def test_it_is_the_same_from_the_other_model(quantized: Path) -> None:
    here, there = read_model(quantized).graph, read_model(CLEAN.model).graph
    found = [looked(here, there, "candidate", choice) for choice in weights_of(here)]
    together = [seen for seen in found if seen.tensors.together]
    assert len(together) == 30
    assert all(seen.tensors.qparams is not None and seen.row is not None for seen in together)


def test_channels_are_the_outputs_and_the_steps_are_from_the_model(quantized: Path) -> None:
    here, there = read_model(CLEAN.model).graph, read_model(quantized).graph
    choice = next(choice for choice in weights_of(here) if choice.name == "block1.expand.conv.weight")
    seen = looked(here, there, "reference", choice)
    assert seen.channels is not None and seen.channels.sqnr is not None
    assert (seen.channels.axis, len(seen.channels)) == (0, 14)
    assert seen.overview.grid is None or seen.overview.grid.source == "graph"


def test_without_the_other_model_a_sentence_says_why_there_is_one_side() -> None:
    here = read_model(CLEAN.model).graph
    seen = look(weights_of(here)[0], here, None, None, others=lambda _: None)
    assert (seen.other, seen.row) == (NO_OTHER, None)
    assert seen.tensors.candidate is None and seen.tensors.note == NO_OTHER.rstrip(".")


def test_codes_alone_are_seen_as_what_they_stand_for() -> None:
    here = read_model(CLEAN.candidate_model).graph
    seen = look(weights_of(here)[0], here, None, None)
    assert seen.tensors.reference is None and seen.tensors.candidate is not None
    assert seen.tensors.candidate.dtype == np.float32 and seen.overview.grid is not None


def made(folder: Path, name: str, nodes: list[onnx.NodeProto], **constants: NDArray[np.generic]) -> Graph:
    held = [numpy_helper.from_array(np.asarray(values), each) for each, values in constants.items()]
    onnx.save(model(graph(*nodes, inputs=[value("x")], outputs=[value("y")], weights=held)), folder / f"{name}.onnx")
    return read_model(folder / f"{name}.onnx").graph


def product(kind: str = "MatMul", makes: str = "y", **attributes: int) -> onnx.NodeProto:
    node = helper.make_node(kind, ["x", "w"], [makes], name="product")
    node.attribute.extend(helper.make_attribute(key, number) for key, number in attributes.items())
    return node


def test_two_that_stand_crosswise_are_not_compared(tmp_path: Path) -> None:
    square = np.eye(3, dtype=np.float32)
    here = made(tmp_path, "a", [product("Gemm")], w=square)
    there = made(tmp_path, "b", [product("Gemm", transB=1)], w=square)
    seen = looked(here, there, "reference", weights_of(here)[0])
    assert not seen.tensors.together and "axes changed" in seen.other


def test_what_is_added_to_matrices_that_stand_crosswise_is_compared(tmp_path: Path) -> None:
    square, added = np.eye(3, dtype=np.float32), np.ones(3, np.float32)
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["y"], name="product", transB=turned) for turned in (0, 1)]
    here, there = (made(tmp_path, str(at), [node], w=square, b=added) for at, node in enumerate(nodes))
    seen = looked(here, there, "reference", weights_of(here)[1])
    assert (seen.choice.name, seen.tensors.together) == ("b", True)


def test_other_shapes_are_both_shown_with_the_reason(tmp_path: Path) -> None:
    here = made(tmp_path, "a", [product("Gemm")], w=np.ones((3, 4), np.float32))
    there = made(tmp_path, "b", [product("Gemm")], w=np.ones((3, 5), np.float32))
    seen = looked(here, there, "reference", weights_of(here)[0])
    assert not seen.tensors.together and seen.tensors.note
    assert seen.tensors.reference is not None and seen.tensors.candidate is not None


def test_a_node_without_a_partner_says_so(tmp_path: Path) -> None:
    here = made(tmp_path, "a", [product("Gemm")], w=np.ones((3, 4), np.float32))
    there = made(tmp_path, "b", [helper.make_node("Relu", ["x"], ["y"])], w=np.ones(3, np.float32))
    seen = looked(here, there, "reference", weights_of(here)[0])
    assert "stands for this one" in seen.other and seen.tensors.candidate is None


def test_what_was_drawn_into_the_weights_is_told(tmp_path: Path) -> None:
    """A normalization that is gone from the candidate changed its weights."""
    ones, kernel = np.ones(2, np.float32), np.ones((2, 1, 1, 1), np.float32)
    norm = helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"], name="norm")
    here = made(tmp_path, "a", [product("Conv", "c"), norm], w=kernel, s=ones, b=ones, m=ones, v=ones)
    there = made(tmp_path, "b", [product("Conv")], w=kernel * 2)
    seen = looked(here, there, "reference", weights_of(here)[0])
    assert seen.tensors.together and "also stands for norm" in seen.other


def test_a_normalization_that_is_still_there_has_changed_no_weights(tmp_path: Path) -> None:
    ones, kernel = np.ones(2, np.float32), np.ones((2, 1, 1, 1), np.float32)
    norm = helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["y"], name="norm")
    both = [
        made(tmp_path, side, [product("Conv", "c"), norm], w=kernel, s=ones, b=ones, m=ones, v=ones) for side in "ab"
    ]
    seen = looked(both[0], both[1], "reference", weights_of(both[0])[0])
    assert seen.tensors.together and "also stands for" not in seen.other
