"""`errorflow look REFERENCE CANDIDATE --tensor NAME`: one tensor of two runs, or a weight of two models, closely."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.base.files import write_atomic
from errorflow.cli.command import Command
from errorflow.cli.compare_arguments import add_facts, add_rules
from errorflow.cli.hand_pairs import add_pairs
from errorflow.cli.meter import Meter, plain
from errorflow.cli.run import add_inputs
from errorflow.compare.match.codes import UnfitRunsError

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match, Pair
    from errorflow.explain.inspect.figure import Figure
    from errorflow.explain.inspect.look import Looked
    from errorflow.graph.model import Graph

# Names that an unknown one is answered with.
NEAR = 5
PLOTS = ("histogram", "errors", "scatter", "channels")
EXAMPLES = """\
examples:
  errorflow look golden.npz mine.npz --tensor conv1                      two runs of any kind, by names
  errorflow look npy npu -f model.json --tensor conv1:output:0           an NPU against the original model
  errorflow look float.onnx int8.onnx --inputs x.npz --tensor conv1      two ONNX models, both are run
  errorflow look float.onnx int8.onnx --tensor conv1.weight              a weight of both
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    # What only a comparison of whole runs takes.
    parser.set_defaults(ffts=False, range=None, select=None, simulator="", op_name=None, samples=False, mapping=False)
    parser.set_defaults(notes=(), ran=())
    parser.add_argument(
        "golden_dump_path",
        metavar="REFERENCE",
        help="the run that is right: an array file or a folder; or its ONNX model, to see a weight of or to be run",
    )
    parser.add_argument("my_dump_path", metavar="CANDIDATE", help="the run to be judged by it, or its model")
    parser.add_argument(
        "--tensor", required=True, metavar="NAME", help="the tensor, as `errorflow compare` or either run calls it"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--svg", metavar="FILE", help="write a picture too")
    parser.add_argument("--plot", choices=PLOTS, default="histogram", help="what the picture shows (%(default)s)")
    beside = parser.add_argument_group("what else is known, as for `errorflow compare`")
    add_rules(beside)
    add_facts(beside)
    add_pairs(beside)
    add_inputs(parser.add_argument_group("ONNX models in place of runs: they are run"))


def _run(options: Namespace) -> int:
    from errorflow.report.figure_shapes import figure_svg
    from errorflow.report.look_text import look_data, look_lines

    with Meter() as meter, TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Of models that are run; what is looked at is in memory then.
        options.output = folder
        found, graph = _looked(options, meter)
    if options.svg:
        write_atomic(Path(options.svg), figure_svg(_figure(found, options.plot)), follow=False)
    if options.json:
        print(json.dumps(look_data(found, graph), indent=2))
    else:
        print(plain("\n".join(look_lines(found, graph))))
    return 0


def _looked(options: Namespace, progress: Meter) -> "tuple[Looked, Graph | None]":
    from errorflow.case.comparing import opened
    from errorflow.case.scenarios.chain import is_chain
    from errorflow.case.values import Asking
    from errorflow.cli.asked import narrowed, session_of
    from errorflow.formats.onnx.claims import can_be_run

    reference, candidate = (can_be_run(Path(path)) for path in (options.golden_dump_path, options.my_dump_path))
    fed = bool(options.inputs) or options.random is not None
    weight = _weight(options, progress, fed) if reference and candidate else None
    if weight is not None:
        return weight
    if reference != candidate and not fed:
        raise UsageError(
            "One side is a model, the other is a run.",
            "Add --inputs FILE to run the model, or give two runs, or two models to see a weight of both.",
        )
    session, asking = session_of(options), Asking(narrowed=narrowed(options))
    assert session.setup is not None, "there is always one"
    with _own_refusals(options):
        case, _ = opened(session, session.setup, asking, Path(options.output), progress)
    assert case.match is not None, "the tensors were paired"
    graph = None if is_chain(case.model.graph) else case.model.graph
    return _look(case.match, options.tensor, graph, progress)


@contextmanager
def _own_refusals(options: Namespace) -> Iterator[None]:
    """A refusal names this command and its two sides."""

    try:
        yield
    except UnfitRunsError as error:
        message = error.message.replace(" (-m)", "").replace(" (-g)", "")
        call = f"errorflow look GOLDEN MINE --tensor {options.tensor}"
        raise UsageError(message, error.hint.replace("errorflow compare -m MINE -g GOLDEN", call)) from error


def _look(match: "Match", name: str, graph: "Graph | None", progress: Progress) -> "tuple[Looked, Graph | None]":
    from errorflow.explain.inspect.choices import TensorChoice
    from errorflow.explain.inspect.look import look
    from errorflow.explain.inspect.quick import quick_findings, tensor_at

    number = _number(match, name)
    pair = match.pairs[number]
    findings = None if graph is None else quick_findings(graph, match)
    tensor = None if findings is None else tensor_at(findings, number)
    place, known = (0, _alone(pair.tensor)) if tensor is None or graph is None else (tensor, graph)
    choice = TensorChoice("tensor", 0, place, pair.tensor, pair=pair)
    return look(choice, known, None if tensor is None else findings, match, progress), None if tensor is None else graph


def _weight(options: Namespace, progress: Progress, fed: bool) -> "tuple[Looked, Graph] | None":
    """A constant of the reference's model against what the candidate's has for it; None: models are to be run."""
    from errorflow.explain.difference.link import link
    from errorflow.explain.difference.weights import OtherModel
    from errorflow.explain.inspect.choices import tensor_choice
    from errorflow.explain.inspect.look import look
    from errorflow.formats import read_model

    if options.model:
        raise UsageError("--model is for runs, and both sides are models.", "Leave --model out.")
    graph, other = (read_model(path, progress).graph for path in (options.golden_dump_path, options.my_dump_path))
    names = graph.tensor_names
    tensor = graph.tensor_index(options.tensor)
    choice = None if tensor is None else tensor_choice(graph, tensor, None, None)
    if choice is None or choice.end != "weight" or choice.lack:
        if fed:
            return None
        if tensor is not None or other.tensor_index(options.tensor) is not None:
            more = "Add --inputs FILE to run both models and see what they compute."
            raise UsageError(f"{options.tensor} is no weight.", more)
        raise _unknown(options.tensor, [names[each] for each in graph.constants.tolist()], "The model has no weight")
    weights = OtherModel(link(graph, other, progress=progress), "reference", Path(options.my_dump_path).name)
    return look(choice, graph, None, None, progress, lambda _: weights), graph


def _alone(tensor: str) -> "Graph":
    """Makes the graph of a tensor without a model."""
    from errorflow.graph.build import GraphBuilder

    builder = GraphBuilder()
    builder.input(tensor)
    return builder.build()


def _number(match: "Match", name: str) -> int:
    """The place of the tensor's pair: of those that it may mean, one with both sides, by the name that is printed."""
    found = [
        (pair.candidate is None or pair.reference is None, names.index(name), number)
        for number, pair in enumerate(match.pairs)
        if name in (names := _names(pair))
    ]
    if found:
        return min(found)[-1]
    raise _unknown(name, [pair.tensor for pair in match.pairs], "Neither run holds a tensor")


def _unknown(name: str, every: list[str], said: str) -> UsageError:
    """Names those that are written nearly so."""
    near = [each for each in every if name.lower() in each.lower()][:NEAR]
    near = near if near else get_close_matches(name, every, NEAR)
    lists = "`errorflow inspect --json`" if "weight" in said else "`errorflow compare`"
    known = f"There is: {', '.join(near)}." if near else f"There are {len(every):,}, which {lists} lists."
    return UsageError(f"{said} {name}.", known)


def _names(pair: "Pair") -> tuple[str, ...]:
    return (pair.tensor, *(side.info.name for side in (pair.candidate, pair.reference) if side is not None))


def _figure(found: "Looked", plot: str) -> "Figure":
    from errorflow.explain.inspect import figures
    from errorflow.explain.inspect.suits import SUITS, Datum

    suits = SUITS[plot](Datum(found.tensors, found.loud))
    if suits.score <= 0 or (plot == "channels" and found.channels is None):
        raise UsageError(f"There is nothing to draw: {suits.reason}", "Choose another plot by --plot.")
    seen = found.overview
    if plot == "errors":
        return figures.error_figure(seen, seen.values.wants_log)
    if plot == "scatter":
        return figures.scatter_figure(seen)
    if plot == "channels" and found.channels is not None:
        return figures.channel_figure(found.channels, seen, name=found.tensors.name)
    return figures.values_figure(seen, seen.values.wants_log)


LOOK = Command("look", "Look closely at one tensor of two runs: its histogram, errors, channels.", _arguments, _run)
