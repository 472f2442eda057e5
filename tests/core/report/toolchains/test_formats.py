"""What stands in the files, by the conventions of those who read them."""

import json
from pathlib import Path

import pytest

from errorflow.base.errors import WrongFileError
from errorflow.base.progress import SILENT
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.presets import preset
from errorflow.quant.steps import Equalize, Smooth
from errorflow.quant.switching import facts_of, switched, switched_tensors
from errorflow.report.toolchains import TOOLCHAINS, toolchain, toolchain_of
from errorflow.report.toolchains.model import Decision
from errorflow.report.toolchains.yaml_text import read_yaml
from errorflow.vendors.ascend.amct.simple import read_simple_config
from toolchain_cases import graph_of

U8 = preset("pulsar2-u8").plan


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return graph_of("residual", tmp_path_factory.mktemp("nets"))


def text(key: str, graph: Graph, plan: Plan) -> str:
    return next(iter(toolchain(key).write(Decision.of(graph, plan), None).files.values()))


def nodes(graph: Graph, kind: str) -> list[int]:
    return [node for node in range(len(graph)) if graph.op_types[node] == kind]


def entries(graph: Graph, plan: Plan) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(text("pulsar2", graph, plan))["quant"]["layer_configs"]
    return found


class TestPulsar2:
    def test_a_whole_type_is_one_entry(self, graph: Graph) -> None:
        plan = switched(graph, U8, nodes(graph, "Relu"), FLOAT)
        assert entries(graph, plan) == [{"op_type": "Relu", "data_type": "FP32"}]

    def test_a_single_node_goes_by_its_name(self, graph: Graph) -> None:
        first = nodes(graph, "Add")[0]
        plan = switched(graph, U8, [first], FLOAT)
        assert entries(graph, plan) == [{"layer_name": graph.node_names[first], "data_type": "FP32"}]

    def test_neighbours_are_a_subgraph_where_that_is_shorter(self, graph: Graph) -> None:
        inside = [node for node in range(len(graph)) if graph.node_names[node].startswith("/layer0/one")]
        [entry] = entries(graph, switched(graph, U8, inside, 16, "activations"))
        assert set(entry) == {"start_tensor_names", "end_tensor_names", "data_type"}

    def test_the_type_of_most_is_that_of_all_and_there_are_no_subgraphs_beside_it(self, graph: Graph) -> None:
        inside = [node for node in range(len(graph)) if graph.node_names[node].startswith("/layer0/one")]
        first, *others = entries(graph, switched(graph, preset("pulsar2-u16").plan, inside, 8, "activations"))
        assert first == {"start_tensor_names": ["DEFAULT"], "end_tensor_names": ["DEFAULT"], "data_type": "U16"}
        assert all("start_tensor_names" not in entry for entry in others)

    def test_what_a_conv_makes_may_be_float_alone(self, graph: Graph) -> None:
        conv = nodes(graph, "Conv")[0]
        plan = switched_tensors(U8, [graph.tensor_names[facts_of(graph).made[conv][0]]], FLOAT)
        assert entries(graph, plan) == [
            {"layer_name": graph.node_names[conv], "output_data_type": "FP32", "data_type": "U8"}
        ]

    def test_smoothing_is_told_and_other_steps_are_listed(self, graph: Graph, tmp_path: Path) -> None:
        plan = Plan(U8.activations, U8.weights, steps=(Equalize(), Smooth(0.5, 0.25)))
        written = toolchain("pulsar2").write(Decision.of(graph, plan), None)
        quant = json.loads(written.files["pulsar2_config.json"])["quant"]
        assert (quant["enable_smooth_quant"], quant["smooth_quant_strength"]) == (True, 0.5)
        assert [each.name for each in written.left_out] == ["Equalize layers"]
        path = tmp_path / "x.json"
        path.write_text(json.dumps({"quant": quant}))
        assert toolchain("pulsar2").read(path, graph, SILENT).plan.steps == (Smooth(0.5, 0.25),)

    def test_comments_and_names_over_types_over_subgraphs_are_read(self, graph: Graph, tmp_path: Path) -> None:
        first, second = nodes(graph, "Add")[:2]
        path = tmp_path / "x.json"
        path.write_text(
            '{"quant": {"layer_configs": [ # all of it\n'
            f'{{"layer_name": "{graph.node_names[first]}", "data_type": "U8"}}, // this one\n'
            '{"op_type": "Add", "data_type": "FP32"},\n'
            '{"start_tensor_names": ["DEFAULT"], "end_tensor_names": ["DEFAULT"], "data_type": "U16"}]}}'
        )
        plan = toolchain("pulsar2").read(path, graph, SILENT).plan
        wishes = Decision.of(graph, plan).assigned.wishes
        assert [getattr(wishes[node][0], "dtype", wishes[node][0]) for node in (first, second)] == ["uint8", FLOAT]
        assert getattr(wishes[nodes(graph, "Relu")[0]][0], "dtype", "") == "uint16"


