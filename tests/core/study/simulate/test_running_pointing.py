"""A group is named by the node that has to be left in float."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.quant.presets import preset
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.noise import Noise, NoiseSource
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import pointed, simulate
from planted_faults import FAMILIES, Planted, planted
from rerun_nets import calibration, every_tensor

BY_KEY = {family.key: family for family in FAMILIES}
PLAN = preset("onnxruntime").plan


def opened(case: Planted, folder: Path) -> Engine:
    path = folder / "model.onnx"
    onnx.save(case.model, path)
    samples = [case.base.fed(one) for one in case.base.samples[:4]]
    runs = tuple(sample | every_tensor(case.model, sample) for sample in samples)
    return Engine(path, samples, calibration(runs))


@pytest.fixture(params=["loud channel", "loud weights"])
def found(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Planted, Engine, Outcome]]:
    case = planted(BY_KEY[request.param], "mobile", 1, True)
    with opened(case, tmp_path) as engine:
        yield case, engine, simulate(engine, PLAN)


def first_of(outcome: Outcome) -> NoiseSource:
    assert outcome.noise is not None
    return outcome.noise.sources[int(np.argmax(outcome.noise.shares(0)))]


def error(outcome: Outcome) -> float:
    row = outcome.comparison.row("scores")
    assert row is not None
    return row.value("relative_l2")


def test_the_first_one_in_float_brings_back_the_output(found: tuple[Planted, Engine, Outcome]) -> None:
    case, engine, outcome = found
    name = engine.graph.title(first_of(outcome).node)
    assert name in case.culprits[0]
    mended = simulate(engine, PLAN.keeping_float(name), noise_samples=0)
    assert error(mended) < error(outcome) / 5


def test_its_tensors_begin_with_the_one_that_brings_most(found: tuple[Planted, Engine, Outcome]) -> None:
    case, _, outcome = found
    tensors = first_of(outcome).tensors
    assert len(tensors) > 1
    weight = case.base.net.step(case.nodes[0]).weights[0]
    assert tensors[0] == (case.tensor if case.tensor else weight)


def test_what_brings_little_stays_as_it_was(tmp_path: Path) -> None:
    case = planted(BY_KEY["loud channel"], "mobile", 1, True)
    tensors = ("stem.conv.weight", "/stem/act/Relu_output_0")
    with opened(case, tmp_path) as engine:
        none = NoiseSource(0, "Conv + Relu", tensors)
        other = NoiseSource(len(engine.graph) - 1, "Gemm", ("head.fc.weight",))
        noise = Noise((none, other), ("scores",), np.array([[1.0], [99.0]]), np.ones(1), (0,))
        assert pointed(engine, PLAN, noise).sources == noise.sources
