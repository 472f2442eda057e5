"""The result of matching, the same for every kind of run."""

from collections.abc import Callable
from typing import Final

from errorflow.base.values import dataclass, field
from errorflow.graph.dump import Stored
from errorflow.graph.model import Problem
from errorflow.graph.qparams import QParams

# Nothing is done, and shapes must be the same.
AS_THEY_ARE: Final = ""
# The candidate is brought to the layout of the original model and cut to the reference's shape.
BY_ORIGIN: Final = "origin"
# Both are dumps of an NPU, of the same shape, and both are brought to their original shape.
BOTH_NPU: Final = "npu"

# Columns of msaccucmp's table that are known when both tensors were brought together; others are metrics by name.
MY_TYPE: Final = "DataType"
GOLDEN_TYPE: Final = "GroundTruth DataType"
SHAPE: Final = "Shape"
OVERFLOW: Final = "OverFlow"


@dataclass(frozen=True, slots=True)
class Listed:
    """The cells of a pair's line in the table that msaccucmp prints, as far as they are known before measuring."""

    index: int
    op_type: str
    candidates: str
    references: str
    # "NaN" where the tool names no tensor, for an operator without dump.
    tensor: str
    # The operator's number in the model, for -r and -s.
    sequence: int = 0
    # Why there is nothing to measure, in the tool's own words.
    reason: str = ""
    # False: it prints NaN for every number, even if a partner was found here.
    measured: bool = True
    # The files as it names them, which may stand for several.
    candidate_path: str = ""
    reference_path: str = ""
    # Of the candidate, where the line shows another tensor's than the one that is measured.
    address: int | None = None
    # The types of both, for the same reason.
    types: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """A tensor of the candidate and the one of the reference that it is measured against; `note` says why one lacks."""

    # `operator:output:0` in a dump of an NPU, else the tensor's name.
    tensor: str
    candidate: Stored | None
    reference: Stored | None
    # The key of the rule in `errorflow.compare.match.rules.RULES`; "" where there is no partner.
    rule: str = ""
    note: str = ""
    # How both are brought together before they are measured: one of the ways above.
    way: str = AS_THEY_ARE
    # The layout and shape that the model file gives for the reference's tensor; "" and None: it does not say.
    layout: str = ""
    shape: tuple[int, ...] | None = None
    # The candidate's operator, for the graph.
    node: str = ""
    op_type: str = ""
    # The operator in whose name msaccucmp complains, where that is not `node`.
    speaker: str = ""
    # None: msaccucmp would not list this tensor.
    listed: Listed | None = None
    # What the candidate's codes mean, where others than its file say it; several scales belong to the channels.
    qparams: QParams | None = None
    # Where a broken file leaves no tensor of either run, the run that it is in: candidate or reference.
    broken: str = ""


# Finds a tensor of a run by its name; None: there is none.
Find = Callable[[str], Stored | None]


def finds_nothing(_: str) -> Stored | None:
    return None


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of tensors that are in no pair."""

    candidate: Find = finds_nothing
    reference: Find = finds_nothing


@dataclass(frozen=True, slots=True)
class Match:
    """Pairs in the order of the result, and the tensors that no rule found a partner for."""

    pairs: tuple[Pair, ...]
    only_reference: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    # What msaccucmp ends with, which is not always 0 where it has a result.
    exit_code: int = 0
    # Operators that read the inputs of the network, which msaccucmp's advisor asks about.
    network_inputs: tuple[str, ...] = ()
    # The candidate's tensors that leave the network, as far as somebody says which.
    network_outputs: tuple[str, ...] = ()
    sources: Sources = field(default=Sources(), repr=False, compare=False)
    # What the rules found, where the user brought others together by hand; None: it is this.
    by_rules: "Match | None" = field(default=None, repr=False, compare=False)
