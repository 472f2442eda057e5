"""Blame: a verdict per node, and one for the model."""

import math
from collections.abc import Mapping
from enum import IntEnum
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.language import halves, mapped, say
from errorflow.base.values import dataclass, field
from errorflow.explain.blame.limits import (
    ACCUSED,
    CONCENTRATED,
    MOST,
    MUCH,
    NEARLY_ALL,
    NOTICEABLE,
    SMALL,
    SMALL_PART,
    TENTH,
)
from errorflow.graph.model import Graph

Floats = NDArray[np.float64]
# Exact: each node was run once more on what the candidate gave it. Estimated: from what was measured before and behind
# it. None: nothing is known of it.
Method = Literal["exact", "estimated", ""]
ESTIMATED = " (estimated)"
Kind = Literal["good", "node error", "accumulated error", "inputs differ", "beyond limits", "nothing"]


class Verdict(IntEnum):
    """Verdict on a node; the higher, the more it is to be looked at."""

    NOT_MEASURED = 0
    CLEAN = 1
    CARRIER = 2
    HEALER = 3
    AMPLIFIER = 4
    ORIGIN = 5

    @property
    def word(self) -> str:
        return say(self.name.lower().replace("_", " "))


@dataclass(frozen=True, slots=True)
class Contribution:
    """A node and the share (0…1) of the output's error power that comes from it."""

    node: int
    share: float


def is_few(count: int, of: int, part: float, gain: float) -> bool:
    """Whether so many nodes are few that someone can look at, take most of the error away, and the others do little.

    `part`: what they make alone, of what all make alone.
    """
    least = CONCENTRATED if count > of * SMALL_PART else NEARLY_ALL
    return gain >= MUCH and (count == 1 or (count <= max(SMALL, of * TENTH) and part >= least))


@dataclass(frozen=True, slots=True)
class Remedy:
    """The smallest set of nodes that was seen to bring an output back when all of them were put right."""

    nodes: tuple[int, ...]
    # How many can be put right; those that are switched as one count once.
    of: int
    # Relative errors of the output on the same samples, as it is and with the set put right.
    before: float
    after: float
    # One by one they gain clearly more or less than together.
    interact: bool = False
    # What must go with them, such as the Relu behind a convolution.
    others: tuple[int, ...] = ()
    # What they make alone, of what all make alone.
    part: float = 0.0
    # `Switched.of_dumps`.
    of_dumps: bool = False

    @property
    def is_small(self) -> bool:
        return is_few(len(self.nodes), self.of, self.part, self.gain)

    @property
    def gain(self) -> float:
        """The part of the error's power that is gone."""
        if math.isinf(self.before):
            return float(math.isfinite(self.after))
        return 1 - (self.after / self.before) ** 2 if self.before else 0.0


