"""Cases in which nothing was measured, of a model that does not matter."""

from pathlib import Path

from errorflow.case.model import Case
from errorflow.case.session.model import Session
from errorflow.compare.match.model import Match
from errorflow.compare.model import Comparison
from errorflow.explain.blame.model import Blame
from errorflow.explain.stages.model import Stages
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model


def case_with(
    comparison: Comparison,
    match: Match | None = None,
    blame: Blame | None = None,
    complete: bool = True,
    stages: Stages | None = None,
) -> Case:
    model = Model(Path("/models/any.onnx"), "ONNX model", GraphBuilder().build())
    return Case(Session(model=model.path), model, comparison, match, blame, stages, complete=complete)
