"""Options of `errorflow curve`, in the words of curves."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.cli.planned import add_simulated
from errorflow.cli.ranked_parts import question_by

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.study.rank.curves import Kind
    from errorflow.study.rank.curves_portions import Group, Half
    from errorflow.study.rank.model import Question

# Counts of parts that are asked for at once, and of samples.
MOST = 1_000_000
EXAMPLES = """\
examples:
  errorflow curve model.onnx --data calibration_data --out result         weights only, activations only and both
  errorflow curve model.onnx --data x.npz --only /stem/Conv,/head/Conv --group /stem/Conv+/stem/Relu
  errorflow curve model.onnx --data x.npz --keep-top 1,2,5,14 --ranking result/ranking.json --part weights
  errorflow curve model.onnx --data x.npz --kind recovery --to 16 --out result   ranks first, then keeps more and more
  errorflow curve model.onnx --data x.npz --kind partial --pick-threshold 0.999 --metric cosine
  errorflow curve model.onnx --data x.npz --kind recovery --out result --resume  go on with what is known there
"""


def curve_arguments(parser: ArgumentParser) -> None:
    parser.epilog = EXAMPLES
    add_simulated(parser)
    _what(parser)
    group = parser.add_argument_group("what is written")
    group.add_argument("--svg", action="store_true", help="a picture for each metric, as SVG (default, with --csv)")
    group.add_argument("--png", action="store_true", help="the same as PNG, which needs the viewer")
    group.add_argument("--csv", action="store_true", help="all numbers as a table")
    group.add_argument(
        "--linear", action="store_true", help="draw cosines and errors as they are, not in powers of ten"
    )
    group.add_argument("--theme", choices=("light", "dark"), default="light", help="of the pictures (default: light)")
    group.add_argument("--title", default="", help="above the pictures (default: the model's name)")
    parser.add_argument("--resume", action="store_true", help="go on with the curves.json in the folder")
    parser.add_argument("--out", "-out", dest="folder", metavar="DIR", default=".", help="where to write")


def _what(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("which curves")
    group.add_argument(
        "--kind",
        choices=("cumulative", "recovery", "partial"),
        default="cumulative",
        help="cumulative (default): the error of each node's outputs along the depth; recovery: that of the outputs "
        "with more and more of the worst kept; partial: the same, with what each part alone does",
    )
    group.add_argument(
        "--part",
        action="append",
        default=[],
        metavar="KIND,…",
        help="quantize weights, activations or both (default: a curve for each); of a ranking, rank these",
    )
    group.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME,…",
        help="quantize nothing but these: a curve for each, one for A+B; of a ranking, rank these; repeatable",
    )
    group.add_argument("--group", action="append", default=[], metavar="A+B", help="the same for several as one")
    group.add_argument(
        "--all-but", action="append", default=[], metavar="NAME,…", help="quantize all but these, in the same ways"
    )
    group.add_argument("--keep-top", default="", metavar="K,…", help="all but the first K of the ranking: a curve each")
    group.add_argument("--average", action="store_true", help="each value as the mean of all points so far")
    group.add_argument("--every-node", action="store_true", help="also what no device rounds, as before a Relu")
    group.add_argument("--ranking", metavar="FILE", help="a ranking.json of `errorflow sensitivity`")
    group.add_argument(
        "--by", default="", metavar="KIND", help="what is ranked: unit (default), node, tensor, weight, …"
    )
    group.add_argument("--top", type=int, metavar="N", help="keep at most the first N of the ranking")
    group.add_argument(
        "--pick-threshold",
        type=float,
        metavar="X",
        help="keep only those that are X or worse alone, in the first metric",
    )
    group.add_argument("--to", default="float", metavar="float|16", help="what is kept is put to this")
    group.add_argument(
        "--metric", default="", metavar="KEY,…", help="cosine, relative_l2, sqnr, …; the first one ranks"
    )
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="measure there, of a ranking: a tensor, or what a node makes (default: the model's outputs); repeatable",
    )
    group.add_argument("--measure-on", type=int, metavar="N", help="use the first N samples (default: all evaluated)")


def check(options: Namespace) -> "Kind":
    """The kind of curve; refuses what does not go together."""
    kind: Kind = options.kind
    along_depth = ("group", "all_but", "keep_top", "average", "every_node")
    along_ranking = ("top", "pick_threshold", "output")
    for name in along_ranking if kind == "cumulative" else along_depth[1:]:
        if getattr(options, name) not in (None, "", [], False):
            other = "--kind recovery" if kind == "cumulative" else "--kind cumulative"
            raise UsageError(f"--{name.replace('_', '-')} is not for --kind {kind}.", f"Give it with {other}.")
    for name in ("top", "measure_on"):
        number = getattr(options, name)
        if number is not None and not 1 <= number <= MOST:
            raise UsageError(f"--{name.replace('_', '-')} must be at least 1.", "Leave it out for all.")
    return kind


def halves(options: Namespace) -> "tuple[Half, ...]":
    """Reads which halves are quantized: without any all three, and of chosen nodes both at once."""
    from errorflow.study.rank.curves_portions import HALVES

    words = tuple(dict.fromkeys(word.strip() for text in options.part for word in text.split(",") if word.strip()))
    for word in words:
        if word not in HALVES:
            raise UsageError(f"--part knows no {word[:40]}.", f"Choose among {', '.join(HALVES)}.")
    chosen = options.only or options.group or options.all_but or options.keep_top
    found = tuple(half for half in HALVES if half in words)
    return found if found else (("both",) if chosen else HALVES)


def groups(texts: list[str], graph: "Graph", *, together: bool = False) -> "tuple[Group, ...]":
    """A group for each name between commas, of several names where a + is between them; names may have either."""
    found: list[Group] = []
    for text in texts:
        rest = [text] if together or _is_known(graph, text) else text.split(",")
        for word in (word.strip() for word in rest):
            names = (word,) if _is_known(graph, word) else tuple(name.strip() for name in word.split("+"))
            if all(names):
                found.append(names)
    if texts and not found:
        raise UsageError(f"“{texts[0][:80]}” names nothing.", "Write names with commas, or A+B for several as one.")
    return tuple(found)


def _is_known(graph: "Graph", name: str) -> bool:
    from errorflow.quant.asking import is_known

    return is_known(graph, name) or graph.tensor_index(name) is not None


def question(options: Namespace, graph: "Graph") -> "Question":
    """Makes the question for the ranking where none is given; its metrics are those of the curves."""

    ranked = "" if options.kind == "cumulative" else options.by
    kinds = {"weights": "weight", "activations": "activation"}
    words = halves(options)
    if not ranked and options.kind != "cumulative" and len(words) == 1:
        ranked = kinds.get(words[0], "")
    rows = Namespace(
        by="" if options.kind == "cumulative" else ranked,
        measure="impact",
        metric=options.metric
        if options.metric
        else ("cosine,relative_l2,sqnr" if options.kind == "cumulative" else ""),
        output=options.output,
        only=[] if options.kind == "cumulative" else options.only,
        group=[] if options.kind == "cumulative" else options.group,
        to=options.to,
    )
    return question_by(rows, graph)


def counts(text: str) -> tuple[int, ...]:
    """Reads the numbers of --keep-top."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if text and not (words and all(word.isdecimal() and 1 <= int(word) <= MOST for word in words)):
        raise UsageError(f"--keep-top takes numbers, and “{text[:40]}” is none.", "Write them as 1,2,5.")
    return tuple(dict.fromkeys(map(int, words)))
