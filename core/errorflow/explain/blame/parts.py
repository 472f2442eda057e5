"""The two parts of each node's error, from what is known before and behind it, and the verdict that follows."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.compare.model import Row
from errorflow.explain.blame.front import links_of, reached
from errorflow.explain.blame.limits import CLEAN, EXPLAINED, GROWS, HEALS, JUMP, LOST, MOST, SHARP
from errorflow.explain.blame.model import Floats, Slots, Verdict
from errorflow.graph.model import Graph
from errorflow.graph.quiet import NOISE

Bools = NDArray[np.bool_]
# It multiplies by the scales of the layer before it, which may be wrong as weights may be.
_COMPUTING = frozenset({"AscendDequant"})
# Caffe's, whose weights are in another file than the network.
_WEIGHTED = frozenset({"Convolution", "Deconvolution", "InnerProduct", "BatchNorm", "Scale"})
# Constants of these types are places and sizes, not weights.
_NO_WEIGHTS = frozenset({"int64", "int32", "bool"})
# A small difference may turn a truth or an index into any other one.
_WHOLE = frozenset({"bool", "int64", "int32", "uint32", "uint64"})


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of nodes: what each can do to an error, as far as its type and inputs say."""

    # Changes the form of a value only, so that no error can be its own unless it is done wrongly.
    form: Bools
    # Has weights, which may be wrong.
    weighted: Bools
    # Makes truths or whole numbers.
    whole: Bools


def kinds_of(graph: Graph, slots: Slots, rows: Mapping[int, Row], behind: Mapping[int, int]) -> Kinds:
    """Types of values as they were measured, else as the graph has them.

    Codes and sums of codes that are judged `behind` a node by what it makes of them are real numbers, as that is.
    """
    form = np.array([value in NOISE - _COMPUTING for value in graph.op_types.values], bool)
    plain = np.array([value in _NO_WEIGHTS for value in graph.dtypes.values], bool)
    whole = np.array([value in _WHOLE for value in graph.dtypes.values], bool)
    weight = slots.constant & ~plain[graph.dtypes.codes[slots.tensors]] if len(slots.tensors) else slots.constant
    weighted, discrete = np.zeros(len(graph), bool), np.zeros(len(graph), bool)
    weighted[slots.readers[weight]] = True
    if len(graph):
        types = [(name in _WEIGHTED, name in _COMPUTING) for name in graph.op_types.values]
        elsewhere, computing = np.array(types, bool)[graph.op_types.codes].T
        weighted = (weighted | elsewhere) & ~computing
    is_whole = whole[graph.dtypes.codes] if len(graph.tensor_names) else np.zeros(0, bool)
    for tensor, row in rows.items():
        if row.dtype:  # codes, and sums of codes, are compared as the real numbers that they stand for
            is_whole[tensor] = row.dtype in _WHOLE
    for tensor, node in behind.items():
        is_whole[tensor] = is_whole[graph.node_outputs[node][0]]
    made = graph.node_outputs
    real = made.values >= 0
    discrete[made.owners()[real][is_whole[made.values[real]]]] = True
    is_form = form[graph.op_types.codes] if len(form) else np.zeros(len(graph), bool)
    return Kinds(is_form, weighted & ~is_form, discrete)


def introduced_shares(out: Floats, arrived: Floats, kinds: Kinds) -> Floats:
    """Finds the share of each node's error power that is its own; NaN: it has none, or it was not measured.

    Powers of errors that have nothing to do with each other add up: what is more than what arrived was introduced,
    unless the node could not do that. Nodes that change the form only carry, but for one that ruins what was good;
    nodes without weights amplify, but for a jump; nodes that make whole numbers amplify whatever arrives; and beyond
    LOST nothing is introduced any more. A NaN or an infinity is that of the node that makes it first, but values that
    arrive many times too large overflow by themselves.
    """
    read = np.nan_to_num(arrived, nan=0.0, posinf=np.inf)
    with np.errstate(all="ignore"):  # of numbers that are hardly any
        share = np.clip(1 - (read / out) ** 2, 0.0, 1.0)
    share[np.isposinf(out)] = np.where(np.isposinf(read), 0.0, 1.0)[np.isposinf(out)]
    grown = out > JUMP * read
    amplifies = (read > CLEAN) & ~kinds.weighted & ~grown
    ruins = (read <= CLEAN) & ((out > LOST) | ((out > CLEAN) & grown))
    own = ~(amplifies | (read > LOST) | (kinds.whole & ~kinds.form & (read > 0)) | (kinds.form & ~ruins))
    broken = np.isposinf(out) & (read <= JUMP)
    share = np.where(own | broken, share, 0.0)
    share[np.isnan(out) | (out == 0)] = np.nan
    return share


def without_explained(
    graph: Graph, shares: Floats, out: Floats, arrived: Floats, kinds: Kinds
) -> tuple[Floats, list[int]]:
    """The shares without those behind a clear fault that what arrives can explain, and these faults.

    Where half of the nodes behind add as much as it does, all are disturbed, and none of them is a fault.
    """
    read = np.nan_to_num(arrived, nan=0.0, posinf=np.inf)
    with np.errstate(all="ignore"):
        sharp = (shares >= MOST) & (out > SHARP * CLEAN) & (read <= CLEAN) & (out >= SHARP * read)
        judged = (read > CLEAN) & kinds.weighted & np.isfinite(out)
        own = np.sqrt(np.fmax(out**2 - read**2, 0.0))
        explained = judged & (out <= EXPLAINED * read) & (shares > 0)
    found, below, bad = shares.copy(), links_of(graph)[1], ~(out <= CLEAN)
    faults = []
    for node in np.flatnonzero(sharp).tolist():
        behind = reached(below, [node], bad, len(graph))
        if (behind & judged).any() and out[node] >= SHARP * np.median(own[behind & judged]):
            found[behind & explained] = 0.0
            faults += [node] if (behind & explained).any() else []
    return found, faults


def gains_of(out: Floats, arrived: Floats) -> Floats:
    """The error behind over the error before; NaN where there is none, or one is not known."""
    with np.errstate(all="ignore"):
        return np.asarray(out / arrived)


def part_of(out: Floats, share: Floats) -> Floats:
    """The size of the part that has this share of the power; a broken tensor has one part only."""
    with np.errstate(all="ignore"):
        part = np.where(share == 0, 0.0, out * np.sqrt(share))
    return np.where(out == 0, 0.0, part)


def verdicts_of(out: Floats, arrived: Floats, shares: Floats, inherited: Floats, form: Bools) -> NDArray[np.int8]:
    """`form` are the nodes that change the form only: they do not amplify."""
    read = np.nan_to_num(arrived, nan=0.0, posinf=np.inf)
    bad = out > CLEAN
    found = np.full(len(out), Verdict.CARRIER, np.int8)
    found[(inherited > GROWS * read) & ~form] = Verdict.AMPLIFIER
    found[np.nan_to_num(shares) >= MOST] = Verdict.ORIGIN
    found[~bad] = Verdict.CLEAN
    found[~bad & (read > CLEAN) & (out <= HEALS * read)] = Verdict.HEALER
    found[np.isnan(out)] = Verdict.NOT_MEASURED
    return found
