"""The commands on steps before quantization, rows of the table of commands."""

from PySide6.QtWidgets import QApplication

from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, find
from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.commands.conditions import is_simulated
from errorflow_viewer.panels.simulate.remedying import (
    can_toggle_correction,
    has,
    smooth,
    take_back,
    toggle_correction,
    toggle_equalizing,
)
from errorflow_viewer.panels.simulate.smoothing import SmoothDialog

_LACK = "Nothing is simulated"


def ask_to_smooth(desk: Desk) -> None:
    simulation = desk.document.session.simulation
    if simulation is None:
        return
    known = find(simulation.plan.steps, Smooth)
    is_smoothed = isinstance(known, Smooth)
    dialog = SmoothDialog(known if isinstance(known, Smooth) else Smooth(), is_smoothed, QApplication.activeWindow())
    dialog.accepted.connect(lambda: smooth(desk, dialog.step))
    dialog.taken_back.connect(lambda: take_back(desk, Smooth))
    dialog.open()


REMEDYING: tuple[Action[Desk], ...] = (
    Action(
        "remedy.smooth",
        "&Smooth outliers…",
        "Improve/remedies",
        ask_to_smooth,
        "",
        (),
        "Move what is loud in few channels into the weights behind it; the float model computes the same",
        is_simulated,
        lack=_LACK,
        also_called="SmoothQuant activations balance",
    ),
    Action(
        "remedy.equalize",
        "E&qualize layers",
        "Improve/remedies",
        toggle_equalizing,
        "",
        (),
        "Make weights of layers behind each other equally large, per channel; the float model computes the same",
        is_simulated,
        checked=lambda d: has(d, Equalize),
        lack=_LACK,
        also_called="cross-layer equalization weights",
    ),
    Action(
        "remedy.biases",
        "Correct &biases",
        "Improve/remedies",
        toggle_correction,
        "",
        (),
        "Take what layers are off on average off the biases of the quantized model",
        can_toggle_correction,
        checked=lambda d: has(d, CorrectBiases),
        lack=_LACK,
        also_called="bias correction mean shift",
    ),
)
