"""Result of the simulation on view, and what can be done with it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from errorflow.base.language import Verbatim
from errorflow_viewer.kit.layouts import Flow, text_button
from errorflow_viewer.kit.look import GAP, GRID, PADDING, Theme
from errorflow_viewer.panels.form_parts import Group, Note
from errorflow_viewer.panels.sections import breakable, link, plain, soft
from errorflow_viewer.panels.simulate.deployed_told import MOST as DEPLOYED_TOLD_MOST
from errorflow_viewer.panels.simulate.deployed_told import SQNR, OutputDeployed, ToldDeployed
from errorflow_viewer.panels.simulate.told import MOST, TIP, SimulatedOutput, SimulationSummary

MADE_UP = "The samples were made up: this says nothing about the model in use."
MORE = "More is being found out …"
# Notes that are told.
NOTES = 3


class ResultBox(Group):
    """Hidden while nothing is known."""

    sample = Signal(int)  # whose tensors are to be looked at
    verdict = Signal()
    rank = Signal()
    export = Signal()
    deploy = Signal()
    leave = Signal()

    def __init__(self) -> None:
        super().__init__("Result")
        self.told: SimulationSummary | None = None
        self.made_up, self.judged = Note(muted=False), Note(muted=False)
        self.made_up.setProperty("role", "strong")
        self.outputs, self.rest = Note(muted=False), Note()
        self.outputs.setToolTip(TIP)
        self.outputs.setContentsMargins(0, GRID, 0, GRID)
        self.outputs.linkActivated.connect(lambda text: self.sample.emit(int(text.removeprefix("sample:"))))
        self.deployed = DeployedBox()
        self.deployed.sample.connect(self.sample)
        self.add(self.made_up, self.judged, self.outputs, self.rest, self.deployed)
        links = QVBoxLayout()
        links.setSpacing(0)
        for row in (
            (("Why: the verdict", self.verdict), ("Which nodes matter?", self.rank)),
            (("Export QDQ model…", self.export), ("Run as deployed", self.deploy)),
            (("Leave the simulation", self.leave),),
        ):
            line = Flow(GAP)
            for text, signal in row:
                button = text_button(text, lambda _=False, signal=signal: signal.emit())
                button.setProperty("link", True)
                line.addWidget(button)
            links.addLayout(line)
        self.box.addLayout(links)
        self.hide()

    def show_told(self, told: SimulationSummary | None, is_busy: bool, theme: Theme) -> None:
        self.told = told
        self.setVisible(told is not None)
        if told is None:
            return
        self.made_up.say(MADE_UP if told.made_up else "")
        self.judged.say(told.verdict)
        style = f"<style>i {{ color: {theme.muted}; font-style: normal; }} a {{ color: {theme.link}; }}</style>"
        self.outputs.setText(style + "".join(map(_row, told.outputs)))
        self.outputs.setVisible(bool(told.outputs))
        more = f"And {told.more:,} more outputs; {MOST} are shown." if told.more else ""
        waits = MORE if not told.is_complete and is_busy else ""
        self.rest.say(more, told.samples, told.broken, *told.notes[:NOTES], waits)
        self.deployed.show_told(told.deployed, theme)

    @property
    def text(self) -> str:
        """Text of what the outputs say, for screen readers and tests."""
        if self.told is None:
            return ""
        return "\n".join(f"{each.name}: {_numbers(each)} {each.noise}".strip() for each in self.told.outputs)


def _row(output: SimulatedOutput) -> str:
    sample = breakable(link(f"sample:{output.sample}", output.sample_name)) if output.sample >= 0 else ""
    worst = f", {plain(output.worst)} {soft('worst, on')} {sample}" if sample and output.spread else ""
    spread = f", {soft('spread')} {plain(output.spread)}" if output.spread else ""
    median = soft("SQNR median" if output.spread else "SQNR")
    noise = f"<br>{soft(output.noise)}" if output.noise else ""
    return (
        f"<p style='margin: 4px 0 0 0'><b>{breakable(plain(Verbatim(output.name)))}</b><br>"
        f"{median} {plain(output.median)}{worst}{spread}{noise}</p>"
    )


def _numbers(output: SimulatedOutput) -> str:
    return f"SQNR median {output.median}, worst {output.worst} on {output.sample_name}, spread {output.spread}."


DEPLOYED_BOX_TIP = f"{SQNR.label} of all samples together, against the float model · {SQNR.formula}"


class DeployedBox(Group):
    """Hidden while the plan was not run as deployed."""

    sample = Signal(int)  # whose tensors are to be looked at

    def __init__(self) -> None:
        super().__init__("As deployed")
        self.box.setContentsMargins(0, PADDING, 0, 0)
        self.told: ToldDeployed | None = None
        self.warning, self.outputs, self.rest = Note(muted=False), Note(muted=False), Note()
        self.warning.setProperty("role", "strong")
        self.outputs.setToolTip(DEPLOYED_BOX_TIP)
        self.outputs.linkActivated.connect(lambda text: self.sample.emit(int(text.removeprefix("sample:"))))
        self.add(self.warning, self.outputs, self.rest)
        self.hide()

    def show_told(self, told: ToldDeployed | None, theme: Theme) -> None:
        self.told = told
        self.setVisible(told is not None)
        if told is None:
            return
        self.warning.say(told.warning)
        style = f"<style>i {{ color: {theme.muted}; font-style: normal; }} a {{ color: {theme.link}; }}</style>"
        self.outputs.setText(style + "".join(map(_deployed_box_row, told.outputs)))
        self.outputs.setVisible(bool(told.outputs))
        more = f"And {told.more:,} more outputs; {DEPLOYED_TOLD_MOST} are shown." if told.more else ""
        self.rest.say(more, told.runtime)

    @property
    def text(self) -> str:
        """Text of all that it says, for screen readers and tests."""
        if self.told is None:
            return ""
        rows = (_plain(each) for each in self.told.outputs)
        return "\n".join(part for part in (self.told.warning, *rows, self.told.runtime) if part)


def _deployed_box_row(output: OutputDeployed) -> str:
    simulated = f", {soft('simulated')} {plain(output.simulated)}" if output.simulated else ""
    deployed = f"{soft(SQNR.label)} {plain(output.deployed)}{simulated}<br>" if output.deployed else ""
    where = breakable(link(f"sample:{output.sample}", output.sample_name)) if output.sample >= 0 else ""
    at = f", {soft('on')} {where}; {soft(output.others)}" if where else ""
    return (
        f"<p style='margin: 4px 0 0 0'><b>{breakable(plain(Verbatim(output.name)))}</b><br>"
        f"{deployed}{soft('Against the simulation:')} {plain(output.apart)}{at}</p>"
    )


def _plain(output: OutputDeployed) -> str:
    at = f", on {output.sample_name}; {output.others}" if output.sample >= 0 else ""
    return (
        f"{output.name}: {SQNR.label} {output.deployed}, simulated {output.simulated}. "
        f"Against the simulation: {output.apart}{at}."
    )
