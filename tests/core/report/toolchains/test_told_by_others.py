"""Files that others wrote: nothing that they say is dropped or turned into something else without a word."""

from pathlib import Path

import onnx
import pytest

from errorflow.base.progress import SILENT
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT
from errorflow.quant.presets import preset
from errorflow.quant.switching import facts_of, switched
from errorflow.report.toolchains import toolchain
from errorflow.report.toolchains.model import NOT_RUN, Decision, Reading
from errorflow.report.toolchains.wanting import made_by
from toolchain_cases import case_of, graph_of


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nets")


@pytest.fixture(scope="module")
def graph(place: Path) -> Graph:
    return graph_of("residual", place)


def convs(graph: Graph) -> list[int]:
    return [node for node in range(len(graph)) if graph.op_types[node] == "Conv"]


def read(key: str, text: str, graph: Graph, folder: Path) -> Reading:
    path = folder / "theirs"
    path.write_text(text, "utf-8")
    return toolchain(key).read(path, graph, SILENT)


def floats(graph: Graph, reading: Reading) -> set[str]:
    wishes = Decision.of(graph, reading.plan).assigned.wishes
    return {graph.node_names[node] for node in convs(graph) if wishes[node][0] == FLOAT}


def names(graph: Graph, nodes: list[int]) -> set[str]:
    return {graph.node_names[node] for node in nodes}


def test_rknns_layers_go_on_behind_blank_lines_and_comments(graph: Graph, tmp_path: Path) -> None:
    first, second, third = (made_by(graph, node) for node in convs(graph)[:3])
    text = (
        f"custom_quantize_layers:\n    {first}: float16\n# a comment\n\n\t{second}: float16\n\n"
        f"quantize_parameters:\n    {third}:\n        qtype: float16\n"
    )
    found = read("rknn", text, graph, tmp_path)
    assert floats(graph, found) == names(graph, convs(graph)[:2])
    assert found.notes == ()


def test_rknns_layers_are_replaced_as_far_as_they_are_read(graph: Graph, tmp_path: Path) -> None:
    base = tmp_path / "base.cfg"
    base.write_text(
        "custom_quantize_layers:\n    a: float16\n\n    b: float16\n# of all\nquantize_parameters:\n    c: 1\n"
    )
    plan = preset("onnxruntime-x86").plan
    [text] = toolchain("rknn").write(Decision.of(graph, plan), base).files.values()
    assert text == f"# {NOT_RUN}\ncustom_quantize_layers:\n# of all\nquantize_parameters:\n    c: 1\n"
    base.write_text(text)
    assert list(toolchain("rknn").write(Decision.of(graph, plan), base).files.values()) == [text]


def test_tpu_mlirs_other_codes_are_no_float_and_are_told(graph: Graph, tmp_path: Path) -> None:
    rows = [f"{made_by(graph, node)}_Conv" for node in convs(graph)[:5]]
    modes = ("INT4", "W8F16", "F16", "INT16", "BF16")
    text = "# op_name quantize_mode\n" + "".join(f"{row} {mode}\n" for row, mode in zip(rows, modes, strict=True))
    found = read("tpu-mlir", text, graph, tmp_path)
    assert floats(graph, found) == names(graph, [convs(graph)[2], convs(graph)[4]])
    assert [note.split()[0] for note in found.notes] == ["INT4", "W8F16", "INT16"]


def test_pulsar2_says_which_type_a_node_without_a_name_gets(place: Path, tmp_path: Path) -> None:
    model = onnx.load(case_of("residual", place).path)
    conv = [node for node in model.graph.node if node.op_type == "Conv"][1]
    conv.name = ""
    path = tmp_path / "unnamed.onnx"
    onnx.save(model, path)
    graph = read_model(path).graph
    node = next(node for node in convs(graph) if not graph.node_names[node])
    plan = switched(graph, preset("pulsar2-u16").plan, [node], 8)
    written = toolchain("pulsar2").write(Decision.of(graph, plan), None)
    assert [each.instead for each in written.left_out if each.node == node] == ["U16"]
    (tmp_path / "back.json").write_text(next(iter(written.files.values())), "utf-8")
    back = toolchain("pulsar2").read(tmp_path / "back.json", graph, SILENT).plan
    assert getattr(Decision.of(graph, back).assigned.wishes[node][0], "dtype", "") == "uint16"
    assert facts_of(graph).flows[node]
