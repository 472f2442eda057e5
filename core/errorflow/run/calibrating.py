"""Finds the ranges of a model's tensors: samples stream through it in a process of its own, which keeps little.

Nothing is written to the disk but what the caller writes, and in the user's cache the digests of large models.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.base.workers import MEMORY_BYTES, run_apart
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.quant.calibrate.seen import Method
from errorflow.quant.channel_axes import last_channels
from errorflow.quant.origins import origin
from errorflow.quant.plan import ACTIVATIONS
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, ChannelRanges, Range
from errorflow.run.collecting import Collected, CollectRequest, SeenChannels, SeenTensor, collect
from errorflow.run.digests import digest_of_model
from errorflow.run.model import wanted_of
from errorflow.run.ort import TIMEOUT, WEIGHTS, weights_of
from errorflow.run.samples.asked import SampleSpec

# Codes by which ranges are compared.
JUDGES = (Precision("uint8"), Precision("int8", symmetric=True))


@dataclass(frozen=True, slots=True)
class CalibrationRequest:
    """Wish for how a model is to be calibrated."""

    methods: tuple[Method, ...]
    # Of the codes that the ranges are for: some methods trade clipping against their steps.
    precision: Precision = ACTIVATIONS
    # How many samples are taken, from the first on; None: all.
    first: int | None = None
    judges: tuple[Precision, ...] = ()
    threads: int = 1
    # Whether the ranges of all channels are kept.
    per_channel: bool = False
    # Tensors whose channels are last, beyond those that the graph tells.
    last: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A calibration per method, and what was seen of each tensor in the order of running."""

    calibrations: tuple[Calibration, ...]
    tensors: tuple[SeenTensor, ...]
    methods: tuple[Method, ...]
    judges: tuple[Precision, ...]
    notes: tuple[str, ...]
    made_up: bool


def calibrate(
    model: Path, graph: Graph, asked: SampleSpec, wish: CalibrationRequest, progress: Progress = SILENT
) -> Calibrated:
    """Calibrates by all methods in one pass over the samples. `graph` is the model's."""
    if not wish.methods:
        raise UsageError("No method of calibration is chosen.", "Choose at least one, such as minmax.")
    if wish.first is not None and wish.first < 1:
        raise UsageError("At least one sample is needed.", "Give --samples 1 or more.")
    check_memory(graph, model.name)
    text = f"Calibrating {model.name}"
    keys = tuple(method.key for method in wish.methods)
    request = CollectRequest(
        str(model),
        wanted_of(graph),
        asked,
        wish.first,
        keys,
        wish.precision,
        wish.judges,
        wish.threads,
        tuple(sorted(last_channels(graph) | wish.last)),
        wish.per_channel,
    )
    found = _collected(request, text, graph, progress)
    facts = dict(found.facts) | {
        "model": model.name,
        "model digest": digest_of_model(model, progress),
        "precision": wish.precision.text,
        "samples": found.text,
    }
    if found.made_up:
        facts["made up"] = "yes"
    calibrations = tuple(_calibration(method, place, found, facts) for place, method in enumerate(wish.methods))
    notes = (*found.notes, *_not_finite(found.tensors, graph))
    return Calibrated(calibrations, found.tensors, wish.methods, wish.judges, notes, found.made_up)


def _collected(request: CollectRequest, text: str, graph: Graph, progress: Progress) -> Collected:
    import msgspec

    plain: Any = msgspec.to_builtins(request)
    with TemporaryDirectory(prefix="errorflow-") as folder:
        meter = _Meter(progress, Path(folder) / "done", Path(folder) / "total")
        answer = run_apart(
            collect,
            plain,
            str(meter.done),
            str(meter.total),
            text=text,
            progress=meter,
            timeout=TIMEOUT,
            memory=MEMORY_BYTES + WEIGHTS * weights_of(graph),
        )
    return msgspec.convert(answer, Collected)


@dataclass(frozen=True, slots=True)
class _Meter:
    """A progress that reads how far the other process is from two files."""

    progress: Progress
    done: Path
    total: Path

    def step(self, done: int, total: int, text: str) -> None:
        with suppress(OSError, ValueError):  # the process has not begun yet
            total = int(self.total.read_text(encoding="ascii"))
            done = min(self.done.stat().st_size, total)
        self.progress.step(done, total, text)


def _calibration(method: Method, place: int, found: Collected, facts: dict[str, str]) -> Calibration:
    ranges = {
        tensor.name: Range(tensor.found[place].low, tensor.found[place].high)
        for tensor in found.tensors
        if tensor.found
    }
    lacking = {tensor.name: "No finite value was seen." for tensor in found.tensors if not tensor.found}
    channels = {tensor.name: _within(tensor.channels, ranges[tensor.name]) for tensor in found.tensors if tensor.found}
    known = {name: each for name, each in channels.items() if each is not None}
    return Calibration(method.key, ranges, found.samples, lacking, facts, channels=known)


def _within(seen: SeenChannels | None, range_: Range) -> ChannelRanges | None:
    """Clips the channels as a method clips the tensor."""
    if seen is None or not seen.lows:
        return None
    lows, highs = (np.clip(ends, range_.low, range_.high).tolist() for ends in (seen.lows, seen.highs))
    return ChannelRanges(seen.axis, tuple(lows), tuple(highs))


def _not_finite(tensors: Iterable[SeenTensor], graph: Graph) -> Sequence[str]:
    """Finds where values that are not finite begin: behind it, most others have them too."""
    bad = [tensor for tensor in tensors if tensor.nans or tensor.infinities]
    if not bad:
        return ()
    first = bad[0]
    behind = counted(len(bad) - 1, "tensor behind it has", "tensors behind it have")
    more = f"; {behind} such values too" if len(bad) > 1 else ""
    return (
        f"{first.name} is the first tensor with values that are no numbers: {first.nans:,} NaN, "
        f"{first.infinities:,} infinite{origin(graph, first.name)}{more}. They are left out of all ranges.",
    )


# What a run needs at the least, as far as the shapes in a model tell: more than there may be is refused before.

_GB = 1e9
# Of types that numpy does not have.
_BYTES = 1


def check_memory(graph: Graph, name: str, most: int = MEMORY_BYTES) -> None:
    """`name`: of the model."""
    needed, node = least_bytes(graph)
    if needed > most:
        raise UsageError(
            f"Running {name} needs {needed / _GB:.1f} GB of memory or more, at {graph.title(node)}; "
            f"{most / _GB:.1f} GB is the limit.",
            "Give the model smaller inputs.",
        )


def least_bytes(graph: Graph) -> tuple[int, int]:
    """Estimates what the largest node reads and makes together, and finds which one that is; unknown shapes count
    nothing.
    """
    constants = frozenset(graph.constants.tolist())
    sizes: dict[int, int] = {}
    best = (0, -1)
    for node in range(len(graph)):
        tensors = {*graph.node_inputs[node].tolist(), *graph.node_outputs[node].tolist()} - constants - {-1}
        for tensor in tensors - sizes.keys():
            sizes[tensor] = _size(graph, tensor)
        best = max(best, (sum(sizes[tensor] for tensor in tensors), node), key=lambda each: each[0])
    return best


def _size(graph: Graph, number: int) -> int:
    tensor = graph.tensor(number)
    if tensor.shape is None or not all(isinstance(size, int) for size in tensor.shape):
        return 0
    return prod(size for size in tensor.shape if isinstance(size, int)) * _item_bytes(tensor.dtype)


def _item_bytes(dtype: str) -> int:
    try:
        return np.dtype(dtype).itemsize if dtype else _BYTES
    except TypeError:
        return _BYTES
