"""Error that each node adds, exactly: the original's node is run once more on what the candidate gave to it.

introduced = candidate − original node (candidate's inputs)        inherited = that − reference
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import holds_numbers
from errorflow.base.errors import ErrorflowError
from errorflow.base.language import joined, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field
from errorflow.compare.match.any_runs import tensor_names
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.measure import unmeasured
from errorflow.compare.model import Comparison, Options
from errorflow.compare.placed import Placed, Side
from errorflow.compare.split import Split, split
from errorflow.compare.together import bring_together, real_values
from errorflow.explain.blame.model import ExactParts
from errorflow.formats import read_model
from errorflow.graph.dump import Stored
from errorflow.graph.model import Graph, Model
from errorflow.run.model import Array
from errorflow.run.ort import weights_of
from errorflow.run.parts import KNOWN_DOMAINS
from errorflow.run.replay import TEXT, Replay, ReplayedNodes

# Of inputs and outputs that are run at a time.
PORTION = 64 << 20
TOGETHER = 64
# Of one node; a larger one is left to the estimate.
TOO_LARGE = 1 << 30
# Types that hold less than the original's: their largest value.
NARROW = {"float16": float(np.finfo(np.float16).max)}
# Of one tensor, besides the one that the node read itself.
ALTERNATIVES = 3


# The original model as blame asks for it: what leads from tensors that the candidate has to one that it makes.

# A tensor that needs more nodes than this to be made of known ones says nothing of a single node any more.
MOST_NODES = 32
RANDOM = frozenset(
    ("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")
)
_BFLOAT = "bfloat16"
# Sizes and places: no error of values is in them, so the reference's stand for the candidate's where no dump has them.
_WHOLE = frozenset(("int64", "int32", "bool"))


@dataclass(frozen=True, slots=True)
class TensorWay:
    """The nodes that make a tensor out of `fed`, by the tensors that they make; `known` are the reference's own."""

    made: tuple[str, ...]
    fed: tuple[str, ...]
    known: tuple[str, ...]
    # Names of the nodes but for the last one.
    others: tuple[str, ...]


@dataclass(frozen=True)
class OriginalModel:
    """A model that can be run."""

    graph: Graph
    functions: Collection[str] = ()

    @classmethod
    def of(cls, model: Model) -> "OriginalModel":
        return cls(model.graph, frozenset(function.domain for function in model.functions))

    def way_to(
        self, name: str, is_known: Callable[[str], bool], reference: Mapping[str, object], most: int = MOST_NODES
    ) -> TensorWay | str:
        """Finds how to make the tensor of known ones with so many nodes at `most`, or why that cannot be done.

        Where what a node reads is not known, the nodes before it are run as well: a candidate may have fused them.
        """
        tensor = self.graph.tensor_index(name)
        if tensor is None or self.graph.producers[tensor] < 0:
            return say("no node of the original model makes what it makes")
        nodes: dict[int, None] = {}
        fed: dict[str, None] = {}
        whole: dict[str, None] = {}
        waiting = [int(self.graph.producers[tensor])]
        while waiting:
            node = waiting.pop()
            if node in nodes:
                continue
            nodes[node] = None
            problem = self.refused(node)
            if problem or len(nodes) > most:
                return problem if problem else say("nothing near what it reads is in the dump")
            for read in self._read(node):
                label = self.graph.tensor_names[read]
                if is_known(label):
                    fed[label] = None
                elif label in reference and self.graph.dtypes[read] in _WHOLE:
                    whole[label] = None
                elif self.graph.producers[read] >= 0:
                    waiting.append(int(self.graph.producers[read]))
                elif read not in self.constants:
                    return say("what it reads, {}, is not in the dump", label)
        outputs = self.graph.node_outputs
        made = tuple(self.graph.tensor_names[out] for node in nodes for out in outputs[node].tolist() if out >= 0)
        others = tuple(
            self.graph.title(node)
            for node in list(nodes)[1:]
            if self._read(node)  # what only unpacks a constant is part of its reader
        )
        return TensorWay(made, tuple(fed), tuple(whole), others)

    def types_of(self, made: Iterable[str]) -> frozenset[str]:
        """Names the operators that make these tensors."""
        tensors = (self.graph.tensor_index(name) for name in made)
        return frozenset(self.graph.op_types[int(self.graph.producers[each])] for each in tensors if each is not None)

    def strange_types(self, names: Iterable[str]) -> dict[str, str]:
        """Finds types that numpy lacks, as far as the model says them and nodes can be fed with them."""
        found: dict[str, str] = {}
        for name in names:
            tensor = self.graph.tensor_index(name)
            if tensor is not None and self.graph.dtypes[tensor] == _BFLOAT:
                found[name] = _BFLOAT
        return found

    @cached_property
    def constants(self) -> frozenset[int]:
        return frozenset(self.graph.constants.tolist())

    def _read(self, node: int) -> list[int]:
        return [tensor for tensor in self.graph.node_inputs[node].tolist() if tensor >= 0]

    def refused(self, node: int) -> str:
        """Says why a node cannot be run by itself; "": it can."""
        op_type, domain = self.graph.op_types[node], self.graph.domains[node]
        if node in self._owners:
            return say("{} has branches or a body of its own", op_type)
        if op_type in RANDOM:
            return say("{} makes random values", op_type)
        if domain not in KNOWN_DOMAINS and domain not in self.functions:
            return say("ONNX Runtime does not know {}:{}", domain, op_type)
        return ""

    @cached_property
    def _owners(self) -> frozenset[int]:
        return frozenset(body.owner for body in self.graph.subgraphs)


