"""Builds the graph of a Caffe network. Tensors are blobs, but layers that work in place get one of their own."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from errorflow.base.values import dataclass, field, word_list, word_pairs
from errorflow.formats.caffe import axes, windows
from errorflow.formats.caffe.parameters import Parameters
from errorflow.formats.caffe.sizes import Odd, Sizes, checked
from errorflow.formats.prototext import TextMessage, Value
from errorflow.graph.build import EXAMPLES, GraphBuilder, counted, noted
from errorflow.graph.model import Graph, Problem

SOURCES = frozenset(
    {"Input", "Data", "ImageData", "HDF5Data", "MemoryData", "WindowData", "DummyData", "AnnotatedData", "VideoData"}
)
_RANK = 4


def net_inputs(net: TextMessage) -> Iterator[tuple[str, Sizes | None]]:
    """Inputs that the network itself lists; sizes stand in messages, or as one list of four per input."""
    shapes, sizes = net.messages("input_shape"), net.numbers("input_dim")
    for index, name in enumerate(net.texts("input")):
        flat = sizes[index * _RANK : (index + 1) * _RANK]
        if index < len(shapes):
            yield name, _shape(shapes[index].numbers("dim"))
        else:
            yield name, _shape(flat) if len(flat) == _RANK else None


# The layers of a Caffe network as they run at inference, whatever generation of the format they are written in.

TEST = "TEST"
# The first layer format named types by enumeration values.
_V1_TYPES = word_pairs(
    "ABSVAL:AbsVal ACCURACY:Accuracy ARGMAX:ArgMax BNLL:BNLL CONCAT:Concat CONTRASTIVE_LOSS:ContrastiveLoss "
    "CONVOLUTION:Convolution DATA:Data DECONVOLUTION:Deconvolution DROPOUT:Dropout DUMMY_DATA:DummyData "
    "ELTWISE:Eltwise EUCLIDEAN_LOSS:EuclideanLoss EXP:Exp FLATTEN:Flatten HDF5_DATA:HDF5Data "
    "HDF5_OUTPUT:HDF5Output HINGE_LOSS:HingeLoss IM2COL:Im2col IMAGE_DATA:ImageData INFOGAIN_LOSS:InfogainLoss "
    "INNER_PRODUCT:InnerProduct LRN:LRN MEMORY_DATA:MemoryData MULTINOMIAL_LOGISTIC_LOSS:MultinomialLogisticLoss "
    "MVN:MVN POOLING:Pooling POWER:Power PRELU:PReLU RELU:ReLU SIGMOID:Sigmoid "
    "SIGMOID_CROSS_ENTROPY_LOSS:SigmoidCrossEntropyLoss SILENCE:Silence SLICE:Slice SOFTMAX:Softmax "
    "SOFTMAX_LOSS:SoftmaxWithLoss SPLIT:Split TANH:TanH THRESHOLD:Threshold WINDOW_DATA:WindowData"
)
# And the oldest, which wraps each layer, by small words.
_V0_TYPES = {
    **{
        name: _V1_TYPES[name.upper()]
        for name in word_list(
            "accuracy bnll concat data dropout euclidean_loss flatten hdf5_data hdf5_output im2col infogain_loss "
            "lrn multinomial_logistic_loss relu sigmoid softmax softmax_loss split tanh window_data"
        )
    },
    **word_pairs("conv:Convolution images:ImageData innerproduct:InnerProduct pool:Pooling"),
}


@dataclass(frozen=True, slots=True)
class LayerText:
    """One layer: blobs as the file names them, so that a layer in place has one both below and on top."""

    name: str
    op_type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    content: TextMessage
    # Where name and type stand: the content itself, but for the oldest format, which wraps it.
    about: TextMessage

    def parameters(self, name: str) -> TextMessage:
        """The parameters of its type; the oldest format knows no messages for them."""
        return self.about.message(name) if self.about is self.content else self.about


@dataclass(frozen=True, slots=True)
class LayerState:
    """State that a layer's rules are held against."""

    phase: str = TEST
    level: int = 0
    stages: frozenset[str] = frozenset()

    @classmethod
    def of(cls, net: TextMessage) -> "LayerState":
        """Inference, with the level and stages that the network gives."""
        state = net.message("state")
        levels = state.numbers("level")
        return cls(TEST, levels[-1] if levels else 0, frozenset(state.texts("stage")))

    def fits(self, rule: TextMessage) -> bool:
        phase, low, high = rule.text("phase"), rule.numbers("min_level"), rule.numbers("max_level")
        return (
            (not phase or phase == self.phase)
            and (not low or self.level >= low[-1])
            and (not high or self.level <= high[-1])
            and self.stages.issuperset(rule.texts("stage"))
            and self.stages.isdisjoint(rule.texts("not_stage"))
        )

    def runs(self, layer: TextMessage) -> bool:
        """Rules that include a layer are alternatives, and so are those that exclude it."""
        include, exclude = layer.messages("include"), layer.messages("exclude")
        return any(map(self.fits, include)) if include else not any(map(self.fits, exclude))


