"""Shapes of what goes into a Caffe network."""

from collections.abc import Iterator

from errorflow.formats.caffe.layers import LayerText
from errorflow.formats.caffe.sizes import Sizes
from errorflow.formats.prototext import Message

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
