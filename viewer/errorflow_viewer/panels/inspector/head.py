"""Head above the views: which tensor, which view, and what is to be known before looking."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QWidget,
)

from errorflow.base.language import Verbatim, say
from errorflow.explain.inspect.choices import TensorChoice
from errorflow.explain.inspect.suits import Suits
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GRID, PADDING, TARGET
from errorflow_viewer.kit.tables.short_names import shortened
from errorflow_viewer.panels.inspector.view import View

_WITH_TEXT, _ICON_ONLY = Qt.ToolButtonStyle.ToolButtonTextBesideIcon, Qt.ToolButtonStyle.ToolButtonIconOnly
SPACING = 1
_ENDS = {"output": "Output", "input": "Input", "weight": "Weight", "tensor": "Tensor"}


class TensorBox(QComboBox):
    """The tensors of a node; a name that does not fit loses its beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Tensor")
        self.view().setAccessibleName("Tensors")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def fill(self, choices: Sequence[TensorChoice], chosen: int) -> None:
        """Fills the box without telling of it."""
        self.blockSignals(True)
        self.clear()
        ends = [choice.end for choice in choices]
        for at, choice in enumerate(choices):
            number = f" {choice.place}" if ends.count(choice.end) > 1 else ""
            self.addItem(say("{}{}  {}", say(_ENDS[choice.end]), number, choice.name))
            self.setItemData(at, Verbatim(choice.name), Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(chosen)
        self.setToolTip(Verbatim(choices[chosen].name) if 0 <= chosen < len(choices) else "")
        self.setEnabled(len(choices) > 0)
        self.blockSignals(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room, metrics = field.width() - GRID, self.fontMetrics()
        end, _, name = option.currentText.partition("  ")
        left = room - metrics.horizontalAdvance(f"{end}  ")
        name = shortened(name, lambda text: metrics.horizontalAdvance(text) <= left)
        text = f"{end}  {metrics.elidedText(name, Qt.TextElideMode.ElideLeft, left)}"
        option.currentText = text
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class ViewButtons(QWidget):
    """One button per view, of which one is down; those that have nothing to show say why."""

    chosen = Signal(str)

    def __init__(self, views: Sequence[View]) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.by_key: dict[str, QToolButton] = {}
        self._titles = {view.key: view.title for view in views}
        # In logical pixels, and of which font and texts: what the buttons ask for with their texts.
        self._asked: tuple[object, int] | None = None
        row = spaced(QHBoxLayout(self), SPACING, (PADDING, 0, PADDING, 0))
        for view in views:
            row.addWidget(self._button(view))
        row.addStretch(1)

    def _button(self, view: View) -> QToolButton:
        button = QToolButton()
        icons.follow(button, f"view-{view.key}")
        button.setText(view.title)
        button.setAccessibleName(view.title)
        button.setCheckable(True)
        button.setIconSize(QSize(16, 16))
        button.setMinimumSize(TARGET, TARGET)
        button.clicked.connect(partial(self._choose, view.key))
        self._group.addButton(button)
        self.by_key[view.key] = button
        return button

    def _choose(self, key: str, _checked: bool = False) -> None:
        self.chosen.emit(key)

    def show_state(self, current: str, scores: Callable[[str], Suits]) -> None:
        for key, button in self.by_key.items():
            suits = scores(key)
            button.setEnabled(suits.score > 0)
            button.setChecked(key == current)
            button.setToolTip(f"{self._titles[key]}: {suits.reason}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resizes; all buttons have texts, or none: cut off they say less than the icons alone."""
        self._set_style(_WITH_TEXT if self._with_texts() <= event.size().width() else _ICON_ONLY)
        super().resizeEvent(event)

    def _with_texts(self) -> int:
        of = (self.font().key(), tuple(button.text() for button in self.by_key.values()))
        if self._asked is None or self._asked[0] != of:
            self._set_style(_WITH_TEXT)
            hints = [button.sizeHint().width() for button in self.by_key.values()]
            self._asked = (of, sum(hints) + SPACING * len(hints) + 2 * PADDING)
        return self._asked[1]

    def _set_style(self, style: Qt.ToolButtonStyle) -> None:
        for button in self.by_key.values():
            button.setToolButtonStyle(style)
