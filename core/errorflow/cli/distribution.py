"""`errorflow distribution MODEL --data …`: how the values of tensors are spread, as a whole and channel by channel."""

import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.calibrate import some_notes
from errorflow.cli.command import Command
from errorflow.cli.curve_arguments import groups
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_sessions
from errorflow.cli.planned import add_simulated, basis_by, plan_by

if TYPE_CHECKING:
    from errorflow.explain.inspect.distribution import Distribution
    from errorflow.explain.inspect.figure import Figure
    from errorflow.quant.plan import Plan
    from errorflow.run.engine.engine import Engine

# Without any name so many of the worst are looked at; more than the most are no plots that anybody looks at.
USUAL, MOST = 5, 1000
# Px of a plot: usual, and for each channel.
_WIDE, _HIGH, _EACH = 760, 420, 9
_ODD = re.compile(r"[^\w.-]+")
_LONGEST = 80
EXAMPLES = """\
examples:
  errorflow distribution model.onnx --data calibration_data --out result           the 5 tensors that matter most
  errorflow distribution model.onnx --data x.npz --tensor features_out --png
  errorflow distribution model.onnx --data x.npz --node /stem/Conv,/head/Conv      their weights and what they make
  errorflow distribution model.onnx --data x.npz --worst 10 --ranking result/ranking.json
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_simulated(parser)
    group = parser.add_argument_group("which tensors")
    group.add_argument("--tensor", action="append", default=[], metavar="NAME", help="weight or activation; repeatable")
    group.add_argument(
        "--node",
        action="append",
        default=[],
        metavar="NAME,…",
        help="what is constant of what they read, and what they make: names with *, type:Conv, …; repeatable",
    )
    group.add_argument("--worst", type=int, metavar="N", help=f"those that matter most (default: {USUAL})")
    group.add_argument("--ranking", metavar="FILE", help="by a ranking.json of `errorflow sensitivity`")
    group.add_argument("--axis", type=int, metavar="N", help="of the channels (default: as the operators have it)")
    group.add_argument("--look-at", type=int, metavar="N", help="the first N samples (default: all evaluated ones)")
    parser.add_argument("--svg", action="store_true", help="pictures as SVG (default, with --csv)")
    parser.add_argument("--png", action="store_true", help="the same as PNG, which needs the viewer")
    parser.add_argument("--csv", action="store_true", help="the numbers of the pictures as tables")
    parser.add_argument("--out", "-out", dest="folder", metavar="DIR", default=".", help="where to write")


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.report.distributions import distribution_lines
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.distributions import distribution_of
    from errorflow.study.simulate.floated import floated

    _check(options)
    basis, out = basis_by(options), folder(Namespace(output=options.folder))
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        plan = plan_by(options, model, basis)
        with Bench.open(model, basis, plan, progress=meter) as bench:
            engine = bench.engine
            samples = range(engine.samples if options.look_at is None else min(options.look_at, engine.samples))
            names = _tensors(options, engine, plan, meter)
            rows = [distribution_of(engine, plan, name, samples, options.axis, meter) for name in names]
            _check_axis(options, rows)
            said = f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"
            notes, made_up = bench.notes, bench.made_up
        files = _written(options, rows, out, meter)
    print(plain(said))
    for line in some_notes(notes):
        print(plain(line))
    if made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join(line for row in rows for line in distribution_lines(row))))
    print(plain(f"Written: {len(files)} files in {out}"))
    return 0


def _check(options: Namespace) -> None:
    if (options.tensor or options.node) and (options.worst is not None or options.ranking):
        raise UsageError("Tensors are named, or the worst are taken.", "Leave out --worst and --ranking, or the names.")
    for name, most in (("worst", MOST), ("look_at", 1_000_000)):
        number = getattr(options, name)
        if number is not None and not 1 <= number <= most:
            raise UsageError(f"--{name.replace('_', '-')} must be at least 1, and {most:,} at most.", "Give another.")


def _check_axis(options: Namespace, rows: "list[Distribution]") -> None:
    if options.axis is not None and all(row.channels is None for row in rows):
        shapes = ", ".join(f"{row.tensor[:60]} {row.shape}" for row in rows[:3])
        raise UsageError(f"There are no channels along --axis {options.axis}: {shapes}.", "Give another, or none.")


def _tensors(options: Namespace, engine: "Engine", plan: "Plan", progress: Progress) -> list[str]:
    """Chooses the tensors that are named, or the worst by what quantizing each alone does on the first sample."""
    if options.tensor or options.node:
        return _named(options, engine)
    from errorflow.study.rank.curves_choosing import worst_first
    from errorflow.study.rank.model import Question
    from errorflow.study.rank.ranking import rank
    from errorflow.study.rank.ranking_file import load_ranking

    if options.ranking:
        ranking = load_ranking(Path(options.ranking))
    else:
        ranking = rank(engine, plan, Question("tensor", samples=(0,)), progress=progress)
    parts = worst_first(ranking, engine.graph)[: USUAL if options.worst is None else options.worst]
    return list(dict.fromkeys(name for part in parts for name in part.tensors))[:MOST]


def _named(options: Namespace, engine: "Engine") -> list[str]:
    from errorflow.study.rank.parts import meant

    graph = engine.graph
    found = dict.fromkeys(options.tensor)
    constants = frozenset(graph.weights.names())
    for names in groups(options.node, graph):
        for name in names:
            for node in sorted(meant(graph, name)[0]):
                row = graph.node(node)
                found |= dict.fromkeys(each for each in row.inputs if each in constants and _is_float(engine, each))
                found |= dict.fromkeys(
                    each for each in row.outputs if each in engine.tensors and _is_float(engine, each)
                )
    if not found:
        raise UsageError("These nodes have no values that could be looked at.", "Name others.")
    if len(found) > MOST:
        raise UsageError(f"These are {len(found):,} tensors.", f"Name at most {MOST:,}.")
    return list(found)


def _is_float(engine: "Engine", name: str) -> bool:
    number = engine.graph.tensor_index(name)
    return number is not None and bool(engine.floats[number])


def _written(options: Namespace, rows: "list[Distribution]", out: Path, progress: Progress) -> list[Path]:
    from errorflow.report.distributions import channels_csv, distributions_csv, distributions_json, histogram_csv

    usual = not (options.svg or options.png or options.csv)
    texts = {"distributions.csv": distributions_csv(rows), "distributions.json": distributions_json(rows)}
    pictures: dict[str, tuple[Figure, int]] = {}
    for number, row in enumerate(rows, 1):
        stem = f"{number:02}_{_ODD.sub('_', row.tensor).strip('_')[-_LONGEST:]}"
        if options.csv or usual:
            texts[f"{stem}_histogram.csv"] = histogram_csv(row)
            if row.channels is not None:
                texts[f"{stem}_channels.csv"] = channels_csv(row)
        pictures |= {f"{stem}_{name}": figure for name, figure in _figures(row).items()}
    for name, text in texts.items():
        write_atomic(out / name, text)
    files = [out / name for name in texts]
    return [*files, *_drawn(options, pictures, out, progress, svg=options.svg or usual)]


def _figures(row: "Distribution") -> "dict[str, tuple[Figure, int]]":
    """Maps the end of a file's name to a plot and its width."""
    from errorflow.explain.inspect.spread_figures import (
        MOST_BOXES,
        boxes_figure,
        error_figure,
        histogram_figure,
        wants_log,
    )

    log = wants_log(row)
    found = {"histogram": (histogram_figure(row, log), _WIDE)}
    errors = error_figure(row, log)
    if errors is not None:
        found["errors"] = (errors, _WIDE)
    count = 0 if row.channels is None else len(row.channels)
    for page, first in enumerate(range(0, count, MOST_BOXES), 1):
        figure = boxes_figure(row, first)
        wide = max(_WIDE, 120 + _EACH * min(MOST_BOXES, count - first))
        found["channels" if count <= MOST_BOXES else f"channels_{page}"] = (figure, wide)
    return found


def _drawn(
    options: Namespace, pictures: "dict[str, tuple[Figure, int]]", out: Path, progress: Progress, *, svg: bool
) -> list[Path]:
    from errorflow.report.figure_shapes import figure_svg
    from errorflow.report.request import Request, render_by_viewer

    files: list[Path] = []
    with TemporaryDirectory(prefix="errorflow-") as place:
        for name, (figure, wide) in pictures.items():
            text = figure_svg(figure, wide, _HIGH)
            if svg:
                files.append(out / f"{name}.svg")
                write_atomic(files[-1], text)
            if options.png:
                files.append(out / f"{name}.png")
                source = Path(place) / "plot.svg"
                write_atomic(source, text)
                render_by_viewer(Request(str(source), str(files[-1].absolute())), progress)
    return files


DISTRIBUTION = Command(
    "distribution",
    "Look at how the values of tensors are spread, and channel by channel.",
    _arguments,
    taking_sessions(_arguments, _run),
)
