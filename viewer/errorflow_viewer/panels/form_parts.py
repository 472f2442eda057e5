"""The small parts that forms in panels are made of, which all fit in 260 px."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, TARGET, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.panels.sections import breakable, plain

# Of the labels of fields.
LABELS = 84
# Of a field, and of a link whose text has no room.
_FIELD = _LINK = 72
LARGEST = (1 << 31) - 1


class Note(QLabel):
    """A sentence that is broken where it must be, also within names; hidden while it says nothing."""

    def __init__(self, muted: bool = True) -> None:
        super().__init__()
        self.said = ""
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setProperty("muted", muted)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hide()

    def say(self, *sentences: str) -> None:
        """Each in a paragraph of its own; empty ones are left out."""
        texts = [text for text in sentences if text]
        self.said = "\n".join(texts)
        self.setText("<br>".join(breakable(plain(text)) for text in texts))
        self.setVisible(bool(texts))


class Link(QPushButton):
    """Link as wide as its text, or as there is room for: then its middle is left out, as names differ at their ends."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setProperty("link", True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().boundedTo(QSize(px(_LINK), self.sizeHint().height()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        option = QStyleOptionButton()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        middle, mnemonics = Qt.TextElideMode.ElideMiddle, Qt.TextFlag.TextShowMnemonic.value
        option.text = self.fontMetrics().elidedText(option.text, middle, room, mnemonics)
        QStylePainter(self).drawControl(QStyle.ControlElement.CE_PushButton, option)


class Problem(QWidget):
    """Problem behind the sign of a warning, and the way out."""

    def __init__(self) -> None:
        super().__init__()
        self.sign = QLabel()
        self.what = Note(muted=False)
        self.what.setProperty("role", "strong")
        self.way = Note()
        words = QVBoxLayout()
        words.setSpacing(GRID)
        words.addWidget(self.what)
        words.addWidget(self.way)
        row = spaced(QHBoxLayout(self), PADDING)
        row.addWidget(self.sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        self.hide()

    def dress(self, theme: Theme) -> None:
        self.sign.setPixmap(icons.pixmap("problems", theme.warning.mark, 16, self.devicePixelRatioF()))

    def say(self, what: str, way: str = "") -> None:
        self.what.say(what)
        self.way.say(way)
        self.setVisible(bool(what))


class Group(QWidget):
    """Parts under a heading."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.heading = text_label(title, role="strong", wraps=True)
        self.box = column(self)
        self.box.addWidget(self.heading)

    def add(self, *widgets: QWidget) -> None:
        for widget in widgets:
            self.box.addWidget(widget)


class Fold(QWidget):
    """Parts that a button shows or hides; hidden, they are summed up in a line. The holder places the button.

    They are there where `fit` finds room, until the user presses the button.
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self.button = QToolButton()
        self.button.setCheckable(True)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setAccessibleName(title)
        self.summary, self.inner = Note(), Group(title)
        self._title, self._text, self._is_chosen = title, "", False
        self.button.clicked.connect(self._choose)
        self.button.toggled.connect(lambda _: self._show())
        box = column(self)
        box.addWidget(self.summary)
        box.addWidget(self.inner)
        self._show()

    def add(self, *widgets: QWidget) -> None:
        self.inner.add(*widgets)

    def sum_up(self, text: str) -> None:
        self._text = text
        self._show()

    def fit(self, has_room: bool) -> None:
        if not self._is_chosen:
            self.button.setChecked(has_room)

    def _choose(self) -> None:
        self._is_chosen = True

    def _show(self) -> None:
        is_open = self.button.isChecked()
        self.button.setArrowType(Qt.ArrowType.UpArrow if is_open else Qt.ArrowType.DownArrow)
        self.button.setText("Less" if is_open else "More")
        self.button.setToolTip(f"{self._title}: {self._text}" if self._text else self._title)
        self.inner.setVisible(is_open)
        self.summary.say("" if is_open or not self._text else f"{self._title}: {self._text}")


class Fields(QWidget):
    """Labels on the left, fields on the right."""

    def __init__(self, labels: int = LABELS) -> None:
        super().__init__()
        self._labels = labels
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(PADDING)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnStretch(1, 1)
        self._count = 0

    def add(self, text: str, widget: QWidget, tip: str = "") -> None:
        # What does not fit loses its middle: names differ at their ends.
        label = text_label(
            self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, px(self._labels)), plain=True
        )
        label.setFixedWidth(self._labels)
        label.setToolTip(tip)
        widget.setMinimumHeight(TARGET)
        widget.setAccessibleName(text)
        if isinstance(widget, QSpinBox):
            widget.lineEdit().setAccessibleName(text)
        if isinstance(widget, QComboBox):
            widget.view().setAccessibleName(text)
            widget.setMinimumWidth(_FIELD)
        widget.setToolTip(tip)
        self._grid.addWidget(label, self._count, 0)
        self._grid.addWidget(widget, self._count, 1)
        self._count += 1


class Choice(QComboBox):
    """A list of texts with a value each; as narrow as need be, and the wheel does not change it unseen."""

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.view().setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_rows(self, rows: Sequence[tuple[str, object]], chosen: object) -> None:
        """Texts with their values; nothing is told."""
        with QSignalBlocker(self):
            self.clear()
            for text, value in rows:
                self.addItem(text, value)
                self.setItemData(self.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
            self.setCurrentIndex(next((at for at, (_, value) in enumerate(rows) if value == chosen), -1))

    def wheelEvent(self, event: object) -> None:
        """Leaves the wheel to the page, which scrolls."""
        event.ignore()  # type: ignore[attr-defined]  # Qt's own event


class Count(QSpinBox):
    """A whole number; 0 stands for `nothing`."""

    def __init__(self, nothing: str, least: int = 0) -> None:
        super().__init__()
        self.setRange(least, LARGEST)
        self.setKeyboardTracking(False)
        if nothing:
            self.setSpecialValueText(nothing)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(_FIELD)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_value(self, value: int) -> None:
        show_value(self, value)

    def wheelEvent(self, event: object) -> None:
        """Leaves the wheel to the page, which scrolls."""
        event.ignore()  # type: ignore[attr-defined]  # Qt's own event


def show_value(field: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Shows a value; what is being typed stays, unless the value has become another one. Nothing is told."""
    shown = round(value, field.decimals()) if isinstance(field, QDoubleSpinBox) else int(value)
    if field.hasFocus() and field.lineEdit().isModified() and field.value() == shown:
        return
    with QSignalBlocker(field):
        field.setValue(shown)  # type: ignore[arg-type]  # whole where the field wants it to be


def column(owner: QWidget, spacing: int = GRID) -> QVBoxLayout:
    """A layout without margins."""
    return spaced(QVBoxLayout(owner), spacing)
