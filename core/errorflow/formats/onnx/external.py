"""Values in files beside the model. Only what lies in the model's own folder is opened: a model is not trusted."""

from collections.abc import Mapping
from pathlib import Path, PureWindowsPath

from errorflow.base.errors import FileError, FormatError
from errorflow.base.files import Source
from errorflow.formats.onnx.tensors import TensorHead

OUTSIDE = "Values are read from the model's own folder only; put the data file there and export the model again."
BROKEN = "Export the model again."


def read_external(model: Path, head: TensorHead) -> bytes:
    """The bytes of a tensor that is stored beside the model."""
    path = beside(model, location(head.external))
    if not is_there(path):
        raise FileError(
            f"The values of {head.name} are in {path.name}, which is missing.",
            f"Copy {path.name} into the folder of {model.name}.",
        )
    with Source(path) as source:
        offset, count = _number(head, "offset", 0), _number(head, "length", head.nbytes)
        if count != head.nbytes:
            raise FormatError(f"The tensor {head.name} needs {head.nbytes:,} bytes, the model says {count:,}.", BROKEN)
        if offset + count > source.size:
            raise FormatError(
                f"{path.name} is cut off: {head.name} ends at its byte {offset + count:,}, it has {source.size:,}.",
                "Download or copy it again; it must come from the same export as the model.",
            )
        return source.read(offset, count)


def location(external: Mapping[str, str]) -> str:
    return external.get("location", "")


def beside(model: Path, name: str) -> Path:
    """The file `name` in the model's folder or below it; whatever leads out of there is refused."""
    parts = PureWindowsPath(name)  # understands both / and \\
    if not name or "\0" in name or parts.anchor or ".." in parts.parts:
        raise FormatError(f"The model wants its values from “{name}”, outside of its folder.", OUTSIDE)
    path = model.parent.joinpath(*parts.parts)
    try:
        inside = path.resolve().is_relative_to(model.parent.resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise FileError(f"{path.name} could not be found: {error}.", BROKEN) from error
    if not inside:
        raise FormatError(f"{name} is a link that leads out of the model's folder.", OUTSIDE)
    return path


def is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # no file can have such a name
        return False


def _number(head: TensorHead, key: str, default: int) -> int:
    written = head.external.get(key, str(default))
    if not (written.isascii() and written.isdecimal() and len(written) < 20):
        raise FormatError(f"The {key} of the tensor {head.name} is “{written[:40]}”, which is no number.", BROKEN)
    return int(written)
