"""Coding: from what is wished of each tensor and its range to scale and zero point of all that is coded."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field, replace
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.assign import Assigned, CodedConstant
from errorflow.quant.operators import WEIGHTED
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range
from errorflow.quant.scales import bias_qparams, qparams_of, weight_ranges

Read = Callable[[str], NDArray[Any]]
# A scale of a bias is raised by this much more than is needed, so that rounding does not undo it.
_MARGIN = 1.0001
_STEPS = 2.0**32 - 2
NO_RANGE = "its range is not known"
TOO_WIDE = "its codes would need more than 32 bits"
ENDLESS = "its range ends at NaN or infinity"
NO_CHANNELS = "the ranges of its channels are not known"


@dataclass(frozen=True, slots=True)
class NamedBias:
    """Input `place` of a node: which constant it is, and what it is added to the product of."""

    bias: str
    place: int
    source: str
    weight: str


@dataclass(frozen=True, eq=False)
class Named:
    """`Assigned` by the names of tensors; biases by the first tensor that their node makes."""

    activations: Mapping[str, Precision]
    constants: Mapping[str, CodedConstant]
    biases: Mapping[str, NamedBias]
    scale_of: Mapping[str, str]
    moved: frozenset[str]


@dataclass(frozen=True, eq=False)
class Coding:
    """Coding of a model's values: all that have none are in float."""

    activations: Mapping[str, QParams] = field(default_factory=dict)
    # Of these the ones that hold only values of another one, with its scale: coding them again changes nothing.
    moved: frozenset[str] = frozenset()
    constants: Mapping[str, QParams] = field(default_factory=dict)
    # By the first tensor that the node makes; None: in float, and still another constant than the node has.
    biases: Mapping[str, tuple[NamedBias, QParams | None]] = field(default_factory=dict)
    # What was to be coded and stays in float, with the reason.
    notes: Mapping[str, str] = field(default_factory=dict)


def named(graph: Graph, assigned: Assigned) -> Named:
    names = graph.tensor_names
    return Named(
        {names[tensor]: how for tensor, how in assigned.activations.items()},
        {names[tensor]: how for tensor, how in assigned.constants.items()},
        dict(_biases(graph, assigned)),
        {names[tensor]: names[source] for tensor, source in assigned.scale_of.items()},
        frozenset(names[tensor] for tensor in assigned.moved),
    )


def _biases(graph: Graph, assigned: Assigned) -> Iterator[tuple[str, NamedBias]]:
    names = graph.tensor_names
    for number, bias in assigned.biases.items():
        kind = graph.op_types[number]
        place = WEIGHTED[kind].bias
        # What is multiplied before it is added has another scale than the product.
        if place is not None and (kind != "Gemm" or graph.attributes(number).get("beta", 1.0) == 1.0):
            made = next(tensor for tensor in graph.node_outputs[number].tolist() if tensor >= 0)
            yield names[made], NamedBias(names[bias.bias], place, names[bias.source], names[bias.weight])


