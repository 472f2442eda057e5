"""Reads binary ONNX files."""

from errorflow.base import FormatError, Progress
from errorflow.base.files import Snapshot, Source
from errorflow.formats.format import Format
from errorflow.formats.onnx.claims import is_onnx
from errorflow.formats.onnx.model import build_model
from errorflow.formats.onnx.shapes import with_inference
from errorflow.formats.onnx.slim import slim
from errorflow.formats.wire import WireError
from errorflow.graph.model import Model


def read_onnx(source: Source, progress: Progress) -> Model:
    """The model without its weights, which are read from the file when asked for."""
    try:
        data, file = slim(source, progress), Snapshot.of(source)
        return with_inference(build_model(data, file, progress), data, file)
    except WireError as error:
        raise FormatError(
            f"{source.name} is a broken ONNX model: {error}.", "Download or copy it again, or export it again."
        ) from error


ONNX = Format(
    key="onnx",
    label="ONNX model",
    holds="model",
    extensions=(".onnx", ".pb"),
    claims=is_onnx,
    read=read_onnx,
    obtain="torch.onnx.export, tf2onnx or paddle2onnx write it.",
    rank=-1,
)
