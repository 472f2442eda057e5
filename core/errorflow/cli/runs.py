"""`errorflow runs A B …`: simulations beside each other."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.meter import plain

MOST = 10
METRICS = ("cosine", "relative_l2", "sqnr", "max_absolute_error", "mean_absolute_error")
EPILOG = """\
examples:
  errorflow simulate model.onnx --data samples -out first
  errorflow simulate model.onnx --data samples --keep-float /head/Conv -out second
  errorflow runs first second                       what changed, and which nodes got better or worse
  errorflow runs first second third --csv runs.csv --changes nodes.csv
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="what `errorflow simulate --out` wrote")
    parser.add_argument(
        "--metric", choices=METRICS, default="sqnr", help="by which better and worse are told (%(default)s)"
    )
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help="name so many nodes each way (%(default)s)")
    parser.add_argument("--csv", metavar="FILE", help="write the list of runs")
    parser.add_argument("--changes", metavar="FILE", help="write each tensor of each run against the first one")


def _run(options: Namespace) -> int:
    from errorflow.compare.metrics import METRICS as KNOWN
    from errorflow.report.runs_text import changes_csv, run_lines, runs_csv
    from errorflow.study.simulate.stored import read_run

    folders = [Path(folder) for folder in options.folders]
    if len(set(folders)) < len(folders):
        raise UsageError("A folder is named twice.", "Name each run once.")
    runs = [read_run(folder, name) for folder, name in zip(folders, _names(folders), strict=True)]
    metric = next(metric for metric in KNOWN if metric.key == options.metric)
    print(plain("\n".join(run_lines(runs, metric, max(options.most, 0)))))
    if options.csv:
        write_atomic(Path(options.csv), runs_csv([run.trial for run in runs]))
    if options.changes:
        write_atomic(Path(options.changes), changes_csv(runs, metric))
    return 0


def _names(folders: list[Path]) -> list[str]:
    """Short ones, where these tell them apart."""
    names = [folder.resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


RUNS = Command("runs", "List simulations: what changed, and which nodes got better or worse.", _arguments, _run)
