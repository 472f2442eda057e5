"""SmoothQuant: what is loud in few channels of a tensor moves into the weights behind it.

With X the largest magnitudes of a tensor's channels on the calibration samples, W those of the weights' input channels
and α the strength, channel j is divided by s = Xⱼ^α / Wⱼ^(1−α), and the weights are multiplied by it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from errorflow.quant.operators import OWN_NAMES
from errorflow.quant.steps import Smooth
from errorflow.study.rewrites.axes import Axis
from errorflow.study.rewrites.edges import Constants, Doubles
from errorflow.study.rewrites.model import Change, Skipped, Spread
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.products import bits, multiplied, share
from errorflow.study.rewrites.regions import Region, readers_of, region_of
from errorflow.study.rewrites.rules import Blocked

# Of the loudest: what is more quiet, or was never seen, counts as that.
QUIET = 1e-3
# What nodes that are put in are called.
PREFIX, ENDING = f"{OWN_NAMES}smooth:", "_smoothed"


@dataclass(frozen=True, eq=False)
class Divider:
    """A node that has to divide a tensor, for those that read it."""

    tensor: str
    axis: Axis
    readers: tuple[int, ...]
    factors: Doubles
    rank: int | None

    @property
    def node(self) -> str:
        return f"{PREFIX}{self.tensor}"

    @property
    def output(self) -> str:
        return f"{self.tensor}{ENDING}"


@dataclass(frozen=True, eq=False)
class Smoothed:
    changes: tuple[Change, ...]
    skipped: tuple[Skipped, ...]
    dividers: tuple[Divider, ...]


def smooth(net: Net, constants: Constants, loudness: Mapping[str, Doubles], step: Smooth) -> Smoothed:
    """`loudness`: by tensor the largest magnitude of each channel on samples, before anything was changed."""
    work = _Work(net, constants, loudness, step)
    for tensor, axis in multiplied(net):
        if tensor not in work.done:
            work.consider(tensor, axis)
    return Smoothed(tuple(work.changes), tuple(work.skipped), tuple(work.dividers))


class _Work:
    def __init__(self, net: Net, constants: Constants, loudness: Mapping[str, Doubles], step: Smooth) -> None:
        self._net, self._constants, self._loudness, self._step = net, constants, loudness, step
        self.done: set[str] = set()
        self.changes: list[Change] = []
        self.skipped: list[Skipped] = []
        self.dividers: list[Divider] = []

    def consider(self, tensor: str, axis: Axis) -> None:
        seen = self._loudness.get(tensor)
        if seen is None:
            return
        loud = _divided(seen, self._constants.divided.get(tensor))
        if share(loud) < self._step.threshold or not np.isfinite(loud).all():
            return
        try:
            region = self._region(tensor, axis)
            if region.channels != len(loud):
                raise Blocked("what was seen of it has another number of channels")
        except Blocked as reason:
            self.skipped.append(Skipped("smoothed", tensor, str(reason)))
            return
        self._take(tensor, axis, region, loud)

    def _region(self, tensor: str, axis: Axis) -> Region:
        try:
            return region_of(self._net, self._constants, tensor, axis, deep=False)
        except Blocked as reason:
            if tensor in self._net.outputs | self._net.inputs | self._net.captured:
                raise
            try:
                return readers_of(self._net, self._constants, tensor, axis)
            except Blocked as other:
                raise Blocked(f"{reason}, and {other}") from other

    def _take(self, tensor: str, axis: Axis, region: Region, loud: Doubles) -> None:
        net, constants = self._net, self._constants
        weights = region.sizes(constants, region.multiplied)
        factors = factors_of(loud, weights, self._step.strength)
        region.apply(constants, factors)
        self.done.update(region.tensors)
        inserted = ""
        if not region.divided:
            rank = max(len(constants.shape(edge.constant)) for edge in region.multiplied)
            divider = Divider(tensor, axis, region.readers, factors, axis.rank if axis.rank is not None else rank)
            self.dividers.append(divider)
            inserted = divider.node
        self.changes.append(
            Change(
                "smoothed",
                tensor,
                tuple(map(net.title, region.makers)),
                tuple(map(net.title, region.readers)),
                region.channels,
                float(factors.min()),
                float(factors.max()),
                Spread(bits(loud), bits(weights), share(loud)),
                Spread(bits(loud / factors), bits(weights * factors), share(loud / factors)),
                inserted,
            )
        )


def factors_of(loud: Doubles, weights: Doubles, strength: float) -> Doubles:
    """What channels are divided by; 1 where nothing is multiplied at all."""
    if not (loud.max(initial=0.0) > 0 and weights.max(initial=0.0) > 0):
        return np.ones(len(loud))
    activations = np.maximum(loud, QUIET * loud.max())
    behind = np.maximum(weights, QUIET * weights.max())
    factors: Doubles = activations**strength / behind ** (1 - strength)
    return factors


def _divided(seen: Doubles, factors: Doubles | None) -> Doubles:
    return seen if factors is None or len(factors) != len(seen) else seen / factors
