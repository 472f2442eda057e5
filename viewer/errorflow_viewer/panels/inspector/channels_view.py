"""The channels of a tensor, the worst first; along another axis they are looked at when it is chosen."""

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QComboBox, QToolButton

from errorflow.explain.inspect.channels import ChannelView, axes, channel_view
from errorflow.explain.inspect.figures import MOST_BOXES, channel_figure
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.tensors import Tensors
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.derived_table import looked as row_of
from errorflow_viewer.document.state import State
from errorflow_viewer.kit import icons
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.large import FigureContent, Large

KEY = "inspector.channels"
# In a large window.
MANY_BOXES = 1024
_Wish = tuple[Tensors, int]


def channels_row(
    name: str, wish: Callable[[State], _Wish | None], keep: Callable[[ChannelView], None], draw: Callable[[], None]
) -> Derived[_Wish, ChannelView]:
    """`draw`: says why they cannot be seen."""
    text = "Looking at the channels"
    return row_of(name, text, wish, lambda wish, progress: channel_view(*wish, progress), keep, lambda _: draw())


def to_look(looked: Looked | None, axis: QComboBox, seen: ChannelView | None) -> _Wish | None:
    """Makes the wish; None: there is nothing to be looked at, or it is seen already."""
    along = axis.currentData()
    if looked is None or not looked.complete or along is None or seen is not None:
        return None
    return looked.tensors, int(along)


def waiting(desk: Desk, name: str) -> str:
    """Writes what stands in place of channels."""
    error = desk.derived.error(name)
    return "Looking at the channels …" if error is None else error.message


class ChannelsView:
    """A page of boxes at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.large = Large(desk, "channels", "Channels")
        self.widget = FigureView(desk.appearance.theme, self.large)
        self.axis = QComboBox()
        self.axis.setAccessibleName("Axis of the channels")
        self.axis.view().setAccessibleName("Axes")
        self.axis.setToolTip("The axis along which the channels lie")
        self.axis.activated.connect(self._choose)
        self.back, self.forth = self._turner("back", -1), self._turner("forward", 1)
        for widget in (self.axis, self.back, self.forth):
            self.widget.controls.addWidget(widget)
        self.widget.controls.insertStretch(1, 1)
        self._subject: Subject | None = None
        self._view: ChannelView | None = None
        self._first = 0
        desk.derived.add(
            channels_row(KEY, lambda _: to_look(self._looked, self.axis, self._view), self._take, self._draw)
        )

    def show(self, subject: Subject | None) -> None:
        """The axis stays as long as it is the same tensor."""
        before, self._subject = self._subject, subject
        looked = None if subject is None else subject.looked
        same = before is not None and before.looked is not None and looked is not None
        if same and before is not None and before.looked is not None and looked is not None:
            same = before.looked.tensors is looked.tensors and self._view is not None
        if not same:
            self._view, self._first = None, 0
            self._fill()
        if self._view is None and looked is not None:
            self._view = looked.channels
        self._desk.derived.follow(KEY)
        if self._view is not None:
            self.axis.setCurrentIndex(self.axis.findData(self._view.axis))
        self._draw()

    def _fill(self) -> None:
        self.axis.clear()
        looked = self._looked
        shape = () if looked is None else looked.tensors.shape
        for axis in axes(shape):
            self.axis.addItem(f"Axis {axis}: {shape[axis]:,}", axis)
        usual = None if looked is None else looked.tensors.axis
        self.axis.setCurrentIndex(max(self.axis.findData(usual), 0))

    def _choose(self, _index: int) -> None:
        self._view, self._first = None, 0
        self._draw()
        self._desk.derived.ask(KEY)

    @property
    def _looked(self) -> Looked | None:
        return None if self._subject is None else self._subject.looked

    def _take(self, view: ChannelView) -> None:
        self._view = view
        self._draw()

    def _draw(self) -> None:
        looked = self._looked
        count = 0 if self._view is None else len(self._view)
        for button in (self.back, self.forth):
            button.setVisible(count > MOST_BOXES)
        self.back.setEnabled(self._first > 0)
        self.forth.setEnabled(self._first + MOST_BOXES < count)
        figure = None
        if self._view is not None and looked is not None:
            figure = channel_figure(self._view, looked.overview, self._first, looked.tensors.name)
        self.widget.show_figure(figure, self._desk.appearance.theme)
        self._enlarge(looked)
        if figure is None and looked is not None:
            self.widget.notes.setText(waiting(self._desk, KEY))

    def _enlarge(self, looked: Looked | None) -> None:
        """Enlarges all channels at once, beginning with those on view."""
        view = self._view
        if view is None or looked is None:
            self.large.show(None)
            return
        seen, name = looked.overview, looked.tensors.name
        last = min(self._first + MOST_BOXES, len(view))
        first = (self._first - 0.6, last - 0.4) if len(view) > MOST_BOXES else None
        content = FigureContent(name, lambda _: channel_figure(view, seen, 0, name, MANY_BOXES), first=first)
        self.large.show(content)

    def _turner(self, name: str, step: int) -> QToolButton:
        button = QToolButton()
        icons.follow(button, name)
        text = "Worse channels" if step < 0 else "Better channels"
        button.setToolTip(text)
        button.setAccessibleName(text)
        button.clicked.connect(partial(self._turn, step))
        return button

    def _turn(self, step: int, _checked: bool = False) -> None:
        count = 0 if self._view is None else len(self._view)
        self._first = min(max(self._first + step * MOST_BOXES, 0), max(count - 1, 0))
        self._draw()


CHANNELS = View("channels", "Channels", ChannelsView)