@dataclass(frozen=True, slots=True)
class NodeWork:
    """One output of one node of the graph that is shown."""

    node: int
    pair: Pair
    # What of the original stands for it, and how to make it; None: it only passes on what it reads.
    name: str
    way: TensorWay | None
    # By what the original calls it: of several pairs about one tensor the first that can be read is taken.
    fed: Mapping[str, Sequence[Pair]]
    known: Mapping[str, Stored]
    # Of what is fed, where the original's type is none of numpy's.
    types: Mapping[str, str]

    @property
    def size(self) -> int:
        tensors = [self.pair.reference, *(pairs[0].reference for pairs in self.fed.values()), *self.known.values()]
        return sum(tensor.info.nbytes for tensor in tensors if tensor is not None)


@contextmanager
def bench(
    model: Path, graph: Graph, match: Match, *, side: Side = "candidate", progress: Progress = SILENT
) -> Iterator["ExactBench"]:
    """Opens a bench that runs nodes of `model`, the original, once more; its process stays until all is done.

    `graph` is what is looked at: the original as well, or the candidate's, whose nodes may stand for several of the
    original. `side` says whose names its tensors have.
    """
    original = read_model(model, progress)
    with Replay(model, weights_of(original.graph)) as runner:
        yield ExactBench(ExactPlan(OriginalModel.of(original), graph, match, side), runner, PairReader())


# Pairs of tensors in the form that the original model gives them: its layout, its shape, real values.

ValuesArray = NDArray[np.generic]
_OPTIONS = Options()
# So much is kept: what one node makes, others read soon.
KEPT = 128 << 20


@dataclass(frozen=True, slots=True)
class PairValues:
    mine: ValuesArray
    golden: ValuesArray


@dataclass
class PairReader:
    """Reads pairs, the last ones kept in memory."""

    most: int = KEPT
    _kept: "OrderedDict[int, PairValues | str]" = field(default_factory=OrderedDict)
    _pairs: dict[int, Pair] = field(default_factory=dict)
    _size: int = 0

    def first_of(self, pairs: Sequence[Pair]) -> PairValues | str:
        """Reads the first pair that can be read, or says why the first one cannot."""
        reasons: list[str] = []
        for pair in pairs:
            found = self.of(pair)
            if not isinstance(found, str):
                return found
            reasons.append(found)
        return reasons[0]

    def of(self, pair: Pair) -> PairValues | str:
        """Reads both tensors, or says why they cannot be brought together."""
        key = id(pair)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = _read(pair)
        self._kept[key] = found
        self._pairs[key] = pair  # so that no other gets its number meanwhile
        self._size += _size(found)
        while self._size > self.most and len(self._kept) > 1:
            old, gone = self._kept.popitem(last=False)
            del self._pairs[old]
            self._size -= _size(gone)
        return found


