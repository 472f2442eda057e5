"""What is handed over is read back: the same switches for every node that the target can express."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorflow.base.errors import UsageError
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.presets import PRESETS
from errorflow.quant.switching import Part, Switch, facts_of, switched
from errorflow.report.toolchains import TOOLCHAINS
from errorflow.report.toolchains.model import Decision, Toolchain
from toolchain_cases import NETS, case_of, graph_of, plans, read_back, switches

PARTS: tuple[Part, ...] = ("both", "activations", "weights")
TEXTS = tuple(each for each in TOOLCHAINS if not each.needs_run)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nets")


def check(toolchain: Toolchain, net: str, plan: Plan, place: Path, folder: Path) -> int:
    """How many nodes came back as they were."""
    graph = graph_of(net, place)
    decision = Decision.of(graph, plan, case_of(net, place).calibration, f"{net}.onnx")
    try:
        written = toolchain.write(decision, None)
    except UsageError as error:  # there is nothing that could be told at all
        assert toolchain.key in ("amct", "amct-record"), error
        return 0
    told = {each.node for each in written.left_out if each.node >= 0}
    before, after = switches(decision), switches(read_back(toolchain, decision, folder))
    lost = {
        graph.title(node): (switch, after.get(node))
        for node, switch in before.items()
        if node not in told and after.get(node, (FLOAT, None)) != switch
    }
    assert not lost, f"{toolchain.key}: {lost} {plan}"
    return len(before.keys() - told)


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("toolchain", TEXTS, ids=lambda each: each.key)
def test_every_plan_comes_back(toolchain: Toolchain, net: str, place: Path, tmp_path: Path) -> None:
    graph = graph_of(net, place)
    kept = [check(toolchain, net, plan, place, tmp_path) for plan in plans(graph).values()]
    assert max(kept) > 0 or (net, toolchain.key) in (("crossing", "amct"), ("crossing", "amct-record"))


@pytest.mark.parametrize("toolchain", TEXTS, ids=lambda each: each.key)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_switches_come_back(toolchain: Toolchain, place: Path, tmp_path: Path, data: st.DataObject) -> None:
    net = data.draw(st.sampled_from(NETS))
    graph = graph_of(net, place)
    plan = data.draw(st.sampled_from(PRESETS)).plan
    flowing = [node for node in range(len(graph)) if facts_of(graph).flows[node]]
    asked: list[Switch] = data.draw(st.permutations((FLOAT, 8, 16)))
    for switch in asked:
        nodes = data.draw(st.lists(st.sampled_from(flowing), max_size=6, unique=True))
        part: Part = data.draw(st.sampled_from(PARTS))
        plan = switched(graph, plan, nodes, switch, part)
    check(toolchain, net, plan, place, tmp_path)


def test_what_no_target_can_express_is_listed(place: Path) -> None:
    graph = graph_of("plain", place)
    conv = next(node for node in range(len(graph)) if facts_of(graph).weights[node] is not None)
    plan = switched(graph, PRESETS[2].plan, [conv], 4)
    for toolchain in TEXTS:
        written = toolchain.write(Decision.of(graph, plan, case_of("plain", place).calibration), None)
        assert (conv in {each.node for each in written.left_out}) == (toolchain.key not in ("onnxruntime", "plan"))
