"""`errorflow outliers MODEL --data …`, `errorflow outliers RUN …`: where loud channels drown the others."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.base.files import is_folder, write_atomic
from errorflow.cli.calibrate import add_samples, asked_by
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_samples

if TYPE_CHECKING:
    from errorflow.explain.outliers.model import Outliers, OutlierTable
    from errorflow.graph.model import Model

SHOWN = 10
TABLE, BOXED, JSON, CHANNELS = "outliers.csv", "outliers.txt", "outliers.json", "channels.csv"
EXAMPLES = """\
examples:
  errorflow outliers model.onnx --data calibration_data --out result     what flows, over all samples
  errorflow outliers model.onnx --data x.npz --samples 8 --weights       and the weights, per output channel
  errorflow outliers model_int8.onnx --data x.npz                        the float model in a quantized one
  errorflow outliers run.npz --model model.onnx                          tensors that a run left behind
  errorflow outliers dump_0 dump_1 --tensor features_out --out result    several runs, and the channels of a tensor
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="MODEL|RUN",
        help="an ONNX model to run, a session that simulates one, or files or folders of tensors: one per sample",
    )
    add_samples(parser)
    parser.add_argument("--weights", action="store_true", help="also the weights of convolutions and products")
    parser.add_argument(
        "--tensor",
        action="append",
        default=[],
        metavar="NAME",
        help=f"also write its channels to {CHANNELS}; repeatable",
    )
    parser.add_argument("--worst", type=int, default=SHOWN, metavar="N", help=f"print the N worst (default: {SHOWN})")
    parser.add_argument(
        "--reference", type=Path, metavar="MODEL", help="of a quantized MODEL: the float one, for its weights"
    )
    parser.add_argument("--model", type=Path, metavar="MODEL", help="of a RUN: names nodes and axes of channels")
    parser.add_argument(
        "--axis", type=int, metavar="N", help="of a RUN: where channels are (default: as the model says)"
    )
    parser.add_argument("-out", "--out", "--output", dest="output", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.report.outliers import outlier_lines

    if options.worst < 1:
        raise UsageError("--worst must be at least 1.", f"Leave it out for {SHOWN}.")
    with Meter() as meter:
        table = _table(options, meter)
    chosen = [_row(table, name) for name in options.tensor]
    out = folder(options)
    files = _write(out, table, chosen)
    print(plain("\n".join(outlier_lines(table, options.worst))))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


def _table(options: Namespace, progress: Progress) -> "OutlierTable":
    paths = [Path(path) for path in options.paths]
    model = None if is_folder(paths[0]) else _model(paths[0], progress)
    if model is None:
        return _of_runs(options, paths, progress)
    if len(paths) > 1:
        raise UsageError(
            f"{paths[0].name} is a model, and one at a time is looked at.", "Give its samples with --data."
        )
    if options.model is not None or options.axis is not None:
        raise UsageError(f"--model and --axis are for runs, and {paths[0].name} is a model.", "Leave them out.")
    return _of_model(options, paths[0], progress)


def _model(path: Path, progress: Progress) -> "Model | None":
    """Opens the model; None: the file holds tensors."""
    from errorflow.formats import read
    from errorflow.graph.model import Model

    content = read(path, progress)
    return content if isinstance(content, Model) else None


def _of_model(options: Namespace, path: Path, progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.measure import of_model
    from errorflow.study.simulate.floated import floated

    asked = asked_by(options)
    with floated(path, options.reference, progress) as opened:
        model = opened.model
        table = of_model(model.path, model.graph, asked, options.samples, weights=options.weights, progress=progress)
        return replace(table, label=path.name, notes=((() if opened.back is None else opened.back.notes) + table.notes))


def _of_runs(options: Namespace, paths: "Sequence[Path]", progress: Progress) -> "OutlierTable":
    from errorflow.explain.outliers.axes import Axes
    from errorflow.explain.outliers.measure import items_of, of_items
    from errorflow.formats import read_model
    from errorflow.formats.runs import read_run

    if options.data or options.random is not None or options.samples is not None or options.weights:
        raise UsageError(
            f"{paths[0].name} holds tensors of a run, which is not fed with samples and has no weights.",
            "Give a model for --data, --random, --samples and --weights.",
        )
    graph = None if options.model is None else read_model(options.model, progress).graph
    items = items_of([read_run(path, progress) for path in paths])
    label = paths[0].name if len(paths) == 1 else f"{paths[0].name} … {paths[-1].name}"
    return of_items(items, label, Axes(graph, options.axis), graph, progress)


def _row(table: "OutlierTable", name: str) -> "Outliers":
    known = {row.tensor: row for row in table.rows}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]}?" if near else f"{TABLE} lists those that have channels."
    raise UsageError(f"No tensor with channels is called {name[:200]}.", hint)


def _write(out: Path, table: "OutlierTable", chosen: "Sequence[Outliers]") -> list[Path]:
    from errorflow.report.outliers import channels_csv, outliers_csv, outliers_json
    from errorflow.report.outliers_boxed import outliers_boxed

    texts = {
        TABLE: outliers_csv(table.worst),
        BOXED: outliers_boxed(table),
        JSON: outliers_json(table),
        **({CHANNELS: channels_csv(chosen)} if chosen else {}),
    }
    for name, text in texts.items():
        write_atomic(out / name, text)
    return [out / name for name in texts]


OUTLIERS = Command(
    "outliers", "Find tensors whose loud channels drown the others under one scale.", _arguments, taking_samples(_run)
)
