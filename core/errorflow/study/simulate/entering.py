"""How a simulation codes the model's inputs: what is clipped of them, or lost between codes."""

from collections.abc import Iterator

from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.limits import CLEAN
from errorflow.graph.model import Graph
from errorflow.quant.ranges import Calibration, Range

# Of a range's width: steps of 8 bits are as large, and ranges are seldom better known.
_STEP = 1 / 255


def entering(graph: Graph, comparison: Comparison, calibration: Calibration | None) -> dict[int, str]:
    """By input what its codes did to it, in words that follow its name; "" where that is little."""
    rows = {row.tensor: row for row in comparison.rows}
    ranges = {} if calibration is None else calibration.ranges
    names = {int(tensor): graph.tensor_names[tensor] for tensor in graph.inputs.tolist()}
    return {tensor: _how(rows[name], ranges.get(name)) for tensor, name in names.items() if name in rows}


def _how(row: Row, known: Range | None) -> str:
    if not row.value("relative_l2") > CLEAN:
        return ""
    ends = "" if known is None else "; ".join(_beyond(row, known))
    return f"is clipped ({ends})" if ends else "is coded too coarsely"


def _beyond(row: Row, known: Range) -> Iterator[str]:
    """The ends of the range that the data lie beyond. Every range holds zero."""
    side, low, high = row.reference_side, min(known.low, 0.0), max(known.high, 0.0)
    if side is None:
        return
    slack = (high - low) * _STEP
    if side.high > high + slack:
        yield f"its calibration range ends at {high:.3g}, the data reach {side.high:.3g}"
    if side.low < low - slack:
        yield f"its calibration range begins at {low:.3g}, the data at {side.low:.3g}"
