"""The way from the model down to the graph on view; each step leads back there."""

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from errorflow.base.errors import one_line
from errorflow.graph.model import Graph, Model
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import clear_layout, spaced, text_label

# Longer names are cut in the middle.
WIDEST = 260


class Crumbs(QWidget):
    """Buttons with signs between them. The last one offers the sibling bodies of its node."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self.buttons: list[QToolButton] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Where you are")
        self._row = spaced(QHBoxLayout(self), 0, (8, 0, 8, 0))
        follow(self, document.changed, lambda _: self._fill(), ("model", "place"))

    def _fill(self) -> None:
        clear_layout(self._row)
        self.buttons = []
        model = self._document.model
        if model is not None:
            for place in self._document.state.place.ancestors():
                self._add(model, place)
        self._row.addStretch(1)

    def _add(self, model: Model, place: Place) -> None:
        if self.buttons:
            sign = text_label("›", muted=True)
            self._row.addWidget(sign)
        name = crumb_text(model, place)
        button = QToolButton()
        button.setText(button.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, WIDEST))
        button.setToolTip(str(model.path) if place == Place() else name)
        button.setAccessibleName(f"Go to {name}")
        button.clicked.connect(partial(self._go, place))
        siblings = _siblings(model, place)
        if place == self._document.state.place and len(siblings) > 1:
            button.setMenu(self._sibling_menu(model, siblings, button))
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setText(f"{button.text()} ▾")
        self._row.addWidget(button)
        self.buttons.append(button)

    def _sibling_menu(self, model: Model, siblings: tuple[Place, ...], button: QToolButton) -> QMenu:
        menu = QMenu(button)
        for place in siblings:
            action = menu.addAction(crumb_text(model, place).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(place == self._document.state.place)
            action.triggered.connect(partial(self._go, place))
        return menu

    def _go(self, place: Place, _checked: bool = False) -> None:
        self._document.go(place)


def crumb_text(model: Model, place: Place) -> str:
    """`model.onnx`, `If_3: then_branch`, or the name of a function."""
    if not place.path:
        return one_line(model.path.name if place.function < 0 else model.functions[place.function].name)
    graph, position = _parent(model, place)
    body = graph.subgraphs[position]
    owner = graph.node(body.owner).title if body.owner >= 0 else ""
    return one_line(": ".join(part for part in (owner, body.role if body.role else body.graph.name) if part))


def _parent(model: Model, place: Place) -> tuple[Graph, int]:
    above = Place(place.path[:-1], place.function)
    return above.graph(model), place.path[-1]


def _siblings(model: Model, place: Place) -> tuple[Place, ...]:
    if not place.path:
        return ()
    graph, position = _parent(model, place)
    owner = graph.subgraphs[position].owner
    above = Place(place.path[:-1], place.function)
    return tuple(above.inside(i) for i, body in enumerate(graph.subgraphs) if body.owner == owner)
