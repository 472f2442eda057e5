"""Float, simulator, board: which of the two steps between them is at fault, for each tensor and for the model."""

from errorflow.explain.stages.judge import judge
from errorflow.explain.stages.model import Fault, Stages, StageTensor

__all__ = ["Fault", "StageTensor", "Stages", "judge"]
