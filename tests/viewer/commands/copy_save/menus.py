"""Context menus as the user opens them, and what is chosen there."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget


def menu_at(widget: QWidget, spot: QPoint | None = None) -> QMenu:
    """As the mouse opens it, whoever of those around has one."""
    place = widget.rect().center() if spot is None else spot
    by_mouse = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place))
    QCoreApplication.sendEvent(widget, by_mouse)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), f"{type(widget).__name__} {widget.accessibleName()} has no context menu"
    return menu


def choose(menu: QMenu, text: str) -> None:
    action = next(action for action in menu.actions() if action.text() == text)
    assert action.isEnabled()
    action.trigger()
    menu.close()


def answer(window: QWidget, target: Path) -> None:
    """The dialog that asks where something goes."""
    [dialog] = [dialog for dialog in window.findChildren(QFileDialog) if dialog.isVisible()]
    dialog.selectFile(str(target))
    dialog.fileSelected.emit(str(target))
    dialog.close()
