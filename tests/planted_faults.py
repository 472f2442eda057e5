"""Faults planted into nets so that the float output stays what it is: who is to blame is known beforehand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import onnx
from numpy.typing import NDArray

from errorflow.base.sample import SAMPLES
from faulty_nets import NETS, TRAINED, weights_for
from make_sample.model import float_model
from make_sample.net import Floats, Net, Step, Weights
from make_sample.store import trained
from rerun_nets import every_tensor

SAMPLES_EACH = 40
INT8 = ("onnxruntime", "onnxruntime-x86", "amct", "pulsar2-u8", "horizon-int8")
# Those that code all that is made, not only what is read by those that they quantize.
ALL_MADE = ("onnxruntime", "onnxruntime-x86", "pulsar2-u8")
LOUD = (100, 300, 1000)
DRIFT = 18
STEPS = (400, 200, 100, 50)


@dataclass(frozen=True, eq=False)
class Base:
    """A net as it should be, and what it is fed with."""

    net: Net
    weights: Weights
    samples: Floats

    @cached_property
    def model(self) -> onnx.ModelProto:
        return float_model(self.net, self.weights)

    @cached_property
    def runs(self) -> tuple[dict[str, NDArray[np.float32]], ...]:
        return tuple(every_tensor(self.model, self.fed(one)) for one in self.samples[:4])

    def fed(self, one: Floats) -> dict[str, Floats]:
        return {self.net.input: one[np.newaxis]}

    def silent(self, per_channel: bool) -> list[Step]:
        """Layers that read a channel that is always zero; of those by channel only where one scale holds for all."""
        return [step for step in self.net.steps if self._reads_silence(step) and not (per_channel and _is_apart(step))]

    def _reads_silence(self, step: Step) -> bool:
        if step.op not in ("Conv", "Gemm", "MatMul") or not step.weights or step.inputs[0] == self.net.input:
            return False
        read = (run[step.inputs[0]] for run in self.runs)
        return all(not (array[:, -1] if array.ndim == 4 else array[..., -1]).any() for array in read)


@dataclass(frozen=True, eq=False)
class Planted:
    """A harmed net, and the truth."""

    base: Base
    weights: Weights
    # "good", "node error", "accumulated error"; "": what is told of it is checked elsewhere.
    kind: str
    # Steps that may be named for it, the first one first; each with those that are switched with it.
    culprits: tuple[frozenset[str], ...] = ()
    # In float these bring back the output: the nodes, or the tensor.
    nodes: tuple[str, ...] = ()
    tensor: str = ""
    # The output that is to be judged; the others are good.
    output: str = ""
    # Behind so many loud channels of the output are quiet ones, whose error has no power; 0: nothing is hidden.
    hidden: int = 0
    # The first tensor that is no number.
    broken: str = ""
    # Where several faults were planted: the weights with one of them each.
    alone: tuple[Weights, ...] = ()

    @cached_property
    def model(self) -> onnx.ModelProto:
        return float_model(self.base.net, self.weights)


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of fault in several nets. `plant` takes whether weights have a scale per channel."""

    key: str
    nets: tuple[str, ...]
    plant: Callable[[Base, np.random.Generator, bool], Planted]
    presets: tuple[str, ...] = INT8


def base(name: str, seed: int) -> Base:
    dice = np.random.default_rng([seed, sorted(NETS).index(name)])
    net = NETS[name](dice)
    if name in TRAINED:
        sample = next(sample for sample in SAMPLES if sample.inputs == TRAINED[name])
        with np.load(sample.calibration) as archive:
            shown = archive[archive.files[0]]
        return Base(net, trained(net), shown[dice.permutation(len(shown))[:SAMPLES_EACH]])
    return Base(net, weights_for(net, dice), _pictures(net.input_shape[1:], dice))


