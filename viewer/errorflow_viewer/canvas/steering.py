"""The picture of the graph as far as commands steer it, and what they ask before they do."""

from typing import Protocol

from errorflow_viewer.commands.api import Desk, has_model, has_selection
from errorflow_viewer.kit.drawings import View as LayoutView


class ViewApi(Protocol):
    """The picture of the graph, as far as commands steer it."""

    def fit(self) -> None: ...

    def zoom_by(self, factor: float) -> None: ...

    def zoom_to(self, zoom: float) -> None: ...

    def find_by_legend(self) -> None: ...

    @property
    def has_legend(self) -> bool: ...


class FoldsApi(Protocol):
    """Opens and closes groups of the graph on view, the selected one or all."""

    @property
    def any(self) -> bool: ...

    @property
    def can_open(self) -> bool: ...

    @property
    def can_close(self) -> bool: ...

    @property
    def has_stubs(self) -> bool: ...

    @property
    def is_whole(self) -> bool: ...

    def turn_whole(self) -> None: ...

    def open(self) -> None: ...

    def close(self) -> None: ...

    def open_inside(self) -> None: ...

    def close_others(self) -> None: ...

    def open_all(self) -> None: ...

    def close_all(self) -> None: ...

    def more(self) -> None: ...

    def less(self) -> None: ...


class SwitchesApi(Protocol):
    """Switches of the drawing."""

    def is_on(self, switch: str) -> bool: ...

    def turn(self, switch: str) -> None: ...

    def apply(self) -> None: ...

    @property
    def view(self) -> LayoutView: ...

    def choose_view(self, view: LayoutView) -> None: ...

    @property
    def in_columns(self) -> bool: ...


class Middle(Protocol):
    """Middle of the window."""

    @property
    def graph_shown(self) -> bool: ...


class CanvasDesk(Desk, Protocol):
    """A desk with a graph on it."""

    @property
    def view(self) -> ViewApi: ...

    @property
    def folds(self) -> FoldsApi: ...

    @property
    def switches(self) -> SwitchesApi: ...

    @property
    def whole_pages(self) -> Middle: ...

    def centre_on_selection(self) -> None: ...


def sees_graph(desk: CanvasDesk) -> bool:
    """Whether the graph is seen; not so on a page in its place, where what steers the picture has no visible effect."""
    return has_model(desk) and desk.whole_pages.graph_shown


def sees_selection(desk: CanvasDesk) -> bool:
    return sees_graph(desk) and has_selection(desk)


def has_groups(desk: CanvasDesk) -> bool:
    return sees_graph(desk) and desk.folds.any


def can_open(desk: CanvasDesk) -> bool:
    return sees_graph(desk) and desk.folds.can_open


def can_close(desk: CanvasDesk) -> bool:
    return sees_graph(desk) and desk.folds.can_close


def has_fold_or_group(desk: CanvasDesk) -> bool:
    return can_open(desk) or can_close(desk)
