"""A main window's outside: its first size, and files that are dropped on it."""

from PySide6.QtCore import QChildEvent, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QTabBar

from errorflow_viewer.kit.accessible.keyboard import passing_covered
from errorflow_viewer.kit.accessible.labels import Tabs
from errorflow_viewer.kit.accessible.menu_key import press_held
from errorflow_viewer.kit.drop import DropOverlay, dropped_files
from errorflow_viewer.kit.look import Theme

FIRST_SIZE = QSize(1280, 720)
FIRST_SHARE = 0.8


class WindowFrame(QMainWindow):
    """Knows nothing of what is inside."""

    # The window goes; when what it waits for has ended, it is closed.
    closing = Signal()
    closed = Signal()
    dropped = Signal(object)  # list[Path]

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.veil = DropOverlay(self, theme)
        self._tabs = Tabs(self)

    def take_first_size(self) -> None:
        """Most of the screen; all of it where that is small."""
        room = self.screen().availableSize()
        if room.width() <= FIRST_SIZE.width() or room.height() <= FIRST_SIZE.height():
            self.setWindowState(Qt.WindowState.WindowMaximized)
        self.resize((room * FIRST_SHARE).expandedTo(FIRST_SIZE).boundedTo(room))

    def toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def is_full_screen(self) -> bool:
        return self.isFullScreen()

    def come_to_front(self) -> None:
        """Comes to the front for another start."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def vanish(self) -> None:
        """Vanishes: all is kept, and what is waited for needs no window."""
        self.closing.emit()
        self.hide()

    # Events

    def childEvent(self, event: QChildEvent) -> None:
        """Qt makes the bars of tabs when it needs them, and gives them no name.

        They are caught here and not looked for: what `findChildren` finds stays in Python when Qt has thrown it away.
        """
        if event.polished() and isinstance(bar := event.child(), QTabBar):
            self._tabs.follow(bar)
        super().childEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        with passing_covered(self):
            return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_held(event):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()
            self.veil.appear()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self.veil.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.veil.hide()
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.dropped.emit(files)
