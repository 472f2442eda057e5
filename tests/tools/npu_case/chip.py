"""What the made-up NPU computes: float32 inside of an operator, its own precision at the borders."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import onnx

from tools.npu_case.faults import LARGEST, Fault, Work, kind_of, weights_of
from tools.npu_case.fusing import Group
from tools.npu_case.source import Array, OneNode, Source, floats, made, name_of


def _nearest(array: Array) -> Array:
    with np.errstate(over="ignore"):
        return array.astype(np.float16).astype(np.float32)


def _toward_zero(array: Array) -> Array:
    """As float16 that cuts off what it cannot hold."""
    near = _nearest(array)
    beyond = np.abs(near) > np.abs(array)
    with np.errstate(invalid="ignore"):
        return np.where(beyond, np.nextafter(near.astype(np.float16), np.float16(0)).astype(np.float32), near)


def _bfloat16(array: Array) -> Array:
    """As bfloat16; its values are dumped as the float16 that is next to them."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = ((bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)) << np.uint32(16)
    return _nearest(np.where(np.isfinite(array), rounded.view(np.float32), array))


ROUNDINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "nearest": _nearest,
    "toward-zero": _toward_zero,
    "bfloat16": _bfloat16,
}


@dataclass(frozen=True, slots=True)
class Drift:
    """What is a little wrong everywhere: noise on all weights, and on all outputs, relative to their size."""

    weights: float = 0.0
    outputs: float = 0.0


NO_DRIFT: Final = Drift()


@dataclass(eq=False)
class Chip:
    """Runs groups one after the other; `values` holds what is on the chip."""

    source: Source
    rounding: str = "nearest"
    # What is too large becomes the largest float16; else it becomes infinite.
    saturates: bool = False
    faults: Sequence[Fault] = ()
    drift: Drift = NO_DRIFT
    seed: int = 0

    def __post_init__(self) -> None:
        self._one = OneNode(self.source)
        self._dice = np.random.default_rng(self.seed)
        self.values: dict[str, Array] = {}
        for name, array in self.source.values.items():
            if name in self.source.constant or name in self.source.inputs:
                self.values[name] = self.rounded(array)

    def rounded(self, array: Array) -> Array:
        if not floats(array):
            return array
        array = np.clip(array, -LARGEST, LARGEST) if self.saturates else array
        return np.asarray(ROUNDINGS[self.rounding](array))

    def run(self, groups: Sequence[Group]) -> Mapping[str, Array]:
        """All tensors that leave a group, and what was there before."""
        for group in groups:
            inside = dict(self.values)
            for at in group.nodes:
                inside |= self.node(self.source.nodes[at], inside)
            for name in made(self.source.nodes[group.nodes[-1]]):
                self.values[name] = self.rounded(self.drifted(inside[name]))
        return self.values

    def node(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> dict[str, Array]:
        """What a node makes of these, with whatever is wrong with it."""
        fault = next((fault for fault in self.faults if fault.node == name_of(node)), None)
        values = {**values, **self._drifting_weights(node, values)}
        if fault is None:
            return self._one.run(node, values)
        kind = kind_of(fault)
        work = Work(self.source, node, values, fault.amount if fault.amount else kind.amount, self._dice)
        if kind.before is not None:
            node, changed = kind.before(work)
            values |= changed
        found = self._one.run(node, values)
        if kind.after is not None:
            first = made(node)[0]
            found[first] = kind.after(work, found[first]).astype(found[first].dtype)
        return found

    def drifted(self, array: Array) -> Array:
        if not self.drift.outputs or not floats(array):
            return array
        size = float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))
        noise = self._dice.standard_normal(array.shape) * size * self.drift.outputs
        return (array + noise).astype(array.dtype)

    def _drifting_weights(self, node: onnx.NodeProto, values: Mapping[str, Array]) -> dict[str, Array]:
        name = weights_of(self.source, node) if self.drift.weights else None
        if name is None:
            return {}
        work = Work(self.source, node, values, self.drift.weights, self._dice)
        before = kind_of(Fault("", "weights")).before
        assert before is not None
        return before(work)[1]