def _size(found: PairValues | str) -> int:
    return 0 if isinstance(found, str) else found.mine.nbytes + found.golden.nbytes


def _read(pair: Pair) -> PairValues | str:
    assert pair.candidate is not None and pair.reference is not None
    try:
        mine, golden = pair.candidate.read(), pair.reference.read()
        if not (holds_numbers(mine) and holds_numbers(golden)):
            return say("it holds no numbers")
        together = bring_together(pair, mine, golden, _OPTIONS)
        found, reference, qparams, done = real_values(pair, together, _OPTIONS)
    except MemoryError:
        return say("there is not enough memory for both tensors")
    except ErrorflowError as error:
        return error.message
    if pair.qparams is not None and qparams is None:
        return ", ".join(done)
    if found.size != golden.size or not np.array_equal(reference.reshape(-1), golden.reshape(-1), equal_nan=True):
        return say("its values could not be brought to the layout of the original model")
    with np.errstate(all="ignore"):  # an overflow shows as an infinity
        return PairValues(found.reshape(golden.shape).astype(golden.dtype, copy=False), golden)


@dataclass(frozen=True, slots=True)
class ExactBench:
    plan: "ExactPlan"
    runner: Replay
    values: PairReader

    def parts(self, progress: Progress = SILENT) -> ExactParts:
        """The two parts of the error of each node whose inputs are known; of the others notes say why they are not."""
        found = _Found(len(self.plan.graph), self.plan.notes)
        for work, made in self.each(progress):
            found.add(work, made if isinstance(made, str) else split(made[0].mine, made[1], made[0].golden))
        return found.parts()

    def each(self, progress: Progress = SILENT) -> Iterator[tuple["NodeWork", tuple[PairValues, Array] | str]]:
        """Yields for each work what `made` finds."""
        for portion, done in _portions(self.plan.work()):
            progress.step(done, len(self.plan.graph), TEXT)
            yield from zip(portion, self.made(portion, progress), strict=True)

    def made(self, portion: Sequence["NodeWork"], progress: Progress) -> list[tuple[PairValues, Array] | str]:
        """Yields for each what both runs have, and what the original makes of the candidate's inputs; or why it does
        not.
        """
        found: list[tuple[PairValues, Array] | str] = [""] * len(portion)
        waiting: list[tuple[int, ReplayedNodes, PairValues]] = []
        for place, work in enumerate(portion):
            prepared = prepare(work, self.values)
            if isinstance(prepared, str):
                found[place] = prepared
                continue
            fed, both = prepared
            if work.way is None:
                found[place] = _like(work.pair, both, fed[work.name])
            else:
                waiting.append((place, ReplayedNodes(work.way.made, fed, (work.name,), work.types), both))
        answers = self.runner.run([again for _, again, _ in waiting], progress) if waiting else []
        for (place, _, both), answer in zip(waiting, answers, strict=True):
            work = portion[place]
            found[place] = answer if isinstance(answer, str) else _like(work.pair, both, answer[work.name])
        return found

    def errors(self, work: NodeWork, progress: Progress) -> tuple[float, float] | None:
        """Finds how far the original's node and the candidate's are off what float64 makes of the candidate's inputs,
        relative; None: that is not known.
        """
        prepared, (made,) = prepare(work, self.values), self.made([work], progress)
        if work.way is None or isinstance(prepared, str) or isinstance(made, str):
            return None
        once_more = [ReplayedNodes(work.way.made, prepared[0], (work.name,), work.types)]
        (answer,) = self.runner.run(once_more, progress, in_float64=True)
        right = "" if isinstance(answer, str) else answer[work.name].reshape(-1)
        both, again = made
        if isinstance(right, str) or right.size != again.size or not right.any():
            return None
        with np.errstate(all="ignore"):
            each = (np.subtract(array.reshape(-1), right, dtype=np.float64) for array in (again, both.mine))
            ours, theirs = map(np.linalg.norm, each)
            return float(ours / np.linalg.norm(right)), float(theirs / np.linalg.norm(right))


