"""Shapes of whole Caffe networks: those that are published, and what does not fit."""

import pytest

from errorflow.formats.caffe.net import build
from errorflow.formats.caffe.sizes import MAX_SIZE
from errorflow.formats.prototext import parse
from errorflow.graph.model import Graph, Shape


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
