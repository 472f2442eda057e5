"""Cross-layer equalization: of two layers behind each other, channels get weights of the same size on both sides.

With r₁ the largest magnitude of the first layer's weights that make a channel, r₂ that of the second layer's weights
that read it, the channel is divided by √(r₁·r₂) / r₂. As each layer stands in two pairs this is done again until
nothing moves.

A channel of the first layer that has hardly any weights counts with its bias too: that would become the loudest
activation. One that has neither is always zero: its weights in the second layer are made no larger than others.
"""

import numpy as np

from errorflow.study.rewrites.edges import Constants, Doubles
from errorflow.study.rewrites.model import Change, Skipped, Spread
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.products import bits, multiplied
from errorflow.study.rewrites.regions import Region, region_of
from errorflow.study.rewrites.rules import Blocked

ROUNDS = 200
# In natural logarithms: nothing moves by more than that.
SETTLED = 1e-4
_MOST = 1e6
# Of the largest weight of all channels; below, a channel has hardly any.
_QUIET = 1e-2


def equalize(net: Net, constants: Constants) -> tuple[tuple[Change, ...], tuple[Skipped, ...]]:
    regions, skipped = _regions(net, constants)
    before = [_sizes(region, constants) for region in regions.values()]
    quiet = [made < _QUIET * made.max(initial=0.0) for made, _ in before]
    total = [np.ones(region.channels) for region in regions.values()]
    for _ in range(ROUNDS):
        moved = 0.0
        for place, region in enumerate(regions.values()):
            made, read = _sizes(region, constants)
            factors = factors_of(np.where(quiet[place], np.maximum(made, _biases(region, constants)), made), read)
            step = float(np.abs(np.log(factors)).max(initial=0.0))
            if step > SETTLED:
                region.apply(constants, factors)
                total[place] = total[place] * factors
            moved = max(moved, step)
        if moved <= SETTLED:
            break
    changes = [
        _change(net, constants, tensor, region, sizes, factors)
        for (tensor, region), sizes, factors in zip(regions.items(), before, total, strict=True)
        if not (factors == 1).all()
    ]
    return tuple(changes), tuple(skipped)


def factors_of(made: Doubles, read: Doubles) -> Doubles:
    """What channels are divided by; 1 where nobody reads them."""
    some = (made > 0) & (read > 0) & np.isfinite(made) & np.isfinite(read)
    ratio = np.divide(made, read, out=np.ones_like(made), where=some)
    factors: Doubles = np.clip(np.sqrt(ratio), 1 / _MOST, _MOST)
    unused = (made == 0) & (read > 0)
    usual = np.median(read[some]) if some.any() else 0.0
    factors[unused] = np.minimum(1.0, usual / read[unused]) if usual > 0 else 1.0
    return factors


def _regions(net: Net, constants: Constants) -> tuple[dict[str, Region], list[Skipped]]:
    """By the tensor that the second layer reads."""
    found: dict[str, Region] = {}
    skipped: list[Skipped] = []
    done: set[str] = set()
    for tensor, axis in multiplied(net):
        if tensor in done or tensor in net.inputs:
            continue
        try:
            region = region_of(net, constants, tensor, axis, deep=True)
            if not any(edge.is_weight for edge in region.divided):
                raise Blocked("a norm makes it, and no layer")
        except Blocked as reason:
            skipped.append(Skipped("equalized", tensor, str(reason)))
            continue
        done.update(region.tensors)
        found[tensor] = region
    return found, skipped


def _sizes(region: Region, constants: Constants) -> tuple[Doubles, Doubles]:
    return region.sizes(constants, region.divided), region.sizes(constants, region.multiplied)


def _biases(region: Region, constants: Constants) -> Doubles:
    """Of what is added, the largest magnitude of each channel."""
    found = [constants.sizes(edge) for edge in region.divided if not edge.is_weight]
    largest: Doubles = np.max(found, axis=0) if found else np.zeros(region.channels)
    return largest


def _change(
    net: Net, constants: Constants, tensor: str, region: Region, before: tuple[Doubles, Doubles], factors: Doubles
) -> Change:
    """Of both layers the one whose channels are further apart."""
    after = _sizes(region, constants)
    return Change(
        "equalized",
        tensor,
        tuple(map(net.title, region.makers)),
        tuple(map(net.title, region.readers)),
        region.channels,
        float(factors.min()),
        float(factors.max()),
        Spread(weights=max(map(bits, before))),
        Spread(weights=max(map(bits, after))),
    )
