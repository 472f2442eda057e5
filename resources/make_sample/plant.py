"""Faults that no float result shows. Each takes the weights and gives changed ones; the net stays the same."""

from collections.abc import Mapping

import numpy as np

from make_sample.net import Floats, Net, Weights


def loud_weights(net: Net, weights: Mapping[str, Floats], ratios: Mapping[str, float]) -> Weights:
    """Weights on the always-zero last input channel of these nodes, `ratio` times the node's largest: one scale for
    all of a node's weights then leaves little for the others."""
    result = {name: value.astype(np.float32) for name, value in weights.items()}
    for name, ratio in ratios.items():
        key = net.step(name).weights[0]
        weight = result[key].copy()
        largest = np.abs(weight).max()
        if net.step(name).attributes.get("group", 1) == 1:
            weight[0, -1] = ratio * largest
        else:
            weight[-1] = ratio * largest
        result[key] = weight
    return result


def loud_channel(net: Net, weights: Mapping[str, Floats], node: str, level: float) -> Weights:
    """The always-zero last output channel of `node` set to `level`; what reads it multiplies it by zero. One scale for
    the whole tensor then leaves little for the quiet channels."""
    result = {name: value.astype(np.float32) for name, value in weights.items()}
    key = net.step(node).weights[1]
    bias = result[key].copy()
    bias[-1] = level
    result[key] = bias
    return result


def loud_norm(weights: Mapping[str, Floats], norm: str, readers: tuple[str, ...], channel: int, ratio: int) -> Weights:
    """Multiplies one channel of a norm by `ratio`, and divides by it again in the layers that read it. With a power of
    two the float results stay the same to the last bit.
    """
    result = {name: value.astype(np.float32) for name, value in weights.items()}
    for kind in ("weight", "bias"):
        value = result[f"{norm}.{kind}"].copy()
        value[channel] *= ratio
        result[f"{norm}.{kind}"] = value
    for reader in readers:
        value = result[f"{reader}.weight"].copy()
        value[channel] /= ratio
        result[f"{reader}.weight"] = value
    return result
