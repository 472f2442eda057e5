"""The float model of what is simulated, also where the file is quantized already."""

from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.graph.model import Model
from errorflow.quant.readback.reading import ReadBack, kind_of, read_back
from errorflow.run.both import runnable
from errorflow.run.calibrating import Calibrated, CalibrationRequest, calibrate
from errorflow.run.digests import digest_of_model
from errorflow.run.engine.closing import Closing
from errorflow.run.samples.asked import SampleSpec


@dataclass(frozen=True, eq=False)
class Floated(Closing):
    """Use it as a context manager: a float model that was read back out of a quantized one is gone behind it."""

    # What the user has.
    path: Path
    # The float model; the user's own one if that is float.
    model: Model
    # None: it was float already.
    back: ReadBack | None = None
    _place: "TemporaryDirectory[str] | None" = field(default=None, repr=False)

    def close(self) -> None:
        if self._place is not None:
            self._place.cleanup()


def floated(path: Path, reference: Path | None = None, progress: Progress = SILENT) -> Floated:
    """`reference`: the float model that a quantized one was made of, whose weights are taken."""
    model = runnable(path, progress)
    kind = kind_of(model.graph)
    if kind is None:
        if reference is not None:
            raise UsageError(f"{path.name} is not quantized.", "Leave out --reference: it is the float model.")
        return Floated(path, model)
    if reference is not None:
        runnable(reference, progress)
    place = TemporaryDirectory(prefix="errorflow-")
    try:
        found = read_back(path, kind, Path(place.name) / path.name, progress, reference)
        return Floated(path, runnable(found.path, progress), found, place)
    except BaseException:  # whatever it is, nobody gets to close what was never open
        place.cleanup()
        raise


def calibrated(opened: Floated, asked: SampleSpec, wish: CalibrationRequest, progress: Progress = SILENT) -> Calibrated:
    """New ranges, also for what is quantized already; they are told to be of the file that the user has."""
    model, back = opened.model, opened.back
    found = calibrate(model.path, model.graph, asked, wish, progress)
    if back is None:
        return found
    own = {**back.calibration.facts, "model": opened.path.name, "model digest": digest_of_model(opened.path, progress)}
    again = tuple(replace(each, facts={**each.facts, **own}) for each in found.calibrations)
    return replace(found, calibrations=again, notes=(*back.notes, *found.notes))
