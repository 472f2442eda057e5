"""`errorflow compare -m BOARD -g FLOAT --simulator SIM`: which step is at fault."""

from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from errorflow.blame.by_running import can_be_run
from errorflow.cli.asked import asked, folder
from errorflow.cli.run import fed_by
from errorflow.errors import UsageError
from errorflow.formats import read_tensors
from errorflow.graph.model import Model
from errorflow.match.by_quantized import match_quantized
from errorflow.match.model import Match
from errorflow.match.plan import plan
from errorflow.progress import Progress
from errorflow.run.as_files import write_beside
from errorflow.run.both import CANDIDATE, REFERENCE, run_all

# In the order of running: the others get what the first is fed with.
_SIDES = (("golden_dump_path", REFERENCE), ("simulator", "simulator_run.npz"), ("my_dump_path", CANDIDATE))


@dataclass(frozen=True, slots=True)
class Prepared:
    """Both steps, and the call without models for what is from end to end."""

    options: Namespace
    quantization: Match
    deployment: Match


def prepare(options: Namespace, progress: Progress) -> Prepared:
    """Runs what is a model, and matches simulator against float and board against simulator."""
    _check(options)
    options, models = _without_models(options, progress)
    whole = asked(options)
    simulator = Path(options.simulator)
    float_model, own = models.get("golden_dump_path"), models.get("simulator")
    if float_model is not None and own is not None:
        golden, mine = read_tensors(whole.reference, progress), read_tensors(simulator, progress)
        quantization = match_quantized(golden, mine, float_model.graph, own.graph, progress)
    else:
        step = replace(whole, candidate=simulator, fusion="", closed_fusion="", scales="")
        quantization = plan(step, progress).match
    step = replace(whole, reference=simulator, quantization="", model=str(own.path) if own is not None else whole.model)
    return Prepared(options, quantization, plan(step, progress).match)


def _without_models(options: Namespace, progress: Progress) -> tuple[Namespace, Mapping[str, Model]]:
    """The call with runs in place of models, and the models by the option that they were given with."""
    changed = Namespace(**vars(options))
    chosen = [(option, file) for option, file in _SIDES if can_be_run(Path(getattr(options, option)))]
    if not chosen and (options.inputs or options.random is not None):
        raise UsageError("--inputs and --random are for models that are run.", "Give a model with -g or --simulator.")
    paths = [(Path(getattr(options, option)), file) for option, file in chosen]
    found: dict[str, Model] = {}
    for (option, _), (model, ran) in zip(
        chosen, run_all(paths, fed_by(options), folder(options), progress), strict=True
    ):
        changed.notes = (*changed.notes, *(note for note in ran.notes if note not in changed.notes))
        found[option] = model
        by_files = option != "my_dump_path" and (options.fusion_rule_file or options.quant_fusion_rule_file)
        written = (ran.path, write_beside(model.path, ran.path, progress)[0]) if by_files else (ran.path,)
        changed.ran = (*changed.ran, *written)
        setattr(changed, option, str(written[-1]))
    if "golden_dump_path" in found and changed.model is None:
        changed.model = str(found["golden_dump_path"].path)
    return changed, found


def _check(options: Namespace) -> None:
    given = (("-op", options.op_name), ("--samples", options.samples), ("-map", options.mapping))
    found = [option for option, value in given if value]
    if found:
        raise UsageError(f"{found[0]} does not go with --simulator.", "Leave one of them out.")
