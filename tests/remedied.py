"""Nets for steps, and what becomes of their outputs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from errorflow.compare.metrics.distance import relative_l2, sqnr
from errorflow.compare.metrics.sums import sums
from errorflow.quant.plan import Plan
from errorflow.quant.steps import Step
from errorflow.run.both import runnable
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rewrites.model import Remade
from errorflow.study.rewrites.remake import remake
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from onnx_models import graph, model, relu, value, weight
from rerun_nets import every_tensor
from run_models import floats, savez

Array = NDArray[Any]
# What rounding to 32 bits makes of the outputs, in their size.
ROUNDING = 2e-5


@dataclass(frozen=True)
class Case:
    """A model in a file, with samples in another one."""

    path: Path
    asked: SampleSpec
    samples: tuple[dict[str, Array], ...]

    @classmethod
    def of(cls, proto: onnx.ModelProto, folder: Path, samples: Mapping[str, Array]) -> "Case":
        """`samples`: by input, one behind the other along the first axis."""
        onnx.save(proto, folder / "net.onnx")
        savez(folder / "samples.npz", samples)
        count = len(next(iter(samples.values())))
        each = tuple({name: array[number : number + 1] for name, array in samples.items()} for number in range(count))
        return cls(folder / "net.onnx", SampleSpec((str(folder / "samples.npz"),)), each)

    def remade(self, *steps: Step) -> Remade:
        target = self.path.with_name("other.onnx")
        return remake(runnable(self.path), steps, self.asked, self.samples, target)

    def outputs_apart(self, other: Path) -> float:
        """The largest relative error of any output on the first samples."""
        return outputs_apart(self.path, other, self.samples[:2])

    def sqnr(self, plan: Plan) -> float:
        """Of the first output, all samples together, as a simulation has it."""
        with floated(self.path) as opened, Bench.open(opened, Basis(self.asked), plan) as bench:
            return bench_sqnr(bench, plan)


def bench_sqnr(bench: Bench, plan: Plan) -> float:
    name = bench.engine.outputs[0]
    table = bench.engine.run(plan, [name])
    found = [table.sums(name, sample) for sample in range(len(table.samples))]
    known = [each for each in found if each is not None]
    whole = known[0]
    for each in known[1:]:
        whole = whole + each
    return sqnr(whole)


def outputs_apart(one: Path, other: Path, samples: tuple[dict[str, Array], ...]) -> float:
    worst = 0.0
    golden, mine = onnx.load(one), onnx.load(other)
    for sample in samples:
        reference, candidate = (every_tensor(proto, sample, one.parent) for proto in (golden, mine))
        for output in golden.graph.output:
            a, b = reference[output.name], candidate[output.name]
            assert a.shape == b.shape
            if a.dtype == np.float32 and (a != b).any():
                worst = max(worst, relative_l2(sums(a, b)))
    return worst


def pair(between: Callable[[str, str], list[onnx.NodeProto]], loud: float = 1.0, groups: int = 1) -> onnx.ModelProto:
    """Two convolutions with something between them; one channel of the first is so many times too loud, and what reads
    it divides by as much."""
    dice = np.random.default_rng(7)
    first = dice.standard_normal((8, 3, 3, 3)).astype(np.float32) / 5
    bias = dice.standard_normal(8).astype(np.float32) / 5
    second = dice.standard_normal((8 if groups > 1 else 6, 8 // groups, 3, 3)).astype(np.float32) / 8
    first[2] *= loud
    bias[2] *= loud
    group, place = divmod(2, 8 // groups)
    rows = slice(None) if groups == 1 else slice(group * (8 // groups), (group + 1) * (8 // groups))
    second[rows, place] /= loud
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "first", pads=[1, 1, 1, 1]),
        *between("c1", "r1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], "second", group=groups),
        relu("c2", "y", "last"),
    ]
    weights = [weight("w1", first), weight("b1", bias), weight("w2", second)]
    weights += [weight("zero", np.float32(0)), weight("six", np.float32(6)), weight("endless", np.float32(np.inf))]
    main = graph(*nodes, inputs=[value("x", (1, 3, 8, 8))], outputs=[value("y", None)], weights=weights)
    return model(main, ir_version=10)


def activated(kind: str, *more: str) -> Callable[[str, str], list[onnx.NodeProto]]:
    def between(source: str, target: str) -> list[onnx.NodeProto]:
        return [helper.make_node(kind, [source, *more], [target], "between")]

    return between


def feed(count: int = 12) -> dict[str, Array]:
    return {"x": floats(count, 3, 8, 8, seed=5)}


def gated(loud: float = 64.0) -> onnx.ModelProto:
    """A product behind what no factor passes."""
    dice = np.random.default_rng(4)
    first, second = (dice.standard_normal((16, 16)).astype(np.float32) / 4 for _ in range(2))
    wide = np.ones(16, np.float32)
    wide[3] = loud
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["a"], "first"),
        helper.make_node("Tanh", ["a"], ["t"], "tanh"),
        helper.make_node("Mul", ["t", "wide"], ["l"], "louder"),
        helper.make_node("Softplus", ["l"], ["s"], "soft"),
        helper.make_node("MatMul", ["s", "w2"], ["y"], "second"),
    ]
    second[3] /= loud
    weights = [weight("w1", first), weight("w2", second), weight("wide", wide)]
    main = graph(*nodes, inputs=[value("x", (1, 5, 16))], outputs=[value("y", None)], weights=weights)
    return model(main, ir_version=10)


def gated_feed() -> dict[str, Array]:
    return {"x": floats(16, 5, 16, seed=8)}


def gated_case(folder: Path) -> Case:
    return Case.of(gated(), folder, gated_feed())
