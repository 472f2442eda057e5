"""Targets take the model that the user has, also where steps made another one to be simulated."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from errorflow.base.errors import UsageError
from errorflow.quant.presets import preset
from errorflow.quant.steps import Equalize
from errorflow.report.toolchains import TOOLCHAINS, toolchain
from errorflow.report.toolchains.model import Decision
from errorflow.study.simulate.bench import Bench
from search_benches import NODE_FAULT, opened


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    plan = replace(preset("onnxruntime-x86").plan, steps=(Equalize(),), fitted=True)
    with opened(NODE_FAULT.model, NODE_FAULT.calibration, plan) as found:
        assert found.remade is not None
        assert found.remade.changes
        yield found


def test_scales_of_another_model_are_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match="of the model that Equalize layers made, and AMCT is given yours") as error:
        toolchain("amct-record").write(Decision.on(bench, bench.plan), None)
    assert "--calibration and without --data" in error.value.hint


def test_scales_are_written_from_the_models_own_ranges(bench: Bench) -> None:
    """As the hint says: the model is not run, so that no step changed it."""
    plan = replace(bench.plan, steps=())
    written = toolchain("amct-record")
    with opened(NODE_FAULT.model, NODE_FAULT.calibration, plan) as plain:
        own = Decision.of(plain.floated.model.graph, bench.plan, plain.calibration)
        there = Decision.on(plain, plan)
        assert written.write(own, None).files == written.write(there, None).files


def test_a_script_holds_no_ranges_of_another_model_and_says_so(bench: Bench) -> None:
    written = toolchain("onnxruntime").write(Decision.on(bench, bench.plan), None)
    [text] = written.files.values()
    assert "'rmin'" not in text
    assert any("of the model that Equalize layers made" in note for note in written.notes)


def test_all_targets_are_told_of_the_users_graph(bench: Bench) -> None:
    decision = Decision.on(bench, bench.plan)
    assert decision.graph is bench.floated.model.graph
    for each in TOOLCHAINS:
        if each.key != "amct-record":
            assert each.write(decision, None).names
