"""What the user points at, and what is lit up because of it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer

from errorflow_viewer.canvas.overlay import Lit, paint_group, paint_hover, paint_path, paint_selection, paint_signs
from errorflow_viewer.canvas.reach import Reach, start_of
from errorflow_viewer.canvas.routes import lines_of
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.titles import paint_titles

# Boxes whose lines are remembered, for a pointer that wanders about.
_KEPT = 16


class Highlights(QObject):
    """The selected and the hovered box; finds the path through the selected one in idle moments."""

    def __init__(self, parent: QObject, changed: Callable[[], None]) -> None:
        super().__init__(parent)
        self.selected: int | None = None
        self.group: int | None = None
        self.hovered: int | None = None
        self._changed = changed
        self._scene: Scene | None = None
        self._with_path = True
        self._path: NDArray[np.bool_] | None = None
        self._reach: Reach | None = None
        self._lit: dict[int, Lit] = {}
        self._idle = QTimer(self)
        self._idle.setInterval(0)
        self._idle.timeout.connect(self._search_on)

    def reset(self, scene: Scene | None) -> None:
        """Another scene, nothing selected."""
        self._scene = scene
        self.hovered = None
        self.select(None)

    def select(self, box: int | None) -> None:
        self.selected, self.group = box, None
        self._start_anew()

    def select_group(self, group: int) -> None:
        self.selected, self.group = None, group
        self._start_anew()

    def _start_anew(self) -> None:
        self._path = self._reach = None
        self._lit.clear()
        self._search()
        self._changed()

    def hover(self, box: int | None) -> None:
        self.hovered = box
        self._changed()

    @property
    def with_path(self) -> bool:
        """Whether all that leads to the selected box and depends on it is lit."""
        return self._with_path

    @with_path.setter
    def with_path(self, on: bool) -> None:
        self._with_path = on
        self._search()
        self._changed()

    @property
    def path(self) -> NDArray[np.bool_] | None:
        """For each tensor whether it is on the path; None while that is not known."""
        return self._path if self._with_path else None

    def paint(self, sheet: Sheet) -> None:
        if self.path is not None:
            paint_path(sheet, self.path)
        if self.hovered is not None and self.hovered != self.selected:
            paint_hover(sheet, self.hovered, self._lit_by(sheet.scene, self.hovered))
        if self.selected is not None:
            paint_selection(sheet, self.selected, self._lit_by(sheet.scene, self.selected))
        if self.group is not None:
            paint_group(sheet, self.group)
        if sheet.readable and (self.hovered is not None or self.selected is not None):
            paint_titles(sheet)  # which lit lines may have crossed
        if self.hovered is not None or self.selected is not None:
            paint_signs(sheet)

    def _lit_by(self, scene: Scene, box: int) -> Lit:
        if box not in self._lit:
            if len(self._lit) >= _KEPT:
                self._lit.clear()
            self._lit[box] = Lit.of(lines_of(scene.drawing, scene.links, box))
        return self._lit[box]

    def _search(self) -> None:
        scene, box = self._scene, self.selected
        if scene is None or box is None or not self._with_path:
            self._idle.stop()
        elif self._path is None:
            self._reach = Reach(scene.graph, scene.neighbours, start_of(scene.drawing, scene.graph, box))
            self._idle.start()

    def _search_on(self) -> None:
        if self._reach is None:
            self._idle.stop()
        elif self._reach.advance():
            self._path = self._reach.tensors()
            self._reach = None
            self._idle.stop()
            self._changed()
