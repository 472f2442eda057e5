"""The command that evaluates for real, a row of the table in `actions`."""

from errorflow_viewer.action import Action
from errorflow_viewer.desk import Desk


def can_evaluate(desk: Desk) -> bool:
    """Without a run the form says what comes first."""
    model = desk.document.model
    return bool(desk.document.session.trials) or (model is not None and model.format == "ONNX model")


EVALUATING: tuple[Action, ...] = (
    Action(
        "evaluate",
        "E&valuate…",
        "Improve",
        "search",
        lambda d: d.evaluating.begin(),
        "runs",
        (),
        "Count right answers of the float model and of each run, or measure them by a file of your own",
        can_evaluate,
        lack="Open a float ONNX model first",
        also_called="accuracy labelled set top-1 top-5 labels evaluator",
    ),
)
