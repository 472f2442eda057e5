"""Asks how much is to be smoothed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QDoubleSpinBox, QFormLayout, QVBoxLayout, QWidget

from errorflow.quant.steps import Smooth
from errorflow_viewer.kit.layouts import text_label

TOLD = (
    "Where few channels of a tensor are much louder than the others, quiet ones are lost in the scale that all share. "
    "Smoothing divides loud channels and multiplies the weights behind them, so that the float model computes the same."
)
STRENGTH_TOLD = "How much of the difference moves from activations into weights: 0 makes weights even, 1 activations"
THRESHOLD_TOLD = "A tensor is smoothed if at least this share of its channels loses 3 bits or more to the loudest one"


class SmoothDialog(QDialog):
    """Strength and threshold, as Pulsar2 has them to begin with."""

    taken_back = Signal()  # instead of being accepted

    def __init__(self, step: Smooth, is_smoothed: bool = False, parent: QWidget | None = None) -> None:
        """`is_smoothed`: the plan on view has that step, which can be taken back."""
        super().__init__(parent)
        self.setWindowTitle("Smooth outliers")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        told = text_label(TOLD, wraps=True)
        self.strength, self.threshold = share(step.strength, "Strength"), share(step.threshold, "Threshold")
        self.strength.setToolTip(STRENGTH_TOLD)
        self.threshold.setToolTip(THRESHOLD_TOLD)
        fields = QFormLayout()
        fields.addRow("&Strength", self.strength)
        fields.addRow("&Threshold", self.threshold)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.smooth = buttons.addButton("Smooth", QDialogButtonBox.ButtonRole.AcceptRole)
        self.smooth.setProperty("primary", True)
        self.no_more = buttons.addButton("Do not smooth", QDialogButtonBox.ButtonRole.DestructiveRole)
        self.no_more.setVisible(is_smoothed)
        self.no_more.clicked.connect(self.taken_back)
        self.no_more.clicked.connect(self.reject)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        box = QVBoxLayout(self)
        box.addWidget(told)
        box.addLayout(fields)
        box.addWidget(buttons)
        self.setMinimumWidth(420)
        self.smooth.setDefault(True)

    @property
    def step(self) -> Smooth:
        return Smooth(round(self.strength.value(), 4), round(self.threshold.value(), 4))


def share(value: float, name: str) -> QDoubleSpinBox:
    """A field for a number between 0 and 1."""
    found = QDoubleSpinBox()
    found.setRange(0.0, 1.0)
    found.setSingleStep(0.05)
    found.setDecimals(2)
    found.setValue(value)
    found.setKeyboardTracking(False)
    found.setAccessibleName(name)
    found.lineEdit().setAccessibleName(name)
    return found
