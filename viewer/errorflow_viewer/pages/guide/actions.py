"""The command that leads to the guide, a row of the table of commands."""

from errorflow_viewer.commands.api import Action

GUIDING: tuple[Action, ...] = (
    Action(
        "guide",
        "&Guide…",
        "Help",
        "find",
        lambda d: d.guide(),
        "guide",
        ("Shift+F1",),
        "Find a loss of accuracy step by step: what to obtain, how to compare it, what the result means",
        also_called="wizard assistant Ascend AMCT ATC Pulsar2 Horizon steps how to",
    ),
)
