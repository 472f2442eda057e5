"""Above the steps of a guide: which guide it is, the user's own files, and the folder that was looked through."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from errorflow.case.scenarios.found import Discovered
from errorflow.case.session.model import GivenFiles
from errorflow.guides.facts import Facts
from errorflow.guides.model import Flow
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import flowing, spaced, text_label
from errorflow_viewer.kit.look import GAP, PADDING

# Of what was found, and of what could not be looked into, so much stands in the tooltip.
_FOUND, _PROBLEMS = 20, 10


class GuideHead(QFrame):
    """Two lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "verdict")
        self.title = text_label(role="title")
        self.other = QPushButton("Another guide…")
        self.other.setProperty("link", True)
        self.other.setToolTip("Answer the questions again; what was done in this guide stays until you begin another")
        self.own = GivenRow()
        self.looked = Elided(Qt.TextElideMode.ElideMiddle)
        self.looked.setProperty("muted", True)
        self.forget()
        self.look = QPushButton("Look through a folder…")
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(GAP)
        first.addWidget(self.title)
        first.addWidget(self.other)
        first.addStretch(1)
        second.setSpacing(GAP)
        second.addWidget(self.own, 1)
        second.addWidget(self.looked)
        second.addWidget(self.look)
        box = spaced(QVBoxLayout(self), PADDING, (GAP, PADDING, GAP, PADDING))
        box.addLayout(first)
        box.addLayout(second)

    def forget(self) -> None:
        """Forgets: nothing was looked through."""
        self.looked.show_text("or drop a folder that holds everything")
        self.looked.setToolTip("")

    def show_found(self, found: Discovered) -> None:
        """Shows what lies there, in a few words; all of it in the tooltip."""
        count = len(found.found)
        where = ", ".join(path.name for path in found.paths[:3])
        self.looked.show_text(f"Looked through {where}: {count:,} {'thing' if count == 1 else 'things'} to compare")
        texts = [f"{found.shown(each.path)}: {each.text}" for each in found.found[:_FOUND]]
        self.looked.setToolTip("\n".join([*texts, *found.problems[:_PROBLEMS]]))


_SOC = 152
_NONE = "choose…"


class GivenRow(QWidget):
    """Model, weights, the quantized model and the NPU, as far as the flow takes them."""

    changed = Signal(str, object)  # the name of the field, and what is given

    def __init__(self) -> None:
        super().__init__()
        self.folder = str(Path.home())
        row = flowing(PADDING)
        self._labels: dict[str, QLabel] = {}
        self.buttons: dict[str, QPushButton] = {}
        for key, text in (("model", "Model:"), ("weights", "Weights:"), ("quantized", "Quantized model:")):
            label, button = QLabel(text), QPushButton(_NONE)
            label.setProperty("muted", True)
            button.setProperty("link", True)
            button.clicked.connect(lambda _=False, key=key: self._ask(key))
            self._labels[key], self.buttons[key] = label, button
            row.addWidget(label)
            row.addWidget(button)
        self._soc_label = text_label("soc_version:", muted=True)
        self.soc = QLineEdit()
        self.soc.setPlaceholderText("such as Ascend310P3")
        self.soc.setFixedWidth(_SOC)
        self.soc.setAccessibleName("soc_version of the NPU")
        self.soc.setToolTip("As `npu-smi info` names the chip, with Ascend before it")
        self.soc.editingFinished.connect(lambda: self.changed.emit("soc_version", self.soc.text().strip()))
        row.addWidget(self._soc_label)
        row.addWidget(self.soc)
        row.setContentsMargins(0, 0, GAP, 0)
        self.setLayout(row)

    def show_given(self, flow: Flow, given: GivenFiles) -> None:
        shown = {
            "model": True,
            "weights": Facts.of(given, flow.framework).framework == "caffe",
            "quantized": bool(flow.quantized),
        }
        for key, button in self.buttons.items():
            path = getattr(given, key)
            button.setText(_NONE if path is None else path.name.replace("&", "&&"))
            button.setToolTip("Commands get the name of your file" if path is None else str(path))
            button.setAccessibleName(f"{self._labels[key].text()} {button.text()}")
            button.setVisible(shown[key])
            self._labels[key].setVisible(shown[key])
        self._labels["quantized"].setText(flow.quantized if flow.quantized else "Quantized model:")
        for widget in (self._soc_label, self.soc):
            widget.setVisible(flow.names_chip)
        if self.soc.text().strip() != given.soc_version:
            self.soc.setText(given.soc_version)

    def _ask(self, key: str) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self._labels[key].text().rstrip(":"), self.folder)
        if path:
            self.changed.emit(key, Path(path))
