"""Calibrations in a file: JSON that others can read, and that is read back to the last bit."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from errorflow.base.codec import Codec, FileKind, OddError
from errorflow.base.files import write_atomic
from errorflow.base.values import dataclass
from errorflow.quant.ranges import Calibration, ChannelRanges, Range

KIND = "errorflow calibration"
# A range, of a tensor or of a channel, takes less than 100 bytes besides the tensor's name.
FILE = FileKind(
    "calibration", {"kind": KIND}, "version", 1, 256 << 20, "`errorflow calibrate` writes one.", "Calibrate again."
)
MAX_CALIBRATIONS = 1000
# Tensors of more axes than numpy has are none.
MOST_AXES = 64


@dataclass(frozen=True, slots=True)
class _Channels:
    axis: int
    ranges: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _One:
    method: str
    ranges: dict[str, tuple[float, float]]
    samples: int = 0
    notes: dict[str, str] | None = None
    facts: dict[str, str] | None = None
    # Files of older versions have none.
    channels: dict[str, _Channels] | None = None


@dataclass(frozen=True, slots=True)
class _Saved:
    calibrations: list[_One]


def save_calibrations(path: Path, calibrations: Iterable[Calibration]) -> None:
    """Replaces the file in one step."""
    import msgspec

    saved = {**FILE.head, "calibrations": [_plain(each) for each in calibrations]}
    write_atomic(path, msgspec.json.format(msgspec.json.encode(saved), indent=1))


def load_calibrations(path: Path) -> tuple[Calibration, ...]:
    """Loads all calibrations that were saved together."""
    return FILE.read(path, _calibrations)


def _calibrations(rows: dict[str, Any]) -> tuple[Calibration, ...]:
    saved: _Saved = Codec().read(_Saved, rows)
    if len(saved.calibrations) > MAX_CALIBRATIONS:
        raise OddError(f"it holds {len(saved.calibrations):,} calibrations.")
    return tuple(map(_calibration, saved.calibrations))


def _plain(calibration: Calibration) -> dict[str, Any]:
    found: dict[str, Any] = {
        "method": calibration.method,
        "samples": calibration.samples,
        "facts": dict(calibration.facts),
        "notes": dict(calibration.notes),
        "ranges": {name: (each.low, each.high) for name, each in calibration.ranges.items()},
    }
    if calibration.channels:
        found["channels"] = {
            name: {"axis": each.axis, "ranges": list(zip(each.lows, each.highs, strict=True))}
            for name, each in calibration.channels.items()
        }
    return found


def _calibration(saved: _One) -> Calibration:
    ranges = {name: _range(name, *ends) for name, ends in saved.ranges.items()}
    by_channel = {name: _by_channel(name, found) for name, found in (saved.channels or {}).items()}
    return Calibration(saved.method, ranges, saved.samples, saved.notes or {}, saved.facts or {}, channels=by_channel)


def _by_channel(name: str, saved: _Channels) -> ChannelRanges:
    if not 0 <= saved.axis < MOST_AXES:
        raise OddError(f"it has channels of {name[:100]} along axis {saved.axis}.")
    if not saved.ranges:
        raise OddError(f"it has channels of {name[:100]} without a range.")
    ranges = [_range(name, *ends) for ends in saved.ranges]
    return ChannelRanges(saved.axis, tuple(each.low for each in ranges), tuple(each.high for each in ranges))


def _range(name: str, low: float, high: float) -> Range:
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise OddError(f"it has no range for {name[:100]} but {low:g} … {high:g}.")
    return Range(low, high)
