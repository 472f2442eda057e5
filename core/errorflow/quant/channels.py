"""Activations with a scale for each channel, out of the ranges of the channels."""

from collections.abc import Iterator
from dataclasses import replace

from errorflow.base.errors import UsageError
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, ChannelRanges


def per_channel(plan: Plan, graph: Graph) -> Precision | None:
    """Finds how the plan codes channels of activations; None: it does not."""
    wanted = dict.fromkeys(_wishes(plan, graph))
    if len(wanted) > 1:
        raise UsageError(
            f"Activations per channel are wanted as {' and as '.join(each.text for each in wanted)}.",
            "Choose one type for all that is coded per channel.",
        )
    return next(iter(wanted), None)


def with_channels(calibration: Calibration, plan: Plan, graph: Graph) -> Calibration:
    """Adds scales for the channels that the plan wants; a tensor without channels gets the one of its range."""
    precision = per_channel(plan, graph)
    if precision is None:
        return calibration
    if not calibration.channels:
        raise UsageError(
            "The plan codes activations per channel, and the calibration has no ranges of channels.",
            "Calibrate with --per-channel.",
        )
    return replace(calibration, given=dict(_scales(calibration, precision, graph)) | dict(calibration.given))


def _scales(calibration: Calibration, precision: Precision, graph: Graph) -> Iterator[tuple[str, QParams]]:
    for name, range_ in calibration.ranges.items():
        channels = calibration.channels.get(name)
        if channels is not None:
            _check(name, channels, graph)
        yield name, range_.qparams(precision) if channels is None else channels.qparams(precision)


def _check(name: str, channels: ChannelRanges, graph: Graph) -> None:
    """Whether the tensor has these channels, as far as the model tells."""
    number = graph.tensor_index(name)
    shape = None if number is None else graph.shapes[number]
    if shape is None:
        return
    dim = shape[channels.axis] if channels.axis < len(shape) else -1
    if isinstance(dim, int) and dim != len(channels.lows):
        raise UsageError(
            f"The calibration has {len(channels.lows):,} channels of {name} along axis {channels.axis}, and the model "
            f"{'has no such axis' if dim < 0 else f'has {dim:,}'}.",
            "Calibrate this model with --per-channel.",
        )


def _wishes(plan: Plan, graph: Graph) -> Iterator[Precision]:
    constants = {graph.tensor_names[tensor] for tensor in graph.constants.tolist()}
    tensors = (wish for name, wish in plan.tensors if name not in constants)
    wishes = (plan.activations, *(rule.activations for rule in plan.rules), *tensors)
    if plan.coded is None:
        yield from (wish for wish in wishes if isinstance(wish, Precision) and wish.per_channel)
