"""A model that is quantized already, where a command takes a float one."""

from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.errors import UsageError

if TYPE_CHECKING:
    from errorflow.graph.model import Model
    from errorflow.progress import Progress
    from errorflow.quant.readback.reading import ReadBack


def floated(
    model: "Model", folder: Path, progress: "Progress", reference: Path | None = None
) -> "tuple[Model, ReadBack | None]":
    """The float model, which is written into `folder`, and what was read back; the model itself if it is one."""
    from errorflow.quant.readback.reading import kind_of, read_back
    from errorflow.run.both import runnable

    kind = kind_of(model.graph)
    if kind is None:
        if reference is not None:
            raise UsageError(f"{model.path.name} is not quantized.", "Leave out --reference: it is the float model.")
        return model, None
    if reference is not None:
        runnable(reference, progress)
    found = read_back(model.path, kind, folder / model.path.name, progress, reference)
    return runnable(found.path, progress), found
