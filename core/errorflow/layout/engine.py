"""Engine that makes a drawing of a graph."""

from errorflow.base import SILENT, Progress, dataclass
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.prepare import NO_TENSORS, View, prepare


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """`open_groups` are numbers in the outline; None: all are open, so that every node is seen."""

    constants: bool = False  # draw constants, and what is computed from them only
    grouped: bool = True  # False: one level without groups
    open_groups: frozenset[int] | None = None
    view: View = "down"
    aspect: float = 1.6  # of a drawing in columns: width to height
    show_all: frozenset[int] = NO_TENSORS  # whose lines are all drawn, however many they are


DEFAULT = LayoutOptions()


def layout(graph: Graph, options: LayoutOptions = DEFAULT, progress: Progress = SILENT) -> Drawing:
    """Draws a graph once. To draw it again with other groups open `prepare` it once."""
    prepared = prepare(graph, constants=options.constants, grouped=options.grouped, progress=progress)
    return prepared.draw(options.open_groups, options.view, options.aspect, progress, show_all=options.show_all)
