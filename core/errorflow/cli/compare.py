"""`errorflow compare -m RUN -g RUN`: two runs, tensor by tensor; with -f … as msaccucmp compares them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.cli.as_session import with_session
from errorflow.cli.command import Command
from errorflow.cli.compare_arguments import add_arguments, check
from errorflow.cli.tool_exit import with_tool_codes


def _arguments(parser: ArgumentParser) -> None:
    add_arguments(parser)


def _run(options: Namespace) -> int:
    check(options)
    return _compared(with_session(options))


def _compared(options: Namespace) -> int:
    from errorflow.blame.by_running import can_be_run
    from errorflow.cli import comparing, small_comparisons
    from errorflow.cli.models import run_first

    paths = Path(options.my_dump_path), Path(options.golden_dump_path)
    models = [can_be_run(path) for path in paths]
    if options.simulator or any(models):
        comparing.limits_of(options)
    if options.simulator:
        return comparing.three_runs(options)
    if all(models):
        return comparing.two_models(options)
    options = run_first(options, *models)
    if all(path.is_file() and path.suffix == ".h5" for path in paths):
        raise small_comparisons.no_pytorch()
    if all(path.is_file() and path.suffix == ".npy" for path in paths):
        return small_comparisons.two_arrays(options)
    if options.mapping:
        return small_comparisons.mapping_only(options)
    if options.op_name is not None and not _is_folder(options.fusion_rule_file):
        return small_comparisons.one_operator(options)
    if options.samples:
        return comparing.samples(options)
    if _is_folder(options.fusion_rule_file):
        return comparing.many_models(options)
    return comparing.one_run(options)


def _is_folder(path: str) -> bool:
    return bool(path) and Path(path).is_dir()


COMPARE = Command("compare", "Compare two runs of a model, tensor by tensor.", _arguments, with_tool_codes(_run))
