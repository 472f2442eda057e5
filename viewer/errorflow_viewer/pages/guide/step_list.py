"""The steps of a guide as a list: which are done, which failed, where one is."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem

from errorflow.case.session.guide_progress import GuideProgress
from errorflow.guides.judging import state_of
from errorflow.guides.model import OUTCOME_LABELS, Flow
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import PADDING, Theme
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import Index, TableModel

SIGN, WIDTH = 16, 264
# The sign of each state, and what it says.
_SIGNS = {"done": "check", "close": "info", "failed": "problems", "now": "right", "later": "step"}
_SAID = {"done": "done", "close": "look closer", "failed": "failed", "now": "you are here", "later": "not done yet"}


@dataclass(frozen=True, slots=True)
class StepLine:
    """What stands in a row, and the key of its step."""

    key: str
    text: str
    tip: str
    spoken: str
    icon: QIcon


_COLUMNS: tuple[Column[StepLine], ...] = (
    Column(
        "Step",
        lambda line: line.text,
        icon=lambda line: line.icon,
        cell_tip=lambda line: line.tip,
        spoken=lambda line: line.spoken,
    ),
)


class StepList(QListView):
    """A row per step; choosing one goes to it."""

    chosen = Signal(str)  # the key of a step

    def __init__(self) -> None:
        super().__init__()
        self.table: TableModel[StepLine] = TableModel(self, _COLUMNS)
        self.setModel(self.table)
        self.setItemDelegate(_Wrapped(self))
        self.setFixedWidth(WIDTH)
        self.setWordWrap(True)
        self.setIconSize(QSize(SIGN, SIGN))
        self.setSpacing(2)
        self.setAccessibleName("Steps of the guide")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._filling = False
        self.selectionModel().currentChanged.connect(self._on_chosen)

    def show_steps(self, flow: Flow, progress: GuideProgress, at: str, theme: Theme) -> None:
        lines = [self._line(flow, progress, number, theme) for number in range(len(flow.steps))]
        keys = [step.key for step in flow.steps]
        self._filling = True
        self.table.show(Listing(lines, _COLUMNS))
        if at in keys:
            self.setCurrentIndex(self.table.index(keys.index(at), 0))
        self._filling = False

    def _line(self, flow: Flow, progress: GuideProgress, number: int, theme: Theme) -> StepLine:
        step = flow.steps[number]
        state, done = state_of(flow, progress, step), progress.step(step.key)
        optional = " (optional)" if step.optional else ""
        outcome = OUTCOME_LABELS.get(done.outcome, _SAID[state])
        return StepLine(
            step.key,
            f"{number + 1}  {step.title}{optional}",
            f"{step.title}: {outcome}{f', {done.when}' if done.when else ''}",
            f"Step {number + 1}, {step.title}: {outcome}",
            QIcon(icons.pixmap(_SIGNS[state], _color(state, theme), SIGN, self.devicePixelRatioF())),
        )

    def _on_chosen(self, index: QModelIndex) -> None:
        line = self.table.item_at(index.row())
        if line is not None and not self._filling:
            self.chosen.emit(line.key)


class _Wrapped(QStyledItemDelegate):
    """As many lines as it takes beside the sign."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        room = QRect(0, 0, WIDTH - SIGN - 4 * PADDING, 1000)
        height = option.fontMetrics.boundingRect(room, Qt.TextFlag.TextWordWrap, str(index.data())).height()
        return QSize(0, height + PADDING)


def _color(state: str, theme: Theme) -> str:
    """Loud only where something is wrong."""
    colors = {"done": theme.accent, "close": theme.warning.mark, "failed": theme.error.mark, "now": theme.text}
    return colors.get(state, theme.disabled)
