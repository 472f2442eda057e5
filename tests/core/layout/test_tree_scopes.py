"""Where nodes live, by what exporters and compilers wrote."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from errorflow.graph.build import GraphBuilder
from errorflow.layout.tree import DEEPEST, NAME_SCOPES, module_path, scopes


@dataclass(frozen=True)
class Annotated:
    """Attributes with metadata, as the ONNX reader has them."""

    entries: Mapping[int, str]

    def __call__(self, node: int) -> Mapping[str, object]:
        return {}

    def metadata(self, key: str) -> dict[int, str]:
        return dict(self.entries) if key == NAME_SCOPES else {}


def path_of(name: str, origins: tuple[str, ...] | None = None) -> tuple[str, ...] | None:
    builder = GraphBuilder()
    builder.node("Conv", (), (), name=name, origins=origins)
    return scopes(builder.build())[0]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/model.12/m.0/cv1/act/Mul", ("model.12", "m.0", "cv1", "act")),
        ("/stft/Constant_3", ("stft",)),
        ("jax2tf_get_logits_/encoder/LayerNorm_0/truediv", ("jax2tf_get_logits_", "encoder", "LayerNorm_0")),
        ("F0::If_0_then_branch__Inline_0__/stft/Slice_3", ("F0::If_0_then_branch__Inline_0__", "stft")),
        ("m/cq/conv1d_1;m/cq/conv1d_1/ExpandDims;m/cq/pad", ("m", "cq")),
        ("m/relu/Relu;m/bn/FusedBatchNorm;m/conv/BiasAdd", ("m",)),
        ("relu;bias", None),
        ("/Add", ()),
        ("a//b/Add", ("a", "b")),
        ("p2o.Conv.280", None),
        ("", None),
    ],
)
def test_names_with_slashes_are_paths(name: str, path: tuple[str, ...] | None) -> None:
    assert path_of(name) == path


@pytest.mark.parametrize(
    ("origins", "path"),
    [
        (("layer1/0/conv1/Conv", "layer1/0/bn1/BatchNorm"), ("layer1", "0")),
        (("layer1/conv/Conv",), ("layer1", "conv")),
        (("layer1/conv/Conv", "layer1/conv/sub/Add"), ("layer1", "conv")),
        (("conv1", "bn1"), None),
        ((), None),
        (None, None),
    ],
)
def test_fused_operators_live_where_all_their_sources_did(
    origins: tuple[str, ...] | None, path: tuple[str, ...] | None
) -> None:
    assert path_of("conv1bn1", origins) == path


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("['', 'layers', 'layers.0', 'layers.0.self_attn', 'linear_3']", ("layers", "0", "self_attn")),
        ("['', 'encoder', 'head', 'mul']", ("encoder", "head")),
        ("['', 'mul']", ()),
        ("['', 'block', 'block', 'add']", ("block",)),
        ("no list", None),
        ("[1, 2]", None),
        ("(" * 5000, None),
    ],
)
def test_module_paths_of_exporters_are_read(entry: str, path: tuple[str, ...] | None) -> None:
    assert module_path(entry) == path


def test_metadata_goes_before_names() -> None:
    entries = {1: "['', 'decoder', 'linear']"}
    builder = GraphBuilder(attributes=Annotated(entries))
    builder.node("Conv", (), (), name="/a/Conv")
    builder.node("MatMul", (), (), name="node_linear_8")
    assert scopes(builder.build()) == [("a",), ("decoder",)]


def test_very_deep_paths_are_cut() -> None:
    path = path_of("/".join(f"s{i}" for i in range(500)) + "/Add")
    assert path is not None
    assert len(path) == DEEPEST
