"""One array of both pipelines, as a line of the result."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget

from errorflow.report.alignment import number_text, share_text
from errorflow.study.align.model import STEPS, Row, Side
from errorflow_viewer.kit.layouts import clear_layout, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING

HEADS = ("", "Step", "A", "B", "Largest difference", "Tolerance", "Beyond it")
_LABELS = {step.key: step.label for step in STEPS}
_NUMBERS = range(4, len(HEADS))
_MARKS = {"alike": "✓", "differs": "✗", "not compared": "○"}


def state_of(row: Row) -> str:
    return "not compared" if not row.measured else "alike" if row.alike else "differs"


class Lines(QFrame):
    """All rows in one grid, so that their numbers stand below each other."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(PADDING, GRID, PADDING, GRID)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GRID)
        for column in range(1, 4):
            self._grid.setColumnStretch(column, 1)
        self.rows: tuple[Row, ...] = ()

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        clear_layout(self._grid)
        for column, text in enumerate(HEADS):
            self._grid.addWidget(_label(text, column in _NUMBERS, "label"), 0, column)
        line = 1
        for row in rows:
            for column, label in enumerate(_cells(row)):
                self._grid.addWidget(label, line, column)
            below = _why(row)
            if below is not None:
                self._grid.addWidget(below, line + 1, 1, 1, len(HEADS) - 1)
            line += 2


def _cells(row: Row) -> list[QWidget]:
    state, gap = state_of(row), row.gap
    mark = _label(_MARKS[state], False, "strong")
    mark.setToolTip(state)
    mark.setAccessibleName(state)
    name = _label(f"{_LABELS[row.stage]}{f' {row.name}' if row.name else ''}", False, "strong")
    numbers = ("", "", "") if gap is None else (number_text(gap.largest), f"{row.tolerance:g}", share_text(gap.beyond))
    largest = _label(numbers[0], True)
    if gap is not None and gap.place:
        largest.setToolTip(f"max |a − b|, at {', '.join(map(str, gap.place))}; mean {number_text(gap.mean)}")
    return [mark, name, _side(row.a), _side(row.b), largest, _label(numbers[1], True), _label(numbers[2], True)]


def _side(side: Side | None) -> QLabel:
    shape = "–" if side is None else f"{' × '.join(map(str, side.shape)) if side.shape else 'a value'}  {side.dtype}"
    label = _label(shape)
    if side is not None:
        label.setToolTip(side.name)
    return label


def _why(row: Row) -> QWidget | None:
    texts = [] if row.cause is None else [row.cause.text]
    if row.cause is not None and not row.cause.whole and "resize" not in row.cause.keys:
        texts.append(f"What remains is up to {number_text(row.cause.remains)}.")
    if row.note:
        texts.append(f"{row.note[0].upper()}{row.note[1:]}.")
    if not texts and row.measured and not row.alike:
        texts.append("Nothing that was tried explains it.")
    if not texts:
        return None
    label = _label(" ".join(texts))
    label.setWordWrap(True)
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, PADDING)
    column.addWidget(label)
    return box


def _label(text: str, number: bool = False, role: str = "") -> QLabel:
    label = text_label(text, plain=True, selectable=True)
    side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    if role:
        label.setProperty("role", role)
    return label
