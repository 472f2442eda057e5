"""What a screen reader is told of widgets that paint themselves: what they are, what is in them, how they are pressed.

To add one: a row in FACES, under the name of its class.
"""

import weakref
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAbstractButton, QAccessibleWidget, QWidget

from errorflow_viewer.kit.translation.door import said

_Role, _Text = QAccessible.Role, QAccessible.Text


class Painted(QAccessibleWidget):
    """A plot: what it shows is its description."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Chart)


class Said(QAccessibleWidget):
    """What is said by itself: its name."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Notification)


class Room(QAccessibleWidget):
    """What only holds others: readers pass over it, and do not name it each time that one comes into it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Client)


class Slider(QAccessibleWidget):
    """A handle on a scale."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Slider)


class Pressed(QAccessibleWidget):
    """A card that is chosen as a whole: its name says all that is written on it."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Button)
        self._card = weakref.ref(widget)

    def childCount(self) -> int:
        """Its labels are told by its name; a button on it is a thing of its own."""
        card = self._card()
        return super().childCount() if card is not None and card.findChild(QAbstractButton) is not None else 0

    def actionNames(self) -> list[str]:
        return [QAccessibleWidget.pressAction(), QAccessibleWidget.setFocusAction()]

    def doAction(self, name: str) -> None:
        card = self._card()
        if name == QAccessibleWidget.pressAction() and card is not None:
            card.chosen.emit()  # type: ignore[attr-defined]  # what makes it a card
        else:
            super().doAction(name)


class GraphFace(QAccessibleWidget):
    """A graph with one thing in it: what is selected. All nodes are in the list of nodes, where readers know their way.

    Readers say a thing anew when it is another one, so two take turns. What else lies on the graph comes after it: of
    what a thing above does not count readers say nothing.
    """

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, _Role.Canvas)
        self._graph = weakref.ref(widget)
        self._turns = (Current(self, widget), Current(self, widget))
        self._now = 0

    def childCount(self) -> int:
        return 1 + super().childCount()

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return self._current() if index == 0 else super().child(index - 1)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return self._current() if self.state().focused else None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return super().childAt(x, y) or self._current()

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        place = super().indexOfChild(child)
        return 0 if child in self._turns else place if place < 0 else place + 1

    def told(self) -> str:
        """The selection in a sentence."""
        graph = self._graph()
        return "" if graph is None else said(graph.told)  # type: ignore[attr-defined]  # it is a canvas

    def _current(self) -> "Current":
        told = self.told()
        if told != self._turns[self._now].told:
            self._now = 1 - self._now
            self._turns[self._now].told = told
        return self._turns[self._now]


class Current(QAccessibleInterface):
    """The node, group or tensor that is selected, or was before: it keeps its name, for two of one name are one."""

    def __init__(self, graph: GraphFace, widget: QWidget) -> None:
        super().__init__()
        self.told = ""
        self._graph = weakref.ref(graph)
        self._widget = weakref.ref(widget)

    def isValid(self) -> bool:
        return self._widget() is not None

    def object(self) -> QObject | None:  # type: ignore[override]  # none may be
        return None

    def childCount(self) -> int:
        return 0

    def child(self, _index: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return None

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        return None

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]  # none may be
        widget = self._widget()
        return None if widget is None else QAccessible.queryAccessibleInterface(widget)

    def rect(self) -> QRect:
        widget, graph = self._widget(), self._graph()
        if widget is None or graph is None:
            return QRect()
        box = widget.selected()  # type: ignore[attr-defined]  # it is a canvas
        place = QRect() if box is None else widget.place_of(box).toAlignedRect()  # type: ignore[attr-defined]  # too
        seen = place.intersected(widget.rect())
        return graph.rect() if seen.isEmpty() else seen.translated(widget.mapToGlobal(widget.rect().topLeft()))

    def role(self) -> QAccessible.Role:
        return _Role.ListItem

    def state(self) -> QAccessible.State:
        found, widget = QAccessible.State(), self._widget()
        found.focusable = found.selectable = found.selected = True
        found.focused = widget is not None and widget.hasFocus()
        return found

    def text(self, kind: QAccessible.Text) -> str:
        return self.told if kind == _Text.Name else ""

    def setText(self, _kind: QAccessible.Text, _text: str) -> None:
        """It is told, not edited."""

    def window(self) -> QWindow | None:  # type: ignore[override]  # none may be
        widget = self._widget()
        return None if widget is None else widget.window().windowHandle()


FACES: dict[str, Callable[[QWidget], QAccessibleInterface]] = {
    "Canvas": GraphFace,
    "Card": Pressed,
    "ScenarioCard": Pressed,
    "Handle": Slider,
    "Plot": Painted,
    "SearchPlot": Painted,
    "PlanePictures": Painted,
    "ProfileSheet": Painted,
    "FigureSheet": Painted,
    "MapSheet": Painted,
    "QStackedWidget": Room,
    "Utterance": Said,
}


@cache
def install() -> None:
    """From now on readers are told; nothing of it costs anything while none is there."""
    QAccessible.installFactory(_face)


def _face(name: str, thing: QObject) -> QAccessibleInterface | None:
    make = FACES.get(name)
    if make is None or not isinstance(thing, QWidget) or isinstance(thing, QAbstractButton):
        return None
    return make(thing)
