"""Builds the graph of a Caffe network. Tensors are blobs, but layers that work in place get one of their own."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from errorflow.formats.caffe.layers import LayerText, layers
from errorflow.formats.caffe.shapes import Blobs
from errorflow.formats.caffe.sizes import Sizes
from errorflow.formats.prototext import Message, Value
from errorflow.graph.build import EXAMPLES, GraphBuilder
from errorflow.graph.model import Graph, Problem

SOURCES = frozenset(
    {"Input", "Data", "ImageData", "HDF5Data", "MemoryData", "WindowData", "DummyData", "AnnotatedData", "VideoData"}
)
_RANK = 4


def net_inputs(net: Message) -> Iterator[tuple[str, Sizes | None]]:
    """Inputs that the network itself lists; sizes stand in messages, or as one list of four per input."""
    shapes, sizes = net.messages("input_shape"), net.numbers("input_dim")
    for index, name in enumerate(net.texts("input")):
        flat = sizes[index * _RANK : (index + 1) * _RANK]
        if index < len(shapes):
            yield name, _shape(shapes[index].numbers("dim"))
        else:
            yield name, _shape(flat) if len(flat) == _RANK else None


def made_shapes(layer: LayerText) -> list[Sizes | None]:
    """For each top of a layer that brings data in: its shape, as far as the file says it."""
    count = len(layer.tops)
    if layer.op_type == "Input":
        return _spread(_given(layer.content.message("input_param")), count)
    if layer.op_type == "DummyData":
        about = layer.content.message("dummy_data_param")
        shapes = _given(about)
        old = zip(*(about.numbers(key) for key in ("num", "channels", "height", "width")), strict=False)
        return _spread(shapes if shapes else [_shape(list(sizes)) for sizes in old], count)
    if layer.op_type == "MemoryData":
        about = layer.content.message("memory_data_param")
        sizes = [about.numbers(key)[-1:] for key in ("batch_size", "channels", "height", "width")]
        if all(sizes):
            return [_shape([size[0] for size in sizes]), _shape(sizes[0])][:count] + [None] * (count - 2)
    return [None] * count


def _given(about: Message) -> list[Sizes | None]:
    return [_shape(one.numbers("dim")) for one in about.messages("shape")]


def _spread(shapes: list[Sizes | None], count: int) -> list[Sizes | None]:
    """One shape stands for all tops."""
    if len(shapes) == 1:
        return shapes * count
    return (shapes + [None] * count)[:count]


def _shape(sizes: list[int]) -> Sizes:
    return tuple(size if size > 0 else None for size in sizes)


# Layers that AMCT inserts.
_QUANT_TYPES = ("Quant", "DeQuant", "AntiQuant", "ReQuant")
_SHOWN_ELSEWHERE = frozenset({"name", "type"})
# Weights, which some files carry as text.
_WEIGHTS = "blobs"

Facts = tuple[tuple[str, str], ...]


def build(net: Message, problems: Sequence[Problem] = ()) -> tuple[Graph, Facts]:
    """The graph at inference, and what there is to say about the file."""
    running, left_out = layers(net)
    builder = GraphBuilder(name=net.text("name"), problems=list(problems))
    draft = _Draft(builder, _taken(net, running))
    for name, shape in net_inputs(net):
        builder.tensor(name)
        draft.blobs.give(name, shape)
        draft.inputs[name] = None
    for layer in running:
        draft.add(layer)
    draft.finish({top for layer in left_out for top in layer.tops})
    builder.attributes = _LayerAttributes(tuple(layer.content for layer in running))
    return builder.build(), _facts(running, left_out)


@dataclass(slots=True)
class _Draft:
    """Follows each blob through the layers that change it in place."""

    builder: GraphBuilder
    taken: set[str]
    # Ordered sets.
    inputs: dict[str, None] = field(default_factory=dict)
    made: dict[str, None] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)
    # How often a name was made longer to tell it from others.
    used: dict[str, int] = field(default_factory=dict)
    # The tensor that a blob's name stands for by now.
    now: dict[str, str] = field(default_factory=dict)
    blobs: Blobs = field(default_factory=Blobs)

    def add(self, layer: LayerText) -> None:
        bottoms = [self.now.get(name, name) for name in layer.bottoms]
        below = frozenset(layer.bottoms)
        tops = [self._own(layer, top) if top and top in below else top for top in layer.tops]
        self.now.update(zip(layer.tops, tops, strict=True))
        self.read.update(dict.fromkeys(bottoms))
        self.made.update(dict.fromkeys(tops))
        self.builder.node(layer.op_type, bottoms, tops, name=layer.name)
        if layer.op_type in SOURCES:
            for name, shape in zip(tops, made_shapes(layer), strict=True):
                self.blobs.give(name, shape)
                self.inputs[name] = None
        else:
            self.blobs.follow(layer, bottoms, tops)

    def _own(self, layer: LayerText, top: str) -> str:
        """The name of the tensor that a layer makes of a blob in place."""
        found, longer = layer.name, f"{layer.name}/{top}"
        while not found or found in self.taken:
            number = self.used.get(longer, 0) + 1
            self.used[longer] = number
            found = longer if number == 1 else f"{longer}.{number}"
        self.taken.add(found)
        return found

    def finish(self, made_in_training: set[str]) -> None:
        """Marks what goes in, and what comes out because nobody reads it; says what is known of tensors."""
        for name in self.read:
            if name not in self.made and name in made_in_training:
                self.inputs[name] = None  # its data layer is for training only: at inference one feeds it
        for name in self.inputs:
            self.builder.input(name)
        for name in self.made:
            if name and name not in self.read and name not in self.inputs:
                self.builder.output(name)
        for name, (dtype, sizes) in self.blobs.known.items():
            self.builder.tensor(name, dtype, sizes)
        if note := self.blobs.note():
            self.builder.problems.append(Problem(note, self.builder.name))


def _taken(net: Message, running: Sequence[LayerText]) -> set[str]:
    blobs = {name for layer in running for name in (*layer.bottoms, *layer.tops)}
    return blobs | set(net.texts("input"))


@dataclass(frozen=True, slots=True)
class _LayerAttributes:
    """What the file says of a layer; the fields of a message inside have dotted names."""

    contents: tuple[Message, ...]

    def __call__(self, node: int) -> Mapping[str, object]:
        found: dict[str, object] = {}
        _flatten(self.contents[node], "", found)
        return found


def _flatten(message: Message, prefix: str, found: dict[str, object]) -> None:
    given: dict[str, list[Value]] = {}
    for name, value in message.fields:
        given.setdefault(name, []).append(value)
    for name, values in given.items():
        if not prefix and name in _SHOWN_ELSEWHERE:
            continue
        if name == _WEIGHTS:
            found[prefix + name] = f"{len(values)} arrays of weights"
        elif len(values) > 1:
            found[prefix + name] = tuple(_plain(value) for value in values)
        elif isinstance(values[0], Message):
            _flatten(values[0], f"{prefix}{name}.", found)
        else:
            found[prefix + name] = values[0]


def _plain(value: object) -> object:
    if not isinstance(value, Message):
        return value
    found: dict[str, object] = {}
    _flatten(value, "", found)
    return found


def _facts(running: Sequence[LayerText], left_out: Sequence[LayerText]) -> Facts:
    rows = [("View", "inference (TEST)")]
    if left_out:
        names = [layer.name for layer in left_out]
        more = f" and {len(names) - EXAMPLES:,} more" if len(names) > EXAMPLES else ""
        rows.append(("Left out at inference", ", ".join(names[:EXAMPLES]) + more))
    kinds = Counter(layer.op_type for layer in running)
    quant = [f"{kinds[kind]:,} {kind}" for kind in _QUANT_TYPES if kinds[kind]]
    if quant:
        rows.append(("Quantized by AMCT", f"{', '.join(quant)} layers"))
    return tuple(rows)
