"""The steps of a guide as a list: which are done, which failed, where one is."""

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from errorflow.case.session.guide_progress import GuideProgress
from errorflow.guides.judging import state_of
from errorflow.guides.model import OUTCOME_LABELS, Flow
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import PADDING, Theme

SIGN, WIDTH = 16, 264
# The sign of each state, and what it says.
_SIGNS = {"done": "check", "close": "info", "failed": "problems", "now": "right", "later": "step"}
_SAID = {"done": "done", "close": "look closer", "failed": "failed", "now": "you are here", "later": "not done yet"}


class StepList(QListWidget):
    """A row per step; choosing one goes to it."""

    chosen = Signal(str)  # the key of a step

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(WIDTH)
        self.setWordWrap(True)
        self.setIconSize(QSize(SIGN, SIGN))
        self.setSpacing(2)
        self.setAccessibleName("Steps of the guide")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._filling = False
        self.currentItemChanged.connect(self._on_chosen)

    def show_steps(self, flow: Flow, progress: GuideProgress, at: str, theme: Theme) -> None:
        self._filling = True
        self.clear()
        for number, step in enumerate(flow.steps, 1):
            state = state_of(flow, progress, step)
            optional = " (optional)" if step.optional else ""
            item = QListWidgetItem(f"{number}  {step.title}{optional}")
            color = _color(state, theme)
            item.setIcon(QIcon(icons.pixmap(_SIGNS[state], color, SIGN, self.devicePixelRatioF())))
            item.setData(Qt.ItemDataRole.UserRole, step.key)
            outcome = OUTCOME_LABELS.get(progress.step(step.key).outcome, _SAID[state])
            when = progress.step(step.key).when
            item.setToolTip(f"{step.title}: {outcome}{f', {when}' if when else ''}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Step {number}, {step.title}: {outcome}")
            item.setSizeHint(self._size_of(item.text()))
            self.addItem(item)
            if step.key == at:
                self.setCurrentItem(item)
        self._filling = False

    def _on_chosen(self, item: QListWidgetItem | None, _before: object) -> None:
        if item is not None and not self._filling:
            self.chosen.emit(item.data(Qt.ItemDataRole.UserRole))

    def _size_of(self, text: str) -> QSize:
        """As many lines as it takes beside the sign."""
        room = QRect(0, 0, WIDTH - SIGN - 4 * PADDING, 1000)
        height = self.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, text).height()
        return QSize(0, height + PADDING)


def _color(state: str, theme: Theme) -> str:
    """Loud only where something is wrong."""
    colors = {"done": theme.accent, "close": theme.warning.mark, "failed": theme.error.mark, "now": theme.text}
    return colors.get(state, theme.disabled)
