"""Parts of a model, and what is asked about them: plain values, which sessions keep and the start of the app loads."""

from typing import Literal

from errorflow.base.values import dataclass

# As `quant.switching` has it.
Switch = Literal["float", "plan", 4, 8, 16]
# What is switched as one. Of `producer` a node goes with those that make what it reads, of `upstream` with all before
# it; a `group` is what the user put together.
Kind = Literal["unit", "node", "tensor", "weight", "activation", "producer", "upstream", "group"]
KINDS: tuple[Kind, ...] = ("unit", "node", "tensor", "weight", "activation", "producer", "upstream", "group")
# The part alone is quantized; all but the part is.
Measure = Literal["impact", "recovery"]
MEASURES: tuple[Measure, ...] = ("impact", "recovery")


@dataclass(frozen=True, slots=True)
class Part:
    """Part that is switched as one."""

    # Different from those of all other parts of a ranking.
    name: str
    # What it is, such as `Conv + Relu`.
    type: str
    # Nodes that it stands for, by the names that plans know them by, the main one first.
    nodes: tuple[str, ...]
    # What is coded of it, constants too.
    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Question of what is to be ranked, and by what."""

    kind: Kind = "unit"
    measures: tuple[Measure, ...] = ("impact",)
    # Keys of METRICS; parts are ranked by the first.
    metrics: tuple[str, ...] = ("relative_l2", "cosine", "sqnr")
    # Where it is measured: tensors; none: the outputs of the model.
    outputs: tuple[str, ...] = ()
    # Numbers of the bench's samples; none: all of them.
    samples: tuple[int, ...] = ()
    # Of the kind `group` the groups, else the only ones that are asked for: names of nodes or tensors.
    only: tuple[tuple[str, ...], ...] = ()
    # What a part is put to where all others are quantized.
    to: Switch = "float"
