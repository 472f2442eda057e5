"""Shapes inside Caffe networks: every rule of the table."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.formats.caffe.net import RULES, LayerText, layers, top_sizes
from errorflow.formats.caffe.sizes import MAX_SIZE, Odd, Sizes
from errorflow.formats.prototext import TextMessage, Word, parse

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


@pytest.mark.parametrize("kind", CASES)
def test_each_rule_gives_the_shapes_of_the_tops(kind: str) -> None:
    for number, case in enumerate(CASES[kind]):
        (made,), _ = layers(parse(f"layer {{ name: 'l' type: '{kind}' top: 'a' {case.more} }}", "net.prototxt"))
        if isinstance(case.made, str):
            with pytest.raises(Odd) as caught:
                top_sizes(made, case.bottoms)
            assert case.made in caught.value.reason, f"case {number}"
        else:
            expected = case.made + [None] * (len(made.tops) - len(case.made))
            assert top_sizes(made, case.bottoms) == expected[: len(made.tops)], f"case {number}"


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
messages: st.SearchStrategy[TextMessage] = st.deferred(
    lambda: st.builds(TextMessage, st.lists(st.tuples(names, st.one_of(values, messages)), max_size=6))
)
shapes = st.lists(st.one_of(st.none(), st.integers(1, 12)), max_size=5).map(tuple)


@settings(deadline=None)
@given(
    kind=st.sampled_from(sorted(RULES)), about=messages, bottoms=st.lists(shapes, max_size=3), tops=st.integers(0, 3)
)
def test_whatever_a_layer_says_it_has_possible_shapes_or_a_reason(
    kind: str, about: TextMessage, bottoms: list[Sizes], tops: int
) -> None:
    content = TextMessage([(RULES[kind].parameters, about)])
    try:
        found = top_sizes(LayerText("l", kind, (), ("t",) * tops, content, content), bottoms)
    except Odd as odd:
        assert odd.reason
        return

    assert len(found) == tops
    assert all(size is None or size > 0 for sizes in found if sizes is not None for size in sizes)
