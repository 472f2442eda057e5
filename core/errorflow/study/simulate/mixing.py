"""Ranges of one method, and of another for single tensors."""

from collections.abc import Sequence
from dataclasses import replace

from errorflow.base.errors import UsageError
from errorflow.quant.ranges import Calibration


def mixed(calibrations: Sequence[Calibration], picks: Sequence[tuple[str, str]]) -> Calibration:
    """The first of them, and of each tensor that is picked the range by the method of that key."""
    main = calibrations[0]
    if not picks:
        return main
    by_key = {each.method: each for each in calibrations}
    ranges, channels = dict(main.ranges), dict(main.channels)
    for tensor, key in picks:
        other = by_key.get(key)
        if other is None or tensor not in other.ranges:
            raise UsageError(f"No range of {tensor} is known, so {key} cannot be its method.", _HINT)
        ranges[tensor] = other.ranges[tensor]
        channels.pop(tensor, None)
        if tensor in other.channels:
            channels[tensor] = other.channels[tensor]
    said = ", ".join(f"{tensor}: {key}" for tensor, key in picks)
    return replace(main, ranges=ranges, channels=channels, facts={**main.facts, "other methods": said})


_HINT = "Name a tensor that flows, as tensors.csv of `errorflow calibrate` has it."