def _pictures(shape: tuple[int, ...], dice: np.random.Generator) -> Floats:
    """Soft spots, as pictures have and noise has not."""
    coarse = dice.standard_normal((SAMPLES_EACH, shape[0], 4, 4))
    smooth = np.kron(coarse, np.ones((shape[1] // 4, shape[2] // 4)))
    return (smooth + 0.3 * dice.standard_normal(smooth.shape)).astype(np.float32)


def _is_apart(step: Step) -> bool:
    return step.attributes.get("group", 1) != 1


def together(net: Net, name: str) -> frozenset[str]:
    """The step and those behind it that are coded as one with it: what adds a bias, what activates."""
    found = [net.step(name)]
    while True:
        readers = [step for step in net.steps if found[-1].output in step.inputs]
        is_more = readers[0].op in ("Relu", "Clip") or bool(readers[0].weights) if len(readers) == 1 else False
        if not is_more or readers[0].op not in ("Relu", "Clip", "Add"):
            return frozenset(step.name for step in found)
        found.append(readers[0])


def _loud(base: Base, ratios: Mapping[str, float]) -> Weights:
    """Weights on the channel that is always zero, so many times the largest of the others."""
    found = dict(base.weights)
    for name, ratio in ratios.items():
        step = base.net.step(name)
        key = step.weights[0]
        weight = found[key].copy()
        where = -1 if step.op == "MatMul" or _is_apart(step) else (slice(None), -1)
        weight[where] = ratio * np.abs(weight).max()
        found[key] = weight
    return found


def _picked(steps: list[Step], dice: np.random.Generator, count: int = 1) -> list[str]:
    return [steps[place].name for place in dice.permutation(len(steps))[:count].tolist()]


def loud_weights(base: Base, dice: np.random.Generator, per_channel: bool) -> Planted:
    (name,) = _picked(base.silent(per_channel), dice)
    ratio = float(dice.choice(LOUD))
    return Planted(base, _loud(base, {name: ratio}), "node error", (together(base.net, name),), (name,))


def drifting(base: Base, _: np.random.Generator, per_channel: bool) -> Planted:
    names = [step.name for step in base.silent(per_channel)]
    return Planted(base, _loud(base, dict.fromkeys(names, DRIFT)), "accumulated error")


def mixed(base: Base, dice: np.random.Generator, per_channel: bool) -> Planted:
    names = _picked(base.silent(per_channel), dice, len(STEPS))
    culprits = tuple(together(base.net, name) for name in names)
    ratios = dict(zip(names, STEPS, strict=False))
    alone = tuple(_loud(base, {name: ratio}) for name, ratio in ratios.items())
    return Planted(base, _loud(base, ratios), "", culprits, tuple(names), alone=alone)


def loud_channel(base: Base, dice: np.random.Generator, _: bool) -> Planted:
    """The last channel of a layer by channel is loud, and what reads it multiplies it by zero."""
    name = _picked([step for step in base.net.steps if _is_apart(step)], dice)[0]
    step = base.net.step(name)
    made = next(each for each in base.net.steps if step.output in each.inputs)
    (reader,) = (each for each in base.net.steps if made.output in each.inputs)
    found = dict(base.weights)
    largest = max(float(np.abs(run[made.output]).max()) for run in base.runs)
    key, read = step.weights[1], reader.weights[0]
    found[key], found[read] = found[key].copy(), found[read].copy()
    found[key][-1] = largest * float(dice.choice(LOUD))
    found[read][:, -1] = 0.0
    culprit = together(base.net, name) | together(base.net, reader.name)
    return Planted(base, found, "node error", (culprit,), (name, reader.name), made.output)


def loud_norm(base: Base, dice: np.random.Generator, _: bool) -> Planted:
    """One channel of a norm is loud, and divided by as much where it is read."""
    norms = [step for step in base.net.steps if step.op == "LayerNormalization"]
    norms = [step for step in norms if all(each.op == "MatMul" for each in _readers(base.net, step))]
    name = _picked(norms, dice)[0]
    step = base.net.step(name)
    readers = _readers(base.net, step)
    ratio, channel = float(dice.choice((64, 128, 256))), int(dice.integers(base.weights[step.weights[0]].size - 1))
    found = dict(base.weights)
    for key in step.weights:
        found[key] = found[key].copy()
        found[key][channel] *= ratio
    for reader in readers:
        key = reader.weights[0]
        found[key] = found[key].copy()
        found[key][channel] /= ratio
    culprit = together(base.net, name).union(*(together(base.net, each.name) for each in readers))
    return Planted(base, found, "node error", (culprit,), (name, *(each.name for each in readers)), step.output)


def _readers(net: Net, step: Step) -> list[Step]:
    return [each for each in net.steps if step.output in each.inputs]


def side_by_side(base: Base, _: np.random.Generator, __: bool) -> Planted:
    step = next(step for step in base.net.steps if step.op == "Concat")
    return Planted(base, base.weights, "node error", (frozenset({step.name}),), (step.name,), step.output, hidden=4)


def unharmed(base: Base, _: np.random.Generator, __: bool) -> Planted:
    return Planted(base, base.weights, "good")


def nothing_left(base: Base, _: np.random.Generator, __: bool) -> Planted:
    log = next(step for step in base.net.steps if step.op == "Log")
    add = next(step for step in base.net.steps if step.output == log.inputs[0])
    culprit = frozenset({log.name, add.name})
    return Planted(base, base.weights, "", (culprit,), (log.name,), add.output, broken=log.output)


def unread(base: Base, _: np.random.Generator, __: bool) -> Planted:
    name = "/auxiliary/conv/Conv"
    loud = _loud(base, {name: 300.0})
    return Planted(base, loud, "node error", (together(base.net, name),), (name,), output="auxiliary")


FAMILIES = (
    Family("loud weights", ("repvgg", "mobile", "transformer", "digits"), loud_weights),
    Family("drift", ("repvgg", "mobile", "transformer", "digits"), drifting),
    Family("mixed", ("repvgg", "mobile", "transformer", "digits"), mixed),
    Family("loud channel", ("mobile", "digits"), loud_channel),
    Family("loud norm", ("transformer", "encoder"), loud_norm),
    Family("boxes and classes", ("detector", "locator"), side_by_side, ALL_MADE),
    Family("unharmed", ("repvgg", "mobile", "transformer", "digits", "encoder", "two outputs"), unharmed),
    Family(
        "log of nothing", ("logarithm",), nothing_left, ("onnxruntime", "onnxruntime-x86", "pulsar2-u8", "horizon-int8")
    ),
    Family("unread output", ("two outputs",), unread),
)


def planted(family: Family, net: str, seed: int, per_channel: bool) -> Planted:
    found = base(net, seed)
    return family.plant(found, np.random.default_rng([seed, 1]), per_channel)
