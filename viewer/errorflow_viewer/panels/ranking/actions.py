"""The commands on which parts of a model matter, rows of the table of commands."""

from functools import partial

from errorflow.study.rank.asked import Measure
from errorflow_viewer.commands.api import Action, Desk

_LACK = "No float model is open, and nothing is simulated"

_UNRANKED = "Nobody has ranked by {} yet"


def can_rank(desk: Desk) -> bool:
    model = desk.document.model
    return desk.document.session.simulation is not None or (model is not None and model.format == "ONNX model")


def is_ranked(measure: Measure, desk: Desk) -> bool:
    ranking = desk.document.state.ranking
    return ranking is not None and measure in ranking.values


def is_painted(measure: Measure, desk: Desk) -> bool:
    return desk.document.session.painting.ranked == measure


def _paint(measure: Measure, desk: Desk) -> None:
    desk.studies.ranking.paint(None if is_painted(measure, desk) else measure)


WEIGHING: tuple[Action[Desk], ...] = (
    Action(
        "rank",
        "&Which nodes matter?",
        "Improve/rank",
        lambda d: d.studies.ranking.begin(),
        "ranking",
        ("F8",),
        "Rank nodes, tensors or weights by the harm that each does alone, and paint the graph by it",
        can_rank,
        lack=_LACK,
        also_called="sensitivity impact recovery ranking",
    ),
)
BY_RANK: tuple[Action[Desk], ...] = (
    Action(
        "rank.paint.impact",
        "Paint by &impact",
        "Improve/rank",
        partial(_paint, "impact"),
        shortcuts=("I",),
        tip="Fill nodes by the harm that each does alone, or by error again",
        enabled=partial(is_ranked, "impact"),
        checked=partial(is_painted, "impact"),
        graph_only=True,
        lack=_UNRANKED.format("impact"),
    ),
    Action(
        "rank.paint.recovery",
        "Paint by recover&y",
        "Improve/rank",
        partial(_paint, "recovery"),
        shortcuts=("Shift+I",),
        tip="Fill nodes by the error that is left with each in float, or by error again",
        enabled=partial(is_ranked, "recovery"),
        checked=partial(is_painted, "recovery"),
        graph_only=True,
        lack=_UNRANKED.format("recovery"),
    ),
)
