"""Look at one tensor of a node, from reading it to the node that its loud channel comes from."""

import numpy as np

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, replace
from errorflow.compare.match.model import Match
from errorflow.compare.measure import measure_pair
from errorflow.compare.model import Row
from errorflow.explain.findings.model import Findings
from errorflow.explain.inspect.channels import (
    MOST_CHANNELS,
    Born,
    ChannelView,
    LoudChannel,
    born_at,
    channel_view,
    forms,
    loud_channel,
)
from errorflow.explain.inspect.choices import TensorChoice, row_number, tensor_choice
from errorflow.explain.inspect.constants import constant_at, constant_of, place_in_float
from errorflow.explain.inspect.grid import graph_grid
from errorflow.explain.inspect.others import NO_OTHER, AskWeights, OtherWeight
from errorflow.explain.inspect.overview import Overview, first_look, overview
from errorflow.explain.inspect.tensors import Tensors, read_pair, weight
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams

# So much better is a tensor's own ratio than that of its channel in the middle, in decibels, if one drowns the others.
DROWNED = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Upstream:
    """A tensor that the node reads, whose quiet channels are lost: why what it makes is bad."""

    tensor: int
    loud: LoudChannel
    born: Born


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """`complete`: nothing more follows."""

    choice: TensorChoice
    tensors: Tensors
    overview: Overview
    near: QParams | None = None
    complete: bool = False
    channels: ChannelView | None = None
    loud: LoudChannel | None = None
    born: Born | None = None
    upstream: Upstream | None = None
    # Of a weight, what the other model has for it, and by how much both differ.
    other: str = ""
    row: Row | None = None


def look(
    choice: TensorChoice,
    graph: Graph,
    findings: Findings | None,
    match: Match | None,
    progress: Progress = SILENT,
    others: AskWeights | None = None,
) -> Looked:
    """Looks at everything at once."""
    return look_closer(first(choice, graph, others, progress), graph, findings, match, progress)


def first(choice: TensorChoice, graph: Graph, others: AskWeights | None = None, progress: Progress = SILENT) -> Looked:
    """Looks at what is quickly seen."""
    if choice.end == "weight" and choice.pair is None:
        return _first_of_weight(choice, graph, others, progress)
    tensors, near = read(choice, graph, progress), graph_grid(graph, choice.tensor)
    return Looked(choice, tensors, first_look(tensors, near), near)


def _first_of_weight(choice: TensorChoice, graph: Graph, others: AskWeights | None, progress: Progress) -> Looked:
    """Against that of the other model, if it has one."""
    found = OtherWeight("")
    if choice.reader is not None:
        weights = None if others is None else others(progress)
        found = OtherWeight(NO_OTHER) if weights is None else weights.find(*choice.reader)
    if found.pair is None:
        tensors = replace(_weight(choice, graph), note=found.text.rstrip("."))
        return Looked(choice, tensors, first_look(tensors), other=found.text)
    read = read_pair(found.pair)
    tensors = replace(read, told_by="plan" if found.planned else "graph")
    return Looked(choice, tensors, first_look(tensors), other=found.text, row=measure_pair(found.pair))


def look_closer(
    seen: Looked, graph: Graph, findings: Findings | None, match: Match | None, progress: Progress = SILENT
) -> Looked:
    """Looks at all values, all channels, and what the channels say."""
    tensors = seen.tensors
    whole = seen.overview if seen.overview.exact else overview(tensors, seen.near, progress)
    seen = replace(seen, overview=whole, complete=True)
    views = [channel_view(tensors, axis, progress) for axis in _likely_axes(tensors)]
    if views:
        found = [_harmful(loud_channel(view, whole.grid)) for view in views]
        at = next((at for at, loud in enumerate(found) if loud is not None), 0)
        seen = replace(seen, channels=views[at], loud=found[at])
    above = _Above(graph, findings, match, progress, by_candidate=tensors.reference is None)
    if seen.loud is not None:
        return replace(seen, born=born_at(graph, seen.choice.tensor, seen.loud, above.loud))
    return replace(seen, upstream=above.find(seen.choice)) if seen.choice.end == "output" else seen


