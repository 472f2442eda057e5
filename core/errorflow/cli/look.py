"""`errorflow look REFERENCE CANDIDATE --tensor NAME`: one tensor of two runs, or a weight of two models, closely."""

import json
from argparse import ArgumentParser, Namespace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.cli.command import Command
from errorflow.errors import UsageError
from errorflow.progress import Progress

if TYPE_CHECKING:
    from errorflow.evidence.figure import Figure
    from errorflow.evidence.look import Looked
    from errorflow.graph.model import Graph
    from errorflow.match.model import Match, Pair

# Names that an unknown one is answered with.
NEAR = 5
PLOTS = ("histogram", "errors", "scatter", "channels")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "reference",
        metavar="REFERENCE",
        help="the run that is right: an array file or a folder; or a model, to see a weight of",
    )
    parser.add_argument("candidate", metavar="CANDIDATE", help="the run to be judged by it, or its model")
    parser.add_argument("--tensor", required=True, metavar="NAME", help="the tensor, as the candidate calls it")
    parser.add_argument("--model", metavar="FILE", help="the model, to name the node that a loud channel comes from")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--svg", metavar="FILE", help="write a picture too")
    parser.add_argument("--plot", choices=PLOTS, default="histogram", help="what the picture shows (%(default)s)")


def _run(options: Namespace) -> int:
    from errorflow.cli.meter import Meter
    from errorflow.cli.plain import plain
    from errorflow.files import write_atomic
    from errorflow.report.figure_svg import figure_svg
    from errorflow.report.look_text import look_data, look_lines

    with Meter() as meter:
        found, graph = _looked(options, meter)
    if options.svg:
        write_atomic(Path(options.svg), figure_svg(_figure(found, options.plot)), follow=False)
    if options.json:
        print(json.dumps(look_data(found, graph), indent=2))
    else:
        print(plain("\n".join(look_lines(found, graph))))
    return 0


def _looked(options: Namespace, progress: Progress) -> "tuple[Looked, Graph | None]":
    from errorflow.blame.by_running import can_be_run
    from errorflow.compare.measure import unmeasured
    from errorflow.compare.model import Comparison
    from errorflow.evidence.choices import Choice
    from errorflow.evidence.look import look
    from errorflow.findings.model import Findings
    from errorflow.formats import read_model
    from errorflow.formats.runs import read_run
    from errorflow.match.any_runs import match_runs

    models = [can_be_run(Path(path)) for path in (options.reference, options.candidate)]
    if all(models):
        return _weight(options, progress)
    if any(models):
        raise UsageError(
            "One side is a model, the other is a run.", "Give two runs, or two models to see a weight of both."
        )
    reference, candidate = read_run(options.reference, progress), read_run(options.candidate, progress)
    model = read_model(options.model, progress).graph if options.model else None
    match = match_runs(reference, candidate, model)
    pair = _pair(match, options.tensor)
    known = None if model is None else model.tensor_index(pair.tensor)
    graph = model if model is not None and known is not None else _alone(pair.tensor)
    tensor = 0 if known is None else known
    # Nothing needs to be measured to find out where the other tensors are.
    findings = Findings.of(graph, Comparison(tuple(unmeasured(each) for each in match.pairs)))
    choice = Choice("tensor", 0, tensor, pair.tensor, pair=pair)
    return look(choice, graph, findings, match, progress), None if known is None else graph


def _weight(options: Namespace, progress: Progress) -> "tuple[Looked, Graph]":
    """A constant of the reference's model against what the candidate's has for it."""
    from errorflow.difference.link import link
    from errorflow.difference.weights import OtherModel
    from errorflow.evidence.choices import tensor_choice
    from errorflow.evidence.look import look
    from errorflow.formats import read_model

    if options.model:
        raise UsageError("--model is for runs, and both sides are models.", "Leave --model out.")
    graph, other = (read_model(path, progress).graph for path in (options.reference, options.candidate))
    names = graph.tensor_names
    tensor = graph.tensor_index(options.tensor)
    choice = None if tensor is None else tensor_choice(graph, tensor, None, None)
    if choice is None or choice.end != "weight" or choice.lack:
        raise _unknown(options.tensor, [names[each] for each in graph.constants.tolist()], "The model has no weight")
    weights = OtherModel(link(graph, other, progress=progress), "reference", Path(options.candidate).name)
    return look(choice, graph, None, None, progress, lambda _: weights), graph


def _alone(tensor: str) -> "Graph":
    """Of a tensor of which no model is given."""
    from errorflow.graph.build import GraphBuilder

    builder = GraphBuilder()
    builder.input(tensor)
    return builder.build()


def _pair(match: "Match", name: str) -> "Pair":
    """That of the tensor, by any of the names that it has."""
    pairs = [pair for pair in match.pairs if name in _names(pair)]
    if pairs:
        return pairs[0]
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
    from errorflow.evidence import figures
    from errorflow.evidence.suits import SUITS, Datum

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
