"""ONNX models where runs are asked for: they are run first."""

from argparse import Namespace
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.case.scenarios.three import check_runs
from errorflow.cli.asked import folder
from errorflow.cli.meter import Meter
from errorflow.cli.run import fed_by
from errorflow.run.as_files import write_beside
from errorflow.run.both import CANDIDATE, REFERENCE, run_model


def run_first(options: Namespace, candidate: bool, reference: bool) -> Namespace:
    """The same options with the run of a model in its place, where one of the two sides is a model."""
    sides = ((Path(options.my_dump_path), candidate), (Path(options.golden_dump_path), reference))
    if candidate or reference or options.inputs or options.random is not None:
        check_runs(path for path, is_model in sides if not is_model)
    if not candidate and not reference:
        if options.inputs or options.random is not None:
            raise UsageError("--inputs and --random are for models that are run.", "Give a model with -m or -g.")
        return options
    out = folder(options)
    changed = Namespace(**vars(options))
    side, name = ("my_dump_path", CANDIDATE) if candidate else ("golden_dump_path", REFERENCE)
    model = Path(getattr(options, side))
    with Meter() as meter:
        ran = run_model(model, fed_by(options), out / name, meter)
        changed.notes = ran.notes
        path = ran.path
        changed.ran = (path,)
        if options.fusion_rule_file or options.quant_fusion_rule_file:
            path = write_beside(model, ran.path, meter)[0]
            changed.ran = (*changed.ran, path)
        if reference and options.model is None:
            changed.model = str(model)
    setattr(changed, side, str(path))
    return changed


def check_alone(options: Namespace) -> None:
    """Refuses what is about runs where both sides are models."""
    given = (
        ("-f", options.fusion_rule_file),
        ("-q", options.quant_fusion_rule_file),
        ("-op", options.op_name),
        ("--samples", options.samples),
        ("-map", options.mapping),
    )
    found = [option for option, value in given if value]
    if found:
        raise UsageError(
            f"{found[0]} is for runs, and both sides are ONNX models.",
            "Run each with `errorflow run` and compare what that writes.",
        )