class TestAmct:
    def test_a_type_that_stays_in_float_is_skipped_as_one(self, graph: Graph, tmp_path: Path) -> None:
        path = tmp_path / "x.cfg"
        path.write_text(text("amct-simple", graph, switched(graph, preset("amct").plan, nodes(graph, "Conv"), FLOAT)))
        found = read_simple_config(path)
        assert (found.skip_layer_types, found.skip_layers, found.by_layer) == (("Conv",), (), ())

    def test_more_bits_are_an_override(self, graph: Graph, tmp_path: Path) -> None:
        conv = nodes(graph, "Conv")[1]
        path = tmp_path / "x.cfg"
        path.write_text(text("amct-simple", graph, switched(graph, preset("amct").plan, [conv], 16, "activations")))
        [override] = read_simple_config(path).by_layer
        assert override.names == (graph.node_names[conv],)


class TestHorizon:
    def test_float_is_the_cpu_and_a_whole_type_is_an_optimisation(self, graph: Graph) -> None:
        plan = switched(graph, preset("horizon-int8").plan, nodes(graph, "Relu"), 16)
        plan = switched(graph, plan, nodes(graph, "Gemm"), FLOAT)
        found = read_yaml(text("horizon", graph, plan), "x.yaml")
        assert found["model_parameters"] == {"node_info": {graph.node_names[nodes(graph, "Gemm")[0]]: {"ON": "CPU"}}}
        assert found["calibration_parameters"] == {"optimization": "set_Relu_input_int16,set_Relu_output_int16"}

    def test_older_lists_and_the_short_form_are_read(self, graph: Graph, tmp_path: Path) -> None:
        first, second = (graph.node_names[node] for node in nodes(graph, "Conv")[:2])
        path = tmp_path / "x.yaml"
        path.write_text(f"model_parameters:\n  run_on_cpu: '{first}'\n  node_info: '{second}:int16'\n")
        rules = toolchain("horizon").read(path, graph, SILENT).plan.rules
        assert {rule.names: getattr(rule.activations, "dtype", rule.activations) for rule in rules} == {
            (first,): FLOAT,
            (second,): "int16",
        }


def test_every_file_is_recognised_as_its_own(graph: Graph, tmp_path: Path) -> None:
    plan = switched(graph, preset("amct").plan, nodes(graph, "Conv")[:1], FLOAT)
    for each in TOOLCHAINS:
        if not each.needs_ranges:
            for name, content in each.write(Decision.of(graph, plan), None).files.items():
                path = tmp_path / name
                path.write_text(content, "utf-8")
                assert toolchain_of(path) is each
    (tmp_path / "x.bin").write_bytes(bytes(range(256)))
    with pytest.raises(WrongFileError):
        toolchain_of(tmp_path / "x.bin")
