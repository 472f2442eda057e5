"""What of the drawing can be switched on and off; remembered from one start to the next."""

from dataclasses import replace

from PySide6.QtWidgets import QStyle

from errorflow_viewer.drawings import Form, View
from errorflow_viewer.graph_view import GraphView
from errorflow_viewer.settings import Settings

# Each switch, and whether it is on at first; "still" at first is what the system says about motion.
SWITCHES = {"quiet": False, "constants": False, "across": False, "minimap": True, "path": True, "still": False}


def first_form(settings: Settings) -> Form:
    quiet, constants, across = (settings.is_on(switch, SWITCHES[switch]) for switch in ("quiet", "constants", "across"))
    return Form(settings.view, constants, quiet, across)


class Switches:
    """Puts the choices of the user into effect."""

    def __init__(self, settings: Settings, view: GraphView) -> None:
        self._settings = settings
        self._view = view
        self._apply()

    def is_on(self, switch: str) -> bool:
        return self._settings.is_on(switch, self._at_first(switch))

    def turn(self, switch: str) -> None:
        """On if it is off, and the other way round."""
        self._settings.switch(switch, not self.is_on(switch))
        self._apply()
        quiet, constants, across = (self.is_on(switch) for switch in ("quiet", "constants", "across"))
        self._view.reform(replace(self._view.form, quiet=quiet, constants=constants, across=across))

    @property
    def view(self) -> View:
        """How graphs are laid out."""
        return self._settings.view

    def choose_view(self, view: View) -> None:
        self._settings.view = view
        self._view.reform(replace(self._view.form, view=view))

    @property
    def in_columns(self) -> bool:
        """Whether what is on view is cut into columns."""
        shown = self._view.shown
        return self._settings.view == "columns" if shown is None else shown.columns

    def _at_first(self, switch: str) -> bool:
        if switch != "still":
            return SWITCHES[switch]
        return not self._view.canvas.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration)

    def _apply(self) -> None:
        canvas = self._view.canvas
        canvas.set_minimap(self.is_on("minimap"))
        canvas.set_path(self.is_on("path"))
        canvas.set_reduced_motion(self.is_on("still"))