class ExactPlan:
    """Plan of what is to be run, node by node."""

    def __init__(
        self, original: OriginalModel, graph: Graph, match: Match, side: Side, hidden: Collection[str] = ()
    ) -> None:
        """Makes a plan; `hidden` are tensors of the original that are taken for not dumped."""
        self.original, self.graph, self._pairs = original, graph, match.pairs
        self._asked, self._hidden = (original, graph, match, side), frozenset(hidden)
        self._names = tensor_names(original.graph)
        rows = Comparison(tuple(map(unmeasured, match.pairs)))
        self._placed = Placed.of(graph, rows, side)
        self._known: dict[str, list[Pair]] = {}
        self._reference: dict[str, Stored] = {}
        for pair in match.pairs:
            if pair.reference is not None:
                self._reference.setdefault(self.original_of(pair), pair.reference)
                if _is_whole(pair) and self.original_of(pair) not in self._hidden:
                    self._known.setdefault(self.original_of(pair), []).append(pair)
        self.notes: dict[int, str] = {}

    @cached_property
    def _tensors(self) -> dict[int, int]:
        about = self._placed.about.items()
        return {id(self._pairs[number]): tensor for tensor, numbers in about for number in numbers}

    def work(self) -> Iterator[NodeWork]:
        for node in range(len(self.graph)):
            for work in self.work_of(node):
                if isinstance(work, str):
                    self.notes[node] = work
                else:
                    yield work

    def work_of(self, node: int) -> list[NodeWork | str]:
        """Lists the work for each output that both runs have; a text says why it cannot be run."""
        own = self._own_inputs(node)
        pairs = [pair for pair in map(self.pair_of, self.graph.node_outputs[node].tolist()) if pair is not None]
        return [self._planned(node, pair, own) for pair in pairs if self.original_of(pair) not in self._hidden]

    def _planned(self, node: int, pair: Pair, own: Mapping[str, Pair]) -> NodeWork | str:
        name = self.original_of(pair)
        if name in own:
            return NodeWork(node, pair, name, None, {name: (own[name],)}, {}, {})
        way = self.original.way_to(name, lambda label: label in own or label in self._known, self._reference)
        if isinstance(way, str):
            return way
        fed = {label: self._alternatives(label, own) for label in way.fed}
        known = {label: self._reference[label] for label in way.known}
        work = NodeWork(node, pair, name, way, fed, known, self.original.strange_types(fed))
        return say("it is too large to be run once more") if work.size > TOO_LARGE else work

    def _alternatives(self, label: str, own: Mapping[str, Pair]) -> Sequence[Pair]:
        """Lists what the node read itself first, then the same tensor elsewhere: there its layout may be known."""
        others = [pair for pair in self._known.get(label, ()) if pair is not own.get(label)]
        return ((own[label],) if label in own else ()) + tuple(others[:ALTERNATIVES])

    def _own_inputs(self, node: int) -> dict[str, Pair]:
        """Maps the original's tensors to what the node read itself, or what the node before it made."""
        found: dict[str, Pair] = {}
        for place, tensor in enumerate(self.graph.node_inputs[node].tolist()):
            number = self._placed.read.get((node, place))
            pair = self.pair_of(tensor) if number is None or not _is_whole(self._pairs[number]) else self._pairs[number]
            if pair is not None and self.original_of(pair) not in self._hidden:
                found.setdefault(self.original_of(pair), pair)
        return found

    def hiding(self, tensors: Iterable[int]) -> "ExactPlan":
        """The same as if these tensors of the graph had not been dumped."""
        pairs = [pair for pair in map(self.pair_of, tensors) if pair is not None]
        return ExactPlan(*self._asked, hidden={self.original_of(pair) for pair in pairs})

    def pair_of(self, tensor: int) -> Pair | None:
        pairs = (self._pairs[number] for number in self._placed.about.get(tensor, ()))
        return next((pair for pair in pairs if _is_whole(pair)), None)

    def tensor_of(self, pair: Pair) -> int | None:
        """Finds the tensor of the graph that a pair is about, be it as it was made or as a node read it."""
        return self._tensors.get(id(pair))

    def reference_of(self, name: str) -> Stored | None:
        """The reference's tensor of that name in the original."""
        return self._reference.get(name)

    def original_of(self, pair: Pair) -> str:
        assert pair.reference is not None
        return self._names(pair.reference.info.name)


