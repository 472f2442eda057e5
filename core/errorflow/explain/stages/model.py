"""Stages: what three runs of one model say of the two steps between them."""

import math
from typing import Literal

from errorflow.base.values import dataclass
from errorflow.compare.model import Row

# From float to the simulator, and from the simulator to the board. "": not known.
Fault = Literal["quantization", "deployment", "both", "none", ""]
Interplay = Literal["add up", "cancel", "independent", ""]
# Beyond this, as a cosine between them, two errors point the same way or against each other.
TOGETHER = 0.5


@dataclass(frozen=True, slots=True)
class StageTensor:
    """One tensor of the float model in all three runs; a row that lacks was not measured."""

    tensor: str
    # What it is called in the two others; "": not there.
    simulator: str
    board: str
    quantization: Row | None
    deployment: Row | None
    # From float to the board.
    total: Row | None
    fault: Fault
    # The cosine between the errors of both steps; NaN: not known, or one is next to nothing beside the other.
    angle: float = math.nan
    note: str = ""

    @property
    def interplay(self) -> Interplay:
        """Interplay of the errors of both steps."""
        if math.isnan(self.angle):
            return ""
        if abs(self.angle) < TOGETHER:
            return "independent"
        return "add up" if self.angle > 0 else "cancel"


@dataclass(frozen=True, slots=True)
class Stages:
    """Tensors in the order of the comparison of board and float, and what they say together."""

    tensors: tuple[StageTensor, ...]
    fault: Fault
    text: str
    # The first tensor at which each step exceeds its limits.
    first_quantization: StageTensor | None = None
    first_deployment: StageTensor | None = None
    # The tensors that decided: the model's outputs, where somebody knows them, else all.
    deciding: tuple[StageTensor, ...] = ()

    def tensor(self, name: str) -> StageTensor | None:
        return next((each for each in self.tensors if each.tensor == name), None)
