"""The command that leads to the page of two pipelines, a row of the table of commands."""

from errorflow_viewer.commands.api import Action

ALIGNING: tuple[Action, ...] = (
    Action(
        "align",
        "&Align two pipelines…",
        "Improve",
        "pipelines",
        lambda d: d.align(),
        "align",
        (),
        "Set what two pipelines hand the model side by side: channel order, layout, scale, resizing, rounding",
        also_called="preprocessing postprocessing RGB BGR NHWC mean std deployment",
    ),
)
