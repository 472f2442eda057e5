"""The steps between which a quantized tensor has no values, and the ends beyond which it has none."""

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, dataclass
from errorflow.graph.model import Graph
from errorflow.graph.qparams import CODE_TYPES, QParams

Doubles = NDArray[np.float64]
Source = Literal["run", "graph", "values", "plan"]
_KNOWN_FROM: Mapping[Source, str] = {
    "run": "written down by the run",
    "graph": "from the graph",
    "plan": "by which the plan codes it",
    "values": "read off the values: nobody wrote it down",
}
# Values that are looked at, and different ones, to see a grid in them.
LOOKED_AT, MOST_DIFFERENT = 1 << 18, 1 << 10
FEWEST_DIFFERENT = 3
# How far from a whole number of steps a float32 may be.
NEAR = 0.02
MOST_STEPS = 1 << 16
_QUANTIZE, _DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"


@dataclass(frozen=True, slots=True)
class Grid:
    """One scale for the whole tensor. Real values go from `low` to `high`; `bits` 0: they were read off the values."""

    scale: float
    zero_point: int
    low: float
    high: float
    bits: int
    source: Source

    @property
    def text(self) -> str:
        """Description in words, with the source."""
        point = f", zero point {self.zero_point}, {self.bits} bits" if self.bits else ""
        return f"Scale {self.scale:.6g}{point} ({_KNOWN_FROM[self.source]})"


@dataclass(frozen=True, slots=True, eq=False)
class Grids:
    """A grid for each channel; `scales`, `lows` and `highs` have an entry per channel."""

    scales: Doubles
    lows: Doubles
    highs: Doubles
    axis: int
    bits: int
    # The smallest code.
    bottom: int
    source: Source

    def __len__(self) -> int:
        return len(self.scales)

    @property
    def finest(self) -> int:
        """The channel with the smallest steps."""
        return int(self.scales.argmin())

    @property
    def coarsest(self) -> int:
        return int(self.scales.argmax())

    def grid(self, channel: int) -> Grid:
        scale, low = float(self.scales[channel]), float(self.lows[channel])
        return Grid(scale, self.bottom - round(low / scale), low, float(self.highs[channel]), self.bits, self.source)

    @property
    def text(self) -> str:
        """Description in words, with the source."""
        low, high = float(self.scales.min()), float(self.scales.max())
        said = f"{len(self):,} scales along axis {self.axis} from {low:.4g} to {high:.4g}, {self.bits} bits"
        return f"{said} ({_KNOWN_FROM[self.source]})"


def grid_of(qparams: QParams, source: Source = "run") -> Grid | None:
    """Makes the grid; None: there are several scales, or one that cannot be."""
    scale = float(np.float32(qparams.scales[0])) if len(qparams.scales) == 1 else math.nan
    if not (math.isfinite(scale) and scale > 0) or not qparams.zero_points:
        return None
    zero = qparams.zero_points[0]
    low, high = (qparams.low - zero) * scale, (qparams.high - zero) * scale
    return Grid(scale, zero, low, high, qparams.bits, source)


def grids_of(qparams: QParams, source: Source = "run") -> Grids | None:
    """Makes the grids; None: there is one scale for all, or some that cannot be."""
    scales = np.array(qparams.scales, np.float32).astype(np.float64)
    if qparams.axis is None or len(scales) < 2 or not np.all(np.isfinite(scales) & (scales > 0)):
        return None
    if len(qparams.zero_points) not in (1, len(scales)):
        return None
    zeros = np.array(qparams.zero_points, np.float64)
    lows, highs = (qparams.low - zeros) * scales, (qparams.high - zeros) * scales
    return Grids(scales, lows, highs, qparams.axis, qparams.bits, qparams.low, source)


