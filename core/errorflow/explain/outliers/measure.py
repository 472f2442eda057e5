"""Outlier tables: of a model that runs on samples, or of tensors that runs have left behind."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, Progress, UsageError, dataclass
from errorflow.compare.together import dequantized, grid
from errorflow.explain.outliers.axes import FEWEST, Axes
from errorflow.explain.outliers.maxima import Maxima, left_out, of_weights
from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow.formats.convert.change import convert
from errorflow.graph.build import counted
from errorflow.graph.dump import Dump, Stored, TensorInfo
from errorflow.graph.model import Graph
from errorflow.quant.calibrate.minmax import MINMAX
from errorflow.run.calibrating import Calibrated, CalibrationRequest, calibrate
from errorflow.run.collecting import SeenTensor
from errorflow.run.samples.asked import SampleSpec

Array = NDArray[np.generic]
# How so many of those that could not be looked at are named.
_NAMED = 3
# What is said of ranges, and of which samples calibrate.
_OF_CALIBRATION = frozenset(("samples", "precision"))
# Layouts in which the channels are cut into blocks.
_BLOCKED = "C0", "FRACTAL"


@dataclass(frozen=True, slots=True)
class RunTensor:
    """A tensor of one run or of several, one after the other."""

    tensor: str
    stored: tuple[Stored, ...]


def of_model(
    model: Path,
    graph: Graph,
    asked: SampleSpec,
    samples: int | None = None,
    *,
    weights: bool = True,
    progress: Progress = SILENT,
) -> OutlierTable:
    """Runs a float model on the first samples in a process of its own, all in one pass. `graph` is the model's."""
    wish = CalibrationRequest((MINMAX,), first=samples, per_channel=True)
    found = calibrate(model, graph, asked, wish, progress)
    rows = list(_of_seen(found, graph))
    skipped = len(found.tensors) - len(rows)
    if weights:
        rows += of_weights(graph, progress)
    facts = {key: text for key, text in found.calibrations[0].facts.items() if key not in _OF_CALIBRATION}
    count = found.calibrations[0].samples
    return OutlierTable(model.name, tuple(rows), count, skipped, found.notes, found.made_up, facts)


def _of_seen(found: Calibrated, graph: Graph) -> Iterator[Outliers]:
    for tensor in found.tensors:
        seen = tensor.channels
        if seen is not None and len(seen.lows) >= FEWEST:
            ends = (np.abs(np.array(each, np.float64)) for each in (seen.lows, seen.highs))
            yield Outliers(
                tensor.name, "activation", seen.axis, np.maximum(*ends), *maker(graph, tensor.name), _not(tensor)
            )


def _not(tensor: SeenTensor) -> str:
    return left_out(tensor.nans + tensor.infinities)


def maker(graph: Graph | None, tensor: str) -> tuple[str, str]:
    """Title and type of the node that makes it."""
    number = None if graph is None else graph.tensor_index(tensor)
    node = -1 if graph is None or number is None else int(graph.producers[number])
    return ("", "") if graph is None or node < 0 else (graph.title(node), graph.op_types[node])


def items_of(dumps: Sequence[Dump]) -> tuple[RunTensor, ...]:
    """The tensors of runs of one model, in the order of the first run that has them."""
    names = dict.fromkeys(name for dump in dumps for name in dump.names())
    having = [(dump, frozenset(dump.names())) for dump in dumps]
    return tuple(RunTensor(name, tuple(dump.stored(name) for dump, own in having if name in own)) for name in names)


def of_items(
    items: Iterable[RunTensor], label: str, axes: Axes, graph: Graph | None = None, progress: Progress = SILENT
) -> OutlierTable:
    """Measures items with one stored tensor in memory at a time."""
    items = tuple(items)
    rows: list[Outliers] = []
    unread: list[str] = []
    skipped = 0
    for number, item in enumerate(items):
        progress.step(number, len(items), "Looking at the channels")
        try:
            row = _of_item(item, axes, graph, progress)
        except ErrorflowError as error:
            unread.append(f"{item.tensor}: {error.message}")
            continue
        if row is None:
            skipped += 1
        else:
            rows.append(row)
    if unread and not rows:
        raise UsageError(f"No tensor of {label} could be looked at. {unread[0]}", "Give a run that holds real values.")
    samples = max((len(item.stored) for item in items), default=0)
    return OutlierTable(label, tuple(rows), samples, skipped, tuple(_some(unread)))


def _some(unread: Sequence[str]) -> Iterator[str]:
    yield from unread[:_NAMED]
    if len(unread) > _NAMED:
        yield f"{counted(len(unread) - _NAMED, 'more tensor', 'more tensors')} could not be looked at."


def _of_item(item: RunTensor, axes: Axes, graph: Graph | None, progress: Progress) -> Outliers | None:
    """Measures an item; None: it has no channels, or holds no real values."""
    maxima: Maxima | None = None
    for stored in item.stored:
        info = stored.info
        if not _can_be_real(info):
            return None
        values, layout = _read(stored)
        axis = axes.axis(item.tensor, values.shape, layout)
        if axis is None or values.dtype.kind != "f":
            return None
        maxima = Maxima(axis) if maxima is None else maxima
        if maxima.axis != axis or not maxima.see(values, progress):
            return None
    if maxima is None or maxima.found is None:
        return None
    note = left_out(maxima.not_finite)
    return Outliers(item.tensor, "activation", maxima.axis, maxima.found, *maker(graph, item.tensor), note)


def _can_be_real(info: TensorInfo) -> bool:
    return "float" in info.dtype or info.qparams is not None


def _read(stored: Stored) -> tuple[Array, str]:
    """Real values, with the channels along one axis, and the layout in which they are then."""
    info, values = stored.info, stored.read()
    known = None if info.qparams is None else grid(info.qparams, None, values.shape, "")
    if known is not None and values.dtype.kind in "iu":
        values = dequantized(values, known)
    if not any(mark in info.layout for mark in _BLOCKED) or info.original_shape is None:
        return values, info.layout
    target = "NCHW" if len(info.original_shape) == len("NCHW") else "ND"
    return convert(values, info.layout, target, shape=info.original_shape, groups=info.groups), target
