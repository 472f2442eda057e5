"""Takes the steps that make another float model: finds the factors, writes it, and checks that it computes the same."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import CodedColumn, Ragged, frozen
from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.base.workers import MEMORY_BYTES, run_apart
from errorflow.compare.metrics.distance import relative_l2
from errorflow.compare.metrics.sums import Sums, sums
from errorflow.graph.model import Graph, Model, Weight, Weights
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.insert import Inserted, write
from errorflow.quant.operators import OWN_NAMES
from errorflow.quant.steps import Equalize, Smooth, Step, remaking, step_text
from errorflow.run.calibrating import CalibrationRequest, calibrate
from errorflow.run.model import Array
from errorflow.run.ort import TIMEOUT, WEIGHTS, weights_of
from errorflow.run.parts import Parts
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.sessions import BFLOAT16, Arrays, run, runtime, session, told, value_of
from errorflow.study.rewrites.axes import TensorAxis
from errorflow.study.rewrites.edges import Doubles, RewrittenConstants
from errorflow.study.rewrites.model import ChannelScaling, Remade, ScaleSpread, Skipped
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.products import bits, multiplied, share
from errorflow.study.rewrites.regions import Region, readers_of, region_of
from errorflow.study.rewrites.rules import Blocked

if TYPE_CHECKING:
    import onnx


TEXT = "Changing the model"
# Rounding to 32 bits makes about a millionth; beyond this it is another model …
SAME = 1e-3
# … unless the last digits of its inputs make nearly as much of a difference: outputs that are nearly zero, mostly.
TIMES = 10
# So many samples are run to see that.
CHECKED = 4


class NotTheSameError(ErrorflowError):
    """A step would have changed what the float model computes."""


def remake(
    model: Model,
    steps: Sequence[Step],
    asked: SampleSpec,
    samples: Sequence[Mapping[str, Array]],
    target: Path,
    progress: Progress = SILENT,
) -> Remade:
    """`samples`: those that calibrate, which are the first of those asked for. Writes the model into `target`."""
    net = Net.of(model, progress)
    constants = RewrittenConstants(net.graph.weights.read)
    changes: list[ChannelScaling] = []
    skipped: list[Skipped] = []
    dividers: tuple[Divider, ...] = ()
    for step in remaking(steps):
        progress.step(0, 0, TEXT)
        if isinstance(step, Equalize):
            made, left = equalize(net, constants)
        else:
            assert isinstance(step, Smooth)
            found = smooth(net, constants, loudness(net, model, asked, len(samples), progress), step)
            made, left, dividers = found.changes, found.skipped, found.dividers
        changes += made
        skipped += left
    arrays = {name: values.astype(np.float32) for name, values in constants.changed.items()} | factor_arrays(dividers)
    graph = rebuilt(model.graph, arrays, dividers)
    write_rebuilt(model.path, graph, arrays, dividers, target, progress)
    again = replace(model, path=target, graph=graph, infer_shapes=None)
    facts = _checked(model, again, steps, samples, progress) if changes else {}
    rescaled = frozenset(constants.divided) - {each.tensor for each in dividers if not _has_maker(each, changes)}
    return Remade(again, tuple(changes), tuple(skipped), rescaled, frozenset(constants.changed), facts)


def loudness(net: Net, model: Model, asked: SampleSpec, count: int, progress: Progress = SILENT) -> dict[str, Doubles]:
    """Measures by tensor that layers multiply the largest magnitude of each channel over the first samples."""
    axes = dict(multiplied(net))
    last = frozenset(name for name, axis in axes.items() if axis.from_end == -1)
    wish = CalibrationRequest(methods_of(["minmax"]), first=count, per_channel=True, last=last)
    channels = calibrate(model.path, model.graph, asked, wish, progress).calibrations[0].channels
    found = {}
    for name, axis in axes.items():
        seen = channels.get(name)
        if seen is not None and (name in last or seen.axis == axis.index):
            found[name] = np.maximum(np.abs(np.asarray(seen.lows)), np.abs(np.asarray(seen.highs)))
    return found


# SmoothQuant: what is loud in few channels of a tensor moves into the weights behind it.
#
# With X the largest magnitudes of a tensor's channels on the calibration samples, W those of the weights' input
# channels
# and α the strength, channel j is divided by s = Xⱼ^α / Wⱼ^(1−α), and the weights are multiplied by it.

# Of the loudest: what is more quiet, or was never seen, counts as that.
QUIET = 1e-3
# What nodes that are put in are called.
PREFIX, ENDING = f"{OWN_NAMES}smooth:", "_smoothed"


@dataclass(frozen=True, eq=False)
class Divider:
    """A node that has to divide a tensor, for those that read it."""

    tensor: str
    axis: TensorAxis
    readers: tuple[int, ...]
    factors: Doubles
    rank: int | None

    @property
    def node(self) -> str:
        return f"{PREFIX}{self.tensor}"

    @property
    def output(self) -> str:
        return f"{self.tensor}{ENDING}"


@dataclass(frozen=True, eq=False)
class Smoothed:
    changes: tuple[ChannelScaling, ...]
    skipped: tuple[Skipped, ...]
    dividers: tuple[Divider, ...]


def smooth(net: Net, constants: RewrittenConstants, loudness: Mapping[str, Doubles], step: Smooth) -> Smoothed:
    """`loudness`: by tensor the largest magnitude of each channel on samples, before anything was changed."""
    work = _Work(net, constants, loudness, step)
    for tensor, axis in multiplied(net):
        if tensor not in work.done:
            work.consider(tensor, axis)
    return Smoothed(tuple(work.changes), tuple(work.skipped), tuple(work.dividers))


class _Work:
    def __init__(self, net: Net, constants: RewrittenConstants, loudness: Mapping[str, Doubles], step: Smooth) -> None:
        self._net, self._constants, self._loudness, self._step = net, constants, loudness, step
        self.done: set[str] = set()
        self.changes: list[ChannelScaling] = []
        self.skipped: list[Skipped] = []
        self.dividers: list[Divider] = []

    def consider(self, tensor: str, axis: TensorAxis) -> None:
        seen = self._loudness.get(tensor)
        if seen is None:
            return
        loud = _divided(seen, self._constants.divided.get(tensor))
        if share(loud) < self._step.threshold or not np.isfinite(loud).all():
            return
        try:
            region = self._region(tensor, axis)
            if region.channels != len(loud):
                raise Blocked("what was seen of it has another number of channels")
        except Blocked as reason:
            self.skipped.append(Skipped("smoothed", tensor, str(reason)))
            return
        self._take(tensor, axis, region, loud)

    def _region(self, tensor: str, axis: TensorAxis) -> Region:
        try:
            return region_of(self._net, self._constants, tensor, axis, deep=False)
        except Blocked as reason:
            if tensor in self._net.outputs | self._net.inputs | self._net.captured:
                raise
            try:
                return readers_of(self._net, self._constants, tensor, axis)
            except Blocked as other:
                raise Blocked(f"{reason}, and {other}") from other

    def _take(self, tensor: str, axis: TensorAxis, region: Region, loud: Doubles) -> None:
        net, constants = self._net, self._constants
        weights = region.sizes(constants, region.multiplied)
        factors = smoothing_factors_of(loud, weights, self._step.strength)
        region.apply(constants, factors)
        self.done.update(region.tensors)
        inserted = ""
        if not region.divided:
            rank = max(len(constants.shape(edge.constant)) for edge in region.multiplied)
            divider = Divider(tensor, axis, region.readers, factors, axis.rank if axis.rank is not None else rank)
            self.dividers.append(divider)
            inserted = divider.node
        self.changes.append(
            ChannelScaling(
                "smoothed",
                tensor,
                tuple(map(net.title, region.makers)),
                tuple(map(net.title, region.readers)),
                region.channels,
                float(factors.min()),
                float(factors.max()),
                ScaleSpread(bits(loud), bits(weights), share(loud)),
                ScaleSpread(bits(loud / factors), bits(weights * factors), share(loud / factors)),
                inserted,
            )
        )


def smoothing_factors_of(loud: Doubles, weights: Doubles, strength: float) -> Doubles:
    """Computes what channels are divided by; 1 where nothing is multiplied at all."""
    if not (loud.max(initial=0.0) > 0 and weights.max(initial=0.0) > 0):
        return np.ones(len(loud))
    activations = np.maximum(loud, QUIET * loud.max())
    behind = np.maximum(weights, QUIET * weights.max())
    factors: Doubles = activations**strength / behind ** (1 - strength)
    return factors


def _divided(seen: Doubles, factors: Doubles | None) -> Doubles:
    return seen if factors is None or len(factors) != len(seen) else seen / factors


def _has_maker(divider: Divider, changes: Sequence[ChannelScaling]) -> bool:
    """Whether the tensor that is divided by a node of its own was scaled by another step too."""
    return any(change.tensor == divider.tensor and not change.inserted for change in changes)


def _checked(
    model: Model, again: Model, steps: Sequence[Step], samples: Sequence[Mapping[str, Array]], progress: Progress
) -> dict[str, str]:
    with TemporaryDirectory(prefix="errorflow-") as folder:
        files = []
        for number in range(min(CHECKED, len(samples))):
            sample = samples[number]
            names = {name: f"{number}-{place}.npy" for place, name in enumerate(sample)}
            for name, file in names.items():
                np.save(Path(folder) / file, sample[name], allow_pickle=False)
            files.append(names)
        memory = MEMORY_BYTES + 2 * WEIGHTS * weights_of(model.graph)
        found: Any = run_apart(
            apart,
            str(model.path.absolute()),
            str(again.path.absolute()),
            folder,
            files,
            text="Comparing the float models",
            progress=progress,
            timeout=TIMEOUT,
            memory=memory,
        )
    worst = max(found, key=lambda name: found[name][0] / max(SAME, TIMES * found[name][1]), default="")
    if worst and not found[worst][0] <= max(SAME, TIMES * found[worst][1]):
        what = " and ".join(step_text(step) for step in remaking(steps))
        raise NotTheSameError(
            f"With {what}, the float model makes something else of {worst}: off by {found[worst][0]:.1%}.",
            "Leave the step out; this model adds up numbers that are too far apart for it.",
        )
    most = max((each[0] for each in found.values()), default=0.0)
    return {"float outputs": f"the same but for {most:.1e} of their size"}


# Of the last digits of inputs: a model that makes much of them makes as much of any other rounding.
NUDGE = 2.0**-22


def apart(one: str, other: str, folder: str, samples: list[dict[str, str]]) -> dict[str, Any]:
    """Measures by output two relative errors over all samples: of the other model, and of the one on inputs that are
    nudged.

    Each sample names a file of `folder` for each input.
    """
    runtime().set_seed(0)
    golden = _run(Path(one), Path(folder), samples)
    others = _run(Path(other), Path(folder), samples), _run(Path(one), Path(folder), samples, 1 + NUDGE)
    return {name: [_relative(name, golden, mine) for mine in others] for name in golden[0]} if golden else {}


def _run(path: Path, folder: Path, samples: list[dict[str, str]], factor: float = 1) -> list[dict[str, Any]]:
    parts = Parts.load(path)
    parts.check_operators()
    narrow = {v.name for v in parts.model.graph.input if v.type.tensor_type.elem_type == BFLOAT16}
    arrays = Arrays()
    with told(path):
        opened = session(parts.model, path.parent, 1)
        names = [each.name for each in opened.get_outputs()]
        wanted = {each.name for each in opened.get_inputs()}
        runs = []
        for sample in samples:
            given = {
                name: value_of(_nudged(folder / file, factor), "bfloat16" if name in narrow else "")
                for name, file in sample.items()
                if name in wanted
            }
            made = zip(names, (arrays.of(value) for value in run(opened, given, names)), strict=True)
            runs.append({name: values for name, values in made if not isinstance(values, str)})
    return runs


def _nudged(file: Path, factor: float) -> Any:
    values = np.load(file, allow_pickle=False)
    return values * values.dtype.type(factor) if factor != 1 and values.dtype.kind == "f" else values


def _relative(name: str, golden: list[dict[str, Any]], mine: list[dict[str, Any]]) -> float:
    """Measures over all samples; what is not finite in both alike, and what holds no floats, says nothing."""
    total = Sums()
    for reference, candidate in zip(golden, mine, strict=True):
        one, other = reference[name], candidate.get(name)
        if other is None or other.shape != one.shape:
            return float("inf")
        if one.dtype.kind == "f":
            both = np.isfinite(one) & np.isfinite(other)
            total = total + sums(np.where(both, one, 0), np.where(both, other, 0))
    return float(relative_l2(total)) if float(total.dd) else 0.0


# Cross-layer equalization: of two layers behind each other, channels get weights of the same size on both sides.
#
# With r₁ the largest magnitude of the first layer's weights that make a channel, r₂ that of the second layer's weights
# that read it, the channel is divided by √(r₁·r₂) / r₂. As each layer stands in two pairs this is done again until
# nothing moves.
#
# A channel of the first layer that has hardly any weights counts with its bias too: that would become the loudest
# activation. One that has neither is always zero: its weights in the second layer are made no larger than others.

ROUNDS = 200
# In natural logarithms: nothing moves by more than that.
SETTLED = 1e-4
_MOST = 1e6
# Of the largest weight of all channels; below, a channel has hardly any.
_QUIET = 1e-2


def equalize(net: Net, constants: RewrittenConstants) -> tuple[tuple[ChannelScaling, ...], tuple[Skipped, ...]]:
    regions, skipped = _regions(net, constants)
    before = [_sizes(region, constants) for region in regions.values()]
    quiet = [made < _QUIET * made.max(initial=0.0) for made, _ in before]
    total = [np.ones(region.channels) for region in regions.values()]
    for _ in range(ROUNDS):
        moved = 0.0
        for place, region in enumerate(regions.values()):
            made, read = _sizes(region, constants)
            factors = factors_of(np.where(quiet[place], np.maximum(made, _biases(region, constants)), made), read)
            step = float(np.abs(np.log(factors)).max(initial=0.0))
            if step > SETTLED:
                region.apply(constants, factors)
                total[place] = total[place] * factors
            moved = max(moved, step)
        if moved <= SETTLED:
            break
    changes = [
        _change(net, constants, tensor, region, sizes, factors)
        for (tensor, region), sizes, factors in zip(regions.items(), before, total, strict=True)
        if not (factors == 1).all()
    ]
    return tuple(changes), tuple(skipped)


def factors_of(made: Doubles, read: Doubles) -> Doubles:
    """Computes what channels are divided by; 1 where they have no reader."""
    some = (made > 0) & (read > 0) & np.isfinite(made) & np.isfinite(read)
    ratio = np.divide(made, read, out=np.ones_like(made), where=some)
    factors: Doubles = np.clip(np.sqrt(ratio), 1 / _MOST, _MOST)
    unused = (made == 0) & (read > 0)
    usual = np.median(read[some]) if some.any() else 0.0
    factors[unused] = np.minimum(1.0, usual / read[unused]) if usual > 0 else 1.0
    return factors


def _regions(net: Net, constants: RewrittenConstants) -> tuple[dict[str, Region], list[Skipped]]:
    """Finds regions by the tensor that the second layer reads."""
    found: dict[str, Region] = {}
    skipped: list[Skipped] = []
    done: set[str] = set()
    for tensor, axis in multiplied(net):
        if tensor in done or tensor in net.inputs:
            continue
        try:
            region = region_of(net, constants, tensor, axis, deep=True)
            if not any(edge.is_weight for edge in region.divided):
                raise Blocked("a norm makes it, and no layer")
        except Blocked as reason:
            skipped.append(Skipped("equalized", tensor, str(reason)))
            continue
        done.update(region.tensors)
        found[tensor] = region
    return found, skipped


def _sizes(region: Region, constants: RewrittenConstants) -> tuple[Doubles, Doubles]:
    return region.sizes(constants, region.divided), region.sizes(constants, region.multiplied)


def _biases(region: Region, constants: RewrittenConstants) -> Doubles:
    """Finds the largest magnitude of each channel of what is added."""
    found = [constants.sizes(edge) for edge in region.divided if not edge.is_weight]
    largest: Doubles = np.max(found, axis=0) if found else np.zeros(region.channels)
    return largest


def _change(
    net: Net,
    constants: RewrittenConstants,
    tensor: str,
    region: Region,
    before: tuple[Doubles, Doubles],
    factors: Doubles,
) -> ChannelScaling:
    """Describes the change by that of both layers whose channels are further apart."""
    after = _sizes(region, constants)
    return ChannelScaling(
        "equalized",
        tensor,
        tuple(map(net.title, region.makers)),
        tuple(map(net.title, region.readers)),
        region.channels,
        float(factors.min()),
        float(factors.max()),
        ScaleSpread(weights=max(map(bits, before))),
        ScaleSpread(weights=max(map(bits, after))),
    )


# The model with other constants and a few nodes more: as a graph whose numbers stay, and as a file.

RebuiltArrays = Mapping[str, NDArray[np.float32]]
_FACTORS = "_factors"


@dataclass(frozen=True, eq=False)
class _Changed:
    """Constants of which some have other values."""

    before: Weights
    arrays: RebuiltArrays

    def names(self) -> Sequence[str]:
        known = self.before.names()
        return (*known, *(name for name in self.arrays if name not in set(known)))

    def info(self, name: str) -> Weight:
        if name not in self.arrays:
            return self.before.info(name)
        array = self.arrays[name]
        return Weight(name, str(array.dtype), array.shape, array.nbytes)

    def read(self, name: str) -> NDArray[np.generic]:
        return self.arrays[name] if name in self.arrays else self.before.read(name)


def factor_arrays(dividers: Sequence[Divider]) -> dict[str, NDArray[np.float32]]:
    """Makes factors of tensors, in a form that lies over them."""
    return {f"{each.output}{_FACTORS}": _form(each) for each in dividers}


def rebuilt(graph: Graph, arrays: RebuiltArrays, dividers: Sequence[Divider]) -> Graph:
    """Rebuilds the graph: all nodes and tensors keep their numbers; those of the dividers follow."""
    weights = _Changed(graph.weights, arrays)
    if not dividers:
        return replace(graph, weights=weights)
    nodes, tensors = len(graph), len(graph.tensor_names)
    outputs = range(tensors, tensors + len(dividers))
    factors = range(tensors + len(dividers), tensors + 2 * len(dividers))
    names = {name: number for number, name in enumerate(graph.tensor_names)}
    inputs = [list(row) for row in graph.node_inputs.lists()]
    for each, output in zip(dividers, outputs, strict=True):
        for reader in each.readers:
            inputs[reader] = [output if tensor == names[each.tensor] else tensor for tensor in inputs[reader]]
    inputs += [[names[each.tensor], factor] for each, factor in zip(dividers, factors, strict=True)]
    shapes = [graph.shapes[names[each.tensor]] for each in dividers]
    shapes += [arrays[f"{each.output}{_FACTORS}"].shape for each in dividers]
    more = 2 * len(dividers)
    return replace(
        graph,
        node_names=(*graph.node_names, *(each.node for each in dividers)),
        op_types=CodedColumn.of((*graph.op_types, *("Mul" for _ in dividers))),
        domains=CodedColumn.of((*graph.domains, *("" for _ in dividers))),
        node_inputs=Ragged.of(inputs),
        node_outputs=Ragged.of([*graph.node_outputs.lists(), *([output] for output in outputs)]),
        tensor_names=(
            *graph.tensor_names,
            *(each.output for each in dividers),
            *(f"{each.output}{_FACTORS}" for each in dividers),
        ),
        dtypes=CodedColumn.of((*graph.dtypes, *("float32" for _ in range(more)))),
        shapes=CodedColumn.of((*graph.shapes, *shapes)),
        producers=frozen([*graph.producers.tolist(), *range(nodes, nodes + len(dividers)), *(-1 for _ in dividers)]),
        constants=frozen([*graph.constants.tolist(), *factors]),
        origins=CodedColumn.of((*graph.origins, *(None for _ in dividers))),
        layouts=CodedColumn.of((*graph.layouts, *("" for _ in range(more)))),
        original_layouts=CodedColumn.of((*graph.original_layouts, *("" for _ in range(more)))),
        original_shapes=CodedColumn.of((*graph.original_shapes, *(None for _ in range(more)))),
        waits_for=graph.waits_for
        if not len(graph.waits_for)
        else Ragged.of([*graph.waits_for.lists(), *([] for _ in dividers)]),
        attributes=lambda node: graph.attributes(node) if node < nodes else {},
        weights=weights,
    )


def write_rebuilt(
    model: Path,
    graph: Graph,
    arrays: RebuiltArrays,
    dividers: Sequence[Divider],
    target: Path,
    progress: Progress = SILENT,
) -> None:
    """`graph`: the rebuilt one."""
    proto = Parts.load(model).model
    for tensor in _tensors(proto.graph):
        if tensor.name in arrays:
            _set(tensor, arrays[tensor.name])
    for node in proto.graph.node:
        if node.op_type == "Constant" and node.output[0] in arrays:
            _set_constant(node, arrays[node.output[0]])
    _insert(proto.graph, dividers, arrays)
    write(Inserted(proto, {}), graph.weights.read, target, progress)


def _tensors(graph: "onnx.GraphProto") -> "Iterator[onnx.TensorProto]":
    yield from graph.initializer


def _set(tensor: "onnx.TensorProto", array: NDArray[Any]) -> None:
    from onnx import numpy_helper

    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(array), tensor.name))


def _set_constant(node: "onnx.NodeProto", array: NDArray[Any]) -> None:
    from onnx import helper, numpy_helper

    del node.attribute[:]
    node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.ascontiguousarray(array))))


def _insert(graph: "onnx.GraphProto", dividers: Sequence[Divider], arrays: RebuiltArrays) -> None:
    """Each divider right behind the node that makes what it divides."""
    import onnx
    from onnx import helper, numpy_helper

    if not dividers:
        return
    by_tensor = {each.tensor: each for each in dividers}
    readers = {(reader, each.tensor): each.output for each in dividers for reader in each.readers}
    nodes = []
    for number, node in enumerate(graph.node):
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        for place, name in enumerate(copy.input):
            copy.input[place] = readers.get((number, name), name)
        nodes.append(copy)
        for name in copy.output:
            if name in by_tensor:
                each = by_tensor[name]
                nodes.append(helper.make_node("Mul", [name, f"{each.output}{_FACTORS}"], [each.output], each.node))
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(
        numpy_helper.from_array(arrays[f"{e.output}{_FACTORS}"], f"{e.output}{_FACTORS}") for e in dividers
    )


def _form(each: Divider) -> NDArray[np.float32]:
    factors = (1 / each.factors).astype(np.float32)
    behind = each.axis.from_end
    return factors if behind == -1 or behind is None else factors.reshape([-1] + [1] * (-behind - 1))
