"""The layers of a Caffe network as they run at inference, whatever generation of the format they are written in."""

from collections.abc import Iterator
from dataclasses import dataclass

from errorflow.formats.prototext import Message

TEST = "TEST"
# The first layer format named types by enumeration values.
_V1_TYPES = {
    "ABSVAL": "AbsVal",
    "ACCURACY": "Accuracy",
    "ARGMAX": "ArgMax",
    "BNLL": "BNLL",
    "CONCAT": "Concat",
    "CONTRASTIVE_LOSS": "ContrastiveLoss",
    "CONVOLUTION": "Convolution",
    "DATA": "Data",
    "DECONVOLUTION": "Deconvolution",
    "DROPOUT": "Dropout",
    "DUMMY_DATA": "DummyData",
    "ELTWISE": "Eltwise",
    "EUCLIDEAN_LOSS": "EuclideanLoss",
    "EXP": "Exp",
    "FLATTEN": "Flatten",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "HINGE_LOSS": "HingeLoss",
    "IM2COL": "Im2col",
    "IMAGE_DATA": "ImageData",
    "INFOGAIN_LOSS": "InfogainLoss",
    "INNER_PRODUCT": "InnerProduct",
    "LRN": "LRN",
    "MEMORY_DATA": "MemoryData",
    "MULTINOMIAL_LOGISTIC_LOSS": "MultinomialLogisticLoss",
    "MVN": "MVN",
    "POOLING": "Pooling",
    "POWER": "Power",
    "PRELU": "PReLU",
    "RELU": "ReLU",
    "SIGMOID": "Sigmoid",
    "SIGMOID_CROSS_ENTROPY_LOSS": "SigmoidCrossEntropyLoss",
    "SILENCE": "Silence",
    "SLICE": "Slice",
    "SOFTMAX": "Softmax",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "SPLIT": "Split",
    "TANH": "TanH",
    "THRESHOLD": "Threshold",
    "WINDOW_DATA": "WindowData",
}
# And the oldest, which wraps each layer, by small words.
_V0_TYPES = {
    "accuracy": "Accuracy",
    "bnll": "BNLL",
    "concat": "Concat",
    "conv": "Convolution",
    "data": "Data",
    "dropout": "Dropout",
    "euclidean_loss": "EuclideanLoss",
    "flatten": "Flatten",
    "hdf5_data": "HDF5Data",
    "hdf5_output": "HDF5Output",
    "im2col": "Im2col",
    "images": "ImageData",
    "infogain_loss": "InfogainLoss",
    "innerproduct": "InnerProduct",
    "lrn": "LRN",
    "multinomial_logistic_loss": "MultinomialLogisticLoss",
    "pool": "Pooling",
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "softmax": "Softmax",
    "softmax_loss": "SoftmaxWithLoss",
    "split": "Split",
    "tanh": "TanH",
    "window_data": "WindowData",
}


@dataclass(frozen=True, slots=True)
class LayerText:
    """One layer: blobs as the file names them, so that a layer in place has one both below and on top."""

    name: str
    op_type: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    content: Message
    # Where name and type stand: the content itself, but for the oldest format, which wraps it.
    about: Message

    def parameters(self, name: str) -> Message:
        """The parameters of its type; the oldest format knows no messages for them."""
        return self.about.message(name) if self.about is self.content else self.about


@dataclass(frozen=True, slots=True)
class State:
    """What a layer's rules are held against."""

    phase: str = TEST
    level: int = 0
    stages: frozenset[str] = frozenset()

    @classmethod
    def of(cls, net: Message) -> "State":
        """Inference, with the level and stages that the network gives."""
        state = net.message("state")
        levels = state.numbers("level")
        return cls(TEST, levels[-1] if levels else 0, frozenset(state.texts("stage")))

    def fits(self, rule: Message) -> bool:
        phase, low, high = rule.text("phase"), rule.numbers("min_level"), rule.numbers("max_level")
        return (
            (not phase or phase == self.phase)
            and (not low or self.level >= low[-1])
            and (not high or self.level <= high[-1])
            and self.stages.issuperset(rule.texts("stage"))
            and self.stages.isdisjoint(rule.texts("not_stage"))
        )

    def runs(self, layer: Message) -> bool:
        """Rules that include a layer are alternatives, and so are those that exclude it."""
        include, exclude = layer.messages("include"), layer.messages("exclude")
        return any(map(self.fits, include)) if include else not any(map(self.fits, exclude))


def layers(net: Message) -> tuple[list[LayerText], list[LayerText]]:
    """The layers that run at inference, and those that do not."""
    state = State.of(net)
    running: list[LayerText] = []
    left_out: list[LayerText] = []
    for content in _contents(net):
        (running if state.runs(content) else left_out).append(_layer(content))
    return running, left_out


def _contents(net: Message) -> Iterator[Message]:
    for name, value in net.fields:
        if name in ("layer", "layers") and isinstance(value, Message):
            yield value


def _layer(content: Message) -> LayerText:
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
