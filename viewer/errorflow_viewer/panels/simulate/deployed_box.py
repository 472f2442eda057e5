"""The run as deployed, below what the simulation says."""

from PySide6.QtCore import Signal

from errorflow.base.language import Verbatim
from errorflow_viewer.kit.look import PADDING, Theme
from errorflow_viewer.panels.form_parts import Group, Note
from errorflow_viewer.panels.sections import breakable, link, plain, soft
from errorflow_viewer.panels.simulate.deployed_told import MOST, SQNR, OutputDeployed, ToldDeployed

TIP = f"{SQNR.label} of all samples together, against the float model · {SQNR.formula}"


class DeployedBox(Group):
    """Hidden while the plan was not run as deployed."""

    sample = Signal(int)  # whose tensors are to be looked at

    def __init__(self) -> None:
        super().__init__("As deployed")
        self.box.setContentsMargins(0, PADDING, 0, 0)
        self.told: ToldDeployed | None = None
        self.warning, self.outputs, self.rest = Note(muted=False), Note(muted=False), Note()
        self.warning.setProperty("role", "strong")
        self.outputs.setToolTip(TIP)
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
        self.outputs.setText(style + "".join(map(_row, told.outputs)))
        self.outputs.setVisible(bool(told.outputs))
        more = f"And {told.more:,} more outputs; {MOST} are shown." if told.more else ""
        self.rest.say(more, told.runtime)

    @property
    def text(self) -> str:
        """All that it says, for screen readers and tests."""
        if self.told is None:
            return ""
        rows = (_plain(each) for each in self.told.outputs)
        return "\n".join(part for part in (self.told.warning, *rows, self.told.runtime) if part)


def _row(output: OutputDeployed) -> str:
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
