"""The row under which a view stands in the inspector."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtWidgets import QWidget

from errorflow.base.values import dataclass
from errorflow.explain.inspect.choices import TensorChoice
from errorflow.explain.inspect.look import Looked
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.plots.large import Large


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """Subject of the inspector. `looked` None: its values are not there, or not yet."""

    graph: Graph
    node: int | None
    choice: TensorChoice
    looked: Looked | None = None


class InspectorView(Protocol):
    """One way to look at a subject; it is only shown what it suits."""

    @property
    def widget(self) -> QWidget: ...

    @property
    def large(self) -> Large | None:
        """The same in a window of its own; None: it would gain nothing there."""

    def show(self, subject: Subject | None) -> None: ...


@dataclass(frozen=True, slots=True)
class View:
    """`key` is that of `errorflow.explain.inspect.suits.SUITS`, which knows how well it suits, and of its icon."""

    key: str
    title: str
    make: Callable[[Desk], InspectorView]
