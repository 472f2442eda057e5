"""Keeps what lies over a window above all else there."""

from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

# The property of a widget that lies over the others of its parent.
_LAYER = "layer"


class StaysAbove(QObject):
    """Keeps one widget above others while it is shown: what comes over it goes below it again, before that is painted.

    Qt raises the middle of a window whenever a tab of panels comes to the front, whatever lies over both.
    """

    _covered = Signal()

    def __init__(self, layer: QWidget) -> None:
        super().__init__(layer)
        home = layer.parentWidget()
        assert home is not None, "it lies over something"
        self._layer, self._home = layer, home
        layer.setProperty(_LAYER, True)
        layer.installEventFilter(self)
        # Not at once: a panel that was raised asks whether it is the topmost, and only then comes before its tabs.
        self._covered.connect(self._come_above, Qt.ConnectionType.QueuedConnection)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._layer:
            if kind in (QEvent.Type.Show, QEvent.Type.Hide):
                self._watch(kind == QEvent.Type.Show)
        elif kind == QEvent.Type.ZOrderChange:
            self._covered.emit()
        elif isinstance(event, QChildEvent) and event.polished() and watched is self._home:
            self._meet(event.child())
        return False

    def _watch(self, on: bool) -> None:
        """Watches what is beside it, and what comes there; only while it is shown, as that costs a call for each
        event.
        """
        for watched in (self._home, *_beside(self._home)):
            if not watched.property(_LAYER):
                watched.removeEventFilter(self)
                if on:
                    watched.installEventFilter(self)

    def _meet(self, child: QObject) -> None:
        """Whatever is new comes on top."""
        if isinstance(child, QWidget) and not child.isWindow() and not child.property(_LAYER):
            child.installEventFilter(self)
            self._covered.emit()

    def _come_above(self) -> None:
        """Comes above with all others that lie over the window, as they lie among themselves."""
        if self._layer.isHidden():
            return
        seen = [widget for widget in _beside(self._home) if not widget.isHidden()]
        layers = [widget for widget in seen if widget.property(_LAYER)]
        if seen[-len(layers) :] != layers:
            for layer in layers:
                layer.raise_()


def _beside(home: QWidget) -> list[QWidget]:
    """Lists those from the lowest to the topmost; windows of their own are none of them."""
    return [child for child in home.children() if isinstance(child, QWidget) and not child.isWindow()]
