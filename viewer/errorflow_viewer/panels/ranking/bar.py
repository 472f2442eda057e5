"""What can be done with a ranking: search it, paint by it, keep its first parts, give it away."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QSpinBox, QToolButton, QWidget

from errorflow.quant.switching import Switch
from errorflow.study.rank.model import MEASURES, Measure
from errorflow_viewer.kit.keymap import tell_keys
from errorflow_viewer.kit.layouts import flowing, text_button, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.kit.settings import Settings

HEIGHT = 28
TARGETS: tuple[tuple[str, Switch], ...] = (("float", "float"), ("16 bits", 16))
PAINTED: dict[Measure, tuple[str, str]] = {
    "impact": ("Fill nodes by the harm that each does alone", "I"),
    "recovery": ("Fill nodes by the error that is left with each in float", "Shift+I"),
}


class Bar(QWidget):
    """`files` are kinds of files that a ranking can be written as. `paint`, `pairs` and `export` stand in the title."""

    pressed = Signal()  # the main button
    painted = Signal(object)  # Measure, or None: by error again
    kept = Signal(int, object)  # how many, and the switch
    written = Signal(str)  # which of `files`
    copied = Signal()
    paired = Signal()

    def __init__(self, files: Sequence[str], settings: Settings) -> None:
        super().__init__()
        self.button = text_button("Which nodes matter?", lambda: self.pressed.emit())
        self.button.setProperty("primary", True)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Name or type")
        self.filter.setAccessibleName("Filter the ranking")
        self.filter.setFixedHeight(HEIGHT)
        self.filter.setMinimumWidth(150)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.count = text_label(role="label")
        self.paint: dict[Measure, QToolButton] = {}
        for measure in MEASURES:
            button = self.paint[measure] = QToolButton()
            button.setText(f"Paint by {measure}")
            button.setCheckable(True)
            tip, key = PAINTED[measure]
            tell_keys(button, settings, tip, f"rank.paint.{measure}", (key,))
            button.clicked.connect(lambda checked, measure=measure: self.painted.emit(measure if checked else None))
        self.number = QSpinBox()
        self.number.setRange(1, 1)
        self.number.setAccessibleName("How many are kept")
        self.number.lineEdit().setAccessibleName("How many are kept")
        self.number.setFixedHeight(HEIGHT)
        self.target = QComboBox()
        self.target.addItems([text for text, _ in TARGETS])
        self.target.setAccessibleName("What they are kept in")
        self.target.view().setAccessibleName("Precisions")
        self.target.setFixedHeight(HEIGHT)
        self.keep = text_button(
            "Keep top",
            lambda: self.kept.emit(self.number.value(), TARGETS[self.target.currentIndex()][1]),
            "Put the first of the ranking to float, or to more bits, as one step that can be undone",
        )
        self.of = text_label("in", muted=True)
        self.export = QToolButton()
        self.export.setText("Export")
        self.export.setToolTip("Write the ranking as a file, or copy it")
        self.export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export.setMenu(self._menu(files))
        self.pairs = QToolButton()
        self.pairs.setText("Check pairs")
        self.pairs.setToolTip("Quantize the first five in pairs too: do they act on their own, or together?")
        self.pairs.clicked.connect(lambda: self.paired.emit())
        self.results = (self.filter, self.count, self.keep, self.number, self.of, self.target)
        row = flowing(PADDING, self.button, *self.results)
        row.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.setLayout(row)

    def offer(self, measures: Sequence[Measure], painted: str, known: int, ready: bool) -> None:
        """`known`: of so many something was measured; `ready`: a plan can be changed."""
        for measure, button in self.paint.items():
            button.setVisible(measure in measures)
            button.setChecked(painted == measure)
        self.number.setMaximum(max(known, 1))
        for widget in (self.keep, self.number, self.target):
            widget.setEnabled(ready and known > 0)
        self.export.setVisible(known > 0)
        self.pairs.setVisible(known > 1)
        self.pairs.setEnabled(ready)
        for result in self.results:
            result.setVisible(known > 0)

    def _menu(self, files: Sequence[str]) -> QMenu:
        menu = QMenu(self)
        for text in files:
            menu.addAction(text, partial(self.written.emit, text))
        menu.addSeparator()
        menu.addAction("Copy the table", self.copied.emit)
        return menu
