"""The row under which a panel stands in `errorflow_viewer.panels.PANELS`."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from errorflow_viewer.desk import Desk


@dataclass(frozen=True, slots=True)
class Panel:
    """One dock. `View` in the menu bar needs an action `panel.<key>` for it."""

    key: str
    title: str
    area: Qt.DockWidgetArea
    # Whether it is there at the first start.
    shown: bool
    make: Callable[[Desk], QWidget]
