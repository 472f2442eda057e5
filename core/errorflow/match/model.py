"""The result of matching, the same for every kind of run."""

from dataclasses import dataclass

from errorflow.dump import Stored
from errorflow.graph.model import Problem


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


@dataclass(frozen=True, slots=True)
class Pair:
    """A tensor of the candidate and the one of the reference that it is measured against; `note` says why one lacks."""

    # `operator:output:0` in a dump of an NPU, else the tensor's name.
    tensor: str
    candidate: Stored | None
    reference: Stored | None
    # The key of the rule in `errorflow.match.rules.RULES`; "" where there is no partner.
    rule: str = ""
    note: str = ""
    # What both are brought to before they are measured; "" and None: as they are.
    layout: str = ""
    shape: tuple[int, ...] | None = None
    # The candidate's operator, for the graph.
    node: str = ""
    op_type: str = ""
    # None: msaccucmp would not list this tensor.
    listed: Listed | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """All pairs in the order of the result, and the tensors that no rule found a partner for."""

    pairs: tuple[Pair, ...]
    only_reference: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
