"""What is done before the model is quantized."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QPushButton

from errorflow.quant.plan import Plan
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, find, step_text
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.panels.form_parts import Fields, Group, Note, show_value
from errorflow_viewer.panels.sections import breakable, plain, soft
from errorflow_viewer.panels.simulate.remedying import ANEW, drops_correction
from errorflow_viewer.panels.simulate.smoothing import STRENGTH_TOLD, THRESHOLD_TOLD, share
from errorflow_viewer.panels.simulate.steps_told import ToldChange, ToldSteps

EQUALIZE_TIP = "Make weights of layers behind each other equally large, per channel; the float model computes the same"
SMOOTH_TIP = "Move what is loud in few channels into the weights behind it; the float model computes the same"
BIASES_TIP = "Measure what layers are off on average, and take that off the biases of the quantized model"
TABLE_TIP = "Bits: how far the usual channel is below the loudest one, before and after"


class StepsBox(Group):
    """A row for each step; what they did stands below as soon as it is known."""

    changed = Signal(object)  # Plan
    biases = Signal()  # are to be measured, or to be left as they are

    def __init__(self) -> None:
        super().__init__("Remedies")
        self._plan: Plan | None = None
        # A correction went with the float model that it was measured on.
        self._is_dropped = False
        self.equalize, self.smooth = QCheckBox("Equalize layers"), QCheckBox("Smooth outliers")
        self.equalize.setToolTip(EQUALIZE_TIP)
        self.smooth.setToolTip(SMOOTH_TIP)
        self.strength, self.threshold = share(Smooth().strength, "Strength"), share(Smooth().threshold, "Threshold")
        self.fields = Fields()
        self.fields.add("Strength", self.strength, STRENGTH_TOLD)
        self.fields.add("Threshold", self.threshold, THRESHOLD_TOLD)
        self.correct = QPushButton("Correct biases")
        self.correct.setProperty("link", True)
        self.correct.setToolTip(BIASES_TIP)
        self.corrected, self.told, self.table = Note(), Note(), Note(muted=False)
        self.table.setToolTip(TABLE_TIP)
        self.equalize.toggled.connect(lambda on: self._turn(on, Equalize()))
        self.smooth.toggled.connect(lambda on: self._turn(on, self._smooth))
        for field in (self.strength, self.threshold):
            field.valueChanged.connect(lambda _: self._turn(True, self._smooth))
        self.correct.clicked.connect(lambda: self.biases.emit())
        self.add(self.equalize, self.smooth, self.fields, self.corrected, self.correct, self.told, self.table)
        self.show_steps(None, False)

    @property
    def _smooth(self) -> Smooth:
        return Smooth(round(self.strength.value(), 4), round(self.threshold.value(), 4))

    def show_steps(self, plan: Plan | None, can_correct: bool) -> None:
        """Of a plan; None: it is not known yet. Nothing is told."""
        self._plan = plan
        steps = () if plan is None else plan.steps
        smooth, biases = find(steps, Smooth), find(steps, CorrectBiases)
        for box, kind in ((self.equalize, Equalize), (self.smooth, Smooth)):
            with QSignalBlocker(box):
                box.setChecked(find(steps, kind) is not None)
            box.setEnabled(plan is not None)
        if isinstance(smooth, Smooth):
            for field, value in ((self.strength, smooth.strength), (self.threshold, smooth.threshold)):
                show_value(field, value)
        self.fields.setVisible(smooth is not None)
        self._is_dropped = self._is_dropped and plan is not None and biases is None
        anew = ANEW if self._is_dropped else ""
        self.corrected.say(anew if biases is None else f"{_capital(step_text(biases))}.")
        self.correct.setText("Correct biases" if biases is None else "Leave biases as they are")
        self.correct.setEnabled(can_correct or biases is not None)

    def show_told(self, told: ToldSteps | None, theme: Theme) -> None:
        self.told.say(*(() if told is None else told.lines))
        self.told.setToolTip("" if told is None else told.reasons)
        rows = () if told is None else told.changes
        style = f"<style>i {{ color: {theme.muted}; font-style: normal; }}</style>"
        more = (
            f"<p>{soft(f'And {told.more:,} more; remedies.csv of the command line has all.')}</p>"
            if told is not None and told.more
            else ""
        )
        self.table.setText(f"{style}<table cellspacing='4'>{''.join(map(_row, rows))}</table>{more}")
        self.table.setVisible(bool(rows))

    def _turn(self, on: bool, step: Step) -> None:
        if self._plan is not None:
            plan = self._plan.with_step(step) if on else self._plan.without_step(type(step))
            self._is_dropped = self._is_dropped or drops_correction(self._plan, plan)
            self.changed.emit(plan)


def _row(change: ToldChange) -> str:
    numbers = f"{soft(change.before)} → {plain(change.after)}" if change.before else plain(change.after)
    return f"<tr><td>{breakable(plain(change.tensor))}</td><td align='right'>{numbers}</td></tr>"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
