"""Large plot of one kind in a window of its own: made when it is wanted, gone when it is closed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QToolButton, QWidget

from errorflow.base.values import dataclass
from errorflow.explain.findings.profile import Profile
from errorflow.explain.inspect.figure import Figure
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.planes import Planes
from errorflow.explain.inspect.tensors import Tensors
from errorflow.report.profile_shapes import ProfileColors
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit import icons

if TYPE_CHECKING:
    from errorflow_viewer.plots.window import PlotWindow

TEXT, KEY = "Open large", Qt.Key.Key_F
# What the windows do in the background.
COPYING, SAVING = "plots.copy", "plots.save"


class Large:
    """Large plot whose owner says what is to be shown, seen or not. `told` hears when it opens and closes."""

    def __init__(self, desk: Desk, key: str, title: str, told: Callable[[], None] | None = None) -> None:
        self._desk, self._key, self._title = desk, key, title
        self.told = told
        self._content: Content | None = None
        self._marks: tuple[int | None, int | None] = (None, None)
        self.window: PlotWindow | None = None

    @property
    def desk(self) -> Desk:
        return self._desk

    @property
    def is_open(self) -> bool:
        return self.window is not None and self.window.isVisible()

    @property
    def has_content(self) -> bool:
        return self._content is not None

    def show(self, content: "Content | None") -> None:
        self._content = content
        if self.window is not None and self.is_open:
            self.window.show_content(content)

    def mark(self, selected: int | None, pointed: int | None) -> None:
        """Places of a profile that are selected and pointed at."""
        self._marks = selected, pointed
        if self.window is not None and self.is_open:
            self.window.mark(selected, pointed)

    def dress(self) -> None:
        """Takes other colours."""
        if self.window is not None and self.is_open:
            self.window.dress(self._desk.appearance.theme)

    def open(self, owner: QWidget) -> None:
        """Opens in front of the main window of `owner`; the first time of all takes as long as loading what draws
        it.
        """
        if self._content is None:
            return
        QGuiApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)
        try:
            window = self._made(owner)
            window.show_content(self._content)
        finally:
            QGuiApplication.restoreOverrideCursor()
        window.mark(*self._marks)
        window.show()
        window.raise_()
        window.activateWindow()
        window.focus_plot()
        self._desk.plots.come(window)
        self._tell()

    def _made(self, owner: QWidget) -> "PlotWindow":
        if self.window is None:
            from errorflow_viewer.plots.window import PlotWindow

            self.window = PlotWindow(self._desk, self._key, self._title, _main_of(owner))
            self.window.closed.connect(self._let_go)
        return self.window

    def _let_go(self) -> None:
        """Hidden it would keep its picture, megabytes for each kind of plot. Where it was is in the settings.

        While its plot is copied or written, it stays to hear what came of that.
        """
        if self.window is not None and not any(map(self._desk.jobs.running, (COPYING, SAVING))):
            self.window.deleteLater()
            self.window = None
        self._tell()

    def _tell(self) -> None:
        if self.told is not None:
            self.told()


def open_button() -> QToolButton:
    """Makes the button for the row above a plot."""
    button = QToolButton()
    icons.follow(button, "large")
    button.setToolTip(f"{TEXT}: zoom into the plot in a window of its own (F)")
    button.setAccessibleName(TEXT)
    return button


def _main_of(widget: QWidget) -> QWidget:
    """A dock that floats is a window, and goes when it is docked again."""
    window = widget.window()
    above = window.parentWidget() if isinstance(window, QDockWidget) else None
    return window if above is None else above.window()


# Content of a large window as values: they are enough to draw it again in another theme or on another scale.


@dataclass(frozen=True, slots=True, eq=False)
class FigureContent:
    """`make` is told whether the count is logarithmic."""

    name: str
    make: Callable[[bool], Figure]
    # Whether it is at first; None: there is nothing to switch.
    log: bool | None = None
    # Of the candidate, whose steps are drawn where they can be told apart.
    grid: Grid | None = None
    # The part of the x axis that is seen at first; None: all of it.
    first: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MapContent:
    """The planes of a tensor, beginning with one."""

    name: str
    tensors: Tensors
    planes: Planes
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class ProfileContent:
    """Curves; what the user points at and chooses is told by place."""

    name: str
    profile: Profile
    colors: Callable[[], ProfileColors]
    pointed: Callable[[int | None], None]
    picked: Callable[[int], None]
    walked: Callable[[int], None]


Content = FigureContent | MapContent | ProfileContent
