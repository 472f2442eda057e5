"""A first run in float: what type and size each tensor has, and so where to cut. Runs in a process of its own."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any

from errorflow.base.values import dataclass
from errorflow.quant.operators import PRODUCTS
from errorflow.run.engine.loading import LoadedConstants
from errorflow.run.engine.meter import EngineMeter
from errorflow.run.engine.segments import FLOATING, Builder, Segment, segments_of
from errorflow.run.model import RunError
from errorflow.run.sessions import run, told

if TYPE_CHECKING:
    import onnx

# Where a model is cut into segments: about as much work in each, and few bytes alive at the cuts.
# How far a cut may be from the place that is best for the work, in shares of a segment's work.
_SLACK = 0.45


def cuts(work: Sequence[float], alive: Sequence[float], count: int) -> tuple[int, ...]:
    """The ends of at most `count` segments of consecutive nodes, the last one included.

    `work` is what each node costs, `alive` how many bytes are read behind each node that were made before or by it.
    """
    done = list(accumulate(work))
    if not done:
        return ()
    size = done[-1] / count
    ends: list[int] = []
    for number in range(1, count):
        low, high = (size * (number + slack) for slack in (-_SLACK, _SLACK))
        first = ends[-1] if ends else 0
        near = [place for place in range(first, len(done) - 1) if low <= done[place] <= high]
        if near:
            ends.append(min(near, key=lambda place: (alive[place], abs(done[place] - size * number))) + 1)
    return (*ends, len(done))


def alive_bytes(makes: Sequence[Sequence[str]], reads: Sequence[Sequence[str]], sizes: dict[str, int]) -> list[int]:
    """Counts by node the bytes that it or one before it made and one behind it reads."""
    last = {name: place for place, names in enumerate(reads) for name in names}
    found: list[int] = []
    now = 0
    ending: dict[int, int] = {}
    for place, names in enumerate(makes):
        now -= ending.pop(place, 0)
        for name in names:
            end = last.get(name, -1)
            if end > place:
                now += sizes.get(name, 0)
                ending[end] = ending.get(end, 0) + sizes.get(name, 0)
        found.append(now)
    return found


# Nodes that are run at a time.
_TOGETHER = 8
# Nanoseconds: of any node, mostly for the session that is built when its coding changes, and how many bytes and
# products are done in one.
_NODE, _BYTES, _PRODUCTS = 150_000.0, 8.0, 20.0


@dataclass(frozen=True)
class Survey:
    """Survey of one sample; types as ONNX Runtime calls them."""

    types: Mapping[str, str]
    shapes: Mapping[str, tuple[int, ...]]
    sizes: Mapping[str, int]


def survey(loaded: LoadedConstants, inputs: Mapping[str, Any], meter: EngineMeter) -> Survey:
    types: dict[str, str] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    sizes: dict[str, int] = {}
    alive: dict[str, Any] = {}
    builder = Builder(loaded, types)

    def note(name: str, value: Any) -> None:
        types[name] = value.data_type()
        if value.is_tensor():
            shapes[name] = tuple(value.shape())
            sizes[name] = 0 if types[name] == "tensor(string)" else int(value.tensor_size_in_bytes())
        alive[name] = value

    for name, value in inputs.items():
        note(name, value)
    ends = [min(start + _TOGETHER, len(loaded.nodes)) for start in range(0, len(loaded.nodes), _TOGETHER)]
    segments = segments_of(loaded, ends)
    last = {name: segment.index for segment in segments for name in segment.reads}
    for segment in segments:
        meter.step(segment.index, len(segments))
        _check_there(segment, alive)
        with told(loaded.parts.path):
            built = builder.build(segment, FLOATING, segment.makes, "chain", False)
            values = run(built.session, {name: alive[name] for name in segment.reads}, list(segment.makes))
        for name, value in zip(segment.makes, values, strict=True):
            note(name, value)
        for name in [name for name in alive if last.get(name, -1) <= segment.index]:
            del alive[name]
    return Survey(types, shapes, sizes)


def _check_there(segment: Segment, alive: Mapping[str, Any]) -> None:
    missing = [name for name in segment.reads if name not in alive]
    if missing:
        raise RunError(f"Nothing makes the tensor {missing[0]}, which a node reads.", "Export the model again.")


def ends_of(loaded: LoadedConstants, found: Survey, count: int) -> tuple[int, ...]:
    """Finds where the model is cut into about so many segments."""
    makes = [[name for name in node.output if name] for node in loaded.nodes]
    return cuts(work_of(loaded, found), alive_bytes(makes, loaded.reads, dict(found.sizes)), count)


def work_of(loaded: LoadedConstants, found: Survey) -> list[float]:
    """Estimates how many nanoseconds each node takes, with what it costs to build."""
    return [_work(loaded, found, node, names) for node, names in zip(loaded.nodes, loaded.reads, strict=True)]


def _work(loaded: LoadedConstants, found: Survey, node: "onnx.NodeProto", reads: Sequence[str]) -> float:
    moved = sum(found.sizes.get(name, 0) for name in (*reads, *node.output))
    return _NODE + moved / _BYTES + _products(loaded, found, node) / _PRODUCTS


def _products(loaded: LoadedConstants, found: Survey, node: "onnx.NodeProto") -> float:
    """Counts the numbers that are multiplied: for each output as many as a channel has weights."""
    weighted = PRODUCTS.get(node.op_type)
    if weighted is None or len(node.input) <= weighted.weight:
        return 0.0
    name = node.input[weighted.weight]
    shape = loaded.weights[name].shape if name in loaded.weights else found.shapes.get(name, ())
    if len(shape) < 2:
        return 0.0
    channels = shape[-1] if weighted.axis < 0 else shape[weighted.axis]
    return float(prod(found.shapes.get(node.output[0], ()))) * prod(shape) / max(channels, 1)
