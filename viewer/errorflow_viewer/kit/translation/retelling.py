"""What is on the screen, said once more: every text that Qt holds goes through the door again."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QAbstractProxyModel, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTabBar,
    QTextEdit,
    QWidget,
)

from errorflow_viewer.kit.translation.door import own_text

# A class, and its getters and setters of what is to be read.
_PAIRS: tuple[tuple[type, tuple[tuple[str, str], ...]], ...] = (
    (QLabel, (("text", "setText"),)),
    (QAbstractButton, (("text", "setText"),)),
    (QGroupBox, (("title", "setTitle"),)),
    (QMenu, (("title", "setTitle"),)),
    (QLineEdit, (("placeholderText", "setPlaceholderText"),)),
    (QPlainTextEdit, (("placeholderText", "setPlaceholderText"),)),
    (QTextEdit, (("placeholderText", "setPlaceholderText"),)),
    (
        QWidget,
        (
            ("toolTip", "setToolTip"),
            ("statusTip", "setStatusTip"),
            ("accessibleName", "setAccessibleName"),
            ("accessibleDescription", "setAccessibleDescription"),
            ("windowTitle", "setWindowTitle"),
        ),
    ),
)
_OF_ACTIONS = (("text", "setText"), ("toolTip", "setToolTip"), ("statusTip", "setStatusTip"))
# By these they are given what is to be read again later.
HOLDING: tuple[tuple[type, str], ...] = (
    *((cls, setter) for cls, pairs in (*_PAIRS, (QAction, _OF_ACTIONS)) for _, setter in pairs),
    *((cls, "__init__") for cls in (QLabel, QPushButton, QCheckBox, QGroupBox, QMenu, QAction)),
    *((QComboBox, name) for name in ("addItem", "addItems", "setItemText", "setItemData")),
    *((QTabBar, name) for name in ("addTab", "setTabText")),
    *((QMenu, name) for name in ("addAction", "addMenu")),
)
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)


class Held:
    """All texts that Qt holds now, in English; made while the old language is spoken, told again in the new one."""

    def __init__(self) -> None:
        self._tell: list[Callable[[], None]] = []
        widgets = QApplication.allWidgets()
        for widget in widgets:
            for cls, pairs in _PAIRS:
                if isinstance(widget, cls):
                    self._hold(widget, cls, pairs)
            if isinstance(widget, QComboBox):
                self._hold_items(widget)
            if isinstance(widget, QTabBar):
                self._hold_tabs(widget)
        for action in {action for widget in widgets for action in widget.actions()}:
            self._hold_action(action)
        self._widgets = widgets

    def _hold_action(self, action: QAction) -> None:
        self._hold(action, QAction, _OF_ACTIONS)

    def _hold(self, thing: Any, cls: type, pairs: Iterable[tuple[str, str]]) -> None:
        for getter, setter in pairs:
            text = own_text(thing, getattr(cls, getter)(thing))
            if text:
                self._tell.append(partial(_tell, cls, setter, thing, text))

    def _hold_items(self, box: QComboBox) -> None:
        for at, role in product(range(box.count()), _ROLES):
            text = own_text(box, box.itemData(at, role))
            if isinstance(text, str):
                self._tell.append(partial(_tell_item, box, at, text, role))

    def _hold_tabs(self, bar: QTabBar) -> None:
        for at in range(bar.count()):
            text = own_text(bar, bar.tabText(at))
            self._tell.append(partial(_tell_tab, bar, at, text))

    def tell(self) -> None:
        for each in self._tell:
            each()
        for widget in self._widgets:
            if isinstance(widget, QAbstractItemView):
                _ask_anew(widget.model())
        for widget in self._widgets:
            QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
            if isinstance(widget, QAbstractItemView):
                widget.viewport().update()
            widget.updateGeometry()
            widget.update()


def _tell(cls: type, setter: str, thing: object, text: str) -> None:
    """By the method that the class has when it is told: the door changes them."""
    getattr(cls, setter)(thing, text)


def _tell_item(box: QComboBox, at: int, text: str, role: Qt.ItemDataRole) -> None:
    box.setItemData(at, text, role)


def _tell_tab(bar: QTabBar, at: int, text: str) -> None:
    bar.setTabText(at, text)


def _ask_anew(model: QAbstractItemModel | None) -> None:
    """PySide keeps the methods of a thing that it has called once, and calls those of before: until it is given one."""
    if isinstance(model, QAbstractProxyModel):
        _ask_anew(model.sourceModel())
    if model is not None and type(model).__module__.startswith("errorflow_viewer"):
        model.data = model.data  # type: ignore[method-assign]  # any would do
        del model.data
