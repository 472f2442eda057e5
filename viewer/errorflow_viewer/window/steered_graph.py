"""The graph on view, and what commands do with it."""

from collections.abc import Callable

from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.folds import Folds
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.selection import Selection
from errorflow_viewer.window.switches import Switches
from errorflow_viewer.window.workings import Workings


class SteeredGraph:
    """Of one window."""

    def __init__(self, workings: Workings, settings: Settings, theme: Theme, say: Callable[[str], None]) -> None:
        document = workings.document
        self.view = GraphView(document, workings.derived, workings.drawings, theme)
        self.folds = Folds(document, self.view)
        self.switches = Switches(settings, document, self.view, say)
        self.selection = Selection(document, self.view)
