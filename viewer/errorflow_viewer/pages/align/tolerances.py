"""The largest differences that are none, one per step."""

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from errorflow.study.align.model import STEPS, Stage
from errorflow_viewer.kit.layouts import Flow, spaced, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import GROWS_LESS
from errorflow_viewer.pages.guide.need_row import LABELS

_WIDTH = 88
_TIP = "The largest difference that is none; 1e-4 and 1e-3 are those of Pulsar2's guide, that of the output is ours"


class Tolerances(QFrame):
    """Looks like the needs above it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "need")
        mark = QLabel("")
        mark.setFixedWidth(16)
        label = text_label("Tolerances", role="strong")
        label.setProperty(GROWS_LESS, True)
        label.setFixedWidth(LABELS)
        self.fields: dict[Stage, QLineEdit] = {}
        row = Flow(PADDING)
        for step in STEPS:
            field = QLineEdit(f"{step.tolerance:g}")
            field.setFixedWidth(_WIDTH)
            field.setToolTip(_TIP)
            field.setAccessibleName(f"Tolerance of the {step.label.lower()}")
            field.textChanged.connect(lambda _: self.changed.emit())
            self.fields[step.key] = field
            text = text_label(step.label, muted=True)
            named = QWidget()
            pair = spaced(QHBoxLayout(named), PADDING, (0, 0, PADDING, 0))
            pair.addWidget(text)
            pair.addWidget(field)
            row.addWidget(named)
        grid = QGridLayout(self)
        grid.setContentsMargins(PADDING, GRID, PADDING, GRID)
        grid.setHorizontalSpacing(GAP)
        grid.addWidget(mark, 0, 0)
        grid.addWidget(label, 0, 1)
        middle = QWidget()
        middle.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(middle, 0, 2)
        grid.setColumnStretch(2, 1)

    @property
    def values(self) -> dict[Stage, float]:
        """Those that are numbers."""
        found = {stage: _number(field.text()) for stage, field in self.fields.items()}
        return {stage: value for stage, value in found.items() if value is not None}

    @property
    def lack(self) -> str:
        """What is wrong with one of them, in a sentence."""
        known = self.values
        bad = next((step for step in STEPS if step.key not in known), None)
        return "" if bad is None else f"The tolerance of the {bad.label.lower()} is no number, such as 1e-3."


def _number(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
