"""Below the steps of a guide: the call of the command line, and what the step is done with."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout

from errorflow.guides.model import Do
from errorflow_viewer.kit.layouts import clear_layout, spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, PADDING


class GuideFoot(QFrame):
    """What lacks, or the call to copy; then the buttons, of which one stands out."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.call = text_label(muted=True, wraps=True, plain=True, selectable=True)
        self.lacks = text_label(muted=True, wraps=True)
        self.lacks.hide()
        self.copy_call = text_button("Copy", lambda: QGuiApplication.clipboard().setText(self.call.text()))
        self.copy_call.setProperty("link", True)
        self.copy_call.setAccessibleName("Copy the call of the command line")
        self.save_all = QPushButton("Save all files…")
        self.save_all.setToolTip("The settings and scripts of this step, into one folder")
        self.back = QPushButton("Back")
        self.back.setToolTip("Leave this page; the guide stays above the graph")
        self._doing = QHBoxLayout()
        self._doing.setSpacing(PADDING)
        row = spaced(QHBoxLayout(self), PADDING, (GAP, PADDING, GAP, PADDING))
        said = QVBoxLayout()
        said.setSpacing(2)
        said.addWidget(self.call)
        said.addWidget(self.lacks)
        row.addLayout(said, 1)
        for button in (self.copy_call, self.save_all, self.back):
            row.addWidget(button)
        row.addLayout(self._doing)

    def show_call(self, call: str, lack: str) -> None:
        self.call.setText(lack if lack else call)
        self.call.setToolTip("" if lack else "The same on the command line")
        self.copy_call.setVisible(bool(call) and not lack)

    def clear(self) -> None:
        """Of what the step before was done with."""
        clear_layout(self._doing)
        self.lacks.hide()

    def add(self, do: Do, pressed: Callable[[], None], lack: str, primary: bool) -> None:
        """`lack`: why it cannot be done yet; "": it can."""
        button = QPushButton(do.label)
        button.setProperty("primary", primary)
        button.setToolTip(lack if lack else do.where)
        if lack and do.instead:
            self.lacks.setText(f"{do.label}: {lack}. {do.instead}")
            self.lacks.show()
        button.setAccessibleDescription(lack)
        button.setEnabled(not lack)
        button.clicked.connect(lambda: pressed())
        self._doing.addWidget(button)

    @property
    def buttons(self) -> list[QPushButton]:
        """What the step can be done with."""
        items = (self._doing.itemAt(at) for at in range(self._doing.count()))
        found = (None if item is None else item.widget() for item in items)
        return [widget for widget in found if isinstance(widget, QPushButton)]