def read(choice: TensorChoice, graph: Graph, progress: Progress = SILENT) -> Tensors:
    """The values of both runs; of a weight that no run holds those in the model."""
    return _weight(choice, graph) if choice.pair is None else read_pair(choice.pair, progress=progress)


def _weight(choice: TensorChoice, graph: Graph) -> Tensors:
    """Reads the weight of the model on view alone; codes as what they stand for where a node reads them so."""
    at = None if choice.reader is None else place_in_float(graph, *choice.reader)
    constant = None if choice.reader is None or at is None else constant_at(graph, choice.reader[0], at)
    constant = constant_of(graph, choice.tensor) if constant is None else constant
    if constant is None:
        return weight(choice.name, graph.weights.read(choice.name))
    return weight(choice.name, constant.read(), constant.qparams)


def _likely_axes(tensors: Tensors) -> tuple[int, ...]:
    """Lists axes of channels: of a sequence it is unknown whether its words or its features are meant."""
    if tensors.axis is None or not tensors.size:
        return ()
    last = len(tensors.shape) - 1
    likely = (tensors.axis, last) if len(tensors.shape) == 3 and tensors.told_axis is None else (tensors.axis,)
    return tuple(axis for axis in dict.fromkeys(likely) if 1 < tensors.shape[axis] <= MOST_CHANNELS)


def _harmful(found: LoudChannel | None) -> LoudChannel | None:
    """Finds a loud channel that does harm: without a scale it does none."""
    return None if found is None or found.scale is None else found


@dataclass(frozen=True, slots=True)
class _Above:
    """Looks at tensors further up, as few as possible.

    All of one run: rounding alone may make another channel the loudest. `by_candidate`: the reference has nothing of
    the tensor that was asked about.
    """

    graph: Graph
    findings: Findings | None
    match: Match | None
    progress: Progress
    by_candidate: bool

    def loud(self, tensor: int) -> LoudChannel | None:
        """Finds the channel that is loud, with or without a scale; None: none, or it cannot be said."""
        return self._look(tensor, scaled=False)

    def find(self, choice: TensorChoice) -> Upstream | None:
        """An input whose channels were measured to be far worse than it is as a whole, if a loud one is the reason."""
        node = int(self.graph.producers[choice.tensor])
        for tensor in self.graph.node_inputs[node].tolist() if node >= 0 else ():
            loud = self._look(tensor, scaled=True) if tensor >= 0 and self._drowned(tensor) else None
            born = None if loud is None else born_at(self.graph, tensor, loud, self.loud)
            if loud is not None and born is not None:
                return Upstream(tensor, loud, born)
        return None

    def _drowned(self, tensor: int) -> bool:
        number = row_number(self.findings, tensor)
        row = None if self.findings is None or number is None else self.findings.comparison.rows[number]
        if row is None or row.channels is None:
            return False
        whole, middle = row.value("sqnr"), row.channels.median
        return bool(np.isfinite(middle) and whole - middle > DROWNED)

    def _look(self, tensor: int, scaled: bool) -> LoudChannel | None:
        choice = self._seen(tensor)
        if choice is None:
            return None
        try:
            tensors = read(choice, self.graph, self.progress)
        except ErrorflowError:  # it cannot be read any more, and then nothing is said of it
            return None
        if self.by_candidate and tensors.candidate is not None:
            tensors = replace(tensors, reference=None, together=False)
        grid = first_look(tensors, graph_grid(self.graph, tensor)).grid if scaled else None
        views = (channel_view(tensors, axis, self.progress) for axis in _likely_axes(tensors))
        found = (loud_channel(view, grid) for view in views)
        return next((loud for loud in found if loud is not None and (loud.scale is not None or not scaled)), None)

    def _seen(self, tensor: int) -> TensorChoice | None:
        """The tensor in the form that the right run holds, else in any; None: no run does."""
        every = (tensor_choice(self.graph, form, self.findings, self.match) for form in forms(self.graph, tensor))
        held = [choice for choice in every if choice.pair is not None]
        return next((choice for choice in held if self._has(choice)), next(iter(held), None))

    def _has(self, choice: TensorChoice) -> bool:
        side = None if choice.pair is None else choice.pair.candidate if self.by_candidate else choice.pair.reference
        return side is not None
