"""The commands that hand a decision over and take one back, rows of the table of commands."""

from errorflow_viewer.commands.api import Action, Desk
from errorflow_viewer.commands.decision_saving import can_hand_over, entries, take_over

_LACK = "Nothing is simulated"

DECIDING: tuple[Action[Desk], ...] = (
    Action(
        "decision.export",
        "E&xport the decision",
        "Improve/decision",
        lambda d: d.commands.open_palette("Export the decision "),
        "export",
        tip="Write what stays in float and what gets more bits as files that the vendors' tools take",
        enabled=can_hand_over,
        lack=_LACK,
        entries=entries,
        also_called="AMCT Pulsar2 Horizon ONNX Runtime RKNN tpu-mlir QDQ nodes_to_exclude layer_configs node_info",
    ),
    Action(
        "decision.read",
        "&Take over a toolchain's setting…",
        "Improve/decision",
        take_over,
        "open",
        tip="Open a setting of AMCT, Pulsar2, Horizon, ONNX Runtime, RKNN or tpu-mlir as plan",
        enabled=can_hand_over,
        lack=_LACK,
        also_called="import vendor config read back plan",
    ),
)
