"""Axes along which tensors have their channels."""

from errorflow.graph.model import Graph
from errorflow.quant.channel_axes import last_channels

# Layouts are written with a letter per axis, such as NHWC.
_CHANNEL = "C"
# Fewer are nothing to compare, and more are no channels.
FEWEST, MOST = 2, 1 << 16


class Axes:
    """Axes by what a run says of the layout, what the user says, and the model; else the second one."""

    def __init__(self, graph: Graph | None = None, told: int | None = None) -> None:
        self._last = frozenset[str]() if graph is None else last_channels(graph)
        self._told = told

    def axis(self, tensor: str, shape: tuple[int, ...], layout: str = "") -> int | None:
        """Finds the axis of channels; None: it has no channels."""
        found = self._axis(tensor, shape, layout)
        return found if found is not None and FEWEST <= shape[found] <= MOST and 0 not in shape else None

    def _axis(self, tensor: str, shape: tuple[int, ...], layout: str) -> int | None:
        if len(shape) < 2:
            return None
        if self._told is not None:
            axis = self._told + len(shape) if self._told < 0 else self._told
            return axis if 0 <= axis < len(shape) else None
        if len(layout) == len(shape) and layout.count(_CHANNEL) == 1:
            return layout.index(_CHANNEL)
        return len(shape) - 1 if tensor in self._last or len(shape) == 2 else 1
