"""Faults planted into small random nets: the estimate finds the layer, and tells one from all of them."""

from collections.abc import Collection

import numpy as np
import pytest
from numpy.typing import NDArray

from blame_cases import Line, graph_of
from errorflow.compare.metrics.measure import measure
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.model import Blame
from errorflow.graph.dump import TensorInfo

LAYERS, WIDTH, SAMPLES = 8, 48, 32
Tensors = dict[str, NDArray[np.float64]]


def net(seed: int, disturbed: Collection[int], by: float) -> Tensors:
    """All tensors of a net of layers, ReLUs and residuals, a mean and a classifier; some layers with other weights."""
    draw, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    tensors = {"x": draw.standard_normal((SAMPLES, WIDTH))}
    value = tensors["x"]
    for layer in range(LAYERS + 1):
        weights = draw.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH / 2)
        change = noise.standard_normal(weights.shape) / np.sqrt(WIDTH / 2)
        weights = weights + by * change if layer in disturbed else weights
        if layer == LAYERS:
            tensors["mean"] = value.reshape(SAMPLES // 4, 4, WIDTH).mean(axis=1)
            tensors["classes"] = tensors["mean"] @ weights
            return tensors
        tensors[f"m{layer}"] = value @ weights
        tensors[f"r{layer}"] = np.maximum(tensors[f"m{layer}"], 0)
        value = tensors[f"a{layer}"] = (value + tensors[f"r{layer}"]) / 2 if layer % 2 else tensors[f"r{layer}"]
    raise AssertionError


def lines() -> list[Line]:
    found: list[Line] = []
    value = "x"
    for layer in range(LAYERS):
        found.append((f"layer{layer}", "MatMul", [value, f"w{layer}"], [f"m{layer}"]))
        found.append((f"relu{layer}", "Relu", [f"m{layer}"], [f"r{layer}"]))
        reads = [value, f"r{layer}"] if layer % 2 else [f"r{layer}"]
        found.append((f"add{layer}", "Add", reads, [f"a{layer}"]))
        value = f"a{layer}"
    found.append(("pool", "ReduceMean", [value], ["mean"]))
    found.append((f"layer{LAYERS}", "MatMul", ["mean", f"w{LAYERS}"], ["classes"]))
    return found


def judged(seed: int, disturbed: Collection[int], by: float) -> Blame:
    reference, candidate = net(seed, (), 0), net(seed, disturbed, by)
    return blame(graph_of(lines(), outputs=["classes"]), measured(reference, candidate))


def measured(reference: Tensors, candidate: Tensors) -> Comparison:
    rows = []
    for name, golden in reference.items():
        found = measure(golden, candidate[name])
        info = TensorInfo(name, "float64", golden.shape, golden.nbytes)
        rows.append(Row(name, info, info, found.values, "", found.reference, found.candidate, found.channels))
    return Comparison(tuple(rows))


@pytest.mark.parametrize("by", [0.3, 1.0])
@pytest.mark.parametrize("layer", range(LAYERS + 1))
def test_the_disturbed_layer_is_named_first(layer: int, by: float) -> None:
    found = judged(7, [layer], by)

    assert found.model.kind == "node error"
    assert found.graph.node_names[found.model.top[0].node] == f"layer{layer}"


@pytest.mark.parametrize("seed", range(5))
def test_layers_that_are_all_disturbed_a_little_are_no_error_of_one(seed: int) -> None:
    found = judged(seed, range(LAYERS + 1), 0.1)

    assert found.model.kind == "accumulated error"
    assert found.model.contributors > 3


def quantized(seed: int, loud: int, factor: float, bits: int | None) -> Tensors:
    """A chain whose ReLUs have one scale each; one channel of one is loud, and the next layer makes it quiet again."""
    draw = np.random.default_rng(seed)
    value = draw.standard_normal((SAMPLES, WIDTH))
    tensors = {"x": value}
    for layer in range(LAYERS):
        weights = draw.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH / 2)
        weights[3] /= factor if layer == loud + 1 else 1
        tensors[f"m{layer}"] = value @ weights
        value = np.maximum(tensors[f"m{layer}"], 0)
        if layer == loud:
            value[:, 3] = factor * (1 + value[:, 3])  # also where the ReLU has nothing
        if bits is not None:
            step = value.max() / (2**bits - 1)
            value = np.round(value / step) * step
        tensors[f"r{layer}"] = value
    return tensors


@pytest.mark.parametrize("factor", [100, 1000])
@pytest.mark.parametrize("loud", range(1, LAYERS - 1))
def test_a_loud_channel_is_found_where_it_is_made(loud: int, factor: float) -> None:
    chain: list[Line] = []
    for layer in range(LAYERS):
        chain.append((f"layer{layer}", "MatMul", [f"r{layer - 1}" if layer else "x", f"w{layer}"], [f"m{layer}"]))
        chain.append((f"relu{layer}", "Relu", [f"m{layer}"], [f"r{layer}"]))
    rows = measured(quantized(3, loud, factor, None), quantized(3, loud, factor, 8))
    found = blame(graph_of(chain, outputs=[f"r{LAYERS - 1}"]), rows)

    assert found.model.kind == "node error"
    assert found.graph.node_names[found.model.top[0].node] == f"relu{loud}"
