"""The commands that lead through the window, and through a vendor's method, rows of the table in `actions`."""

from errorflow_viewer.action import Action

GUIDING: tuple[Action, ...] = (
    Action(
        "tour",
        "Two-minute &tour",
        "Help",
        "find",
        lambda d: d.tour(),
        "sample",
        tip="See on a sample how an error is found; what is on view now comes back afterwards",
        also_called="tutorial introduction welcome first steps learn",
    ),
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
