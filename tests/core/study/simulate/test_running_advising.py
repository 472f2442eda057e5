"""Advice that knows what a plan has switched already."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.model import Blame
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import advised, simulate
from planted_engines import opened

SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"
PLAN = preset("onnxruntime").plan


@pytest.fixture(scope="module")
def simulated() -> Iterator[tuple[Engine, Outcome]]:
    """All of it in 8 bits, so that the culprit brings the error."""
    with opened(SAMPLE) as engine:
        yield engine, simulate(engine, PLAN, noise_samples=0)


def said(simulated: tuple[Engine, Outcome], plan: Plan, key: str = "node error") -> str:
    """The advice on the same verdict, had it been found under this plan."""
    engine, found = simulated
    blame = found.findings.blame
    assert blame is not None and blame.graph.title(blame.model.top[0].node) == CULPRIT
    with_row = replace(blame, model=replace(blame.model, advice=advice_for({key})))
    [row] = advised(with_row, engine.assigned(plan), found.table, {}, {}).model.advice
    return row.text


def neighbours(blame: Blame) -> list[str]:
    start, end, _ = blame.graph.edges
    node = next(number for number in range(len(blame.graph)) if blame.graph.title(number) == CULPRIT)
    return [blame.graph.title(each) for each in [*start[end == node].tolist(), *end[start == node].tolist()]]


@pytest.mark.parametrize("key", ["node error", "leading node"])
def test_a_node_of_8_bits_gets_the_advice_of_the_table(simulated: tuple[Engine, Outcome], key: str) -> None:
    assert said(simulated, PLAN, key) == advice_for({key})[0].text


@pytest.mark.parametrize("key", ["node error", "leading node"])
def test_what_has_16_bits_is_to_be_left_in_float(simulated: tuple[Engine, Outcome], key: str) -> None:
    text = said(simulated, PLAN.with_bits(16, CULPRIT), key)
    assert text.startswith(f"{CULPRIT} has 16 bits already: leave it in float")
    assert "or 16 bit" not in text


def test_of_what_is_in_float_the_neighbours_are_named(simulated: tuple[Engine, Outcome]) -> None:
    blame = simulated[1].findings.blame
    assert blame is not None
    text = said(simulated, PLAN.keeping_float(CULPRIT))
    assert text.startswith(f"{CULPRIT} is in float already: leave its neighbours in float too: ")
    assert all(name in text for name in neighbours(blame))


def test_where_the_neighbours_are_too_what_feeds_them_is_next(simulated: tuple[Engine, Outcome]) -> None:
    blame = simulated[1].findings.blame
    assert blame is not None
    text = said(simulated, PLAN.keeping_float(CULPRIT, *neighbours(blame)))
    assert text == f"{CULPRIT} and its neighbours are in float already: look at what feeds them."
