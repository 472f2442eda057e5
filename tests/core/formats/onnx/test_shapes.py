"""Shape inference in the background: what it fills in, and that nothing it meets reaches the user as an error."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import apart
from errorflow.base.errors import FormatError
from errorflow.base.files import Snapshot
from errorflow.base.progress import SILENT, Cancelled
from errorflow.formats.onnx import shapes
from errorflow.formats.onnx.shapes import infer
from errorflow.graph.model import Graph, Model, Shape
from onnx_models import branching, graph, model, relu, small, value, weight, with_weight

Reads = Callable[..., Model]


def shape(graph: Graph, name: str) -> Shape:
    index = graph.tensor_index(name)
    assert index is not None
    return graph.tensor(index).shape


def inferred(model: Model) -> Model:
    assert model.infer_shapes is not None
    return model.infer_shapes(SILENT)


def chain() -> onnx.ModelProto:
    """x → Conv (large weights) → Flatten → y."""
    weights = weight("w", np.zeros((8, 3, 5, 5), np.float32))
    conv = helper.make_node("Conv", ["x", "w"], ["h"], pads=[2, 2, 2, 2])
    flat = helper.make_node("Flatten", ["h"], ["y"])
    inputs = [value("x", ("N", 3, 16, 16))]
    return model(graph(conv, flat, inputs=inputs, outputs=[value("y", None)], weights=[weights]))


class TestWhatIsGained:
    def test_shapes_and_types_of_inner_tensors(self, reads: Reads) -> None:
        found = inferred(reads(chain())).graph

        assert shape(found, "h") == ("N", 8, 16, 16)
        assert shape(found, "y") == ("N", 2048)
        assert found.tensor(2).dtype == "float32"

    def test_shapes_that_are_computed_inside_the_graph(self, reads: Reads) -> None:
        nodes = [
            helper.make_node("Shape", ["x"], ["dims"]),
            helper.make_node("Gather", ["dims", "zero"], ["first"]),
            helper.make_node("Concat", ["first", "rest"], ["target"], axis=0),
            helper.make_node("Reshape", ["x", "target"], ["y"]),
        ]
        constants = [weight("zero", np.array([0])), weight("rest", np.array([6, 4]))]
        found = inferred(reads(model(graph(*nodes, inputs=[value("x", (2, 24))], weights=constants))))

        assert shape(found.graph, "y") == (2, 6, 4)

    def test_tensors_inside_of_bodies(self, reads: Reads) -> None:
        proto = branching()
        for attribute in proto.graph.node[0].attribute:
            attribute.g.node.insert(0, relu("x", "inside"))
        found = inferred(reads(proto)).graph

        assert [shape(body.graph, "inside") for body in found.subgraphs] == [(2,), (2,)]

    def test_everything_else_stays_as_it_was(self, reads: Reads) -> None:
        before = reads(chain())
        after = inferred(before)

        assert after.graph.tensor_names == before.graph.tensor_names
        assert after.graph.node_names == before.graph.node_names
        assert after.graph.node(0) == before.graph.node(0)
        assert (after.facts, after.path, after.format) == (before.facts, before.path, before.format)
        assert after.graph.weights.read("w").shape == (8, 3, 5, 5)

    def test_there_is_nothing_more_to_gain_afterwards(self, reads: Reads) -> None:
        assert inferred(reads(chain())).infer_shapes is None


class TestWhenNothingCanBeGained:
    def test_all_shapes_are_known(self, reads: Reads) -> None:
        assert reads(small()).infer_shapes is None

    def test_there_are_no_nodes(self, reads: Reads) -> None:
        assert reads(model(graph(inputs=[value("x", None)]))).infer_shapes is None

    def test_operators_are_of_another_house(self, reads: Reads) -> None:
        mine = helper.make_node("Mine", ["x"], ["y"], domain="mine")

        assert reads(model(graph(mine, inputs=[value("x")]), {"mine": 1})).infer_shapes is None

    def test_but_a_function_of_the_model_counts(self, reads: Reads) -> None:
        body = helper.make_function("mine", "F", ["a"], ["b"], [relu("a", "b")], [helper.make_opsetid("", 17)])
        mine = helper.make_node("F", ["x"], ["y"], domain="mine")
        proto = model(graph(mine, inputs=[value("x")]), {"": 17, "mine": 1}, functions=[body])

        assert shape(inferred(reads(proto)).graph, "y") == (2,)


class TestBrokenModels:
    def test_what_cannot_be_inferred_stays_unknown(self, reads: Reads) -> None:
        nodes = [helper.make_node("MatMul", ["x", "x"], ["bad"]), relu("x", "good")]
        found = inferred(reads(model(graph(*nodes, inputs=[value("x", (2, 3))]))))

        assert shape(found.graph, "bad") is None
        assert shape(found.graph, "good") == (2, 3)

    def test_a_model_that_onnx_refuses_is_shown_with_a_problem(self, reads: Reads) -> None:
        proto = model(graph(relu(), inputs=[value("x")]))
        proto.ClearField("opset_import")
        before = reads(proto)
        after = inferred(before)

        assert len(after.graph) == len(before.graph)
        assert "Shapes could not be worked out" in after.problems[-1].text
        assert after.infer_shapes is None

    def test_a_cycle_is_no_obstacle(self, reads: Reads) -> None:
        found = inferred(reads(model(graph(relu("b", "a"), relu("a", "b"), relu("x", "c"), inputs=[value("x")]))))

        assert len(found.graph) == 3

    def test_names_that_are_not_utf8_are_no_obstacle(self, reads: Reads) -> None:
        data = model(graph(relu("x", "hidden"), relu("hidden", "y"), inputs=[value("x")])).SerializeToString()
        found = inferred(reads(data.replace(b"hidden", b"hi\xff\xfeen")))

        assert shape(found.graph, "hi\\xff\\xfeen") == (2,)

    def test_values_that_were_left_out_are_no_obstacle(self, reads: Reads) -> None:
        reshape = helper.make_node("Reshape", ["x", "target"], ["y"])
        target = weight("target", np.ones(2000, np.int64))
        found = inferred(reads(model(graph(reshape, relu("x", "z"), inputs=[value("x")], weights=[target]))))

        assert shape(found.graph, "z") == (2,)

    def test_values_beside_the_model_are_no_obstacle(self, reads: Reads) -> None:
        tensor = TensorProto(name="w", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="nowhere.bin")
        proto = with_weight(tensor)
        proto.graph.ClearField("output")

        assert shape(inferred(reads(proto)).graph, "y") == (2,)

    def test_what_is_no_model_at_all_is_a_sentence(self) -> None:
        with pytest.raises(FormatError, match="gave up"):
            infer(b"\x0a\xff", True)

    def test_an_answer_that_is_broken_is_a_problem(self, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shapes, "infer", apart.give_rubbish)
        found = inferred(reads(chain()))

        assert "gave back a broken model" in found.problems[-1].text

    def test_an_answer_with_other_nodes_is_a_problem(self, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(shapes, "infer", apart.give_another_model)
        found = inferred(reads(chain()))

        assert "changed the graph" in found.problems[-1].text
        assert len(found.graph) == 2

    def test_an_answer_without_the_bodies_is_a_problem(self, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
        proto = branching()
        found = reads(proto)
        for node in proto.graph.node:
            node.ClearField("attribute")
        monkeypatch.setattr(shapes, "_inferred", lambda *_: proto.SerializeToString())
        new = shapes.filled(found, b"", Snapshot(found.path, 0, 0), SILENT)

        assert "changed the graph" in new.problems[-1].text
        assert len(new.graph.subgraphs) == len(found.graph.subgraphs) > 0


def test_a_cancel_goes_through(reads: Reads) -> None:
    class Cancels:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    found = reads(chain())
    assert found.infer_shapes is not None
    with pytest.raises(Cancelled):
        found.infer_shapes(Cancels())
