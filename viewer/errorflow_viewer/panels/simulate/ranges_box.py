"""Where the ranges of activations come from: a method of calibration, or a file."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from errorflow.quant.plan import Plan
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.panels.form_parts import Choice, Group, Note
from errorflow_viewer.panels.simulate.words import method_told

FILE, SAVED = "file", "saved"
OWN_TOLD = "The model's own scales count: nothing is calibrated."


class RangesBox(Group):
    """A list, and below it what the choice means."""

    method = Signal(str)  # "": that of the preset
    file = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__("Ranges")
        self.folder = str(Path.home())
        self.choice = Choice("Ranges")
        self.choice.activated.connect(self._on_chosen)
        self.told = Note()
        self.add(self.choice, self.told)
        self._shown: tuple[Basis, Plan | None, bool] = (Basis(), None, False)

    def show_ranges(self, basis: Basis, plan: Plan | None, has_own: bool) -> None:
        """`has_own`: of a model that is quantized already, whose scales count."""
        from errorflow.quant.calibrate import METHODS
        from errorflow.quant.calibrate.asked import method_of
        from errorflow.study.simulate.ranging import method_for

        self._shown = basis, plan, has_own
        self.choice.setVisible(not has_own)
        if has_own:
            self.told.say(OWN_TOLD)
            return
        usual = method_for(plan, Basis()) if plan is not None else METHODS[0].key
        rows: list[tuple[str, object]] = [(f"As the preset: {method_of(usual).label}", "")]
        rows += [(row.label, row.key) for row in METHODS]
        if basis.method and basis.method not in [row.key for row in METHODS]:
            rows.append((basis.method, basis.method))
        if basis.calibration is not None:
            rows.append((basis.calibration.name, SAVED))
        rows.append(("Ranges from a file…", FILE))
        self.choice.show_rows(rows, SAVED if basis.calibration is not None else basis.method)
        key = basis.method if basis.method else usual
        saved = "Ranges that were found at another time; all samples are left to measure errors on."
        self.told.say(saved if basis.calibration is not None else method_told(key))
        self.told.setToolTip("" if basis.calibration is not None else _formula(key))

    def _on_chosen(self, at: int) -> None:
        value = self.choice.itemData(at)
        if value == FILE:
            self.show_ranges(*self._shown)
            self.ask_for_file()
        elif value != SAVED:
            self.method.emit(value)

    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Saved ranges", self.folder, "Ranges (*.json);;All files (*)")
        if path:
            self.file.emit(Path(path))


def _formula(key: str) -> str:
    from errorflow.quant.calibrate import METHODS

    return next((row.formula for row in METHODS if row.key == key), "")
