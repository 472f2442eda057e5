"""Options of the parts that a call ranks: rankings, curves and searches have them alike."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.study.rank.model import Question


def add_question(parser: ArgumentParser) -> None:
    """Adds the options that `question_by` reads."""
    group = parser.add_argument_group("what is ranked")
    group.add_argument(
        "--by",
        default="",
        metavar="KIND",
        help="unit (default: nodes that are switched as one), node, tensor, weight, activation, producer (a node with "
        "those that feed it), upstream (with all before it), group",
    )
    group.add_argument("--measure", default="impact", metavar="impact,recovery", help="quantized alone; left out alone")
    group.add_argument(
        "--metric", default="", metavar="KEY,…", help="cosine, relative_l2, sqnr, …; the first one ranks"
    )
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="measure there: a tensor, or what a node makes (default: the outputs of the model); repeatable",
    )
    group.add_argument("--only", action="append", default=[], metavar="NAME,…", help="rank these only; repeatable")
    group.add_argument("--group", action="append", default=[], metavar="A+B", help="rank these as one; repeatable")
    group.add_argument("--to", default="float", metavar="float|16", help="what is left out is put to this")
    group.add_argument("--rank-on", type=int, metavar="N", help="use the first N samples (default: all evaluated ones)")


def question_by(options: Namespace, graph: "Graph") -> "Question":
    """Makes the question of the options; a `UsageError` says what is not known."""
    from errorflow.study.rank.model import KINDS, MEASURES, Question

    kind = options.by if options.by else ("group" if options.group else "unit")
    if kind not in KINDS:
        raise UsageError(f"--by knows no {options.by[:40]}.", f"Choose among {', '.join(KINDS)}.")
    if (kind == "group") != bool(options.group):
        raise UsageError("--group and --by group belong together.", "Give --group a+b for each group.")
    if kind == "group" and options.only:
        raise UsageError("--only and --group cannot both be given.", "Groups are the only ones that are ranked.")
    standard = Question()
    measures = _words(options.measure, "--measure", MEASURES)
    metrics = _metrics(options.metric) if options.metric else standard.metrics
    if options.to not in ("float", "16"):
        raise UsageError(f"--to takes float or 16, and “{options.to[:20]}” is none.", "Leave it out for float.")
    only = tuple(_names(text, "+", graph, "--group") for text in options.group)
    if not only:
        only = tuple((name,) for text in options.only for name in _names(text, ",", graph, "--only"))
    to = 16 if options.to == "16" else "float"
    return Question(kind, measures, metrics, tuple(options.output), (), only, to)  # type: ignore[arg-type]  # checked above


def on_samples(options: Namespace, question: "Question", samples: int) -> "Question":
    if options.rank_on is None:
        return question
    if options.rank_on < 1:
        raise UsageError("--rank-on must be at least 1.", "Leave it out for all samples.")
    return replace(question, samples=tuple(range(min(options.rank_on, samples))))


def _metrics(text: str) -> tuple[str, ...]:
    from errorflow.compare.metrics import METRICS

    names = {name: metric.key for metric in METRICS for name in (metric.key, metric.short) if name}
    return tuple(dict.fromkeys(names[word] for word in _words(text, "--metric", tuple(names))))


def _words(text: str, option: str, known: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    for word in found:
        if word not in known:
            raise UsageError(f"{option} knows no {word[:40]}.", f"Choose among {', '.join(known)}.")
    if not found:
        raise UsageError(f"{option} names nothing.", f"Choose among {', '.join(known)}.")
    return found


def _names(text: str, sign: str, graph: "Graph", option: str) -> tuple[str, ...]:
    """Divides the names at the signs; a name may have the sign in it."""
    from errorflow.quant.asking import is_known

    def known(name: str) -> bool:
        return is_known(graph, name) or graph.tensor_index(name) is not None

    if known(text):
        return (text,)
    names = tuple(name.strip() for name in text.split(sign) if name.strip())
    if not names:
        raise UsageError(f"{option} names nothing.", f"Write names with {sign} between them.")
    return names
