"""Which nodes a text speaks of."""

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.base.errors import UsageError
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.asking import asked_nodes
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.quant.selecting import chosen, unheard
from onnx_models import graph, model, relu, value


@pytest.fixture(name="net", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """x → first → a → second → b → third → c → last → y; and a name that looks like a selection."""
    nodes = [
        relu("x", "a", "first"),
        helper.make_node("Sigmoid", ["a"], ["b"], "second"),
        relu("b", "c", "third"),
        relu("c", "y", "last"),
        relu("a", "z", "type:Relu"),
    ]
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    onnx.save(model(graph(*nodes, inputs=[value("x")], outputs=[value("y"), value("z")])), path)
    return read_model(path).graph


def meant(net: Graph, rule: Rule) -> list[str]:
    return [net.node_names[node] for node in np.flatnonzero(chosen(net, rule)).tolist()]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("second", ["second"]),
        ("type:Sigmoid", ["second"]),
        ("type:Relu", ["type:Relu"]),
        ("*r*d", ["third"]),
        ("after:b", ["third", "last"]),
        ("after:second", ["second", "third", "last"]),
        ("before:second", ["first", "second"]),
        ("before:c", ["first", "second", "third"]),
        ("second..third", ["second", "third"]),
        ("a..third", ["second", "third"]),
        ("first..c", ["first", "second", "third"]),
    ],
)
def test_a_text_means_nodes(net: Graph, text: str, names: list[str]) -> None:
    assert meant(net, asked_nodes(net, text)) == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seconds", "Did you mean second"),
        ("after:seconds", "Did you mean second"),
        ("type:Sigmod", "There are Sigmoid"),
        ("nothing*", "no node nothing"),
        ("third..second", "Name the first one first"),
        ("after:y", "Write NODE"),
        ("first..nothing", "no node"),
    ],
)
def test_a_text_that_means_none_is_refused(net: Graph, text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked_nodes(net, text)
    assert said in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (Plan(rules=(Rule(FLOAT, FLOAT, names=("second",)),), tensors=(("a", FLOAT),)), []),
        (Plan().keeping_float("nowhere"), ["The plan has a rule that means no node of the model: nowhere → float."]),
        (Plan(rules=(Rule(FLOAT, types=("Conv",)),)), ["The plan has a rule that means no node of the model: Conv"]),
        (
            Plan(tensors=(("gone", FLOAT), ("lost", FLOAT))),
            ["The plan sets gone and 1 more, which the model does not have."],
        ),
        (Plan(coded=(("gone", Precision()),)), ["The plan codes gone, which the model does not have."]),
    ],
)
def test_what_of_a_plan_means_nothing_is_told(net: Graph, plan: Plan, said: list[str]) -> None:
    found = list(unheard(plan, net))
    assert len(found) == len(said)
    assert all(text.startswith(start) for text, start in zip(found, said, strict=True))
