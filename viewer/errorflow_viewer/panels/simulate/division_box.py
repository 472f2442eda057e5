"""Which samples calibrate and which are measured."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QToolButton

from errorflow.base.errors import ErrorflowError
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.dividing import divided
from errorflow_viewer.kit import icons
from errorflow_viewer.panels.form_parts import Count, Fields, Group, Link, Note
from errorflow_viewer.panels.simulate.samples_box import FILTER, called
from errorflow_viewer.panels.simulate.words import in_panel


class DivisionBox(Group):
    """How many, and a sentence on what is done with them."""

    changed = Signal(object)  # dict of fields of the basis

    def __init__(self) -> None:
        super().__init__("Calibrated and evaluated on")
        self.folder = str(Path.home())
        self.samples, self.calibrate = Count("all"), Count("most")
        self.samples.valueChanged.connect(lambda value: self.changed.emit({"samples": value if value else None}))
        self.calibrate.valueChanged.connect(lambda value: self.changed.emit({"calibrate_on": value if value else None}))
        self.fields = Fields()
        self.fields.add("Take", self.samples, "So many samples are taken, from the first on")
        self.fields.add(
            "Calibrate on", self.calibrate, "So many of them find the ranges; errors are measured on the rest"
        )
        self.others = Link("Evaluate on other samples…")
        self.others.clicked.connect(self.ask_for_others)
        self.none = QToolButton()
        self.none.setToolTip("Evaluate on what calibration leaves of the samples")
        self.none.setAccessibleName("Evaluate on what calibration leaves")
        self.none.clicked.connect(lambda: self.changed.emit({"others": ()}))
        icons.follow(self.none, "close")
        self.text = Note()
        row = QHBoxLayout()
        row.addWidget(self.others)
        row.addWidget(self.none)
        row.addStretch(1)
        self.add(self.fields, self.text)
        self.box.addLayout(row)

    def show_division(self, basis: Basis, count: int, has_ranges: bool, others: int | None) -> None:
        """`count`: how many samples there are, 0 where nobody knows; `others`: of those given to be measured on."""
        self.samples.show_value(0 if basis.samples is None else basis.samples)
        self.calibrate.show_value(0 if basis.calibrate_on is None else basis.calibrate_on)
        self.calibrate.setEnabled(not has_ranges)
        self.others.setText(f"On {called(basis.others)} …" if basis.others else "Evaluate on other samples…")
        self.others.setToolTip("\n".join(basis.others) if basis.others else "Measure errors on samples from elsewhere")
        self.none.setVisible(bool(basis.others))
        self.text.say(_sentence(basis, count, has_ranges, others) if count else "")

    def ask_for_others(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, "Samples to measure errors on", self.folder, FILTER)
        if paths:
            self.changed.emit({"others": tuple(paths)})


def _sentence(basis: Basis, count: int, has_ranges: bool, others: int | None) -> str:
    try:
        return divided(basis, count, has_ranges, others).text
    except ErrorflowError as error:
        return in_panel(str(error))
