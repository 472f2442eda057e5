"""The offline model (.om) itself: its graph can be seen without ATC."""

from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.formats.compiled import GraphListing
from errorflow.formats.format import Format
from errorflow.graph.model import Model


def _claims(source: Source) -> bool:
    return source.head[:4] == b"IMOD"


def _read(source: Source, progress: Progress) -> Model:
    from errorflow.vendors.ascend.formats.om_model import read

    return read(source, OM.label, progress)


def _list(source: Source, progress: Progress) -> GraphListing:
    from errorflow.vendors.ascend.formats.listing import of_om

    return of_om(source, progress)


OM = Format(
    key="om",
    label="Ascend offline model",
    holds="model",
    extensions=(".om",),
    claims=_claims,
    read=_read,
    obtain="ATC makes it from the original model: `atc --model=model.onnx --framework=5 --output=model …`.",
    listing=_list,
)
