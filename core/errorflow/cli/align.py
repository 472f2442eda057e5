"""`errorflow align A B`: whether two pipelines hand the model the same, and what they make of its answer."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.formats.folders.scan import Declared
    from errorflow.study.align.model import Stage
    from errorflow.study.align.opening import Pipeline

# Some step is beyond its tolerance.
APART = 1
EXAMPLES = """\
A and B are folders or .npz files with preprocessed, output and postprocessed (.npy, .npz, .bin; several of a step as
output_boxes.npy, output_scores.npy), of the training code and of the board. Exit code 1: they differ.
examples:
  errorflow align training board
  errorflow align training.npy board.npy                  two preprocessed inputs
  errorflow align training board --picture cat.jpg --model model.onnx
  errorflow align --input train_in.npy board_in.npy --tolerance input=1e-3
  errorflow align training board --shapes preprocessed=1x3x224x224:float32 --model model.onnx
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    parser.add_argument("pipelines", nargs="*", metavar="A B", help="what each pipeline saved: two folders or files")
    for step, what in (("input", "the preprocessed input"), ("output", "the output"), ("result", "the result")):
        parser.add_argument(f"--{step}", nargs=2, metavar=("A", "B"), help=f"the files of {what} alone")
    parser.add_argument("--picture", metavar="FILE", help="the original picture: ways to resize are tried on it")
    parser.add_argument("--model", type=Path, help="the float ONNX model: is run on both inputs")
    parser.add_argument(
        "--tolerance",
        action="append",
        default=[],
        metavar="[STEP=]X",
        help="largest difference (default: input 1e-4, output 1e-3, result 1e-3)",
    )
    parser.add_argument(
        "--shapes", action="append", default=[], metavar="NAME=1x3x8x8:float32", help="of a raw .bin; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument(
        "-out", "--out", "--output-dir", dest="target", metavar="DIR", help="write alignment.csv and .json"
    )


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.report.alignment import alignment_csv, alignment_json, alignment_lines
    from errorflow.study.align.aligning import Also, align
    from errorflow.study.align.resizes import picture_of

    tolerances = _tolerances(options.tolerance)
    with Meter() as meter:
        a, b = _pipelines(options, _declared(options), meter)
        picture = None if options.picture is None else picture_of(options.picture)
        found = align(a, b, Also(picture, options.model, tolerances), meter)
    print(alignment_json(found) if options.json else plain("\n".join(alignment_lines(found))))
    if options.target:
        out = folder(Namespace(output=options.target))
        write_atomic(out / "alignment.csv", alignment_csv(found))
        write_atomic(out / "alignment.json", alignment_json(found))
    return 0 if found.fault is None and any(row.measured for row in found.rows) else APART


def _declared(options: Namespace) -> "dict[str, Declared]":
    from errorflow.formats import read_model
    from errorflow.formats.folders.raw import declared_by, parse_shapes

    known = {} if options.model is None else declared_by(read_model(options.model).graph)
    return known | parse_shapes(options.shapes)


def _pipelines(options: Namespace, declared: "dict[str, Declared]", meter: Meter) -> "tuple[Pipeline, Pipeline]":
    from errorflow.study.align.opening import open_array, open_pipeline

    steps: tuple[Stage, ...] = ("input", "output", "result")
    single = {step: files for step in steps if (files := getattr(options, step)) is not None}
    if len(options.pipelines) not in (0, 2) or not (options.pipelines or single):
        raise UsageError("Two pipelines are set side by side.", "Give two folders, or --input A B.")
    found: list[Pipeline] = []
    for place in range(2):
        every = open_pipeline(Path(options.pipelines[place]), declared, meter) if options.pipelines else {}
        alone = {step: [open_array(Path(files[place]), declared, meter)] for step, files in single.items()}
        found.append({**every, **alone})
    return found[0], found[1]


def _tolerances(texts: list[str]) -> "dict[Stage, float]":
    from errorflow.study.align.model import STEPS

    found: dict[Stage, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        chosen = [step.key for step in STEPS if not sign or step.key == name]
        if not chosen or not 0 <= value < float("inf"):
            raise UsageError(
                f"“{text[:60]}” is no tolerance.", "Write --tolerance 1e-3, or of one step --tolerance input=1e-3."
            )
        found |= dict.fromkeys(chosen, value)
    return found


ALIGN = Command("align", "Set two pipelines around a model side by side, and find where they part.", _arguments, _run)
