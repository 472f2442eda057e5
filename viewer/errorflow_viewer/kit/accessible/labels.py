"""Names that Qt leaves out, given when the keyboard comes near.

A list to choose from is called what is chosen on some systems, and only a label says for what; the small buttons in a
field have none at all. The tabs of panels have one too many.
"""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QTabBar, QToolButton, QToolTip

# What follows when Qt has changed the tabs of a bar.
_CHANGED = (QEvent.Type.Paint, QEvent.Type.Show, QEvent.Type.LayoutRequest)


def label_of(combo: QComboBox) -> QLabel | None:
    """The label that belongs to it."""
    parent = combo.parentWidget()
    beside: list[QObject] = [] if parent is None else parent.children()
    return next((each for each in beside if isinstance(each, QLabel) and each.buddy() is combo), None)


def tell_label(combo: QComboBox) -> None:
    """Gives it one that is not seen, where its name is to be told and no label does."""
    name, parent = combo.accessibleName(), combo.parentWidget()
    if not name or parent is None or label_of(combo) is not None:
        return
    label = QLabel(name.replace("&", "&&"), parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setBuddy(combo)
    label.hide()


def tell_buttons(field: QLineEdit) -> None:
    """The sign at its beginning does nothing, the cross at its end empties it."""
    for button in field.findChildren(QToolButton):
        if not button.accessibleName():
            text = button.text() or button.toolTip()
            button.setAccessibleName(text if text else "Clear" if button.isEnabled() and _clears(button) else "Search")


def _clears(button: QToolButton) -> bool:
    return any(action.objectName() == "_q_qlineeditclearaction" for action in button.actions())


class Tabs(QObject):
    """Qt gives each tab its own text for a tip as well, which readers say after it. The pointer finds it all the same:
    where there is little room a tab shows less."""

    def follow(self, bar: QTabBar) -> None:
        bar.setAccessibleName("Panels")
        bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QTabBar):
            if event.type() in _CHANGED:
                for at in range(watched.count()):
                    if watched.tabToolTip(at):
                        watched.setTabToolTip(at, "")
            elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
                QToolTip.showText(event.globalPos(), watched.tabText(watched.tabAt(event.pos())), watched)
                return True
        return super().eventFilter(watched, event)
