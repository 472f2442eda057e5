"""Where a step leads: a row per outcome, with the reason; the one that fits what was found stands out."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from errorflow.guides.model import OUTCOME_WHEN, Flow, Step, Way
from errorflow_viewer.kit.layouts import spaced, text_button
from errorflow_viewer.kit.look import GAP, GRID, PADDING
from errorflow_viewer.pages.guide.parts import wrapped

LABELS, BUTTONS = 208, 96


class WayRows(QWidget):
    """Any of them may be taken: the user may know more than was measured."""

    taken = Signal(object)  # Way

    def __init__(self, flow: Flow, step: Step, outcome: str) -> None:
        super().__init__()
        box = spaced(QVBoxLayout(self))
        self.buttons: list[QPushButton] = []
        chosen = step.way(outcome) if outcome else None
        for way in step.ways:
            box.addWidget(self._row(flow, way, way is chosen))

    def _row(self, flow: Flow, way: Way, is_chosen: bool) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "need")
        row = spaced(QHBoxLayout(frame), GAP, (PADDING, GRID, PADDING, GRID))
        when = wrapped(OUTCOME_WHEN[way.outcome])
        when.setFixedWidth(LABELS)
        target = flow.step(way.to)
        title = target.title if target is not None else "Another guide: step by step"
        told = QVBoxLayout()
        told.setSpacing(0)
        name = wrapped(title)
        told.addWidget(name)
        told.addWidget(wrapped(way.why, muted=True))
        if is_chosen:
            when.setProperty("role", "strong")
            name.setProperty("role", "strong")
        go = text_button("Go there", partial(self._take, way))
        go.setProperty("link", not is_chosen)
        go.setFixedWidth(BUTTONS)
        go.setAccessibleName(f"{when.text()}: go to {title}. {way.why}")
        self.buttons.append(go)
        row.addWidget(when, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(told, 1)
        row.addWidget(go, 0, Qt.AlignmentFlag.AlignVCenter)
        return frame

    def _take(self, way: Way, _pressed: bool = False) -> None:
        self.taken.emit(way)
