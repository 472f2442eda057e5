"""The form with its title, cross and button: it stands beside the list of runs while it is wanted."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.evaluating import Evaluating
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.panels.runs.evaluate_form import EvaluateForm, Known, start_of

TITLE, SIMULATE = "Evaluate", "Simulate first…"
AFTERWARDS = "Runs are what is evaluated: simulate one, and this form comes back"
_CTRL = Qt.KeyboardModifier.ControlModifier
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
# Logical px: it is as wide whatever it says.
_BUTTON = 84


class EvaluatePane(QWidget):
    """Hidden at first. `selected` are the names of the runs that are selected in the list."""

    opened = Signal()
    closed = Signal()
    # It was closed by somebody who goes on elsewhere.
    left = Signal()

    def __init__(self, desk: Desk, selected: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._desk = desk
        self._evaluating: Evaluating = desk.studies.evaluating
        self._selected = selected
        self._is_narrowed = False
        # The model that it was opened for.
        self._model: Path | None = None
        self.form = EvaluateForm(lambda: start_of(desk.document.folder))
        self.cross, self.button = QToolButton(), QPushButton(TITLE)
        self.cross.setToolTip("Close (Esc)")
        self.cross.setAccessibleName("Close the form")
        icons.follow(self.cross, "close")
        self.button.setProperty("primary", True)
        self.button.setMinimumWidth(_BUTTON)
        self._lay_out()
        self._connect()
        self.hide()

    def _lay_out(self) -> None:
        title = text_label("Evaluate on", role="strong")
        head = spaced(QHBoxLayout(), GRID, (PADDING, 0, GRID, 0))
        head.addWidget(title, 1)
        # Above the fields, which need all the room below: the panel is low.
        head.addWidget(self.button)
        head.addWidget(self.cross)
        box = spaced(QVBoxLayout(self), GRID)
        box.addLayout(head)
        box.addWidget(self.form, 1)

    def _connect(self) -> None:
        self._evaluating.changed.connect(self.refresh)
        self._desk.derived.add(self._evaluating.looking(), widget=self)
        self.form.edited.connect(lambda asked: self._evaluating.choose(asked))
        self.form.narrowed.connect(self.narrow)
        self.cross.clicked.connect(lambda: self.leave())
        self.button.clicked.connect(lambda: self.press())

    def reveal(self) -> None:
        """The keyboard stays where it is."""
        self._model = self._desk.document.session.model
        self.show()
        self.opened.emit()

    def open_form(self) -> None:
        self.reveal()
        self.form.samples.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """What runs goes on."""
        if not self.isHidden():
            self._close()
            self.left.emit()

    def _close(self) -> None:
        self._is_narrowed = False
        self.hide()
        self.closed.emit()

    def narrow(self, is_narrowed: bool) -> None:
        """Whether only the selected runs are meant."""
        self._is_narrowed = is_narrowed
        self.refresh()

    def press(self) -> None:
        if self._evaluating.busy:
            self._evaluating.stop()
        elif self._evaluating.lacks_run:
            self._evaluating.simulate_first()
        elif self.button.isEnabled():
            # The fields are greyed out then, and the keyboard would be lost to another panel.
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)
            self._evaluating.evaluate(self._selected() if self._narrows else ())

    @property
    def _narrows(self) -> bool:
        """Of a single run one cannot choose."""
        return self._is_narrowed and len(self._desk.document.session.trials) > 1

    def refresh(self) -> None:
        if not self.isHidden() and self._model != self._desk.document.session.model:
            self._close()
        if not self.isVisible():
            return
        evaluating, chosen = self._evaluating, len(self._selected())
        known = Known(evaluating.seen, evaluating.outputs, len(self._desk.document.session.trials), chosen)
        self.form.show_set(evaluating.labelled, known, self._is_narrowed)
        self.form.show_problem(evaluating.error, self._desk.appearance.theme)
        self.form.setEnabled(not evaluating.busy)
        lack = evaluating.lack
        if not lack and self._narrows and not chosen:
            lack = "Select runs in the list."
        is_first = evaluating.lacks_run
        self.button.setText("Stop" if evaluating.busy else SIMULATE if is_first else TITLE)
        self.button.setEnabled(evaluating.busy or is_first or not lack)
        self.button.setToolTip("" if evaluating.busy else AFTERWARDS if is_first else lack)

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and event.modifiers() & _CTRL:
            self.press()
        else:
            super().keyPressEvent(event)
