"""Pages in the middle of the window: the start page, and the graph with a second one."""

from errorflow_viewer.kit.layouts import PageStack
from errorflow_viewer.pages.start.page import StartPage
from errorflow_viewer.window.desk import WholeDesk
from errorflow_viewer.window.pair_view import GraphPair
from errorflow_viewer.window.steered_graph import SteeredGraph
from errorflow_viewer.window.support import MIDDLE


class MiddlePages:
    """Pages in the middle of one window."""

    def __init__(self, desk: WholeDesk, graph: SteeredGraph) -> None:
        self.start = StartPage(desk)
        self.stack = PageStack()
        self.stack.setObjectName(MIDDLE)
        self.stack.addWidget(self.start)
        self.pair = GraphPair(desk, graph.view, graph.switches)
        self.stack.addWidget(self.pair)
