"""Legends of graphs that stand beside each other are as high as the highest of them: so are the graphs."""

from PySide6.QtCore import QEvent, QObject, QPoint

from errorflow_viewer.canvas.view import Canvas


class Level(QObject):
    """Keeps two legends level as long as their graphs stand beside each other."""

    def __init__(self, one: Canvas, other: Canvas) -> None:
        super().__init__(other)
        self._canvases = one, other
        self._busy = False
        self._wires = [canvas.legend_changed.connect(self._follow) for canvas in self._canvases]
        for canvas in self._canvases:
            canvas.installEventFilter(self)
        self._follow()

    def end(self) -> None:
        for wire, canvas in zip(self._wires, self._canvases, strict=True):
            QObject.disconnect(wire)
            canvas.removeEventFilter(self)
            canvas.set_legend_least(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move):
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        if self._busy:
            return
        self._busy = True
        one, other = self._canvases
        beside = one.isVisible() and other.isVisible() and _top(one) == _top(other) and one.height() == other.height()
        height = max(one.legend_height, other.legend_height) if beside else 0.0
        for canvas in self._canvases:
            canvas.set_legend_least(height)
        self._busy = False


def _top(canvas: Canvas) -> int:
    return canvas.mapTo(canvas.window(), QPoint(0, 0)).y()
