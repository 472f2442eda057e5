"""Shapes inside Caffe networks: every rule of the table, networks whose shapes are published, and what does not fit."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.formats.caffe.layers import LayerText, layers
from errorflow.formats.caffe.net import build
from errorflow.formats.caffe.shapes import RULES, top_sizes
from errorflow.formats.caffe.sizes import MAX_SIZE, Odd, Sizes
from errorflow.formats.prototext import Message, Word, parse
from errorflow.graph.model import Graph, Shape

IMAGE = (1, 6, 8, 10)


@dataclass(frozen=True)
class Case:
    """What a layer of a type makes of its bottoms; `made` is a sentence where there is no shape."""

    made: "list[Sizes | None] | str"
    more: str = ""
    bottoms: tuple[Sizes, ...] = (IMAGE,)


def conv(made: "Sizes | str", more: str, *bottoms: Sizes) -> Case:
    read = bottoms if bottoms else (IMAGE,)
    expected: list[Sizes | None] | str = made if isinstance(made, str) else [made] * len(read)
    return Case(expected, f"convolution_param {{ {more} }}", read)


def pool(made: "Sizes | str | None", more: str, bottom: Sizes = IMAGE) -> Case:
    return Case(made if isinstance(made, str) else [made], f"pooling_param {{ {more} }}", (bottom,))


def shaped(made: "Sizes | str", shape: str, bottom: Sizes = (2, 3, 4), more: str = "") -> Case:
    return Case(made if isinstance(made, str) else [made], f"reshape_param {{ shape {{ {shape} }} {more} }}", (bottom,))


SAME = [Case([IMAGE]), Case([(3,)], bottoms=((3,),)), Case([()], bottoms=((),)), Case([None], bottoms=(IMAGE, IMAGE))]
CONVOLUTIONS = [
    conv((1, 4, 8, 10), "num_output: 4 kernel_size: 1"),
    conv((1, 4, 6, 8), "num_output: 4 kernel_size: 3"),
    conv((1, 4, 8, 10), "num_output: 4 kernel_size: 3 pad: 1"),
    conv((1, 4, 4, 5), "num_output: 4 kernel_size: 3 pad: 1 stride: 2"),
    conv((1, 4, 4, 4), "num_output: 4 kernel_h: 5 kernel_w: 7"),
    conv((1, 4, 8, 8), "num_output: 4 kernel_size: 3 pad_h: 1"),
    conv((1, 4, 3, 8), "num_output: 4 kernel_size: 3 stride_h: 2 stride_w: 1"),
    conv((1, 4, 4, 8), "num_output: 4 kernel_size: 5 kernel_size: 3"),
    conv((1, 4, 8, 8), "num_output: 4 kernel_size: 3 pad: [1, 0] stride: [1, 1]"),
    conv((1, 4, 4, 6), "num_output: 4 kernel_size: 3 dilation: 2"),
    conv((1, 4, 4, 8), "num_output: 4 kernel_size: 3 dilation: [2, 1]"),
    conv((1, 12, 6, 8), "num_output: 12 kernel_size: 3 group: 6"),
    conv((1, 4, 6, 8), "num_output: 4 kernel_size: 3", IMAGE, IMAGE),
    conv((2, 3, 5, 5, 5), "num_output: 3 kernel_size: 3", (2, 1, 7, 7, 7)),
    conv((2, 8, 5), "num_output: 8 kernel_size: 3", (2, 1, 7)),
    conv((2, 8), "num_output: 8 kernel_size: 1", (2, 3)),
    conv((2, 3, 5, 6), "num_output: 5 kernel_size: 2 axis: -2", (2, 3, 4, 7)),
    conv((None, 4, None, 8), "num_output: 4 kernel_size: 3", (None, None, None, 10)),
    conv("its num_output is no size", "num_output: 1.5 kernel_size: 3"),
    conv("it has no num_output", "kernel_size: 3"),
    conv("it has no kernel_size", "num_output: 4"),
    conv("its kernel_size is 0", "num_output: 4 kernel_size: 0"),
    conv("its kernel_size is 0", "num_output: 4 kernel_h: 3"),
    conv("its stride is 0", "num_output: 4 kernel_size: 3 stride: 0"),
    conv("its pad is -1", "num_output: 4 kernel_size: 3 pad: -1"),
    conv("its pad is no size", "num_output: 4 kernel_size: 3 pad: true"),
    conv("its pad is no size", f"num_output: 4 kernel_size: 3 pad: {10**20}"),
    conv("it gives 3 values of kernel_size for 2 axes", "num_output: 4 kernel_size: [3, 3, 3]"),
    conv("it gives kernel_size twice, also as kernel_h and kernel_w", "num_output: 4 kernel_size: 3 kernel_h: 3"),
    conv("kernel_h and kernel_w are for 2 axes, not 1", "num_output: 4 kernel_h: 3 kernel_w: 3", (1, 2, 3)),
    conv("a window of 9 does not fit into 8", "num_output: 4 kernel_size: 9"),
    conv("a window of 9 does not fit into 8", "num_output: 4 kernel_size: 5 dilation: 2"),
    conv("6 channels do not make 4 groups", "num_output: 4 kernel_size: 3 group: 4"),
    conv("4 channels do not make 3 groups", "num_output: 4 kernel_size: 3 group: 3"),
    conv("6 channels do not make 0 groups", "num_output: 4 kernel_size: 3 group: 0"),
    conv("there is no axis 4 among 4", "num_output: 4 kernel_size: 3 axis: 4"),
    conv("1×6×8×10 does not go with 1×6×8×9", "num_output: 4 kernel_size: 3", IMAGE, (1, 6, 8, 9)),
    Case([None], "convolution_param { num_output: 4 kernel_size: 3 hole: 2 }"),
    Case([None], "convolution_param { num_output: 4 kernel_size: 3 pad_top: 2 }"),
]
CASES: dict[str, list[Case]] = {
    "AbsVal": SAME,
    "AntiQuant": SAME,
    "ArgMax": [
        Case([(1, 1, 1, 1)]),
        Case([(1, 2, 5, 1)], "argmax_param { top_k: 5 out_max_val: true }"),
        Case([(1, 6, 5, 10)], "argmax_param { top_k: 5 axis: 2 out_max_val: true }"),
        Case([(1, 6, 8, 1)], "argmax_param { axis: -1 }"),
        Case([(7, 1, 1)], bottoms=((7, 10),)),
        Case([(7, 1, 1)], bottoms=((7,),)),
        Case([(None, 1, 3, 1)], "argmax_param { top_k: 3 }", ((None, 4, None, 4),)),
        Case("the best 11 cannot be among 10", "argmax_param { top_k: 11 axis: 3 }"),
        Case("the best 0 cannot be among 480", "argmax_param { top_k: 0 }"),
        Case("there is no axis 0 among 0", bottoms=((),)),
    ],
    "BNLL": SAME,
    "BatchNorm": SAME,
    "Bias": [Case([IMAGE]), Case([IMAGE], bottoms=(IMAGE, (6,))), Case([None], bottoms=(IMAGE, (6,), (6,)))],
    "Clip": SAME,
    "Concat": [
        Case([(1, 9, 8, 10)], bottoms=(IMAGE, (1, 2, 8, 10), (1, 1, 8, 10))),
        Case([(1, 6, 8, 14)], "concat_param { axis: -1 }", (IMAGE, (1, 6, 8, 4))),
        Case([(3, 6, 8, 10)], "concat_param { concat_dim: 0 }", (IMAGE, (2, 6, 8, 10))),
        Case([IMAGE]),
        Case([(2, None)], bottoms=((None, 3), (2, None))),
        Case("it gives both axis and concat_dim", "concat_param { axis: 1 concat_dim: 1 }"),
        Case("1×8×10 does not go with 1×9×10", bottoms=(IMAGE, (1, 6, 9, 10))),
        Case("it joins 1×6×8×10 with a blob of another number of axes", bottoms=(IMAGE, (1, 6, 8))),
        Case("there is no axis 1 among 1", bottoms=((3,), (4,))),
    ],
    "Convolution": CONVOLUTIONS,
    "ConvolutionDepthwise": CONVOLUTIONS,
    "Crop": [
        Case([(1, 6, 5, 7)], "crop_param { axis: 2 offset: 3 }", (IMAGE, (9, 9, 5, 7))),
        Case([(1, 6, 5, 7)], "", (IMAGE, (9, 9, 5, 7))),
        Case([(1, 4, 5, 7)], "crop_param { axis: -3 offset: [2, 1, 0] }", (IMAGE, (9, 4, 5, 7))),
        Case([(1, 6, None, 7)], "crop_param { offset: 1 }", (IMAGE, (1, 1, None, 7))),
        Case([None], bottoms=(IMAGE,)),
        Case("7 from 4 on is not within 10", "crop_param { offset: 4 }", (IMAGE, (1, 6, 4, 7))),
        Case("at 3 offsets", "crop_param { offset: [1, 1, 1] }", (IMAGE, IMAGE)),
        Case("it cannot cut 1×6×8×10 from axis 2 to 1×6", bottoms=(IMAGE, (1, 6))),
    ],
    "DeQuant": SAME,
    "Deconvolution": [
        conv((1, 6, 16, 20), "num_output: 6 kernel_size: 4 stride: 2 pad: 1 group: 6"),
        conv((1, 4, 17, 21), "num_output: 4 kernel_size: 3 stride: 2"),
        conv((1, 4, 12, 14), "num_output: 4 kernel_size: 3 dilation: 2"),
        conv((1, 4, None, 12), "num_output: 4 kernel_size: 3", (1, 6, None, 10)),
        conv("it would be 1×4×-1×1", "num_output: 4 kernel_size: 1 pad: 5", (1, 6, 9, 11)),
        Case([None], "convolution_param { num_output: 4 kernel_size: 3 pad_type: SAME }"),
    ],
    "DepthwiseConvolution": CONVOLUTIONS,
    "Dropout": SAME,
    "ELU": SAME,
    "Eltwise": [
        Case([IMAGE], "eltwise_param { operation: MAX }", (IMAGE, IMAGE, IMAGE)),
        Case([(2, 3)], bottoms=((None, 3), (2, None))),
        Case("1×6×8×10 does not go with 1×6×1×1", bottoms=(IMAGE, (1, 6, 1, 1))),
        Case("1×6 does not go with a scalar", bottoms=((1, 6), ())),
    ],
    "Exp": SAME,
    "Flatten": [
        Case([(1, 480)]),
        Case([(1, 48, 10)], "flatten_param { end_axis: 2 }"),
        Case([(6, 80)], "flatten_param { axis: 0 end_axis: 1 }", ((2, 3, 80),)),
        Case([(None, 80)], bottoms=((None, 8, 10),)),
        Case([(2, None)], bottoms=((2, None, 10),)),
        Case("its end_axis lies before axis 3", "flatten_param { axis: 3 end_axis: 1 }"),
        Case("there is no axis 1 among 1", bottoms=((7,),)),
        Case("larger than Caffe can hold", bottoms=((1, 2**20, 2**20),)),
    ],
    "InnerProduct": [
        Case([(1, 10)], "inner_product_param { num_output: 10 }"),
        Case([(1, 6, 8, 4)], "inner_product_param { num_output: 4 axis: -1 }"),
        Case([(4,)], "inner_product_param { num_output: 4 axis: 0 }"),
        Case([(None, 4)], "inner_product_param { num_output: 4 }", ((None, None),)),
        Case("it has no num_output"),
        Case("there is no axis 1 among 1", "inner_product_param { num_output: 4 }", ((5,),)),
    ],
    "Interp": [
        Case([(1, 6, 33, 65)], "interp_param { height: 33 width: 65 }"),
        Case([None], "interp_param { zoom_factor: 2 }"),
        Case([None], "interp_param { height: 33 width: 65 zoom_factor: 2 }"),
        Case([None], "interp_param { height: 33 width: 65 }", (IMAGE, IMAGE)),
        Case("it would be 1×6×0×65", "interp_param { height: 0 width: 65 }"),
        Case("it reads images, not 1×6", "interp_param { height: 33 width: 65 }", ((1, 6),)),
    ],
    "LRN": SAME,
    "Log": SAME,
    "MVN": SAME,
    "Normalize": SAME,
    "PReLU": SAME,
    "Permute": [
        Case([(1, 8, 10, 6)], "permute_param { order: 0 order: 2 order: 3 order: 1 }"),
        Case([(8, 1, 6, 10)], "permute_param { order: 2 }"),
        Case([IMAGE]),
        Case("its order is none of 4 axes", "permute_param { order: [0, 0, 1, 2] }"),
        Case("its order is none of 4 axes", "permute_param { order: [0, 4] }"),
        Case("its order is none of 4 axes", "permute_param { order: -1 }"),
    ],
    "Pooling": [
        pool((1, 6, 4, 5), "kernel_size: 2 stride: 2"),
        pool((1, 6, 4, 5), "kernel_size: 3 stride: 2"),
        pool((1, 6, 3, 4), "kernel_size: 3 stride: 2 round_mode: FLOOR"),
        pool((1, 6, 3, 4), "kernel_size: 3 stride: 2 round_mode: 1"),
        pool((1, 6, 4, 5), "kernel_size: 3 stride: 2 round_mode: CEIL ceil_mode: true"),
        pool((1, 6, 3, 4), "kernel_size: 3 stride: 2 ceil_mode: false"),
        pool((1, 6, 7, 6), "kernel_h: 2 kernel_w: 5"),
        pool((1, 6, 3, 10), "kernel_size: 3 pad_h: 0 pad_w: 1 stride_h: 3 stride_w: 1"),
        pool((1, 6, 1, 1), "global_pooling: true pool: AVE"),
        pool((1, 6, 1, 1), "kernel_size: 2 stride: 2", (1, 6, 1, 1)),
        pool((1, 1, 1, 2), "kernel_size: 2 stride: 2 pad: 1", (1, 1, 1, 2)),
        pool((1, 1, 3, 3), "kernel_size: 1 stride: 3", (1, 1, 5, 5)),
        pool((1, 1, 3, 2), "kernel_h: 2 kernel_w: 1 stride: 3 pad_h: 1 pad_w: 0", (1, 1, 7, 5)),
        pool((None, 6, None, 1), "kernel_size: 10 stride: 3", (None, 6, None, 10)),
        Case([(1, 6, 4, 5), (1, 6, 4, 5)], "top: 'mask' pooling_param { kernel_size: 2 stride: 2 }"),
        pool(None, "kernel_size: 2 pad_type: SAME"),
        pool("it has no kernel_size", "stride: 2"),
        pool("its kernel_size is 0", "kernel_h: 2"),
        pool("its stride is 0", "kernel_size: 2 stride_h: 2"),
        pool("its pad is not smaller than its window", "kernel_size: 2 pad: 2"),
        pool("a window of 9 does not fit into 8", "kernel_size: 9"),
        pool("its round_mode is not known", "kernel_size: 2 round_mode: HALF"),
        pool("it reads images, not 6", "kernel_size: 2", (6,)),
    ],
    "Power": SAME,
    "ReLU": SAME,
    "ReLU6": SAME,
    "ReQuant": SAME,
    "Reduction": [
        Case([()]),
        Case([(1, 6)], "reduction_param { axis: 2 }"),
        Case([(1, 6, 8)], "reduction_param { axis: -1 }"),
        Case("there is no axis 4 among 4", "reduction_param { axis: 4 }"),
    ],
    "Reshape": [
        shaped((2, 12), "dim: 0 dim: -1"),
        shaped((4, 6), "dim: [-1, 6]"),
        shaped((2, 3, 2, 2), "dim: [0, 0, 2, -1]"),
        shaped((24,), "dim: -1"),
        shaped((2, 1, 12), "dim: [1, -1]", more="axis: 1"),
        shaped((2, 3, 4, 1), "dim: 1", more="axis: -1 num_axes: 0"),
        shaped((2, 6, 2), "dim: [6]", (2, 3, 2, 2), "axis: 1 num_axes: 2"),
        shaped((2, 3, 4), "dim: [-1, 4]", more="axis: 1"),
        shaped((None, 12), "dim: [0, -1]", (None, 3, 4)),
        shaped((None, 12), "dim: [-1, 12]", (None, 3, 4)),
        shaped((None, 3, 4), "dim: [0, 3, 4]", (None, None, 4)),
        shaped((1, 1, 4), "dim: 0", (1, 4), "num_axes: 0"),
        shaped("the values of 2×4 do not fill its shape", "dim: 0", (2, 4), "num_axes: 0"),
        shaped("2×3×4 has not as many values as 12", "dim: 12"),
        shaped("2×3×4 has not as many values as a scalar", ""),
        shaped("the values of 2×3×4 do not fill its shape", "dim: [5, -1]"),
        shaped("the values of 2×3×4 do not fill its shape", "dim: [25]"),
        shaped("its shape has sizes below zero", "dim: [-1, -1]"),
        shaped("its shape has sizes below zero", "dim: [-2, 12]"),
        shaped("2×3×4 has no axis 3 to keep", "dim: [2, 3, 4, 0]"),
        shaped("its axis and num_axes are not within 3 axes", "dim: 1", more="axis: 4"),
        shaped("its axis and num_axes are not within 3 axes", "dim: 1", more="axis: 2 num_axes: 2"),
        shaped("its axis and num_axes are not within 3 axes", "dim: 1", more="num_axes: -2"),
        shaped("100 axes are more than Caffe has", f"dim: {[1] * 100}"),
    ],
    "Scale": [
        Case([IMAGE]),
        Case([IMAGE], bottoms=(IMAGE, (6, 8))),
        Case([IMAGE], "scale_param { axis: 0 }", (IMAGE, (1, 6))),
        Case([IMAGE], "scale_param { axis: -1 }", (IMAGE, (10,))),
        Case([IMAGE], bottoms=(IMAGE, ())),
        Case("8 does not fit 1×6×8×10 from axis 1", bottoms=(IMAGE, (8,))),
        Case("10×1 does not fit 1×6×8×10 from axis 3", "scale_param { axis: 3 }", (IMAGE, (10, 1))),
    ],
    "Sigmoid": SAME,
    "Slice": [
        Case([(1, 3, 8, 10)] * 2, "top: 'b'"),
        Case([(1, 1, 8, 10), (1, 3, 8, 10), (1, 2, 8, 10)], "top: 'b' top: 'c' slice_param { slice_point: [1, 4] }"),
        Case([(1, 6, 4, 10)] * 2, "top: 'b' slice_param { axis: -2 }"),
        Case([(1, 4), (1, 4)], "top: 'b' slice_param { slice_dim: 0 }", ((2, 4),)),
        Case([(1, None)] * 2, "top: 'b'", ((1, None),)),
        Case([(1, 2), (1, None)], "top: 'b' slice_param { slice_point: 2 }", ((1, None),)),
        Case([IMAGE]),
        Case("6 does not make 4 equal parts", "top: 'b' top: 'c' top: 'd'"),
        Case("2 points do not make 2 parts", "top: 'b' slice_param { slice_point: [1, 2] }"),
        Case("its slice_point does not cut 6", "top: 'b' top: 'c' slice_param { slice_point: [4, 4] }"),
        Case("its slice_point does not cut 6", "top: 'b' slice_param { slice_point: 6 }"),
        Case("its slice_point does not cut ?", "top: 'b' slice_param { slice_point: 0 }", ((1, None),)),
        Case("it gives both axis and slice_dim", "slice_param { axis: 1 slice_dim: 1 }"),
    ],
    "Softmax": SAME,
    "Split": [Case([IMAGE] * 3, "top: 'b' top: 'c'")],
    "Swish": SAME,
    "TanH": SAME,
    "Quant": SAME,
    "Threshold": SAME,
    "Tile": [
        Case([(1, 18, 8, 10)], "tile_param { tiles: 3 }"),
        Case([(1, 6, 8, 20)], "tile_param { axis: -1 tiles: 2 }"),
        Case([(1, None)], "tile_param { tiles: 2 }", ((1, None),)),
        Case("it has no tiles", "tile_param { axis: 2 }"),
        Case("larger than Caffe can hold", f"tile_param {{ tiles: {MAX_SIZE} }}"),
    ],
    "Upsample": [
        Case([(1, 6, 16, 20)], "upsample_param { upsample_h: 16 upsample_w: 20 }", (IMAGE, IMAGE)),
        Case([None], "upsample_param { scale: 2 }"),
        Case([None], "upsample_param { scale: 1 stride: 2 }"),
        Case([None], "upsample_param { upsample_h: 16 }"),
    ],
}


def test_each_type_of_the_table_has_a_case() -> None:
    assert set(CASES) == set(RULES)


def each_case() -> Iterator[object]:
    for kind, cases in CASES.items():
        for number, case in enumerate(cases):
            yield pytest.param(kind, case, id=f"{kind}-{number}")


@pytest.mark.parametrize(("kind", "case"), list(each_case()))
def test_each_rule_gives_the_shapes_of_the_tops(kind: str, case: Case) -> None:
    (made,), _ = layers(parse(f"layer {{ name: 'l' type: '{kind}' top: 'a' {case.more} }}", "net.prototxt"))
    if isinstance(case.made, str):
        with pytest.raises(Odd) as caught:
            top_sizes(made, case.bottoms)
        assert case.made in caught.value.reason
        return
    expected = case.made + [None] * (len(made.tops) - len(case.made))

    assert top_sizes(made, case.bottoms) == expected[: len(made.tops)]


names = st.sampled_from(
    [
        "axis",
        "end_axis",
        "num_axes",
        "shape",
        "dim",
        "num_output",
        "kernel_size",
        "kernel_h",
        "kernel_w",
        "pad",
        "pad_h",
        "stride",
        "stride_w",
        "dilation",
        "group",
        "round_mode",
        "global_pooling",
        "concat_dim",
        "slice_dim",
        "slice_point",
        "order",
        "offset",
        "tiles",
        "top_k",
        "out_max_val",
        "height",
        "width",
        "upsample_h",
        "upsample_w",
    ]
)
values = st.one_of(
    st.integers(-3, 5), st.integers(-(2**70), 2**70), st.booleans(), st.floats(), st.sampled_from(["a", Word("FLOOR")])
)
messages: st.SearchStrategy[Message] = st.deferred(
    lambda: st.builds(Message, st.lists(st.tuples(names, st.one_of(values, messages)), max_size=6))
)
shapes = st.lists(st.one_of(st.none(), st.integers(1, 12)), max_size=5).map(tuple)


@settings(deadline=None)
@given(
    kind=st.sampled_from(sorted(RULES)), about=messages, bottoms=st.lists(shapes, max_size=3), tops=st.integers(0, 3)
)
def test_whatever_a_layer_says_it_has_possible_shapes_or_a_reason(
    kind: str, about: Message, bottoms: list[Sizes], tops: int
) -> None:
    content = Message([(RULES[kind].parameters, about)])
    try:
        found = top_sizes(LayerText("l", kind, (), ("t",) * tops, content, content), bottoms)
    except Odd as odd:
        assert odd.reason
        return

    assert len(found) == tops
    assert all(size is None or size > 0 for sizes in found if sizes is not None for size in sizes)


# -------------------------------------------------------------------------------------------------- whole networks


def layer(name: str, kind: str, bottoms: str, more: str = "", top: str = "") -> str:
    below = " ".join(f'bottom: "{blob}"' for blob in bottoms.split())
    return f'layer {{ name: "{name}" type: "{kind}" {below} top: "{top if top else name}" {more} }}\n'


def convolve(name: str, bottom: str, made: int, kernel: int, more: str = "") -> str:
    given = f"convolution_param {{ num_output: {made} kernel_size: {kernel} {more} }}"
    return layer(name, "Convolution", bottom, given)


def pooled(name: str, bottom: str, kernel: int, more: str = "stride: 2", pool: str = "MAX") -> str:
    return layer(name, "Pooling", bottom, f"pooling_param {{ pool: {pool} kernel_size: {kernel} {more} }}")


def connected(name: str, bottom: str, made: int) -> str:
    return layer(name, "InnerProduct", bottom, f"inner_product_param {{ num_output: {made} }}")


def input_of(*sizes: int) -> str:
    return "input: 'data' input_shape { " + " ".join(f"dim: {size}" for size in sizes) + " }\n"


def graph_of(text: str) -> Graph:
    return build(parse(text, "net.prototxt"))[0]


def shapes_of(graph: Graph) -> dict[str, Shape]:
    return dict(zip(graph.tensor_names, graph.shapes, strict=True))


def dtypes_of(graph: Graph) -> dict[str, str]:
    return dict(zip(graph.tensor_names, graph.dtypes, strict=True))


LENET = (
    input_of(64, 1, 28, 28)
    + convolve("conv1", "data", 20, 5, "stride: 1")
    + pooled("pool1", "conv1", 2)
    + convolve("conv2", "pool1", 50, 5, "stride: 1")
    + pooled("pool2", "conv2", 2)
    + connected("ip1", "pool2", 500)
    + layer("relu1", "ReLU", "ip1", top="ip1")
    + connected("ip2", "ip1", 10)
    + layer("prob", "Softmax", "ip2")
)
ALEXNET = (
    input_of(10, 3, 227, 227)
    + convolve("conv1", "data", 96, 11, "stride: 4")
    + layer("norm1", "LRN", "conv1", "lrn_param { local_size: 5 }")
    + pooled("pool1", "norm1", 3)
    + convolve("conv2", "pool1", 256, 5, "pad: 2 group: 2")
    + pooled("pool2", "conv2", 3)
    + convolve("conv3", "pool2", 384, 3, "pad: 1")
    + convolve("conv4", "conv3", 384, 3, "pad: 1 group: 2")
    + convolve("conv5", "conv4", 256, 3, "pad: 1 group: 2")
    + pooled("pool5", "conv5", 3)
    + connected("fc6", "pool5", 4096)
    + layer("drop6", "Dropout", "fc6", top="fc6")
    + connected("fc8", "fc6", 1000)
)
RESNET = (
    input_of(1, 3, 224, 224)
    + convolve("conv1", "data", 64, 7, "pad: 3 stride: 2 bias_term: false")
    + layer("bn_conv1", "BatchNorm", "conv1", "batch_norm_param { use_global_stats: true }", top="conv1")
    + layer("scale_conv1", "Scale", "conv1", "scale_param { bias_term: true }", top="conv1")
    + layer("conv1_relu", "ReLU", "conv1", top="conv1")
    + pooled("pool1", "conv1", 3)
    + convolve("res2a_branch1", "pool1", 256, 1)
    + convolve("res2a_branch2a", "pool1", 64, 1)
    + convolve("res2a_branch2b", "res2a_branch2a", 64, 3, "pad: 1")
    + convolve("res2a_branch2c", "res2a_branch2b", 256, 1)
    + layer("res2a", "Eltwise", "res2a_branch1 res2a_branch2c")
    + convolve("res3a_branch1", "res2a", 512, 1, "stride: 2")
    + convolve("res4a_branch1", "res3a_branch1", 1024, 1, "stride: 2")
    + convolve("res5a_branch1", "res4a_branch1", 2048, 1, "stride: 2")
    + pooled("pool5", "res5a_branch1", 7, "stride: 1", "AVE")
    + connected("fc1000", "pool5", 1000)
)
# The 300×300 input behind VGG's conv3_3; six sources with so many boxes at each place.
SSD_SOURCES = (("conv4_3_norm", 4), ("fc7", 6), ("conv6_2", 6), ("conv7_2", 6), ("conv8_2", 4), ("conv9_2", 4))


def head(source: str, what: str, made: int) -> str:
    name = f"{source}_mbox_{what}"
    return (
        convolve(name, source, made, 3, "pad: 1")
        + layer(f"{name}_perm", "Permute", name, "permute_param { order: 0 order: 2 order: 3 order: 1 }")
        + layer(f"{name}_flat", "Flatten", f"{name}_perm", "flatten_param { axis: 1 }")
    )


def joined(what: str) -> str:
    blobs = " ".join(f"{source}_mbox_{what}_flat" for source, _ in SSD_SOURCES)
    return layer(f"mbox_{what}", "Concat", blobs, "concat_param { axis: 1 }")


SSD = (
    input_of(1, 256, 75, 75)
    + pooled("pool3", "data", 2)
    + convolve("conv4_3", "pool3", 512, 3, "pad: 1")
    + layer("conv4_3_norm", "Normalize", "conv4_3", "norm_param { across_spatial: false }")
    + pooled("pool4", "conv4_3", 2)
    + pooled("pool5", "pool4", 3, "stride: 1 pad: 1")
    + convolve("fc6", "pool5", 1024, 3, "pad: 6 dilation: 6")
    + convolve("fc7", "fc6", 1024, 1)
    + convolve("conv6_2", "fc7", 512, 3, "pad: 1 stride: 2")
    + convolve("conv7_2", "conv6_2", 256, 3, "pad: 1 stride: 2")
    + convolve("conv8_2", "conv7_2", 256, 3, "pad: 0 stride: 1")
    + convolve("conv9_2", "conv8_2", 256, 3, "pad: 0 stride: 1")
    + "".join(head(source, "loc", boxes * 4) + head(source, "conf", boxes * 21) for source, boxes in SSD_SOURCES)
    + layer("fc7_mbox_priorbox", "PriorBox", "fc7 data", "prior_box_param { min_size: 60 }")
    + joined("loc")
    + joined("conf")
    + layer("mbox_conf_reshape", "Reshape", "mbox_conf", "reshape_param { shape { dim: 0 dim: -1 dim: 21 } }")
    + layer("mbox_conf_softmax", "Softmax", "mbox_conf_reshape", "softmax_param { axis: 2 }")
    + layer("mbox_conf_flatten", "Flatten", "mbox_conf_softmax", "flatten_param { axis: 1 }")
    + layer("detection_out", "DetectionOutput", "mbox_loc mbox_conf_flatten fc7_mbox_priorbox")
)
# The fully convolutional network of stride 32: a margin of 100, and cropped to the image at the end.
FCN = (
    input_of(1, 3, 500, 500)
    + convolve("conv1", "data", 64, 3, "pad: 100")
    + "".join(pooled(f"pool{n}", f"pool{n - 1}" if n > 1 else "conv1", 2) for n in range(1, 6))
    + convolve("fc6", "pool5", 4096, 7)
    + convolve("score_fr", "fc6", 21, 1)
    + layer(
        "upscore",
        "Deconvolution",
        "score_fr",
        "convolution_param { num_output: 21 bias_term: false kernel_size: 64 stride: 32 }",
    )
    + layer("score", "Crop", "upscore data", "crop_param { axis: 2 offset: 19 }")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LENET,
            {
                "conv1": (64, 20, 24, 24),
                "pool1": (64, 20, 12, 12),
                "conv2": (64, 50, 8, 8),
                "pool2": (64, 50, 4, 4),
                "ip1": (64, 500),
                "relu1": (64, 500),
                "prob": (64, 10),
            },
        ),
        (
            ALEXNET,
            {
                "conv1": (10, 96, 55, 55),
                "norm1": (10, 96, 55, 55),
                "pool1": (10, 96, 27, 27),
                "conv2": (10, 256, 27, 27),
                "pool2": (10, 256, 13, 13),
                "conv4": (10, 384, 13, 13),
                "pool5": (10, 256, 6, 6),
                "drop6": (10, 4096),
                "fc8": (10, 1000),
            },
        ),
        (
            RESNET,
            {
                "conv1": (1, 64, 112, 112),
                "conv1_relu": (1, 64, 112, 112),
                "pool1": (1, 64, 56, 56),
                "res2a": (1, 256, 56, 56),
                "res3a_branch1": (1, 512, 28, 28),
                "res5a_branch1": (1, 2048, 7, 7),
                "pool5": (1, 2048, 1, 1),
                "fc1000": (1, 1000),
            },
        ),
        (
            SSD,
            {
                "conv4_3_norm": (1, 512, 38, 38),
                "fc7": (1, 1024, 19, 19),
                "conv6_2": (1, 512, 10, 10),
                "conv7_2": (1, 256, 5, 5),
                "conv8_2": (1, 256, 3, 3),
                "conv9_2": (1, 256, 1, 1),
                "conv4_3_norm_mbox_loc_perm": (1, 38, 38, 16),
                "mbox_loc": (1, 8732 * 4),
                "mbox_conf_reshape": (1, 8732, 21),
                "mbox_conf_flatten": (1, 8732 * 21),
                "fc7_mbox_priorbox": None,
                "detection_out": None,
            },
        ),
        (
            FCN,
            {
                "conv1": (1, 64, 698, 698),
                "pool5": (1, 64, 22, 22),
                "score_fr": (1, 21, 16, 16),
                "upscore": (1, 21, 544, 544),
                "score": (1, 21, 500, 500),
            },
        ),
    ],
    ids=["LeNet", "AlexNet", "ResNet-50", "SSD300", "FCN-32s"],
)
def test_networks_have_the_shapes_that_are_published(text: str, expected: dict[str, Shape]) -> None:
    graph = graph_of(text)
    found = shapes_of(graph)

    assert {name: found[name] for name in expected} == expected
    assert graph.problems == ()


def test_the_oldest_format_gives_parameters_in_the_layer_itself() -> None:
    graph = graph_of(
        input_of(1, 3, 8, 8)
        + "layers { layer { name: 'c' type: 'conv' num_output: 8 kernelsize: 3 stride: 2 } bottom: 'data' top: 'c' }"
        + "layers { layer { name: 'i' type: 'innerproduct' num_output: 5 } bottom: 'c' top: 'i' }"
    )

    assert shapes_of(graph) == {"data": (1, 3, 8, 8), "c": (1, 8, 3, 3), "i": (1, 5)}


def test_nothing_is_guessed_behind_a_layer_that_is_not_known() -> None:
    graph = graph_of(input_of(1, 3, 8, 8) + layer("own", "Python", "data") + layer("r", "ReLU", "own"))

    assert shapes_of(graph) == {"data": (1, 3, 8, 8), "own": None, "r": None}
    assert dtypes_of(graph) == {"data": "float32", "own": "", "r": ""}
    assert graph.problems == ()


def test_without_the_shape_of_the_input_only_the_type_is_known() -> None:
    graph = graph_of("input: 'data'" + layer("r", "ReLU", "data") + convolve("c", "r", 4, 3))

    assert shapes_of(graph) == {"data": None, "r": None, "c": None}
    assert dtypes_of(graph) == {"data": "float32", "r": "float32", "c": "float32"}


def test_the_type_between_quant_and_dequant_is_not_known() -> None:
    graph = graph_of(
        input_of(1, 3, 8, 8)
        + layer("q", "Quant", "data")
        + convolve("c", "q", 4, 3)
        + layer("d", "DeQuant", "c", top="c")
        + layer("r", "ReLU", "c", top="c")
    )

    assert dtypes_of(graph) == {"data": "float32", "q": "", "c": "", "d": "float32", "r": "float32"}
    assert shapes_of(graph)["r"] == (1, 4, 6, 6)


def test_a_tensor_that_is_made_twice_has_the_shape_of_its_first_maker() -> None:
    graph = graph_of(input_of(1, 3, 8, 8) + layer("a", "Flatten", "data") + layer("b", "ReLU", "data", top="a"))

    assert shapes_of(graph)["a"] == (1, 192)


def test_layers_that_wait_for_each_other_have_no_shapes() -> None:
    graph = graph_of(layer("a", "ReLU", "b") + layer("b", "ReLU", "a"))

    assert shapes_of(graph) == {"a": None, "b": None}


def test_what_does_not_fit_is_one_sentence_and_stays_unknown() -> None:
    graph = graph_of(
        "name: 'net'"
        + input_of(1, 3, 8, 8)
        + convolve("big", "data", 4, 11)
        + layer("behind", "ReLU", "big")
        + layer("", "Eltwise", "data small", top="sum")
        + convolve("small", "data", 3, 3)
        + layer("", "Eltwise", "data small", top="sum2")
    )

    assert shapes_of(graph)["big"] is None
    assert shapes_of(graph)["behind"] is None
    assert shapes_of(graph)["small"] == (1, 3, 6, 6)
    assert [(problem.text, problem.where) for problem in graph.problems] == [
        (
            "2 layers have sizes that do not go together: big (a window of 11 does not fit into 8), "
            "Eltwise (1×3×8×8 does not go with 1×3×6×6).",
            "net",
        )
    ]


def test_many_layers_that_do_not_fit_are_still_one_sentence() -> None:
    graph = graph_of(input_of(1, 3, 8, 8) + "".join(convolve(f"c{i}", "data", 4, 11) for i in range(1000)))

    (problem,) = graph.problems
    assert problem.text.startswith("1,000 layers have sizes that do not go together: c0 (")
    assert problem.text.endswith("c2 (a window of 11 does not fit into 8), …")


@pytest.mark.parametrize("sizes", [(1,) * 33, (1, 2**31)], ids=["axes", "size"])
def test_an_input_that_cannot_be_is_odd_and_unknown(sizes: tuple[int, ...]) -> None:
    graph = graph_of(input_of(*sizes) + layer("r", "ReLU", "data"))

    assert shapes_of(graph) == {"data": None, "r": None}
    assert graph.problems[0].text.startswith("1 layer has sizes that do not go together: data (")


def test_sizes_do_not_grow_beyond_measure() -> None:
    tiles = "".join(
        layer(f"t{i}", "Tile", f"t{i - 1}" if i else "data", f"tile_param {{ tiles: {MAX_SIZE} }}") for i in range(50)
    )

    assert shapes_of(graph_of(input_of(1, 1) + tiles))["t49"] is None
