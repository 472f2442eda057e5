"""Problems: what could not be measured and why, in groups, each with a way out where one is known."""

import re
from collections.abc import Iterable, Iterator, Sequence

from errorflow.base.values import dataclass
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.problem_count import is_unmeasured
from errorflow.graph.model import Graph, Problem


@dataclass(frozen=True, slots=True)
class ProblemItem:
    """One tensor, and the node to look at as far as that is known; `detail` is what is its own about the reason."""

    name: str
    node: int | None
    detail: str = ""

    @property
    def text(self) -> str:
        return ": ".join(filter(None, (self.name, self.detail)))


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems that share a reason."""

    title: str
    items: tuple[ProblemItem, ...]
    # What to do about it; "": nobody knows.
    hint: str = ""


@dataclass(frozen=True, slots=True)
class WayOut:
    """`note` matches the beginning of notes, see `Row.note`."""

    note: str
    hint: str


WAYS_OUT: tuple[WayOut, ...] = (
    WayOut(
        "the candidate has no dump of it",
        "Dump it as well: with dump_mode “all”, and with the operator in dump_list or with no dump_list. "
        "Constants and what the compiler removed leave no dump.",
    ),
    WayOut(
        "only in the reference",
        "The candidate's run did not write it, or calls it otherwise: dump all layers there, or match it by hand.",
    ),
    WayOut(
        "only in the candidate",
        "The reference's run did not write it, or calls it otherwise: dump all layers there, or match it by hand.",
    ),
    WayOut(
        "nothing of this operator can be compared",
        "The compiler inserted it, or wrote no original down for it. Compiled without fusion the model shows more.",
    ),
    WayOut(
        "the values are codes, between quantization and dequantization",
        "With AMCT's scale_offset_record.txt codes become real values again: give it with the runs.",
    ),
    WayOut(
        "the values are codes, and the reference has no tensor of this place",
        "Look at the output of the dequantizing layer instead.",
    ),
    WayOut(
        "candidate left in codes|reference left in codes",
        "The scale does not go with the tensor: check that it belongs to this model.",
    ),
    WayOut(
        "The shapes differ|Without padding,",
        "The runs had different inputs, or a batch of another size; else match it with another tensor by hand.",
    ),
    WayOut("no real numbers", "Texts and complex numbers are not compared."),
    WayOut(
        "there is not enough memory",
        "Close other programs, compare with fewer processes, or measure the first values of each tensor only.",
    ),
    WayOut("its process was ended", "Compare with fewer processes; what was measured so far is kept."),
    WayOut("measuring it failed inside Errorflow", "Please report it: Help → Copy diagnostic info, and the log."),
    WayOut(
        "The layout|Nobody has written down how",
        "Put a converter of your own into a folder format_convert, and give the folder above it with the runs.",
    ),
    WayOut("A tensor of the shape", "The dump and the model do not belong together, or the shape was given wrongly."),
    WayOut("msaccucmp cannot read all of it", "The dump is damaged or cut off: copy it again, or make it again."),
)
_WAYS = tuple((re.compile(way.note), way.hint) for way in WAYS_OUT)
# The problems that the runs themselves had when they were matched.
ABOUT_RUNS = "Odd about the runs"


def unmeasured(comparison: Comparison, findings: Findings | None) -> tuple[ProblemGroup, ...]:
    """Tensors without a number, the most frequent reason first; with findings each has its node."""
    nodes = {} if findings is None else _nodes(findings)
    groups: dict[str, list[ProblemItem]] = {}
    graph = None if findings is None else findings.graph
    for number, row in enumerate(comparison.rows):
        if is_unmeasured(row):
            kind, detail = parted(row.note)
            groups.setdefault(kind, []).append(ProblemItem(row.tensor, _node(nodes.get(number), row, graph), detail))
    found = (ProblemGroup(_capital(kind), tuple(items), hint_of(kind)) for kind, items in groups.items())
    return tuple(sorted(found, key=lambda group: -len(group.items)))


def about_runs(problems: Sequence[Problem], graph: Graph | None) -> tuple[ProblemGroup, ...]:
    """Groups what was odd when both runs were brought together."""
    items = tuple(
        ProblemItem(_place(problem), None if graph is None else graph.node_index(problem.where), problem.text)
        for problem in dict.fromkeys(problems)
    )
    return (ProblemGroup(ABOUT_RUNS, items),) if items else ()


def _place(problem: Problem) -> str:
    """Names the place of a problem, and in which of the two runs it is."""
    return f"{problem.where} in the {problem.side}" if problem.where and problem.side else problem.where


def as_text(groups: Iterable[ProblemGroup]) -> str:
    """Writes groups as text to paste into a ticket."""
    return "".join(f"{line}\n" for line in _lines(groups))


def parted(note: str) -> tuple[str, str]:
    """The reason that others share, and what is only about this tensor."""
    kind, _, detail = note.partition(": ")
    head, bracket, rest = kind.partition(" (")
    return (head, f"{rest.removesuffix(')')}{detail}") if bracket else (kind.removesuffix("."), detail)


def hint_of(kind: str) -> str:
    return next((hint for note, hint in _WAYS if note.match(kind)), "")


def _lines(groups: Iterable[ProblemGroup]) -> Iterator[str]:
    for group in groups:
        yield f"{group.title} ({len(group.items):,})"
        if group.hint:
            yield f"  {group.hint}"
        yield from (f"  {item.text}" for item in group.items)


def _nodes(findings: Findings) -> dict[int, int]:
    """Maps the number of the row to the node that makes its tensor."""
    producers = findings.graph.producers.tolist()
    return {
        number: producers[tensor]
        for tensor, numbers in findings.placed.about.items()
        for number in numbers
        if producers[tensor] >= 0
    }


def _node(made: int | None, row: Row, graph: Graph | None) -> int | None:
    if made is not None or graph is None or not row.node:
        return made
    return graph.node_index(row.node)


def _capital(text: str) -> str:
    """The name of a file stays as it is."""
    first = text.partition(" ")[0].rstrip(",;")
    return text[:1].upper() + text[1:] if first.replace("-", "").isalpha() else text
