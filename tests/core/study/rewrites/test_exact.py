"""Whatever the factors are, the float model computes the same."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.quant.steps import Equalize, Smooth
from errorflow.run.both import runnable
from errorflow.study.rewrites.edges import RewrittenConstants
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.products import multiplied
from errorflow.study.rewrites.regions import region_of
from errorflow.study.rewrites.remake import rebuilt, write_rebuilt
from errorflow.study.rewrites.rules import Blocked
from faulty_nets import NETS
from planted_faults import base
from remedied import ROUNDING, Case, outputs_apart
from rerun_nets import ALL, case

ONES = tuple(name for name in ALL if name != "listing")
# How many tensors of each net can be scaled at all: what a new rule finds more of is welcome, less is not.
LEAST = {"plain": 2, "residual": 4, "transformer": 2, "passing": 0, "branches": 2, "attention": 0, "deciding": 0}


def scaled(path: Path, seed: int, deep: bool) -> tuple[Path, int]:
    """With random factors wherever that is possible, and how many tensors those are."""
    model, dice = runnable(path), np.random.default_rng(seed)
    net = Net.of(model)
    constants, done = RewrittenConstants(net.graph.weights.read), 0
    for tensor, axis in multiplied(net):
        try:
            region = region_of(net, constants, tensor, axis, deep)
        except Blocked:
            continue
        region.apply(constants, np.exp(dice.uniform(-4, 4, region.channels)))
        done += 1
    arrays = {name: values.astype(np.float32) for name, values in constants.changed.items()}
    target = path.with_name("scaled.onnx")
    write_rebuilt(path, rebuilt(model.graph, arrays, ()), arrays, (), target)
    return target, done


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("name", ONES)
def test_any_factors_leave_the_outputs_as_they_are(name: str, deep: bool, tmp_path: Path) -> None:
    found = case(name, tmp_path)
    target, done = scaled(found.path, 1, deep)
    assert outputs_apart(found.path, target, found.samples) < ROUNDING
    assert done >= LEAST.get(name, 0)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(sorted(NETS)), st.integers(0, 50), st.booleans())
def test_any_net_takes_any_factors(name: str, seed: int, deep: bool) -> None:
    found = base(name, seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        onnx.save(found.model, path)
        target, _ = scaled(path, seed, deep)
        assert outputs_apart(path, target, tuple(found.fed(one) for one in found.samples[:2])) < ROUNDING


@pytest.mark.parametrize("name", sorted(NETS))
def test_both_steps_leave_the_outputs_as_they_are(name: str, tmp_path: Path) -> None:
    found = base(name, 3)
    ready = Case.of(found.model, tmp_path, {found.net.input: found.samples[:6]})
    made = ready.remade(Equalize(), Smooth(strength=0.5, threshold=0.0))
    assert made.changes
    assert ready.outputs_apart(made.model.path) < ROUNDING
