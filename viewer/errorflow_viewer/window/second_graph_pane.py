"""The second graph in its pane: canvas, folds, outlines, and what keeps it in step with the first."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from errorflow.base.errors import ErrorflowError
from errorflow.case.session.model import Sights
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.level import Level
from errorflow_viewer.canvas.outlines import Outlines
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.second_graph import Second, Which
from errorflow_viewer.document.viewpoint import sights_of
from errorflow_viewer.kit.drawings import Drawings
from errorflow_viewer.kit.layouts import pages
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.window.folds import Folds
from errorflow_viewer.window.graph_view import GraphView
from errorflow_viewer.window.pair_pane import Pane
from errorflow_viewer.window.second_graph_following import Following
from errorflow_viewer.window.switches import Switches

KEY = "second.layout"
LINKED = "linked"
# Commands that mean both graphs: their keys count in either.
OF_BOTH = ("switch.minimap", "switch.path")
NOTHING = "The second model is shown here: what was compiled or quantized, or the original."
NOT_IN_BUNDLE = "The second model is not in this ticket bundle."
READING = "The second model is being opened."
OPEN = "Open second model…"


class Beside(QObject):
    """Lives as long as the second graph is shown."""

    def __init__(
        self, desk: Desk, second: Second, view: GraphView, switches: Switches, ask: Callable[[], None]
    ) -> None:
        super().__init__()
        self._desk = desk
        self._second = second
        self._main = view
        self._switches = switches
        # Why the second model could not be shown.
        self._failure = ""
        drawings = Drawings(replace(view.form))
        theme = desk.appearance.theme
        second.drawings = drawings
        self.view = GraphView(second.document, desk.derived, drawings, theme, key=KEY)
        self.folds = Folds(second.document, self.view)
        self.view.canvas.setAccessibleName("Second model graph")
        self.view.canvas.addActions([each for each in view.canvas.actions() if each.objectName() in OF_BOTH])
        self.view.canvas.commands = view.canvas
        self.nothing = Empty(NOTHING, OPEN, ask)
        self.stack = pages(self.nothing, self.view.canvas)
        self.pane = Pane(self.stack)
        self.link_button = self.pane.title.add_button("link", "Link the views")
        self.link_button.setCheckable(True)
        self.link_button.setChecked(switches.is_on(LINKED))
        self.link_button.clicked.connect(lambda: switches.turn(LINKED))
        self.hide_button = self.pane.title.add_button("close", "Hide the second graph")
        self.outlines: dict[Which, Outlines] = {
            "main": Outlines(view.canvas, colors_of(theme)),
            "second": Outlines(self.view.canvas, colors_of(theme)),
        }
        self._level = Level(view.canvas, self.view.canvas)
        self.following = Following(
            second,
            {"main": view, "second": self.view},
            {"main": desk.document, "second": second.document},
            self.outlines,
            lambda: switches.is_on(LINKED),
        )
        self.view.failed.connect(self.show_failure)
        self.view.canvas.hovered.connect(self._on_hovered)
        view.unfolded.connect(self._follow_form)
        switches.add(self.view, self.show_switches)

    @property
    def name(self) -> str:
        """Of the second model; "": there is none yet."""
        return "" if self._second.model is None else self._second.model.path.name

    def end(self) -> None:
        """Takes all of it away."""
        self._switches.remove(self.view)
        self._second.drawings = None
        self._main.unfolded.disconnect(self._follow_form)
        self.following.end()
        self._level.end()
        for outlines in self.outlines.values():
            outlines.hide()
            outlines.setParent(None)
            outlines.deleteLater()
        self.view.end()
        self.pane.hide()
        self.pane.setParent(None)
        self.pane.deleteLater()

    def show_content(self) -> None:
        """The graph, or what one can do to see one."""
        opening = self._second.opening
        self._failure = "" if opening else self._failure
        there = self._second.model is not None and not self._failure
        self.stack.setCurrentWidget(self.view.canvas if there else self.nothing)
        nothing = NOTHING if self._desk.document.session.bundle is None else NOT_IN_BUNDLE
        self.nothing.sentence.setText(READING if opening else self._failure if self._failure else nothing)
        self.nothing.button.setVisible(not opening)
        self.link_button.setVisible(there)

    def sights(self) -> Sights:
        """What is seen, for the session."""
        document = self._second.document
        return sights_of(document.state.spot, self.view.form.view, self.view.shown, document.look())

    def show_failure(self, error: ErrorflowError) -> None:
        """Until another model is opened."""
        self._failure = f"{error.message} {error.hint}"
        self.show_content()

    def set_theme(self, theme: Theme) -> None:
        self.view.set_theme(theme)
        self.pane.set_theme(theme)
        for outlines in self.outlines.values():
            outlines.set_colors(colors_of(theme))

    def show_switches(self) -> None:
        self.link_button.setChecked(self._switches.is_on(LINKED))

    def _on_hovered(self, box: object) -> None:
        self.pane.title.point(self.view.box_title(box))

    def _follow_form(self) -> None:
        """The second graph is drawn as the first one is."""
        form = self._main.form
        wanted = replace(self.view.form, view=form.view, constants=form.constants, quiet=form.quiet, across=form.across)
        self.view.reform(wanted)
