"""Spoiled Ascend models, printed and compiled: each is read, or answered by a sentence; nothing crashes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ascend_writer import chain, desc, graph, message, model, om_bytes, op
from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.format import Format
from errorflow.graph.describe import facts
from errorflow.graph.model import Graph, Model
from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON
from errorflow.vendors.ascend.formats.om import OM
from fuzz.mutate import mutants, time_left

SECONDS = 3.0
DATA = Path(__file__).parents[1] / "data"


@cache
def contents() -> list[dict[str, Any]]:
    """Small models: with subgraphs, constants, every kind of attribute, quantization."""
    samples = [DATA / "formats" / "atc-json" / "s2_fusion.json", DATA / "formats" / "amct-quant" / "s2_quant.json"]
    about = desc("DT_FLOAT16", (2, 2)) | {"weight_size": 8, "data_offset": 4}
    every = graph(
        op("w", "Const", value={"t": {"desc": about}}),
        op("v", "Const", value={"t": {"desc": desc("DT_INT8", (4,)), "data": "abcd"}}),
        op("if", "If", ["w:0", "", "v:-1"], 2, s='te\\"xt', i=-1, f=0.5, b=True, l=(1, 2), d={"td": about})
        | {"subgraph_name": ["yes", "no"]},
        name="main",
    )
    branches = [graph(op("y", "Relu"), name="yes"), graph(op("n", "While") | {"subgraph_name": ["yes"]}, name="no")]
    made = [model(chain(), soc_version="x"), model(every, *branches, framework_type="Onnx")]
    return [*made, *(json.loads(path.read_text()) for path in samples)]


def printed() -> list[bytes]:
    return [json.dumps(content, indent=indent).encode() for content in contents() for indent in (None, 1)]


def compiled() -> list[bytes]:
    found = []
    for content in contents():
        parts = [(0, message("ModelDef", content)), (1, bytes(16))]
        found += [om_bytes(parts), om_bytes(parts, wide=True), om_bytes(parts, models=2, more=[parts])]
    return found


@pytest.mark.parametrize(
    ("row", "samples"),
    [(ATC_JSON, printed), (AMCT_QUANT, printed), (OM, compiled)],
    ids=["atc-json", "amct-quant", "om"],
)
def test_a_spoiled_model_is_read_or_refused_in_a_sentence(row: Format, samples: Any, tmp_path: Path) -> None:
    going_on = time_left(SECONDS)
    path = tmp_path / "spoiled"
    for seed, data in mutants(samples()):
        path.write_bytes(data)
        try:
            look_at_everything(row, path)
        except ErrorflowError as error:
            assert error.message.endswith("."), (seed, error.message)
            assert error.hint, seed
        except Exception as error:
            raise AssertionError(f"{row.key}, seed {seed}") from error
        if not going_on():
            return


def look_at_everything(row: Format, path: Path) -> None:
    """All that the program could ever ask of a model."""
    with Source(path) as source:
        row.claims(source)
        made = row.read(source, SILENT)
    assert isinstance(made, Model)
    for each in made.graphs():
        look_at(each)
    facts(made)


def look_at(each: Graph) -> None:
    for node in each.nodes():
        try:
            dict(node.attributes)
        except ErrorflowError as error:
            assert error.hint
    for index in range(len(each.tensor_names)):
        each.tensor(index)
    for name in each.weights.names():
        each.weights.info(name)
        try:
            each.weights.read(name)
        except ErrorflowError as error:
            assert error.hint
    each.networkx()