def _is_whole(pair: Pair) -> bool:
    return pair.candidate is not None and pair.reference is not None and bool(pair.rule) and not pair.note


def _portions(work: Iterator[NodeWork]) -> Iterator[tuple[list[NodeWork], int]]:
    """Yields as much as is run at a time, each with the node that it ends at."""
    portion: list[NodeWork] = []
    size = 0
    for one in work:
        if portion and (size + one.size > PORTION or len(portion) == TOGETHER):
            yield portion, one.node
            portion, size = [], 0
        portion.append(one)
        size += one.size
    if portion:
        yield portion, portion[-1].node


def prepare(work: NodeWork, values: PairReader) -> tuple[dict[str, Array], PairValues] | str:
    """Prepares what is to be fed, and the output of both runs."""
    both = values.of(work.pair)
    if isinstance(both, str):
        return both
    fed: dict[str, Array] = {}
    for name, pairs in work.fed.items():
        read = values.first_of(pairs)
        if isinstance(read, str):
            return say("{}, which it reads: {}", name, read)
        fed[name] = read.mine
    try:
        return fed | {name: stored.read() for name, stored in work.known.items()}, both
    except ErrorflowError as error:
        return error.message


def _like(pair: Pair, both: PairValues, again: Array) -> tuple[PairValues, Array] | str:
    if again.size != both.golden.size:
        return say("on the candidate's inputs its output has another shape")
    assert pair.candidate is not None
    again = again.reshape(both.golden.shape)
    if pair.candidate.info.dtype in NARROW:
        again = _as_narrow(again, both.mine, NARROW[pair.candidate.info.dtype])
    return both, again


def _as_narrow(again: Array, mine: Array, largest: float) -> Array:
    """Narrows values as the candidate has them: infinite, or cut off at the largest value of its type."""
    beyond = np.abs(again) > largest
    if not beyond.any():
        return again
    stored = np.where(np.isfinite(mine), largest, np.inf)
    return np.asarray(np.where(beyond, np.copysign(stored, again), again))


class _Found:
    """The parts as they come in: of several outputs the worst one stays."""

    def __init__(self, count: int, notes: dict[int, str]) -> None:
        self._notes = notes
        self._exact: NDArray[np.bool_] = np.zeros(count, bool)
        self._columns = np.full((4, count), np.nan)

    def add(self, work: NodeWork, result: Split | str) -> None:
        node = work.node
        if isinstance(result, str):
            self._notes.setdefault(node, result)
            return
        if self._exact[node] and not result.accumulated > self._columns[0, node]:
            return
        self._exact[node] = True
        self._columns[:, node] = (result.accumulated, result.introduced, result.inherited, result.share)
        if work.way is not None and work.way.others:
            self._notes[node] = say(
                "judged together with {}: nobody dumped what they make", joined(", ", work.way.others[::-1])
            )
        else:
            self._notes.pop(node, None)

    def parts(self) -> ExactParts:
        accumulated, introduced, inherited, shares = self._columns
        return ExactParts(self._exact, accumulated, introduced, inherited, shares, self._notes)