def graph_grid(graph: Graph, tensor: int) -> QParams | None:
    """Finds what a QuantizeLinear or DequantizeLinear beside the tensor says in a model that has them."""
    near = [int(graph.producers[tensor]), *graph.consumers[tensor].tolist()]
    for node in near:
        if node >= 0 and graph.op_types[node] in (_QUANTIZE, _DEQUANTIZE):
            made_here = graph.op_types[node] == _DEQUANTIZE and tensor in graph.node_outputs[node].tolist()
            read_here = graph.op_types[node] == _QUANTIZE and graph.node_inputs[node][:1].tolist() == [tensor]
            found = said_by(graph, node) if made_here or read_here else None
            if found is not None:
                return found
    return None


def said_by(graph: Graph, node: int, dtype: str = "uint8") -> QParams | None:
    """Reads what a QuantizeLinear or DequantizeLinear says; its codes are of `dtype` where it has no zero point."""
    ends = graph.node_inputs[node].tolist()
    known = set(graph.weights.names())
    names = [graph.tensor_names[end] if end >= 0 else "" for end in ends[1:3]]
    if not names or names[0] not in known:
        return None
    try:
        scales = np.atleast_1d(graph.weights.read(names[0]))
        attributes = graph.attributes(node)
        zeros = _zeros(graph, names[1:], known, asked_codes(attributes, dtype))
        axis = attributes.get("axis", 1)
    except (ErrorflowError, KeyError):  # the file may be gone, and its weights were left out
        return None
    points, dtype = zeros
    if dtype not in CODE_TYPES or attributes.get("block_size", 0):  # small floats have no even steps, blocks many
        return None
    if scales.dtype.kind != "f" or not scales.size or max(scales.shape) != scales.size:  # none, or one per block
        return None
    bits, signed = CODE_TYPES[dtype]
    places = tuple(int(zero) for zero in np.atleast_1d(points).ravel())
    many = scales.size > 1
    return QParams(
        tuple(scales.astype(np.float64).ravel().tolist()),
        places,
        bits,
        signed,
        axis if many and isinstance(axis, int) else None,
    )


def asked_codes(attributes: Mapping[str, object], dtype: str = "uint8") -> str:
    """The type of codes that a QuantizeLinear without a zero point makes; `dtype` where it does not say it."""
    from errorflow.formats.onnx.dtypes import dtype_name  # a window is there before anything that reads is loaded

    asked = attributes.get("output_dtype", 0)
    return dtype_name(asked) if isinstance(asked, int) and asked else dtype


def _zeros(graph: Graph, names: list[str], known: set[str], dtype: str) -> tuple[NDArray[Any], str]:
    if not names or names[0] not in known:
        return np.zeros(1, np.int64), dtype
    return graph.weights.read(names[0]), graph.weights.info(names[0]).dtype


def read_off(candidate: NDArray[Any], reference: NDArray[Any] | None) -> Grid | None:
    """The grid on which all values lie, if they do and those of the reference do not: someone rounded them."""
    values = _different(candidate)
    if values is None or (reference is not None and _different(reference, len(values) * 4) is not None):
        return None
    step = float(np.diff(values).min())
    steps = float(values[-1] - values[0]) / step
    if not 0 < steps < MOST_STEPS:
        return None
    # The ends are furthest apart, and so tell the step best.
    step = float(values[-1] - values[0]) / round(steps)
    off = np.abs(values / step - np.round(values / step))
    if float(off.max()) > NEAR:
        return None
    return Grid(step, 0, float(values[0]), float(values[-1]), 0, "values")


def _different(side: NDArray[Any], most: int = MOST_DIFFERENT) -> Doubles | None:
    """The different values in their order; None: too few, too many, or such as have no order."""
    if side.dtype.kind != "f" or not side.size:
        return None
    flat = side.reshape(-1)
    every = -(-flat.size // LOOKED_AT)
    first = np.unique(flat[:4096])
    if len(first) > most:
        return None
    found = np.unique(flat[::every]).astype(np.float64)
    ends = np.array([flat.min(), flat.max()], np.float64)
    if not np.isfinite(ends).all() or not FEWEST_DIFFERENT <= len(found) <= most:
        return None
    return np.unique(np.concatenate([found + 0.0, ends + 0.0]))
