"""What a model's graphs become: inputs, constants, bodies, functions, types, and notes about what is odd."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.base.errors import FormatError
from errorflow.formats.onnx import graphs
from errorflow.graph.model import Graph, Model, Tensor
from onnx_models import branching, graph, model, relu, small, value, weight, with_weight

Reads = Callable[..., Model]


def names(graph: Graph, tensors: np.ndarray) -> list[str]:
    return [graph.tensor_names[index] for index in tensors.tolist()]


def texts(model: Model) -> list[str]:
    return [problem.text for problem in model.problems]


class TestInputs:
    def test_weights_are_constants_and_no_inputs(self, reads: Reads) -> None:
        found = reads(with_weight(weight("w", [1.0, 2.0]))).graph

        assert names(found, found.inputs) == ["x"]
        assert names(found, found.constants) == ["w"]
        assert names(found, found.outputs) == ["y"]

    def test_a_constant_knows_its_type_and_shape(self, reads: Reads) -> None:
        found = reads(with_weight(weight("w", np.zeros((2, 3), np.float16)))).graph
        index = found.tensor_index("w")

        assert index is not None
        assert (found.tensor(index).dtype, found.tensor(index).shape) == ("float16", (2, 3))

    def test_old_models_that_list_weights_as_inputs_show_real_inputs_only(self, reads: Reads) -> None:
        old = with_weight(weight("w", [1.0, 2.0]))
        old.graph.input.append(value("w"))
        old.ir_version = 3
        found = reads(old)

        assert names(found.graph, found.graph.inputs) == ["x"]
        assert "Inputs with a default" not in dict(found.facts)

    def test_an_input_with_a_default_is_a_constant_and_named_among_the_facts(self, reads: Reads) -> None:
        new = with_weight(weight("w", [1.0, 2.0]))
        new.graph.input.append(value("w"))
        found = reads(new)

        assert names(found.graph, found.graph.inputs) == ["x"]
        assert names(found.graph, found.graph.constants) == ["w"]
        assert dict(found.facts)["Inputs with a default"] == "w"

    def test_left_out_inputs_and_outputs_stay_in_their_places(self, reads: Reads) -> None:
        clip = helper.make_node("Clip", ["x", "", "top"], ["y"])
        drop = helper.make_node("Dropout", ["y"], ["", "mask"])
        nodes = list(reads(model(graph(clip, drop, inputs=[value("x"), value("top")]))).graph.nodes())

        assert [node.inputs for node in nodes] == [("x", "", "top"), ("y",)]
        assert nodes[1].outputs == ("", "mask")


class TestTypes:
    @pytest.mark.parametrize(
        ("dims", "expected"),
        [
            ((1, 3), (1, 3)),
            (("batch", 3), ("batch", 3)),
            ((None, 3), (None, 3)),
            ((-1, "?"), (None, None)),
            ((), ()),
            (None, None),
            ((0,), (0,)),
        ],
    )
    def test_shapes(self, dims: tuple[int | str | None, ...] | None, expected: object, reads: Reads) -> None:
        found = reads(model(graph(relu(), inputs=[value("x", dims)]))).graph

        assert found.tensor(0).shape == expected

    @pytest.mark.parametrize(
        ("number", "name"),
        [
            (TensorProto.FLOAT, "float32"),
            (TensorProto.BFLOAT16, "bfloat16"),
            (TensorProto.INT4, "int4"),
            (TensorProto.FLOAT8E4M3FN, "float8e4m3fn"),
            (TensorProto.STRING, "string"),
            (TensorProto.UNDEFINED, ""),
            (99, "type 99"),
        ],
    )
    def test_element_types(self, number: int, name: str, reads: Reads) -> None:
        found = reads(model(graph(relu(), inputs=[value("x", (2,), number)]))).graph

        assert found.tensor(0).dtype == name

    def test_every_type_that_onnx_knows_has_its_name(self, reads: Reads) -> None:
        for name, number in TensorProto.DataType.items():
            found = reads(model(graph(relu(), inputs=[value("x", (2,), number)]))).graph.tensor(0).dtype
            usual = {"FLOAT": "float32", "DOUBLE": "float64", "UNDEFINED": ""}
            assert found == usual.get(name, name.lower())

    @pytest.mark.parametrize(
        ("kind", "dtype"),
        [
            (helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, None)), "sequence(float32)"),
            (helper.make_optional_type_proto(helper.make_tensor_type_proto(7, None)), "optional(int64)"),
            (helper.make_map_type_proto(8, helper.make_tensor_type_proto(1, None)), "map(string, float32)"),
            (helper.make_sparse_tensor_type_proto(1, None), "sparse(float32)"),
            (
                helper.make_sequence_type_proto(helper.make_map_type_proto(7, helper.make_tensor_type_proto(1, None))),
                "sequence(map(int64, float32))",
            ),
            (onnx.TypeProto(opaque_type=onnx.TypeProto.Opaque(domain="a", name="b")), "opaque(a, b)"),
            (onnx.TypeProto(), ""),
        ],
    )
    def test_what_is_no_tensor(self, kind: onnx.TypeProto, dtype: str, reads: Reads) -> None:
        found = reads(model(graph(relu(), inputs=[helper.make_value_info("x", kind)]))).graph

        assert (found.tensor(0).dtype, found.tensor(0).shape) == (dtype, None)

    def test_types_of_inner_tensors(self, reads: Reads) -> None:
        chain = model(graph(relu("x", "h"), relu("h", "y"), inputs=[value("x")]))
        chain.graph.value_info.extend([value("h", ("N", 4)), value("nowhere", (1,))])
        found = reads(chain).graph
        index = found.tensor_index("h")

        assert index is not None
        assert found.tensor(index).shape == ("N", 4)
        assert found.tensor_index("nowhere") is None

    def test_types_that_are_nested_without_end_are_refused(self, reads: Reads) -> None:
        kind = helper.make_tensor_type_proto(1, None)
        for _ in range(30):
            kind = helper.make_sequence_type_proto(kind)

        with pytest.raises(FormatError, match="nested too deeply"):
            reads(model(graph(relu(), inputs=[helper.make_value_info("x", kind)])))


class TestBodies:
    def test_branches_belong_to_their_node(self, reads: Reads) -> None:
        found = reads(branching()).graph

        assert [(body.owner, body.role, len(body.graph)) for body in found.subgraphs] == [
            (0, "else_branch", 1),
            (0, "then_branch", 1),
        ]
        assert found.node(0).subgraphs == (0, 1)

    def test_bodies_lie_in_bodies(self, reads: Reads) -> None:
        assert [(path, graph.name) for path, graph in reads(branching()).graph.walk()] == [
            ((), "graph"),
            ((0,), "other"),
            ((0, 0), "inner"),
            ((0, 1), "inner"),
            ((1,), "then"),
        ]

    def test_reading_tensors_from_around_is_no_problem(self, reads: Reads) -> None:
        assert reads(branching()).problems == ()

    def test_tensors_from_around_have_their_types_inside_too(self, reads: Reads) -> None:
        for _, body in reads(branching()).graph.walk():
            index = body.tensor_index("x")
            assert index is None or body.tensor(index) == Tensor("x", "float32", (2,))

    def test_what_a_body_makes_itself_has_nothing_from_around(self, reads: Reads) -> None:
        shadow = graph(relu("x", "c"), outputs=[value("c", None, TensorProto.UNDEFINED)], name="then")
        decide = helper.make_node("If", ["c"], ["y"], then_branch=shadow, else_branch=shadow)
        found = reads(model(graph(decide, inputs=[value("x"), value("c", (), TensorProto.BOOL)]))).graph.subgraphs[0]
        index = found.graph.tensor_index("c")

        assert index is not None
        assert found.graph.tensor(index) == Tensor("c")

    def test_reading_what_nobody_makes_is_one(self, reads: Reads) -> None:
        then = graph(relu("nothing", "then_y"), outputs=[value("then_y")], name="then")
        decide = helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=then)
        found = reads(model(graph(decide, inputs=[value("c")])))

        assert {problem.where for problem in found.problems} == {"then"}

    def test_an_operator_of_ones_own_may_hold_graphs_too(self, reads: Reads) -> None:
        bodies = [graph(relu("x", "a"), name="first"), graph(relu("x", "b"), name="second")]
        mine = helper.make_node("Choose", ["x"], ["y"], domain="mine", bodies=bodies)
        found = reads(model(graph(mine, inputs=[value("x")]), {"": 17, "mine": 1})).graph

        assert [(body.role, body.graph.name) for body in found.subgraphs] == [
            ("bodies[0]", "first"),
            ("bodies[1]", "second"),
        ]

    def test_the_body_of_a_loop_has_weights_of_its_own(self, reads: Reads) -> None:
        body = graph(
            helper.make_node("Add", ["state", "w"], ["next"]),
            helper.make_node("Identity", ["go"], ["on"]),
            inputs=[value("i", ()), value("go", ()), value("state")],
            outputs=[value("on", ()), value("next")],
            weights=[weight("w", np.full(2, 3.0, np.float32))],
        )
        loop = helper.make_node("Loop", ["n", "c", "x"], ["y"], body=body)
        found = reads(model(graph(loop, inputs=[value("n", ()), value("c", ()), value("x")]))).graph

        assert found.subgraphs[0].graph.weights.read("w").tolist() == [3.0, 3.0]
        assert list(found.weights.names()) == []

    def test_graphs_that_are_nested_without_end_are_refused(self, reads: Reads) -> None:
        inner = graph(relu(), name="0")
        for _ in range(20):
            inner = graph(helper.make_node("If", ["c"], ["y"], then_branch=inner), name="n")
        deep = model(inner)
        for _ in range(12):
            deep = model(graph(helper.make_node("If", ["c"], ["y"], then_branch=deep.graph), name="n"))

        with pytest.raises(FormatError, match="nested too deeply"):
            reads(deep)

    def test_more_graphs_than_memory_can_take_are_refused(self, reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(graphs, "MAX_GRAPHS", 3)

        with pytest.raises(FormatError, match="more than 3 graphs"):
            reads(branching())


class TestFunctions:
    def test_a_function_is_a_graph_beside_the_others(self, reads: Reads) -> None:
        body = [relu("a", "h"), helper.make_node("Constant", [], ["k"], value=weight("k", [1.0]))]
        mine = helper.make_function("mine", "Twice", ["a"], ["h"], body, [helper.make_opsetid("", 17)], ["alpha"])
        call = helper.make_node("Twice", ["x"], ["y"], domain="mine")
        found = reads(model(graph(call, inputs=[value("x")]), {"": 17, "mine": 1}, functions=[mine]))
        [function] = found.functions

        assert (function.domain, function.name, function.graph.name) == ("mine", "Twice", "Twice")
        assert names(function.graph, function.graph.inputs) == ["a"]
        assert names(function.graph, function.graph.outputs) == ["h"]
        assert [node.op_type for node in function.graph.nodes()] == ["Relu", "Constant"]
        assert function.graph.weights.read("k").tolist() == [1.0]

    def test_overloads_are_told_apart(self, reads: Reads) -> None:
        found = model(graph())
        for overload in ("", "fast"):
            found.functions.add(domain="mine", name="Twice", overload=overload)

        assert [function.name for function in reads(found).functions] == ["Twice", "Twice:fast"]

    def test_attributes_may_stand_for_those_of_the_call(self, reads: Reads) -> None:
        node = helper.make_node("LeakyRelu", ["a"], ["h"])
        node.attribute.append(onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT))
        mine = helper.make_function("mine", "F", ["a"], ["h"], [node], [helper.make_opsetid("", 17)], ["slope"])
        [function] = reads(model(graph(), {"": 17}, functions=[mine])).functions

        assert str(function.graph.node(0).attributes["alpha"]) == "@slope"


class TestFacts:
    def test_who_made_it_and_for_what(self, reads: Reads) -> None:
        made = model(graph(relu(), inputs=[value("x")]), {"": 17, "ai.onnx.ml": 3}, producer_name="pytorch")
        made.producer_version, made.model_version, made.domain, made.doc_string = "2.9", 4, "org.me", "A net."
        made.metadata_props.add(key="stride", value="32")
        made.graph.doc_string = "Its graph."
        made.graph.metadata_props.add(key="origin", value="script")

        assert (
            dict(reads(made).facts).items()
            >= {
                "Producer": "pytorch 2.9",
                "Opset": "17, ai.onnx.ml 3",
                "Model version": "4",
                "Domain": "org.me",
                "Description": "A net.",
                "stride": "32",
                "Graph description": "Its graph.",
                "Graph: origin": "script",
            }.items()
        )

    def test_training_graphs_are_counted(self, reads: Reads) -> None:
        made = small()
        made.training_info.add().algorithm.CopyFrom(graph(relu(), name="step"))
        made.training_info.add().algorithm.CopyFrom(graph(weights=[weight("w", np.zeros(5000))], name="large"))

        assert dict(reads(made).facts)["Training graphs"] == "2 (not shown)"

    def test_devices_are_named(self, reads: Reads) -> None:
        made = small()
        made.configuration.add(name="two cards", num_devices=2)

        assert dict(reads(made).facts)["Device configurations"] == "two cards"

    def test_notes_on_quantization_are_readable_and_at_hand(self, reads: Reads) -> None:
        made = small()
        note = made.graph.quantization_annotation.add(tensor_name="x")
        note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="x_scale")
        found = reads(made)

        assert dict(found.facts)["Quantization annotations"] == "x (SCALE_TENSOR = x_scale)"
        annotations = getattr(found.graph.attributes, "annotations", None)
        assert annotations == {"x": {"SCALE_TENSOR": "x_scale"}}

    def test_long_texts_are_cut(self, reads: Reads) -> None:
        made = small()
        made.doc_string = "word " * 10_000

        assert len(dict(reads(made).facts)["Description"]) < 500


class TestOddities:
    def test_names_given_twice(self, reads: Reads) -> None:
        nodes = [relu("x", "a", "same"), relu("a", "b", "same")]

        assert texts(reads(model(graph(*nodes, inputs=[value("x")])))) == ["1 node name is given more than once: same."]

    def test_initializers_given_twice(self, reads: Reads) -> None:
        twice = with_weight(weight("w", [1.0, 2.0]))
        twice.graph.initializer.append(weight("w", [3.0, 4.0]))

        assert any("initializers are given more than once: w" in text for text in texts(reads(twice)))

    def test_tensors_made_twice(self, reads: Reads) -> None:
        nodes = [relu("x", "a"), helper.make_node("Neg", ["x"], ["a"])]

        assert any(
            "made by more than one node: a" in text for text in texts(reads(model(graph(*nodes, inputs=[value("x")]))))
        )

    def test_cycles(self, reads: Reads) -> None:
        nodes = [relu("b", "a"), relu("a", "b")]

        assert any("wait for each other in a cycle" in text for text in texts(reads(model(graph(*nodes)))))

    def test_inputs_that_nobody_makes(self, reads: Reads) -> None:
        assert texts(reads(model(graph(relu("nothing", "y"))))) == ["1 tensor is read but made nowhere: nothing."]

    def test_names_that_are_not_utf8(self, reads: Reads) -> None:
        data = small().SerializeToString().replace(b"relu", b"re\xff\xfe").replace(b"graph", b"gr\xff\xfeh")
        found = reads(data).graph

        assert found.node(0).name == "re\\xff\\xfe"
        assert found.name == "gr\\xff\\xfeh"

    def test_a_graph_in_two_pieces_is_one(self, reads: Reads) -> None:
        first, second = small(), onnx.ModelProto(graph=onnx.GraphProto(node=[relu("y", "z", "second")]))
        found = reads(first.SerializeToString() + second.SerializeToString()).graph

        assert list(found.node_names) == ["relu", "second"]

    def test_a_model_without_a_graph_is_refused(self, reads: Reads) -> None:
        headless = model(graph(), producer_name="pytorch")
        headless.ClearField("graph")
        headless.ClearField("opset_import")

        with pytest.raises(FormatError, match="before its graph begins"):
            reads(headless)
