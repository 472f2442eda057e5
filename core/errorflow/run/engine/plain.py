"""Plain data for the line between two processes."""

from collections.abc import Mapping
from typing import Any

from errorflow.graph.qparams import QParams
from errorflow.quant.assign import CodedConstant
from errorflow.quant.coding import Named, NamedBias
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range
from errorflow.quant.shifting import Shift


def plain_of(named: Named, ranges: Mapping[str, Range], shifts: Mapping[str, Shift]) -> dict[str, Any]:
    """Makes plain the ranges that are wanted."""
    needed = {named.scale_of.get(name, name) for name in named.activations}
    return {
        "activations": {name: _precision(how) for name, how in named.activations.items()},
        "constants": {name: [*_precision(how.precision), how.axis] for name, how in named.constants.items()},
        "biases": {made: [bias.bias, bias.place, bias.source, bias.weight] for made, bias in named.biases.items()},
        "scale_of": dict(named.scale_of),
        "moved": list(named.moved),
        "shifts": {made: [s.bias, s.place, s.source, s.weight, list(s.values)] for made, s in shifts.items()},
        "ranges": {name: [ranges[name].low, ranges[name].high] for name in needed if name in ranges},
    }


def plain_given(given: Mapping[str, QParams]) -> dict[str, Any]:
    return {name: [list(q.scales), list(q.zero_points), q.bits, q.signed, q.axis] for name, q in given.items()}


def given_of(plain: Mapping[str, Any]) -> dict[str, QParams]:
    return {name: QParams(tuple(scales), tuple(zeros), *rest) for name, (scales, zeros, *rest) in plain.items()}


def _precision(how: Precision) -> list[Any]:
    return [how.dtype, how.symmetric, how.per_channel, how.reduced]


def named_of(plain: Mapping[str, Any]) -> tuple[Named, dict[str, Range]]:
    named = Named(
        {name: Precision(*how) for name, how in plain["activations"].items()},
        {name: CodedConstant(Precision(*how[:-1]), how[-1]) for name, how in plain["constants"].items()},
        {made: NamedBias(*bias) for made, bias in plain["biases"].items()},
        plain["scale_of"],
        frozenset(plain["moved"]),
    )
    return named, {name: Range(*ends) for name, ends in plain["ranges"].items()}
