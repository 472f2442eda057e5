"""Calibrations in a file: JSON that others can read, and that is read back to the last bit."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source, write_atomic
from errorflow.quant.ranges import Calibration, ChannelRanges, Range

KIND = "errorflow calibration"
VERSION = 1
# A range, of a tensor or of a channel, takes less than 100 bytes besides the tensor's name.
MAX_BYTES = 256 << 20
MAX_CALIBRATIONS = 1000
# Tensors of more axes than numpy has are none.
MOST_AXES = 64
_AGAIN = "Calibrate again."


def save_calibrations(path: Path, calibrations: Iterable[Calibration]) -> None:
    """Replaces the file in one step."""
    import msgspec

    saved = {"kind": KIND, "version": VERSION, "calibrations": [_plain(each) for each in calibrations]}
    write_atomic(path, msgspec.json.format(msgspec.json.encode(saved), indent=1))


def load_calibrations(path: Path) -> tuple[Calibration, ...]:
    """All that were saved together."""
    import msgspec

    with Source(path, head=0) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{path.name} has {source.size:,} bytes; {MAX_BYTES:,} is the most.", _AGAIN)
        data = source.read(0, source.size)
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _no_calibration(path) from error
    if head.kind != KIND:
        raise _no_calibration(path)
    if head.version != VERSION:
        raise FormatError(
            f"{path.name} was saved by a newer Errorflow (version {head.version} of the file).", "Update Errorflow."
        )
    try:
        saved = msgspec.json.decode(data, type=_Saved).calibrations
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{path.name} is a broken calibration: {str(error)[:200]}.", _AGAIN) from error
    if len(saved) > MAX_CALIBRATIONS:
        raise FormatError(f"{path.name} holds {len(saved):,} calibrations.", _AGAIN)
    return tuple(_calibration(each, path) for each in saved)


@dataclass(frozen=True, slots=True)
class _Head:
    kind: str = ""
    version: int = 0


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


def _calibration(saved: _One, path: Path) -> Calibration:
    ranges = {name: _range(name, low, high, path) for name, (low, high) in saved.ranges.items()}
    channels = {} if saved.channels is None else saved.channels
    by_channel = {name: _by_channel(name, found, path) for name, found in channels.items()}
    texts = _texts(saved.notes), _texts(saved.facts)
    return Calibration(saved.method, ranges, saved.samples, *texts, channels=by_channel)


def _by_channel(name: str, saved: _Channels, path: Path) -> ChannelRanges:
    if not 0 <= saved.axis < MOST_AXES:
        raise FormatError(f"{path.name} has channels of {name[:100]} along axis {saved.axis}.", _AGAIN)
    if not saved.ranges:
        raise FormatError(f"{path.name} has channels of {name[:100]} without a range.", _AGAIN)
    ranges = [_range(name, low, high, path) for low, high in saved.ranges]
    return ChannelRanges(saved.axis, tuple(each.low for each in ranges), tuple(each.high for each in ranges))


def _texts(saved: Mapping[str, str] | None) -> Mapping[str, str]:
    return {} if saved is None else saved


def _range(name: str, low: float, high: float, path: Path) -> Range:
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise FormatError(f"{path.name} has no range for {name[:100]} but {low:g} … {high:g}.", _AGAIN)
    return Range(low, high)


def _no_calibration(path: Path) -> WrongFileError:
    return WrongFileError(f"{path.name} is no saved calibration.", "`errorflow calibrate` writes one.")
