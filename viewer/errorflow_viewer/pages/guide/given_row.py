"""The user's own files, which the commands of a guide are made with."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from errorflow.case.session.guide_progress import Given
from errorflow.guides.facts import Facts
from errorflow.guides.model import Flow
from errorflow_viewer.kit.layouts import flowing, text_label
from errorflow_viewer.kit.look import GAP, PADDING

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

    def show_given(self, flow: Flow, given: Given) -> None:
        shown = {
            "model": True,
            "weights": Facts.of(given, flow.framework).framework == "caffe",
            "quantized": flow.vendor in ("Horizon", "ONNX"),
        }
        for key, button in self.buttons.items():
            path = getattr(given, key)
            button.setText(_NONE if path is None else path.name.replace("&", "&&"))
            button.setToolTip("Commands get the name of your file" if path is None else str(path))
            button.setAccessibleName(f"{self._labels[key].text()} {button.text()}")
            button.setVisible(shown[key])
            self._labels[key].setVisible(shown[key])
        self._labels["quantized"].setText("Calibrated model:" if flow.vendor == "Horizon" else "Quantized model:")
        for widget in (self._soc_label, self.soc):
            widget.setVisible(flow.vendor == "Ascend")
        if self.soc.text().strip() != given.soc_version:
            self.soc.setText(given.soc_version)

    def _ask(self, key: str) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self._labels[key].text().rstrip(":"), self.folder)
        if path:
            self.changed.emit(key, Path(path))
