"""`errorflow compare -m RUN -g RUN`: two runs, tensor by tensor; with -f … as msaccucmp compares them."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
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
    from errorflow.cli import comparing, small_comparisons
    from errorflow.cli.models import run_first
    from errorflow.formats.onnx.claims import can_be_run

    paths = Path(options.my_dump_path), Path(options.golden_dump_path)
    models = [can_be_run(path) for path in paths]
    if options.simulator or any(models):
        comparing.limits_of(options)
    if options.simulator or all(models):
        return comparing.one_case(options)
    if all(path.is_file() and path.suffix == ".h5" for path in paths):
        raise small_comparisons.no_pytorch()
    several = options.samples or _is_folder(options.fusion_rule_file)
    if several or options.mapping or options.op_name is not None or _are_arrays(paths):
        return _small(run_first(options, *models))
    return comparing.one_case(options)


def _small(options: Namespace) -> int:
    """Compares anything that is not one comparison of two whole runs; models were run by now."""
    from errorflow.cli import comparing, small_comparisons

    if _are_arrays((Path(options.my_dump_path), Path(options.golden_dump_path))):
        return small_comparisons.two_arrays(options)
    if options.mapping:
        return small_comparisons.mapping_only(options)
    if options.op_name is not None and not _is_folder(options.fusion_rule_file):
        return small_comparisons.one_operator(options)
    return comparing.samples(options) if options.samples else comparing.many_models(options)


def _are_arrays(paths: Sequence[Path]) -> bool:
    return all(path.is_file() and path.suffix == ".npy" for path in paths)


def _is_folder(path: str) -> bool:
    return bool(path) and Path(path).is_dir()


COMPARE = Command("compare", "Compare two runs of a model, tensor by tensor.", _arguments, with_tool_codes(_run))
