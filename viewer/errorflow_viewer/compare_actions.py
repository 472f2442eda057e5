"""The commands on comparing, rows of the table in `actions`."""

from errorflow_viewer.action import Action

COMPARING: tuple[Action, ...] = (
    Action(
        "compare",
        "Com&pare…",
        "File",
        "open",
        lambda d: d.compare(),
        "compare",
        ("Ctrl+Shift+O",),
        "Compare two runs of a model, or see another tool's results on it",
        toolbar=2,
    ),
)
