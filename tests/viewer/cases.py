"""Cases in which nothing was measured, of a model that does not matter."""

from pathlib import Path

from errorflow.blame.model import Blame
from errorflow.case.model import Case
from errorflow.compare.model import Comparison
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow.match.model import Match
from errorflow.session.model import Session
from errorflow.stages.model import Stages


def case_with(
    comparison: Comparison,
    match: Match | None = None,
    blame: Blame | None = None,
    complete: bool = True,
    stages: Stages | None = None,
) -> Case:
    model = Model(Path("/models/any.onnx"), "ONNX model", GraphBuilder().build())
    return Case(Session(model=model.path), model, comparison, match, blame, stages, complete=complete)
