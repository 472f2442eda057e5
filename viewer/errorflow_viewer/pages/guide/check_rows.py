"""The checks of a step: a sign, the threshold, what was found, and fields for what only the user knows."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from errorflow.base.errors import ErrorflowError
from errorflow.case.session.guide_progress import GuideProgress
from errorflow.guides.following import number_text, read_number
from errorflow.guides.judging import Judged, asked_of, seen_of
from errorflow.guides.model import Step
from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GAP, GRID, PADDING, Theme
from errorflow_viewer.pages.guide.parts import wrapped

SIGN, LABELS, FIELD = 16, 208, 112
_SIGNS = {"passed": "check", "close": "info", "failed": "close", "not measured": "step"}


class CheckRows(QWidget):
    """A line per check, then a line per number that may be written down."""

    written = Signal(str, object)  # the name of a number, and the number or None

    def __init__(self, step: Step, progress: GuideProgress, judged: Judged, theme: Theme) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnStretch(2, 1)
        self.signs: list[str] = []
        found_of = zip(step.checks, judged.checked, strict=True)
        rows = [(check.label, found.state, found.text, check.rule, check.source) for check, found in found_of]
        # What its context menu gives away.
        self.table = Table(("Check", "State", "Found", "Threshold", "Source"), rows)
        # Beside each field why its text was not taken.
        self._wrong: dict[str, QLabel] = {}
        for row, (check, found) in enumerate(zip(step.checks, judged.checked, strict=True)):
            color = {"passed": theme.accent, "close": theme.warning.mark, "failed": theme.error.mark}
            mark = QLabel()
            mark.setFixedWidth(SIGN)
            mark.setPixmap(icons.pixmap(_SIGNS[found.state], color.get(found.state, theme.muted), SIGN))
            mark.setAccessibleName(found.state)
            mark.setToolTip(found.state)
            label = wrapped(check.label)
            label.setProperty("role", "strong")
            label.setFixedWidth(LABELS)
            told = QWidget()
            lines = spaced(QVBoxLayout(told))
            lines.addWidget(wrapped(found.text))
            rule = wrapped(f"Threshold: {check.rule}", muted=True)
            rule.setToolTip(check.source)
            lines.addWidget(rule)
            self.signs.append(found.state)
            for column, widget in enumerate((mark, label, told)):
                self._grid.addWidget(widget, row, column, Qt.AlignmentFlag.AlignTop)
        self.fields = {name: self._field(name, label, progress, step) for name, label in asked_of(step)}

    def _field(self, name: str, label: str, progress: GuideProgress, step: Step) -> QLineEdit:
        field = QLineEdit()
        field.setFixedWidth(FIELD)
        field.setAccessibleName(label)
        known = seen_of(progress.step(step.key)).numbers.get(name)
        field.setText("" if known is None else number_text(name, known))
        field.setPlaceholderText("such as 32" if name == "calibration_images" else "such as 78.8 %")
        field.editingFinished.connect(partial(self._on_written, name, field, field.text()))
        row = self._grid.rowCount()
        title = wrapped(label)
        title.setFixedWidth(LABELS)
        title.setBuddy(field)
        self._grid.addWidget(title, row, 1)
        beside = QHBoxLayout()
        beside.setSpacing(PADDING)
        beside.addWidget(field)
        wrong = wrapped("")
        wrong.hide()
        beside.addWidget(wrong, 1000)
        beside.addStretch(1)
        self._wrong[name] = wrong
        self._grid.addLayout(beside, row, 2)
        self._grid.setRowMinimumHeight(row, 3 * PADDING)
        return field

    def _on_written(self, name: str, field: QLineEdit, before: str) -> None:
        if field.text().strip() == before.strip():
            return
        try:
            value = read_number(name, field.text())
        except ErrorflowError as error:
            field.setProperty("wrong", True)
            field.style().polish(field)
            self._wrong[name].setText(f"{error.message} {error.hint}")
            self._wrong[name].show()
            return
        self.written.emit(name, value)
