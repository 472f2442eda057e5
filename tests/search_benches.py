"""Benches to evaluate and search on: planted nets, and chains of layers whose names are known."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from errorflow.base.sample import SAMPLES
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from onnx_models import graph, model, value, weight
from planted_faults import FAMILIES, Planted, planted

NODE_FAULT = next(sample for sample in SAMPLES if sample.key == "node_fault")
CULPRIT = "/block2/project/conv/Conv"


@contextmanager
def opened(
    path: Path, data: Path, plan: Plan | None = None, calibrate_on: int = 8, samples: int | None = None
) -> Iterator[Bench]:
    plan = preset("onnxruntime").plan if plan is None else plan
    with (
        floated(path) as found,
        Bench.open(found, Basis(SampleSpec((str(data),)), samples, calibrate_on), plan) as bench,
    ):
        yield bench


@contextmanager
def node_fault(samples: int | None = None) -> Iterator[Bench]:
    """The sample's net with one bad layer, on 56 samples, or on 8 fewer than are given."""
    with opened(NODE_FAULT.model, NODE_FAULT.calibration, samples=samples) as bench:
        yield bench


def planted_case(family: str, net: str, seed: int) -> Planted:
    row = next(row for row in FAMILIES if row.key == family)
    return planted(row, net, seed, False)


@contextmanager
def planted_bench(case: Planted, folder: Path) -> Iterator[Bench]:
    path, data = folder / "planted.onnx", folder / "planted.npz"
    onnx.save(case.model, path)
    np.savez(data, allow_pickle=False, **{case.base.net.input: case.base.samples[:, np.newaxis]})
    with opened(path, data) as bench:
        yield bench


@contextmanager
def chain(count: int, folder: Path) -> Iterator[Bench]:
    """Matrix products one behind the other: `layer0`, `layer1` and so on."""
    dice = np.random.default_rng(count)
    nodes = [helper.make_node("MatMul", [f"x{n}", f"w{n}"], [f"x{n + 1}"], name=f"layer{n}") for n in range(count)]
    weights = [weight(f"w{n}", dice.standard_normal((4, 4)).astype(np.float32)) for n in range(count)]
    ends = value("x0", (1, 4)), value(f"x{count}", (1, 4))
    made = model(graph(*nodes, inputs=ends[:1], outputs=ends[1:], weights=weights))
    path, data = folder / f"chain{count}.onnx", folder / f"chain{count}.npz"
    onnx.save(made, path)
    np.savez(data, allow_pickle=False, x0=dice.standard_normal((12, 1, 4)).astype(np.float32))
    with opened(path, data) as bench:
        yield bench