def layers(net: TextMessage) -> tuple[list[LayerText], list[LayerText]]:
    """The layers that run at inference, and those that do not."""
    state = LayerState.of(net)
    running: list[LayerText] = []
    left_out: list[LayerText] = []
    for content in _contents(net):
        (running if state.runs(content) else left_out).append(_layer(content))
    return running, left_out


def _contents(net: TextMessage) -> Iterator[TextMessage]:
    for name, value in net.fields:
        if name in ("layer", "layers") and isinstance(value, TextMessage):
            yield value


def _layer(content: TextMessage) -> LayerText:
    inner = content.messages("layer")
    about = inner[-1] if inner else content
    kind = about.text("type")
    return LayerText(
        name=about.text("name"),
        op_type=_V0_TYPES.get(kind, kind) if inner else _V1_TYPES.get(kind, kind),
        bottoms=tuple(content.texts("bottom")),
        tops=tuple(content.texts("top")),
        content=content,
        about=about,
    )


def made_shapes(layer: LayerText) -> list[Sizes | None]:
    """Finds the shape of each top of a layer that brings data in, as far as the file says it."""
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


def _given(about: TextMessage) -> list[Sizes | None]:
    return [_shape(one.numbers("dim")) for one in about.messages("shape")]


def _spread(shapes: list[Sizes | None], count: int) -> list[Sizes | None]:
    """Spreads one shape over all tops."""
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


def build(net: TextMessage, problems: Sequence[Problem] = ()) -> tuple[Graph, Facts]:
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


# Shapes inside a Caffe network, as they follow from those of its inputs: one rule per type of layer.
#
# To add one: a small function in `axes` or `windows` that gives the shapes of the tops, and its row here.

FLOAT = "float32"
_MANY = 1_000_000
_NOTHING = Parameters({})
_UNKNOWN: tuple[str, Sizes | None] = ("", None)


class ShapeRule(NamedTuple):
    """Rule for the shapes of the tops, what its parameters stand in, and how many bottoms it understands."""

    sizes: Callable[[Parameters, list[Sizes], int], list[Sizes]]
    parameters: str = ""
    least: int = 1
    most: int = 1


_SAME = (
    *("AbsVal", "BNLL", "BatchNorm", "Clip", "Dropout", "ELU", "Exp", "LRN", "Log", "MVN", "Normalize", "PReLU"),
    *("Power", "ReLU", "ReLU6", "Sigmoid", "Softmax", "Swish", "TanH", "Threshold"),
    *("AntiQuant", "DeQuant", "Quant", "ReQuant"),
)
RULES: Mapping[str, ShapeRule] = {
    **dict.fromkeys(_SAME, ShapeRule(axes.same)),
    "ArgMax": ShapeRule(axes.arg_max, "argmax_param"),
    "Bias": ShapeRule(axes.scale, "bias_param", most=2),
    "Concat": ShapeRule(axes.concat, "concat_param", most=_MANY),
    "Convolution": ShapeRule(windows.convolution, "convolution_param", most=_MANY),
    "ConvolutionDepthwise": ShapeRule(windows.convolution, "convolution_param", most=_MANY),
    "Crop": ShapeRule(axes.crop, "crop_param", least=2, most=2),
    "Deconvolution": ShapeRule(windows.deconvolution, "convolution_param", most=_MANY),
    "DepthwiseConvolution": ShapeRule(windows.convolution, "convolution_param", most=_MANY),
    "Eltwise": ShapeRule(axes.eltwise, most=_MANY),
    "Flatten": ShapeRule(axes.flatten, "flatten_param"),
    "InnerProduct": ShapeRule(axes.inner_product, "inner_product_param"),
    "Interp": ShapeRule(windows.interp, "interp_param"),
    "Permute": ShapeRule(axes.permute, "permute_param"),
    "Pooling": ShapeRule(windows.pooling, "pooling_param"),
    "Reduction": ShapeRule(axes.reduction, "reduction_param"),
    "Reshape": ShapeRule(axes.reshape, "reshape_param"),
    "Scale": ShapeRule(axes.scale, "scale_param", most=2),
    "Slice": ShapeRule(axes.slices, "slice_param"),
    "Split": ShapeRule(axes.split),
    "Tile": ShapeRule(axes.tile, "tile_param"),
    "Upsample": ShapeRule(windows.upsample, "upsample_param", most=2),
}
# Behind these values are whole numbers of a kind that the network does not tell, up to one of those.
_TO_WHOLE, _TO_FLOAT = frozenset({"Quant", "ReQuant"}), frozenset({"DeQuant", "AntiQuant"})