class Coder:
    """Makes `Coding`s of one model; what it found out about its constants it keeps."""

    def __init__(self, read: Read, given: Mapping[str, QParams] | None = None) -> None:
        """`given`: scales and zero points that need not be found, for codes of their type."""
        self._read = read
        self._given: Mapping[str, QParams] = {} if given is None else given
        self._activations: dict[tuple[Range, Precision], QParams | None] = {}
        self._constants: dict[tuple[str, CodedConstant], QParams | None] = {}
        self._sizes: dict[str, NDArray[np.float64]] = {}
        self._raised: dict[tuple[str, CodedConstant, NamedBias, float], QParams] = {}
        self._biases: dict[tuple[NamedBias, QParams, QParams], QParams | None] = {}

    def coding(self, wanted: Named, ranges: Mapping[str, Range]) -> Coding:
        notes: dict[str, str] = {}
        activations = dict(self._all_activations(wanted, ranges, notes))
        constants = {name: self._constant(name, how) for name, how in wanted.constants.items()}
        notes |= dict.fromkeys((name for name, how in constants.items() if how is None), ENDLESS)
        coded = {name: how for name, how in constants.items() if how is not None}
        biases = {
            made: bias
            for made, bias in wanted.biases.items()
            if self._has_step(activations.get(bias.source))
            and bias.weight in coded
            and self._fits(bias, coded[bias.weight])
        }
        for bias in biases.values():
            how = wanted.constants[bias.weight]
            coded[bias.weight] = self._wide_enough(bias, how, coded[bias.weight], activations[bias.source])
        found: dict[str, tuple[NamedBias, QParams | None]] = {}
        for made, bias in biases.items():
            qparams = self._bias(bias, activations[bias.source], coded[bias.weight])
            if qparams is None:
                notes[bias.bias] = TOO_WIDE
            else:
                found[made] = (bias, qparams)
        # What has a scale of its own may have another one than what it was moved from.
        moved = frozenset(name for name in wanted.moved if name in activations and name not in self._given)
        return Coding(activations, moved, coded, found, notes)

    def _all_activations(
        self, wanted: Named, ranges: Mapping[str, Range], notes: dict[str, str]
    ) -> Iterator[tuple[str, QParams]]:
        for name, precision in wanted.activations.items():
            exact = self._given.get(name)
            # Scales of channels are not what somebody wants who wants one scale.
            if exact is not None and precision.has(exact) and (exact.axis is None or precision.per_channel):
                yield name, exact
                continue
            if precision.per_channel:
                notes[name] = NO_CHANNELS
                continue
            where = ranges.get(wanted.scale_of.get(name, name))
            if where is None:
                notes[name] = NO_RANGE
                continue
            if (where, precision) not in self._activations:
                self._activations[where, precision] = _finite(where.low, where.high, precision)
            found = self._activations[where, precision]
            if found is None:
                notes[name] = ENDLESS
            else:
                yield name, found

    def constant_like(self, name: str, how: CodedConstant | None) -> QParams | None:
        """Codes a constant that takes the place of one that is coded so."""
        return None if how is None else self._constant(name, how)

    def _constant(self, name: str, how: CodedConstant) -> QParams | None:
        exact = self._given.get(name)
        if exact is not None and how.precision.has(exact):
            return exact
        if (name, how) not in self._constants:
            low, high = weight_ranges(self._read(name), how.axis)
            self._constants[name, how] = _finite(low, high, how.precision, how.axis)
        return self._constants[name, how]

    @staticmethod
    def _has_step(source: QParams | None) -> bool:
        """Products of channels with scales of their own have no scale in common that a bias could have."""
        return source is not None and source.axis is None

    def _fits(self, bias: NamedBias, weight: QParams) -> bool:
        """Whether there is one value for each scale; any number of values fits a single one."""
        if bias.bias not in self._sizes:
            self._sizes[bias.bias] = np.abs(np.asarray(self._read(bias.bias), np.float64))
        size = self._sizes[bias.bias]
        even = size.ndim == 1 if weight.axis is None else size.shape == (len(weight.scales),)
        return even and bool(np.isfinite(size).all())

    def _wide_enough(self, bias: NamedBias, how: CodedConstant, weight: QParams, source: QParams) -> QParams:
        """The weight with larger scales where the codes of the bias would not fit into 32 bits else."""
        if not how.precision.symmetric:
            return weight
        key = (bias.weight, how, bias, source.scales[0])
        if key not in self._raised:
            self._raised[key] = _raised(weight, self._sizes[bias.bias], source.scales[0])
        raised = self._raised[key]
        # Of a weight that several nodes read, each may have raised some.
        both = tuple(map(max, raised.scales, weight.scales))
        return raised if both == raised.scales else replace(weight, scales=both)

    def _bias(self, bias: NamedBias, source: QParams, weight: QParams) -> QParams | None:
        """Codes a bias; None where a code would need more bits than there are."""
        key = (bias, source, weight)
        if key not in self._biases:
            found = bias_qparams(source, weight)
            steps = self._sizes[bias.bias] / np.asarray(found.scales)
            self._biases[key] = found if (steps <= found.high).all() else None
        return self._biases[key]


def _finite(low: Any, high: Any, precision: Precision, axis: int | None = None) -> QParams | None:
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    return qparams_of(low, high, precision, axis)


def _raised(weight: QParams, sizes: NDArray[np.float64], source: float) -> QParams:
    scales = np.asarray(weight.scales, np.float32)
    largest = sizes if weight.axis is not None else sizes.max(initial=0.0, keepdims=True)
    product = np.float64(np.float32(source)) * scales.astype(np.float64)
    smallest = _MARGIN * (2.0 * largest) / _STEPS
    low = (product < smallest) & (product > 0)
    if not low.any():
        return weight
    ratio = np.divide(smallest, product, out=np.ones_like(product), where=low)
    wider = np.where(low, (scales.astype(np.float64) * ratio).astype(np.float32), scales)
    return replace(weight, scales=tuple(wider.tolist()))
