"""Spoiled ONNX files, binary and text: each is read, or answered by a sentence; nothing crashes or fills the memory."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import onnx
import onnx.printer
import pytest
from google.protobuf import json_format, text_format

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.format import Format
from errorflow.formats.onnx.read import ONNX
from errorflow.formats.onnx.text import ONNX_JSON, ONNX_PROTOBUF_TEXT, ONNX_TEXT
from errorflow.graph.describe import facts
from errorflow.graph.model import Graph, Model
from fuzz.mutate import mutants, time_left

SECONDS = 2.0
FOLDER = Path(onnx.__file__).parent
SAMPLES = Path(__file__).parents[1] / "data" / "formats"
MOST_BYTES = 8000


@cache
def models() -> list[onnx.ModelProto]:
    """Small models of many kinds: with bodies, sequences, texts, all attribute types, external data."""
    shipped = sorted(path for path in FOLDER.rglob("*.onnx") if path.stat().st_size <= MOST_BYTES)
    return [onnx.load(path, load_external_data=False) for path in (*sorted(SAMPLES.rglob("*.onnx")), *shipped[::5])]


def binary() -> list[bytes]:
    return [model.SerializeToString() for model in models()]


def texts(write: Callable[[onnx.ModelProto], str]) -> list[bytes]:
    return [write(model).encode() for model in models()]


FORMS: Sequence[tuple[Format, Callable[[], list[bytes]]]] = (
    (ONNX, binary),
    (ONNX_TEXT, lambda: texts(onnx.printer.to_text)),
    (ONNX_PROTOBUF_TEXT, lambda: texts(text_format.MessageToString)),
    (ONNX_JSON, lambda: texts(json_format.MessageToJson)),
)


# Protobuf's text parser decodes with Python's rules for escapes, which warn about odd ones.
@pytest.mark.filterwarnings("ignore:invalid .*escape sequence:DeprecationWarning")
@pytest.mark.parametrize(("row", "samples"), FORMS, ids=[row.key for row, _ in FORMS])
def test_a_spoiled_model_is_read_or_refused_in_a_sentence(
    row: Format, samples: Callable[[], list[bytes]], tmp_path: Path
) -> None:
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
        model = row.read(source, SILENT)
    assert isinstance(model, Model)
    for graph in model.graphs():
        look_at(graph)
    facts(model)


def look_at(graph: Graph) -> None:
    assert len(graph.producers) == len(graph.tensor_names)
    for node in graph.nodes():
        assert all(isinstance(str(value), str) for value in node.attributes.values())
    for index in range(len(graph.tensor_names)):
        graph.tensor(index)
    for name in graph.weights.names():
        try:
            graph.weights.info(name)
            assert not graph.weights.read(name).flags.writeable
        except ErrorflowError as error:
            assert error.hint
