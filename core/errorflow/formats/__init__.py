"""Reads files. To add a format: one module (or folder) with a `Format` row, its name in OWN, a sample in tests/data."""

from pathlib import Path

from errorflow.base.errors import UnknownFormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.vendor import Rows
from errorflow.formats.arrays.npy import NPY
from errorflow.formats.arrays.npz import NPZ
from errorflow.formats.caffe.prototxt import CAFFE_PROTOTXT
from errorflow.formats.compiled import GraphListing
from errorflow.formats.format import Content, Format
from errorflow.formats.npu.file import NPU
from errorflow.formats.onnx.read import ONNX
from errorflow.formats.onnx.text import ONNX_JSON, ONNX_PROTOBUF_TEXT, ONNX_TEXT
from errorflow.formats.wrong import WRONG_FILES
from errorflow.graph.dump import Dump
from errorflow.graph.model import Model

OWN: tuple[Format, ...] = (ONNX, ONNX_TEXT, ONNX_PROTOBUF_TEXT, ONNX_JSON, CAFFE_PROTOTXT, NPY, NPZ, NPU)
# In the order of asking.
FORMATS = Rows(Format, "formats", OWN)


def identify(source: Source) -> Format:
    """The format of a file by its content; a well-known wrong file is answered by name."""
    for row in FORMATS:
        if row.claims(source):
            return row
    for wrong in WRONG_FILES:
        if wrong.claims(source):
            raise WrongFileError(f"{source.name} is {wrong.label}.", wrong.hint)
    known = ", ".join(row.label for row in FORMATS if row.holds == "model")
    raise UnknownFormatError(f"{source.name} is of no format that is known here.", f"A model can be: {known}.")


def read_model(path: str | Path, progress: Progress = SILENT) -> Model:
    """The model in a file; tensors of a run are refused by name."""
    content = read(path, progress)
    if isinstance(content, Model):
        return content
    raise WrongFileError(
        f"{Path(path).name} holds tensors, not a model ({content.label}).", "Open the model that they are of."
    )


def read_tensors(path: str | Path, progress: Progress = SILENT) -> Dump:
    """The tensors of a run; a model is refused by name."""
    content = read(path, progress)
    if isinstance(content, Model):
        raise WrongFileError(
            f"{Path(path).name} holds a model, not the tensors of a run ({content.format}).",
            "Choose the file that the run left behind, such as an .npz with a tensor under each name.",
        )
    return content


def read(path: str | Path, progress: Progress = SILENT) -> Content:
    """Whatever the file holds: a `Model`, or the tensors of a run."""
    with Source(path) as source:
        return identify(source).read(source, progress)


def read_listing(path: str | Path, progress: Progress = SILENT) -> GraphListing:
    """The operators that an ATC JSON, an offline model or AMCT's quantization information lists."""
    with Source(path) as source:
        for row in FORMATS:
            if row.listing is not None and row.claims(source):
                return row.listing(source, progress)
        raise WrongFileError(
            f"{source.name} does not say which operators were fused.",
            "Give the JSON that `atc --mode=1 --om=model.om --json=model.json` prints, the .om itself, or for -q the "
            "…_quant.json of AMCT.",
        )
