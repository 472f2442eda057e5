"""Models in place of runs: they are run first. And of three runs, which stands for which in both steps."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from errorflow.base import SILENT, Progress, UsageError, dataclass, field, replace
from errorflow.base.files import is_folder
from errorflow.case.scenarios.setup import Setup
from errorflow.compare.match.by_quantized import match_quantized
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchRequest, plan
from errorflow.formats import read_tensors
from errorflow.formats.onnx.claims import can_be_run
from errorflow.formats.runs import read_run
from errorflow.graph.model import Model, Problem
from errorflow.run.as_files import write_beside
from errorflow.run.both import CANDIDATE, REFERENCE, RunInputs, run_all
from errorflow.run.model import MadeUpShapes

# In the order of running: the others get what the first is fed with.
_SIDES = (("reference", REFERENCE), ("simulator", "simulator_run.npz"), ("candidate", CANDIDATE))


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs that are compared when all models were run."""

    # With runs in place of models.
    setup: Setup
    # The models by the need that they were given for.
    models: Mapping[str, Model]
    # What is to be known of the runs, such as inputs that were made up.
    notes: tuple[Problem, ...] = ()
    written: tuple[Path, ...] = ()
    # The shapes of inputs that were made up.
    made_up: MadeUpShapes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThreeSteps:
    """Both steps: from float to the simulator, and from the simulator to the board."""

    quantization: Match
    deployment: Match


def models_in(setup: Setup) -> tuple[str, ...]:
    """The needs of runs for which a model was given."""
    return tuple(need for need, _ in _SIDES if (path := setup.file(need)) is not None and can_be_run(path))


def check_runs(paths: Iterable[Path]) -> None:
    """Refuses a file that holds no tensors or is not there, before a model is run to be compared with it."""
    for path in paths:
        if not is_folder(path):
            read_run(path)


def run_models(setup: Setup, fed: RunInputs, folder: Path | None, progress: Progress = SILENT) -> Runs:
    """Runs what is a model, on the same inputs; every run is written into `folder`."""
    chosen = models_in(setup)
    if not chosen:
        return Runs(setup, {})
    check_runs(path for need, _ in _SIDES if need not in chosen and (path := setup.file(need)) is not None)
    if folder is None:
        raise UsageError("There is no folder for what a model leaves behind.", "Run the model and choose its run.")
    files = dict(_SIDES)
    paths = [(setup.files[need], files[need]) for need in chosen]
    changed, models = setup, dict[str, Model]()
    notes: list[Problem] = []
    written: list[Path] = []
    made_up: MadeUpShapes = {}
    by_files = setup.file("fusion") is not None or setup.file("quantization") is not None
    for need, (model, ran) in zip(chosen, run_all(paths, fed, folder, progress), strict=True):
        models[need] = model
        notes += [note for note in ran.notes if note not in notes]
        written.append(ran.path)
        made_up = {**made_up, **ran.made_up}
        if by_files and need != "candidate":
            written.append(write_beside(model.path, ran.path, progress)[0])
        changed = changed.with_file(need, written[-1])
    if "reference" in models and changed.file("model") is None:
        changed = changed.with_file("model", models["reference"].path)
    return Runs(changed, models, tuple(notes), tuple(written), made_up)


def steps_of(runs: Runs, asked: Callable[[Setup], MatchRequest], progress: Progress = SILENT) -> ThreeSteps:
    """Matches simulator against float and board against simulator; `asked` says what is asked of two runs."""
    whole, simulator = asked(runs.setup), runs.setup.files["simulator"]
    original, own = runs.models.get("reference"), runs.models.get("simulator")
    if original is not None and own is not None:
        golden, mine = read_tensors(whole.reference, progress), read_tensors(simulator, progress)
        quantization = match_quantized(golden, mine, original.graph, own.graph, progress)
    else:
        step = replace(whole, candidate=simulator, fusion="", closed_fusion="", scales="")
        quantization = plan(step, progress).match
    model = whole.model if own is None else str(own.path)
    return ThreeSteps(
        quantization, plan(replace(whole, reference=simulator, quantization="", model=model), progress).match
    )
