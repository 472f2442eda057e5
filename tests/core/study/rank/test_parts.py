"""Which parts a question speaks of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from errorflow.base.errors import UsageError
from errorflow.quant.plan import FLOAT, Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import KINDS, Kind, Part, Question
from errorflow.study.rank.parts import outputs_of, parts_of
from errorflow.study.rank.switching import Switching
from rankings_made import PLAN, engine_of

ALL: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "group")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_of("residual", tmp_path_factory.mktemp("net"), 1) as opened:
        yield opened


def parts(engine: Engine, kind: Kind, *only: tuple[str, ...], plan: Plan = PLAN) -> tuple[Part, ...]:
    return parts_of(engine.graph, engine.assigned(plan), Question(kind, only=only))


def coded(engine: Engine, plan: Plan = PLAN) -> set[str]:
    return {engine.graph.tensor_names[tensor] for tensor in engine.assigned(plan).coded}


@pytest.mark.parametrize("kind", ["unit", "tensor"])
def test_each_coded_tensor_is_in_one_unit_and_in_one_tensor(engine: Engine, kind: Kind) -> None:
    found = [name for part in parts(engine, kind) for name in part.tensors]
    assert sorted(found) == sorted(coded(engine))


@pytest.mark.parametrize("kind", ALL)
def test_names_are_apart_and_everything_of_a_part_is_coded(engine: Engine, kind: Kind) -> None:
    found = parts(engine, kind)
    assert len({part.name for part in found}) == len(found)
    assert all(part.tensors and set(part.tensors) <= coded(engine) for part in found)


def test_weights_and_activations_are_all_tensors(engine: Engine) -> None:
    both = {part.name for kind in ("weight", "activation") for part in parts(engine, kind)}
    assert both == {part.name for part in parts(engine, "tensor")}


def test_an_input_of_the_model_is_a_unit(engine: Engine) -> None:
    first = parts(engine, "unit")[0]
    assert (first.type, first.nodes) == ("Input", ())
    assert first.name in first.tensors


@pytest.mark.parametrize("kind", ["node", "producer", "upstream"])
def test_a_part_left_out_frees_what_its_node_reads_and_makes(engine: Engine, kind: Kind) -> None:
    switching = Switching(engine.graph, PLAN, engine.assigned(PLAN))
    for part in parts(engine, kind):
        left = coded(engine, switching.without([part]))
        by_rule = coded(engine, PLAN.keeping_float(part.nodes[0]))
        assert left.isdisjoint(part.tensors)
        assert left <= by_rule


@pytest.mark.parametrize("kind", ALL)
def test_a_part_alone_is_coded_as_the_whole_plan_codes_it(engine: Engine, kind: Kind) -> None:
    assigned = engine.assigned(PLAN)
    switching = Switching(engine.graph, PLAN, assigned)
    for part in parts(engine, kind):
        mine = engine.assigned(switching.alone([part]))
        assert {engine.graph.tensor_names[tensor] for tensor in mine.coded} == set(part.tensors)
        assert all(mine.activations[tensor] == assigned.activations[tensor] for tensor in mine.activations)
        assert all(mine.constants[tensor] == assigned.constants[tensor] for tensor in mine.constants)


def test_a_part_can_be_put_to_more_bits(engine: Engine) -> None:
    part = parts(engine, "unit")[3]
    switched = Switching(engine.graph, PLAN, engine.assigned(PLAN)).without([part], 16)
    found = engine.assigned(switched)
    numbers = [number for name in part.tensors if (number := engine.graph.tensor_index(name)) is not None]
    bits = {found.activations[number].bits for number in numbers if number in found.activations}
    bits |= {found.constants[number].precision.bits for number in numbers if number in found.constants}
    assert bits == {16}


def test_what_is_upstream_grows_along_a_chain(engine: Engine) -> None:
    found = {part.name: set(part.tensors) for part in parts(engine, "upstream")}
    graph = engine.graph
    for part in parts(engine, "producer"):
        for feeding in part.nodes[1:]:
            assert found[feeding] <= found[part.nodes[0]]
    last = next(name for name in reversed(found) if set(graph.outputs.tolist()))
    assert len(found[last]) > len(next(iter(found.values())))


def test_only_some_are_asked_for(engine: Engine) -> None:
    names = [part.name for part in parts(engine, "node")]
    assert [part.name for part in parts(engine, "node", (names[2],), (names[0],))] == [names[0], names[2]]


def test_a_tensor_names_its_part_too(engine: Engine) -> None:
    some = parts(engine, "activation")[3]
    assert [part.name for part in parts(engine, "activation", (some.tensors[0],))] == [some.name]
    assert some.nodes[0] in [part.name for part in parts(engine, "node", (some.tensors[0],))]


def test_groups_are_reported_with_their_names(engine: Engine) -> None:
    one, two = parts(engine, "node")[:2]
    (group,) = parts(engine, "group", (one.name, two.name))
    assert group.name == f"{one.name}+{two.name}"
    assert set(group.tensors) == {*one.tensors, *two.tensors}
    assert group.nodes[:1] == one.nodes


def test_groups_may_be_said_by_type(engine: Engine) -> None:
    (group,) = parts(engine, "group", ("type:Conv",))
    convolutions = {part.name for part in parts(engine, "node") if part.type == "Conv"}
    assert set(group.nodes) == convolutions


def test_a_name_that_is_not_there_is_answered_by_near_ones(engine: Engine) -> None:
    name = parts(engine, "node")[0].name
    with pytest.raises(UsageError, match="no node") as caught:
        parts(engine, "node", (f"{name}x",))
    assert name in caught.value.hint


def test_a_plan_that_codes_nothing_has_no_parts(engine: Engine) -> None:
    with pytest.raises(UsageError, match="quantizes nothing"):
        parts(engine, "unit", plan=Plan(FLOAT, FLOAT))


def test_no_group_is_a_sentence(engine: Engine) -> None:
    with pytest.raises(UsageError, match="No group"):
        parts(engine, "group")


def test_outputs_may_be_tensors_or_nodes(engine: Engine) -> None:
    node = parts(engine, "node")[1]
    made = [engine.graph.tensor_names[tensor] for tensor in engine.graph.node_outputs[1].tolist()]
    found = outputs_of(engine.graph, (made[0], node.name), engine.tensors)
    assert made[0] in found and len(found) >= 1
    with pytest.raises(UsageError, match="makes no tensor"):
        outputs_of(engine.graph, (f"{made[0]}x",), engine.tensors)


def test_who_only_passes_on_a_constant_is_no_part(tmp_path: Path) -> None:
    with engine_of("passing", tmp_path, 1) as opened:
        found = parts_of(opened.graph, opened.assigned(Plan()), Question("node"))
    assert [part.name for part in found] == ["conv", "relu", "one", "two"]
    assert "w" in found[0].tensors and "k" in found[2].tensors


def test_what_only_moves_codes_goes_with_them(tmp_path: Path) -> None:
    with engine_of("transformer", tmp_path, 1) as opened:
        assigned = opened.assigned(Plan())
        moved = {opened.graph.tensor_names[tensor] for tensor in assigned.moved}
        found = parts_of(opened.graph, assigned, Question("tensor"))
        assert moved, "the net has such tensors"
        assert moved.isdisjoint(part.name for part in found)
        assert moved <= {name for part in found for name in part.tensors}
        makers = {int(opened.graph.producers[tensor]) for tensor in assigned.moved}
        nodes = {part.nodes[0] for part in parts_of(opened.graph, assigned, Question("node"))}
        assert nodes.isdisjoint(opened.graph.node_names[node] for node in makers)
