"""Switches of the drawing.

How a graph is laid out is chosen for each model; the others are remembered from one start to the next.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer

from errorflow.case.session.model import Painting
from errorflow_viewer.canvas.drawing_actions import ARRANGING
from errorflow_viewer.document.document import Document
from errorflow_viewer.kit.drawings import Form, View
from errorflow_viewer.kit.keymap import Keymap, native
from errorflow_viewer.kit.motion import ask_desktop, is_reduced
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.window.graph_view import GraphView

# Each switch, and whether it is on at first; "still" at first is what the system says about motion.
SWITCHES = {
    "quiet": False,
    "constants": False,
    "across": False,
    "error": True,
    "minimap": True,
    "path": True,
    "linked": True,
    "still": False,
}
# In ms, from the start until the desktop is asked about motion: the first picture comes first.
LATER = 1500
# Those that say what is drawn.
_FORM = ("quiet", "constants", "across")
# What is said of those of which nothing may be seen, on and off.
_UNSEEN = {
    "minimap": ("The minimap appears when you zoom in", "The minimap is off"),
    "path": ("The way through appears when you select a node", "The way through is off"),
    "linked": ("Both graphs move in step", "Each graph moves by itself"),
    "still": ("The picture jumps where it would glide", "The picture glides where it jumped"),
}
# And where there is nothing for them to act on.
_NONE = {"quiet": "There are no quantize and cast nodes to hide", "constants": "There are no constants to show"}
# Words for whether it runs from left to right.
_WHOLE = {False: "from top to bottom", True: "from left to right"}
_CUT = {False: "columns", True: "rows"}


def first_form(settings: Settings) -> Form:
    quiet, constants, across = (settings.is_on(switch, SWITCHES[switch]) for switch in _FORM)
    return Form("auto", constants, quiet, across)


def form_for(settings: Settings, path: Path) -> Form:
    """Makes the form for a model whose own was not changed."""
    return replace(first_form(settings), view=settings.view_of(path))


class Switches:
    """Puts the choices of the user into effect, and says how the graph is laid out when that changes."""

    def __init__(self, settings: Settings, document: Document, view: GraphView, say: Callable[[str], None]) -> None:
        self._settings = settings
        document.first_painting = lambda: Painting(palette=settings.palette)
        self._document = document
        self._view = view
        # Besides the main one, those that are to look the same.
        self._others: dict[GraphView, Callable[[], None]] = {}
        self._say = say
        # What was said about how it is laid out.
        self._said: tuple[Path | None, View, bool, bool] = (None, "auto", False, False)
        # What was just turned on, and how many boxes there were before.
        self._turned: tuple[str, int] = ("", 0)
        self._apply()
        if settings.reduced_motion == "system":
            QTimer.singleShot(LATER, view.canvas, lambda: ask_desktop(self._apply, view.canvas))
        view.unfolded.connect(self._tell)
        view.unfolded.connect(self._tell_none)
        view.too_long.connect(self._help_along)

    def add(self, view: GraphView, told: Callable[[], None]) -> None:
        """Adds a view, which does as the main view from now on. `told` hears when a switch is turned."""
        self._others[view] = told
        self._apply()

    def remove(self, view: GraphView) -> None:
        del self._others[view]

    def is_on(self, switch: str) -> bool:
        if switch in _FORM:  # the graph on view may be that of a session, drawn as it was then
            return bool(getattr(self._view.form, switch))
        return self._settings.is_on(switch, self._at_first(switch))

    def turn(self, switch: str) -> None:
        """Turns it on if it is off, and the other way round."""
        on = not self.is_on(switch)
        self._settings.switch(switch, on)
        self._apply()
        shown = self._view.shown
        self._turned = (switch, len(shown.drawing)) if shown is not None and on else ("", 0)
        if switch in _UNSEEN and not self._seen(switch):
            self._say(_UNSEEN[switch][0 if on else 1])
        if switch in _FORM:
            self._view.reform(replace(self._view.form, **{switch: on}))  # type: ignore[arg-type]  # all of them are bool

    def apply(self) -> None:
        """Applies what the settings say by now."""
        self._apply()

    def _seen(self, switch: str) -> bool:
        """Whether the picture shows that it has been turned."""
        canvas = self._view.canvas
        if switch == "minimap":
            return not canvas.all_seen
        return switch == "path" and canvas.selected() is not None

    @property
    def view(self) -> View:
        """Layout of the graphs of the model."""
        return self._view.form.view

    def choose_view(self, view: View) -> None:
        """Chooses for the model on view, also when it is opened again; another one is laid out as suits it."""
        if self._document.model is not None:
            self._settings.set_view_of(self._document.model.path, view)
        self._view.reform(replace(self._view.form, view=view))

    @property
    def in_columns(self) -> bool:
        """Whether what is on view is cut into columns."""
        shown = self._view.shown
        return self.view == "columns" if shown is None else shown.columns

    def _tell(self) -> None:
        """Tells how the graph is laid out and how to change that, where it is not what one expects or has just
        changed.
        """
        shown, model = self._view.shown, self._document.model
        if shown is None or model is None:
            return
        said, now = self._said, (model.path, self.view, shown.columns, shown.drawing.across)
        self._said = now
        if now == said or (now[0] != said[0] and not shown.columns and self.view == "auto"):
            return
        across = shown.drawing.across
        cut, whole = f"in {_CUT[across]}", _WHOLE[across]
        here, other, why = (cut, whole, "as it is long") if shown.columns else (whole, cut, "as it fits")
        keys = _keys(self._settings)
        self._say(f"Drawn {here}{f', {why}' if self.view == 'auto' else ' for this model'}. {keys}: {other}")

    def _tell_none(self) -> None:
        """Tells that there was nothing to do, where nothing has changed."""
        (switch, boxes), self._turned = self._turned, ("", 0)
        shown = self._view.shown
        if switch in _NONE and shown is not None and len(shown.drawing) == boxes:
            self._say(_NONE[switch])

    def _help_along(self) -> None:
        """Helps along: a part of something very long is shown where in it that is."""
        if not self.is_on("minimap"):
            self.turn("minimap")
        across = self._view.form.across
        self._say(f"Too long to be seen at once: this is its beginning. {_keys(self._settings)}: in {_CUT[across]}")

    def _at_first(self, switch: str) -> bool:
        if switch != "still":
            return SWITCHES[switch]
        return is_reduced(self._settings)

    def _apply(self) -> None:
        for view in (self._view, *self._others):
            view.canvas.set_minimap(self.is_on("minimap"))
            view.canvas.set_path(self.is_on("path"))
            view.canvas.set_reduced_motion(self.is_on("still"))
            view.errors.set_on(self.is_on("error"))
        for told in self._others.values():
            told()


def _keys(settings: Settings) -> str:
    """Names the keys that switch columns on and off."""
    row = next(row for row in ARRANGING if row.key == "view.columns")
    keys = Keymap.of(settings).keys(row.key, row.shortcuts)
    return native(keys[0]) if keys else row.name
