"""Tab goes past panels that lie behind others: Qt moves these out of sight, and takes them for visible all the same."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

# The mark by which Qt knows what is hidden. It is set alone, and for a moment: really hidden, a panel loses its place.
_HIDDEN = Qt.WidgetAttribute.WA_WState_Hidden


def is_covered(window: QMainWindow, dock: QDockWidget) -> bool:
    """Whether another panel of its tabs lies over it."""
    if dock.isHidden() or dock.isFloating() or not dock.visibleRegion().isEmpty():
        return False
    return any(not other.isHidden() for other in window.tabifiedDockWidgets(dock))


@contextmanager
def passing_covered(window: QMainWindow) -> Iterator[None]:
    """Meanwhile Qt looks for the next widget elsewhere."""
    covered = [dock for dock in window.findChildren(QDockWidget) if is_covered(window, dock)]
    for dock in covered:
        dock.setAttribute(_HIDDEN, True)
    try:
        yield
    finally:
        for dock in covered:
            dock.setAttribute(_HIDDEN, False)
