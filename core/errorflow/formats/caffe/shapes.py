"""Shapes inside a Caffe network, as they follow from those of its inputs: one rule per type of layer.

To add one: a small function in `axes` or `windows` that gives the shapes of the tops, and its row here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from errorflow.formats.caffe import axes, windows
from errorflow.formats.caffe.layers import LayerText
from errorflow.formats.caffe.parameters import Parameters
from errorflow.formats.caffe.sizes import Odd, Sizes, checked
from errorflow.graph.build import EXAMPLES, counted, noted

FLOAT = "float32"
_MANY = 1_000_000
_NOTHING = Parameters({})
_UNKNOWN: tuple[str, Sizes | None] = ("", None)


class Rule(NamedTuple):
    """How to find the shapes of the tops, what its parameters stand in, and how many bottoms it understands."""

    sizes: Callable[[Parameters, list[Sizes], int], list[Sizes]]
    parameters: str = ""
    least: int = 1
    most: int = 1


_SAME = (
    *("AbsVal", "BNLL", "BatchNorm", "Clip", "Dropout", "ELU", "Exp", "LRN", "Log", "MVN", "Normalize", "PReLU"),
    *("Power", "ReLU", "ReLU6", "Sigmoid", "Softmax", "Swish", "TanH", "Threshold"),
    *("AntiQuant", "DeQuant", "Quant", "ReQuant"),
)
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_SAME, Rule(axes.same)),
    "ArgMax": Rule(axes.arg_max, "argmax_param"),
    "Bias": Rule(axes.scale, "bias_param", most=2),
    "Concat": Rule(axes.concat, "concat_param", most=_MANY),
    "Convolution": Rule(windows.convolution, "convolution_param", most=_MANY),
    "ConvolutionDepthwise": Rule(windows.convolution, "convolution_param", most=_MANY),
    "Crop": Rule(axes.crop, "crop_param", least=2, most=2),
    "Deconvolution": Rule(windows.deconvolution, "convolution_param", most=_MANY),
    "DepthwiseConvolution": Rule(windows.convolution, "convolution_param", most=_MANY),
    "Eltwise": Rule(axes.eltwise, most=_MANY),
    "Flatten": Rule(axes.flatten, "flatten_param"),
    "InnerProduct": Rule(axes.inner_product, "inner_product_param"),
    "Interp": Rule(windows.interp, "interp_param"),
    "Permute": Rule(axes.permute, "permute_param"),
    "Pooling": Rule(windows.pooling, "pooling_param"),
    "Reduction": Rule(axes.reduction, "reduction_param"),
    "Reshape": Rule(axes.reshape, "reshape_param"),
    "Scale": Rule(axes.scale, "scale_param", most=2),
    "Slice": Rule(axes.slices, "slice_param"),
    "Split": Rule(axes.split),
    "Tile": Rule(axes.tile, "tile_param"),
    "Upsample": Rule(windows.upsample, "upsample_param", most=2),
}
# Behind these values are whole numbers of a kind that the network does not tell, up to one of those.
_TO_WHOLE, _TO_FLOAT = frozenset({"Quant", "ReQuant"}), frozenset({"DeQuant", "AntiQuant"})


def top_sizes(layer: LayerText, bottoms: Sequence[Sizes | None]) -> list[Sizes | None]:
    """For each top its shape, None where it is not known; `Odd` says why there cannot be any."""
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
    """What is known of tensors so far, and of which ones there is something odd."""

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
        """One sentence on all that is odd, or nothing."""
        if not self.odd:
            return ""
        text = counted(len(self.odd), "layer has", "layers have") + " sizes that do not go together"
        return noted(text, [f"{name} ({reason})" for name, reason in self.odd[: EXAMPLES + 1]])
