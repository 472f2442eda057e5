"""Signs of boxes beside their fills: the second mark, states, verdicts, and how far the front has come."""

from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, replace
from errorflow.explain.blame.model import Blame, Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.model import Findings, State
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing, Floats
from errorflow.quant.switching import Kept

Indices = NDArray[np.intp]
Numbers = TypeVar("Numbers", NDArray[np.uint16], NDArray[np.int8], NDArray[np.bool_])
# Verdicts that have a glyph: there are few of them, and each is worth a look.
TOLD = (Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.HEALER)
# What says why there is no number; all others are told where there is one.
WHY_NOT = State.MISSING | State.INCOMPARABLE


@dataclass(frozen=True, eq=False)
class BoxSigns:
    """An entry per box; one that stands for several nodes has what is worst of them."""

    # Badness of the second mark; NaN: not known.
    bars: Floats
    # Bits of `State`.
    states: NDArray[np.uint16]
    # The highest `Verdict`, or 0 where it has no glyph.
    verdicts: NDArray[np.int8]
    # What the front has come to, and where it begins.
    front: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    # `Turn` of what is most to be looked at; None: no other run is compared with.
    turns: NDArray[np.int8] | None = None
    # `Kept`, or 0; None: nothing was switched away from the plan of a simulation.
    kept: NDArray[np.uint8] | None = None

    def of_boxes(self, boxes: Indices) -> "BoxSigns":
        """Makes the signs for a drawing of just these boxes."""
        turns = None if self.turns is None else self.turns[boxes]
        signs = self.bars[boxes], self.states[boxes], self.verdicts[boxes]
        kept = None if self.kept is None else self.kept[boxes]
        return BoxSigns(*signs, self.front[boxes], self.ends[boxes], turns, kept)

    @cached_property
    def known_states(self) -> State:
        """States that hold somewhere."""
        return State(int(np.bitwise_or.reduce(self.states, initial=0)))

    @cached_property
    def known_turns(self) -> tuple[Turn, ...]:
        """Turns that are somewhere, the worst first."""
        turns = self.turns
        return () if turns is None else tuple(turn for turn in (Turn.WORSE, Turn.BETTER) if (turns == turn).any())

    @cached_property
    def known_kept(self) -> tuple[Kept, ...]:
        """Switches that are somewhere."""
        return () if self.kept is None else tuple(kept for kept in Kept if (self.kept == kept).any())

    @cached_property
    def known_verdicts(self) -> tuple[Verdict, ...]:
        """Verdicts that have a glyph somewhere."""
        return tuple(verdict for verdict in TOLD if (self.verdicts == verdict).any())

    def beside(self, measured: NDArray[np.bool_], bars: Floats, front: bool) -> "BoxSigns":
        """The same beside fills: why something has no number is told only where there is none."""
        states = np.where(measured, self.states & ~np.uint16(WHY_NOT), self.states)
        if front or not self.front.any():
            return replace(self, bars=bars, states=states)
        nowhere = np.zeros(len(bars), np.bool_)
        return replace(self, bars=bars, states=states, front=nowhere, ends=nowhere)


def no_bars(count: int) -> Floats:
    return np.full(count, np.nan)


def box_signs(findings: Findings, drawing: Drawing, boxes: Ints) -> BoxSigns:
    """Finds all signs but the second mark, which depends on what one wants to see. `boxes`: for each node the one that
    shows it, or -1.
    """
    count, blame = len(drawing), findings.blame
    states = _states(findings, drawing, boxes)
    if blame is None:
        nothing = np.zeros(count, np.bool_)
        return BoxSigns(no_bars(count), states, np.zeros(count, np.int8), nothing, nothing)
    verdicts = _at_boxes(np.where(np.isin(blame.verdicts, TOLD), blame.verdicts, 0).astype(np.int8), boxes, count)
    front = _at_boxes(blame.front, boxes, count)
    return BoxSigns(no_bars(count), states, verdicts, front, _at_boxes(first_of_front(blame), boxes, count))


def first_of_front(blame: Blame) -> NDArray[np.bool_]:
    """Marks the nodes where the front begins: nothing that they read is made by a node of the front."""
    graph, front = blame.graph, blame.front
    inside = np.append(front, False)
    read = graph.node_inputs
    makers = np.append(graph.producers, -1)[read.values]
    later = np.zeros(len(graph), np.bool_)
    later[read.owners()[inside[makers]]] = True
    return front & ~later


def bar_badness(places: Floats, boxes: Ints, count: int) -> Floats:
    """Finds for each box the worst place of the nodes in it, from 0 to 1; NaN: of none of them it is known."""
    shown = np.flatnonzero((boxes >= 0) & (places > -np.inf))
    top = np.full(count, -np.inf)
    np.maximum.at(top, boxes[shown], places[shown])
    return np.where(top > -np.inf, np.clip(top, 0.0, 1.0), np.nan)


def node_places(graph: Graph, places: Floats) -> Floats:
    """Finds for each node the place of the worst tensor that it makes; -inf: none of them was measured."""
    made = graph.node_outputs
    top = np.full(len(graph), -np.inf)
    np.maximum.at(top, made.owners(), np.append(places, -np.inf)[made.values])
    return top


def _states(findings: Findings, drawing: Drawing, boxes: Ints) -> NDArray[np.uint16]:
    """Joins states of several nodes; of an input or output, its own."""
    states = findings.node_states
    shown = np.flatnonzero((boxes >= 0) & (states > 0))
    found = np.zeros(len(drawing), np.uint16)
    np.bitwise_or.at(found, boxes[shown], states[shown])
    own = drawing.tensors >= 0
    found[own] = findings.tensor_states[drawing.tensors[own]]
    return found


def _at_boxes(values: Numbers, boxes: Ints, count: int) -> Numbers:
    """Finds for each box the highest value of the nodes in it."""
    shown = np.flatnonzero((boxes >= 0) & (values > 0))
    found = np.zeros(count, values.dtype)
    np.maximum.at(found, boxes[shown], values[shown])
    return found
