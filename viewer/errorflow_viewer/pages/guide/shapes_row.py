"""The field for types and shapes of raw files, which do not say them themselves."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from errorflow.case.scenarios.filling import SHAPES
from errorflow_viewer.kit.layouts import text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import OWN_SIZE
from errorflow_viewer.pages.guide.need_row import BUTTONS, LABELS

_HOW = "A line per tensor: name=1x3x224x224:float32. One dimension may be “?”, which the file's size tells."
LINES = 3


class ShapesRow(QFrame):
    """Looks like the needs above it."""

    changed = Signal(object)  # tuple of lines, or None: what the model says

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "need")
        self.mark = QLabel("○")
        self.mark.setFixedWidth(16)
        label = text_label(SHAPES, role="strong", wraps=True)
        label.setFixedWidth(LABELS)
        label.setToolTip(_HOW)
        self.field = QPlainTextEdit()
        self.field.setAccessibleName(SHAPES)
        self.field.setProperty("role", "field")
        self.field.setPlaceholderText("name=1x3x224x224:float32")
        self.field.setTabChangesFocus(True)
        self.field.setProperty(OWN_SIZE, True)
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * LINES + 2 * PADDING)
        self.field.textChanged.connect(self._on_typed)
        self.note = text_label(_HOW, muted=True, wraps=True)
        self.from_model = text_button(
            "From the model", lambda: self.changed.emit(None), "Take what the model says of its inputs"
        )
        self._lay_out(label)

    def _lay_out(self, label: QLabel) -> None:
        middle = QVBoxLayout()
        middle.setSpacing(2)
        middle.addWidget(self.field)
        middle.addWidget(self.note)
        side = QWidget()
        side.setFixedWidth(BUTTONS)
        buttons = QHBoxLayout(side)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addStretch(1)
        buttons.addWidget(self.from_model)
        grid = QGridLayout(self)
        grid.setContentsMargins(PADDING, GRID, PADDING, GRID)
        grid.setHorizontalSpacing(GAP)
        top = Qt.AlignmentFlag.AlignTop
        for column, widget in enumerate((self.mark, label)):
            grid.addWidget(widget, 0, column, top)
        grid.addLayout(middle, 0, 2)
        grid.addWidget(side, 0, 3, top)
        grid.setColumnStretch(2, 1)

    def show_shapes(self, shapes: tuple[str, ...], proposed: tuple[str, ...], problem: str) -> None:
        """Shows what is filled in, what the model says, and what is wrong."""
        if self.lines() != shapes:
            blocked = self.field.blockSignals(True)
            self.field.setPlainText("\n".join(shapes))
            self.field.blockSignals(blocked)
        self.mark.setText("●" if shapes and not problem else "○")
        self.note.setText(problem if problem else _HOW)
        self.setAccessibleName(f"{SHAPES}: {', '.join(shapes) if shapes else 'none'}. {self.note.text()}")
        self.from_model.setVisible(bool(proposed))
        self.from_model.setEnabled(shapes != proposed)

    def lines(self) -> tuple[str, ...]:
        """Lists what is written, without blank lines."""
        lines = (line.strip() for line in self.field.toPlainText().splitlines())
        return tuple(line for line in lines if line)

    def _on_typed(self) -> None:
        self.changed.emit(self.lines())