def top_sizes(layer: LayerText, bottoms: Sequence[Sizes | None]) -> list[Sizes | None]:
    """Finds the shape of each top, None where it is not known; `Odd` says why there cannot be any."""
    tops = len(layer.tops)
    unknown: list[Sizes | None] = [None] * tops
    rule = RULES.get(layer.op_type)
    known = [sizes for sizes in bottoms if sizes is not None]
    if rule is None or len(known) < len(bottoms) or not rule.least <= len(known) <= rule.most:
        return unknown
    about = Parameters.of(layer.parameters(rule.parameters)) if rule.parameters else _NOTHING
    found = rule.sizes(about, known, tops)
    return [*map(checked, found), *unknown][:tops]


def top_dtype(layer: LayerText, bottoms: Sequence[str]) -> str:
    """Caffe computes in float32; "" where values are quantized, and behind layers that are not known."""
    if layer.op_type not in RULES or layer.op_type in _TO_WHOLE:
        return ""
    return FLOAT if layer.op_type in _TO_FLOAT or all(dtype == FLOAT for dtype in bottoms) else ""


@dataclass(slots=True)
class Blobs:
    """Blobs: what is known of them so far, and of which ones there is something odd."""

    known: dict[str, tuple[str, Sizes | None]] = field(default_factory=dict)
    odd: list[tuple[str, str]] = field(default_factory=list)

    def give(self, name: str, sizes: Sizes | None) -> None:
        """Says what goes into the network. "" stands for a tensor that is left out."""
        if not name:
            return
        try:
            self.known[name] = FLOAT, None if sizes is None else checked(sizes)
        except Odd as odd:
            self.known[name] = FLOAT, None
            self.odd.append((name, odd.reason))

    def follow(self, layer: LayerText, bottoms: Sequence[str], tops: Sequence[str]) -> None:
        """Finds out about the tensors that a layer makes of others. What is made twice is what it was first."""
        read = [self.known.get(name, _UNKNOWN) for name in bottoms]
        dtype = top_dtype(layer, [dtype for dtype, _ in read])
        try:
            shapes = top_sizes(layer, [sizes for _, sizes in read])
        except Odd as odd:
            shapes = [None] * len(tops)
            self.odd.append((layer.name if layer.name else layer.op_type, odd.reason))
        for name, sizes in zip(tops, shapes, strict=True):
            if name:
                self.known.setdefault(name, (dtype, sizes))

    def note(self) -> str:
        """Writes one sentence on all that is odd, or nothing."""
        if not self.odd:
            return ""
        text = counted(len(self.odd), "layer has", "layers have") + " sizes that do not go together"
        return noted(text, [f"{name} ({reason})" for name, reason in self.odd[: EXAMPLES + 1]])


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
        """Marks inputs, and outputs because no layer reads them; says what is known of tensors."""
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


def _taken(net: TextMessage, running: Sequence[LayerText]) -> set[str]:
    blobs = {name for layer in running for name in (*layer.bottoms, *layer.tops)}
    return blobs | set(net.texts("input"))


@dataclass(frozen=True, slots=True)
class _LayerAttributes:
    """Attributes of a layer in the file; the fields of a message inside have dotted names."""

    contents: tuple[TextMessage, ...]

    def __call__(self, node: int) -> Mapping[str, object]:
        found: dict[str, object] = {}
        _flatten(self.contents[node], "", found)
        return found


def _flatten(message: TextMessage, prefix: str, found: dict[str, object]) -> None:
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
        elif isinstance(values[0], TextMessage):
            _flatten(values[0], f"{prefix}{name}.", found)
        else:
            found[prefix + name] = values[0]


def _plain(value: object) -> object:
    if not isinstance(value, TextMessage):
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
