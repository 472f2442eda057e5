"""What a Relu will cut off anyway is no error of who made it."""

from pathlib import Path

import numpy as np
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.simulating import match_of
from errorflow.explain.blame.model import Verdict
from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.running import simulate
from errorflow.study.simulate.uncut import uncut
from rerun_nets import Case, case

FITTED = ("onnxruntime", "onnxruntime-x86")
NETS = ("residual", "plain", "branches", "crossing", "deciding", "passing")


def opened(found: Case) -> Engine:
    return Engine(found.path, found.samples, found.calibration)


@pytest.mark.parametrize("net", NETS)
def test_all_other_tensors_hold_the_same_bits(net: str, tmp_path: Path) -> None:
    with opened(case(net, tmp_path)) as engine:
        for key in FITTED:
            plan = preset(key).plan
            seen = uncut(engine.graph, plan, engine.assigned(plan))
            left = engine.assigned(plan).coded - engine.assigned(seen).coded
            mine, other = (engine.values(each, engine.tensors) for each in (plan, seen))
            changed = {name for name in engine.tensors if not np.array_equal(mine[name], other[name], equal_nan=True)}
            assert changed <= {engine.graph.tensor_names[tensor] for tensor in left}
            assert changed


def test_a_layer_before_a_relu_is_no_origin_of_what_the_relu_cuts_off(tmp_path: Path) -> None:
    with opened(case("plain", tmp_path)) as engine:
        blame = simulate(engine, preset("onnxruntime").plan, noise_samples=0).findings.blame
    assert blame is not None
    assert not (blame.verdicts == Verdict.ORIGIN).any()
    assert not (blame.verdicts == Verdict.HEALER).any()


def test_whoever_looks_at_a_tensor_sees_what_was_measured(tmp_path: Path) -> None:
    with opened(case("plain", tmp_path)) as engine:
        outcome = simulate(engine, preset("onnxruntime").plan, noise_samples=0)
        match = match_of(engine, outcome.plan, outcome.comparison, 0)
        pair = next(pair for pair in match.pairs if pair.op_type == "Conv")
        assert pair.candidate is not None
        assert pair.candidate.read().min() < 0


def test_a_plan_that_fits_no_ranges_is_measured_as_it_is(tmp_path: Path) -> None:
    with opened(case("plain", tmp_path)) as engine:
        plan = preset("pulsar2-u8").plan
        assert uncut(engine.graph, plan, engine.assigned(plan)) is plan


def test_a_relu_in_float_cuts_off_what_it_reads_itself(tmp_path: Path) -> None:
    with opened(case("plain", tmp_path)) as engine:
        plan = preset("onnxruntime").plan.keeping_float("*act/Relu")
        assert uncut(engine.graph, plan, engine.assigned(plan)) == plan


@pytest.mark.parametrize("key", FITTED)
def test_a_layer_whose_relu_is_freed_from_behind_is_no_origin_either(key: str) -> None:
    """The reader is in float, and so is what the Relu makes; what the Relu reads keeps its codes."""
    sample = next(sample for sample in SAMPLES if sample.key == "node_fault")
    basis = Basis(SampleSpec((str(sample.calibration),)), samples=12)
    plan = preset(key).plan.keeping_float("/block2/project/conv/Conv")
    with floated(sample.model) as model, Bench.open(model, basis, plan) as bench:
        engine = bench.engine
        seen = uncut(engine.graph, plan, engine.assigned(plan))
        mine, other = (engine.values(each, engine.tensors) for each in (plan, seen))
        graph, before = engine.graph, engine.graph.node_index("/block2/depthwise/conv/Conv")
        assert before is not None
        read = {
            graph.tensor_names[int(graph.node_inputs[node][0])]
            for node, kind in enumerate(graph.op_types)
            if kind == "Relu"
        }
        changed = {name for name in engine.tensors if not np.array_equal(mine[name], other[name])}
        assert graph.tensor_names[int(graph.node_outputs[before][0])] in changed <= read
        blame = simulate(engine, plan, noise_samples=0).findings.blame
    assert blame is not None
    assert blame.verdicts[before] != Verdict.ORIGIN
