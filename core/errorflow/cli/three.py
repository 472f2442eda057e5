"""`errorflow compare -m BOARD -g FLOAT --simulator SIM`: which step is at fault."""

from argparse import Namespace
from dataclasses import dataclass

from errorflow.cli.asked import asker, folder, setup_of
from errorflow.cli.run import fed_by
from errorflow.errors import UsageError
from errorflow.match.plan import Asked
from errorflow.progress import Progress
from errorflow.scenarios.three import Steps, models_in, run_models, steps_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """Both steps, and what is compared from end to end."""

    options: Namespace
    whole: Asked
    steps: Steps


def prepare(options: Namespace, progress: Progress) -> Prepared:
    """Runs what is a model, and matches simulator against float and board against simulator."""
    setup, asked = setup_of(options), asker(options)
    _check(options)
    if not models_in(setup) and (options.inputs or options.random is not None):
        raise UsageError("--inputs and --random are for models that are run.", "Give a model with -g or --simulator.")
    runs = run_models(setup, fed_by(options), folder(options), progress)
    changed = Namespace(**vars(options) | {"notes": (*options.notes, *runs.notes), "ran": runs.written})
    return Prepared(changed, asked(runs.setup), steps_of(runs, asked, progress))


def _check(options: Namespace) -> None:
    given = (("-op", options.op_name), ("--samples", options.samples), ("-map", options.mapping))
    found = [option for option, value in given if value]
    if found:
        raise UsageError(f"{found[0]} does not go with --simulator.", "Leave one of them out.")
