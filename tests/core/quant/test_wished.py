"""What a plan says of single nodes where nothing computes."""

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.switching import Kept, switched
from errorflow.quant.wished import Wished

CONV = "/block2/project/conv/Conv"


@pytest.fixture(name="net", scope="module")
def read() -> Graph:
    return read_model(SAMPLES[0].model).graph


def test_a_switch_is_told_of_its_node_alone(net: Graph) -> None:
    node = net.node_names.index(CONV)
    found = Wished(net, switched(net, Plan(), [node], FLOAT))
    assert found.kept.nonzero()[0].tolist() == [node] and found.kept[node] == Kept.FLOAT
    assert found.told(node) == "wished: float" and found.told(node - 1) == ""


def test_a_part_is_told_with_both(net: Graph) -> None:
    node = net.node_names.index(CONV)
    found = Wished(net, switched(net, Plan(), [node], FLOAT, "weights"))
    assert found.kept[node] == Kept.PART
    assert found.told(node) == "wished: activations as planned, weights float"


def test_a_rule_marks_all_that_it_speaks_of(net: Graph) -> None:
    found = Wished(net, Plan(rules=(Rule(FLOAT, FLOAT, types=("Conv",)),)))
    convs = [node for node, kind in enumerate(net.op_types) if kind == "Conv"]
    assert found.kept.nonzero()[0].tolist() == convs


def test_who_has_nothing_but_tensors_in_float_is_marked_too(net: Graph) -> None:
    node = net.node_names.index(CONV)
    around = [int(net.node_inputs[node][0]), int(net.node_inputs[node][1]), int(net.node_outputs[node][0])]
    tensors = tuple((net.tensor_names[tensor], FLOAT) for tensor in around)
    assert Wished(net, Plan(tensors=tensors)).kept[node] == Kept.FLOAT
    assert not Wished(net, Plan(tensors=tensors[:2])).kept[node]


def test_a_plan_that_nobody_touched_marks_nothing(net: Graph) -> None:
    assert not Wished(net, Plan()).kept.any()