@dataclass(frozen=True, slots=True)
class Switched:
    """Gains at one output: what was gone of its error when nodes were put right, as runs showed it."""

    # By node, alone; of nodes that interact, what their set loses without it where that is more.
    shares: Mapping[int, float]
    remedy: Remedy | None = None
    # The candidate was rebuilt of its dumps: it was not run itself.
    of_dumps: bool = False
    # Between what the shares lie when samples are drawn anew; of several samples only.
    ranges: Mapping[int, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice: what to do next, why, and which guide says so."""

    key: str
    text: str
    why: str
    source: str
    # When it applies, in words.
    when: str = ""
    # Whose tools it is about, such as "Ascend"; "": everybody's.
    vendor: str = ""


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """Few nodes or many small ones, in a sentence."""

    kind: Kind
    text: str
    # (Σ c)² / Σ c² over the nodes' contributions to the output's error power; NaN: unknown.
    contributors: float = float("nan")
    top: tuple[Contribution, ...] = ()
    advice: tuple[Advice, ...] = ()
    # Of each output that was measured, by its tensor; the model's own verdict is that of the worst of them.
    outputs: tuple[tuple[int, "ModelVerdict"], ...] = ()
    # The tensor whose error all shares are parts of; -1: none is bad.
    output: int = -1
    # Inputs of the model that a part of that error goes back to, each with its share.
    inputs: tuple[tuple[int, float], ...] = ()
    # The first node or input of the sentence, or all of which it may be, in words; "": there is none.
    named: str = ""
    # What brings this output back; None: it is not known.
    remedy: Remedy | None = None
    # Shares are what was gone when nodes were put right; else how much the error that was followed back points at them.
    is_gain: bool = False
    # `Switched.ranges`.
    ranges: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    def range_text(self, node: int) -> str:
        """Says between what its share lies on other samples; "": not known."""
        low, high = (f"{share * 100:.0f}" for share in self.ranges.get(node, (0.0, 0.0)))
        return say("{}–{} %", low, high) if low != high else ""

    @property
    def swaps(self) -> bool:
        """Whether other samples may put the second node before the first."""
        known = [self.ranges[each.node] for each in self.top[:2] if each.node in self.ranges]
        return len(known) > 1 and known[1][1] > known[0][0]

    def told(self, share: float) -> str:
        """A share in percent where it was gained, else how likely it is that the error begins there; "": not known."""
        if self.is_gain or math.isnan(share):
            return blame_text(share)
        return say("likely") if share >= MOST else say("possible") if share >= ACCUSED else say("hardly")

    @property
    def parted(self) -> tuple[str, str]:
        """The kind in words, and the sentence behind it; how it was found is told apart from both."""
        head, rest = halves(self.text, ": ")
        return (mapped(lambda words: words.removesuffix(ESTIMATED), head), rest) if rest else ("", head)


@dataclass(frozen=True, eq=False)
class Slots:
    """Every input of every node in the order of the nodes, left-out ones dropped, with what is known of its error."""

    readers: Ints
    tensors: Ints
    errors: Floats
    # Constants, which have no error of their own.
    constant: NDArray[np.bool_]
    # The share of the error's power that the tensor had when it was made: less than 1 where what was read is not what
    # was made.
    made: Floats
    # Neither measured where it is made nor where it is read, so that what stands before it is known of it.
    open: NDArray[np.bool_]
    # Of those what is not finite was measured, and not taken.
    dropped: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OutputChoice:
    """Whether what is chosen by an output is what was chosen before, in words."""

    text: str
    # Why the output is good whatever its error is: all is as it was, and as sure; "": it is not.
    kept: str = ""
    # Nearly all is as it was.
    mostly: bool = False


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence of a verdict on the model, so that it can be found again when more is known of some nodes."""

    slots: Slots
    # Where the model ends: its outputs, else the last tensors that were measured, each with its error.
    ends: tuple[tuple[int, float], ...]
    # The ends are the model's outputs.
    are_outputs: bool
    # Inputs of the model that are not the same in both runs, with their errors.
    inputs: tuple[tuple[int, float], ...]
    # Inputs that were measured behind the candidate's own rounding to codes: their errors are the model's.
    rounded: frozenset[int]
    # Of nodes whose error the trace to a producer changed: what they introduced as their readers see it; else NaN.
    traced: Floats
    # Those of them that are to blame whatever the size of their parts is.
    proven: NDArray[np.bool_]
    # Nodes that change the form of a value only.
    form: NDArray[np.bool_]
    # What was seen that calls for advice, as keys of `errorflow.explain.blame.advice`.
    seen: frozenset[str]
    vendor: str = ""
    # False: the graph is the candidate's own, and nothing in it quantizes.
    may_be_quantized: bool = True
    # Of a simulation, whose runs are fed with the same: how inputs are coded, in words that follow their names.
    coded: Mapping[int, str] = field(default_factory=dict)
    # Outputs that were measured and have no relative error: the reference is all zero, and the candidate is not.
    unclear: tuple[int, ...] = ()
    # Of outputs that somebody chooses by.
    chosen: Mapping[int, OutputChoice] = field(default_factory=dict)
    # Of ends that are parts of an output, which part.
    sliced: Mapping[int, str] = field(default_factory=dict)
    # Nodes that are no suspects where they were not measured: they change the form only, or make whole numbers.
    passive: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Blame:
    """An entry per node of the graph. Errors are relative to the size of the reference's tensor; NaN: not known."""

    graph: Graph
    # `Verdict`.
    verdicts: NDArray[np.int8]
    # What the output differs by, and its two parts; for nodes with several outputs of the worst one.
    accumulated: Floats
    introduced: Floats
    inherited: Floats
    # <introduced, error> / <error, error>; the inherited share is the rest.
    shares: Floats
    # The error of the output over that of the worst input, both relative.
    gains: Floats
    # Which nodes are exact, as a whole "estimated" as soon as one is.
    exact: NDArray[np.bool_]
    # Why a node could not be judged, or what is to be known about its verdict.
    notes: Mapping[int, str]
    model: ModelVerdict
    # Nodes downstream of the first bad one that its error explains: the front's outline. The first ones are its `ends`.
    front: NDArray[np.bool_]
    # Nodes without a verdict of which something was measured all the same.
    unjudged: frozenset[int] = frozenset()
    # False: nobody knows what flows where, so that a tensor is good or bad and no more is known.
    leads_on: bool = True
    evidence: Evidence | None = None
    # Why no node could be run once more, where that was tried.
    why: str = ""
    # What that found, from which these verdicts can be found again without running anything.
    ran: "ExactParts | None" = None
    # See `blame_shares`; None: no output is bad, or nothing is known of it.
    blamed: Floats | None = None

    @cached_property
    def blame_shares(self) -> Floats:
        """Part of the error power at the worst output (`model.output`) that goes back to this node, 0…1; NaN: unknown.

        It is the number that the verdict on the model names nodes by, and the same wherever a node has a share.
        """
        return np.full(len(self.graph), np.nan) if self.blamed is None else self.blamed

    def share_of(self, tensor: int) -> float:
        """The same of a tensor: that of the node that makes it, or of an input of the model its own."""
        node = int(self.graph.producers[tensor])
        return float(self.blame_shares[node]) if node >= 0 else dict(self.model.inputs).get(tensor, float("nan"))

    def told_share(self, node: int) -> str:
        return self.model.told(float(self.blame_shares[node]))

    def blamed_text(self, node: int) -> str:
        """Tells the share of the error at the output in words; "": it has none."""
        share = self.told_share(node)
        return say("{} of the error at {}", share, self.blamed_at) if share and self.model.is_gain else share

    @property
    def blamed_at(self) -> str:
        """The name of the tensor whose error the shares are parts of; "": there are none, or it is not known."""
        return self.graph.tensor_names[self.model.output] if self.model.output >= 0 else ""

    @property
    def in_part(self) -> bool:
        """Whether a part of an output is bad, whatever that is as a whole: one of several, or values that were lost."""
        if self.evidence is None or self.model.output not in self.graph.outputs.tolist():
            return self.evidence is not None and self.model.output in self.evidence.sliced
        maker = int(self.graph.producers[self.model.output])
        return maker >= 0 and not np.isnan(self.evidence.traced[maker])

    def verdict(self, node: int) -> Verdict:
        return Verdict(int(self.verdicts[node]))

    def word(self, node: int) -> str:
        """Names a node's verdict, and says whether it is only that which is not known."""
        found = self.verdict(node)
        return "not judged" if found is Verdict.NOT_MEASURED and node in self.unjudged else found.word

    def adds(self, node: int) -> bool:
        """Whether a part of the error at the output is its own, though most of its error is not, or none is bad."""
        found, share = self.verdict(node), self.blame_shares[node]
        return bool(share >= NOTICEABLE) and found in (Verdict.CARRIER, Verdict.AMPLIFIER, Verdict.CLEAN)

    def method(self, node: int) -> Method:
        if self.verdicts[node] == Verdict.NOT_MEASURED or not self.leads_on:
            return ""
        return "exact" if self.exact[node] else "estimated"


@dataclass(frozen=True, eq=False)
class ExactParts:
    """Parts that running nodes once more found: an entry per node of the graph, looked at only where `exact`.

    With the norm of the reference's output as the unit: `accumulated` is the norm of the error, `introduced` and
    `inherited` those of its two parts; `shares` is <introduced, error> / <error, error>. Of a node with several outputs
    all numbers are those of the output with the largest `accumulated`. NaN: not known.
    """

    exact: NDArray[np.bool_]
    accumulated: Floats
    introduced: Floats
    inherited: Floats
    shares: Floats
    # What is to be known about a node: why it could not be run, or what was found when it was.
    notes: Mapping[int, str]
    # Per output of the graph (by tensor), what is gone when nodes are put right, where that was run; else what they
    # bring is estimated from `introduced`.
    switched: Mapping[int, Switched] = field(default_factory=dict)
    # Of named nodes at which the original is further off than the candidate: by how much both are, relative to what
    # float64 makes of the same inputs.
    off: Mapping[int, tuple[float, float]] = field(default_factory=dict)


# Shares in words: of the error at the output that goes back to a node, and of a node's error that is its own.

# What is less is as good as none; up to the other a share does not read as none.
_LEAST, _LITTLE = 0.001, 0.005
TIP = "Its part of the error's power: <part, error> / <error, error>"


def within(share: float) -> float:
    """Limits a part to 0 … 1 of the whole: where one part takes away from the other, the rest is nothing."""
    return min(max(share, 0.0), 1.0)


def blame_text(share: float) -> str:
    """Writes the share of the error at the output in percent; "" where it is not known."""
    return "< 1 %" if _LEAST <= share <= _LITTLE else share_text(share)


def share_text(share: float, decimals: int = 0) -> str:
    """Writes a share in percent; "" where it is not known."""
    return "" if math.isnan(share) else f"{within(share) * 100:z.{decimals}f} %"


def share_tip(share: float, decimals: int = 1) -> str:
    """Explains the number, and that it was cut where it lies beyond the whole."""
    if math.isnan(share) or round(share * 100, decimals) == round(within(share) * 100, decimals):
        return TIP
    exact = f"{share * 100:.{decimals}f} %".replace("-", "−")
    return say("{}. The two parts cancel each other here, which makes it {}", TIP, exact)
