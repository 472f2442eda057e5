"""What the details say, as far as it takes no window."""

from dataclasses import replace
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from errorflow.formats import read_model
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.attributes import LONG, is_internal
from errorflow_viewer.panels.details import FEW, SurroundingGraphs, group_page, model_page, node_page, tensor_page

ATC_JSON = Path(__file__).parents[2] / "data" / "formats" / "atc-json" / "s2_fusion.json"


def test_attributes_of_a_file_that_is_gone_are_a_sentence(tmp_path: Path) -> None:
    path = Path(copy(ATC_JSON, tmp_path / "model.json"))
    model = read_model(path)
    path.unlink()

    _, _, sections = node_page(model, SurroundingGraphs(model.graph), 1, frozenset())

    (line,) = next(section.lines for section in sections if section.title == "Attributes")
    assert "model.json" in line.value


def test_what_only_a_compiler_needs_comes_last_and_folded() -> None:
    model = read_model(ATC_JSON)
    node = next(node for node in model.graph.nodes() if node.origins and any(map(is_internal, node.attributes)))
    _, _, sections = node_page(model, SurroundingGraphs(model.graph), node.index, frozenset())
    titles = [section.title for section in sections if section.lines]
    count = sum(map(is_internal, node.attributes))
    assert titles[0] == "Stands for" and titles[-1] == f"Compiler internals ({count})"
    assert len(sections[-1].lines) == 1
    _, _, opened = node_page(model, SurroundingGraphs(model.graph), node.index, frozenset({"internals"}))
    assert len(opened[-1].lines) == count


def test_a_long_fact_is_cut_until_it_is_asked_for() -> None:
    model = replace(read_model(ATC_JSON), facts=(("Command", "atc " + "--option=1 " * 100),))
    for expanded, whole in ((frozenset[str](), False), (frozenset({"fact Command"}), True)):
        _, _, sections = model_page(model, SurroundingGraphs(model.graph), Place(), expanded)
        (line,) = [line for section in sections for line in section.lines if line.label == "Command"]
        assert (len(line.value) > 2 * LONG) is whole and ("Show all" in line.value) is not whole


def caches(count: int) -> Model:
    builder = GraphBuilder()
    names = [f"past.{i}" for i in range(count)]
    for name in names:
        builder.input(name)
    builder.node("Concat", names, ["y"], name="join")
    builder.output("y")
    return Model(Path("/models/caches.onnx"), "ONNX model", builder.build())


@pytest.mark.parametrize(("count", "lines"), [(FEW + 2, FEW + 2), (FEW + 3, FEW + 1), (300, FEW + 1)])
def test_many_inputs_leave_what_follows_them_in_sight(count: int, lines: int) -> None:
    model = caches(count)
    around, key = SurroundingGraphs(model.graph), frozenset({"inputs"})
    for expanded, wanted in ((frozenset[str](), lines), (key, count)):
        _, _, page = model_page(model, around, Place(), expanded)
        _, _, group = group_page(around, "all", np.zeros(1, np.int32), 1, expanded)
        for sections in (page, group):
            assert [len(section.lines) for section in sections if section.title == "Inputs"] == [wanted]


def test_all_inputs_of_a_node_are_listed() -> None:
    model = caches(30)
    _, _, sections = node_page(model, SurroundingGraphs(model.graph), 0, frozenset())
    assert [len(section.lines) for section in sections if section.title == "Inputs"] == [30]


def test_what_is_not_known_of_a_tensor_is_said_in_words() -> None:
    graph = caches(1).graph
    _, _, sections = tensor_page(SurroundingGraphs(graph), int(graph.inputs[0]))
    values = {line.label: line.value for section in sections for line in section.lines if line.label}
    assert "not known" in values["Shape"] and "not known" in values["Type"]
