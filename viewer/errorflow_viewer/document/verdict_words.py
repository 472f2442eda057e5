"""The verdict on the model in the words of the report: as pieces that lead to what they name, and to paste."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from errorflow.base.language import translated

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.explain.blame.model import Blame
    from errorflow.graph.model import Graph

# What is drawn beside the words, told apart by its form.
Sign = Literal["node", "accumulated", "inputs", "good", "nothing", "measuring"]
_SIGNS: dict[str, Sign] = {
    "good": "good",
    "node error": "node",
    "accumulated error": "accumulated",
    "inputs differ": "inputs",
    "beyond limits": "accumulated",
    "nothing": "nothing",
}
ESTIMATED = " (estimated)"
TABLE = "No verdict: these results come from a table, without the tensors that it was made of."
NO_VERDICT = "No verdict was worked out for this comparison."
# While the nodes of the original are being run.
SO_FAR_WORDS = " so far"
SO_FAR = f"estimated{SO_FAR_WORDS}"
JUDGING = "Working out who is to blame…"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words; with `href` a name that leads to `node:5` or `tensor:3` of the main graph."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """One sentence, and what is to be known about it."""

    sign: Sign
    pieces: tuple[Piece, ...]
    # "exact", "exact (6 nodes estimated)", "estimated", "estimated so far" or "".
    method: str = ""
    method_tip: str = ""
    # Nothing is known yet.
    waits: bool = False

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def headline(compared: "Case", running: bool, refining: bool = False) -> Headline:
    """What is known now; `running`: more comes; `refining`: what is known is made more exact."""
    blame = compared.blame
    if not compared.complete:
        return Headline("measuring", (Piece(_progress(compared, running)),), waits=True)
    if blame is None:
        if running:
            return Headline("measuring", (Piece(JUDGING),), waits=True)
        return Headline("nothing", (Piece(TABLE if compared.match is None else NO_VERDICT),))
    method = method_of(blame)
    if running and method == "estimated" and blame.ran is None:
        method = SO_FAR
    if refining and method:
        method = f"{method.removesuffix(SO_FAR_WORDS)}{SO_FAR_WORDS}"
    return Headline(
        _SIGNS[blame.model.kind],
        tuple(pieces_of(blame, bare(blame.model.text))),
        f"{method}{_left(blame)}" if method == "exact" else method,
        method_tip(blame) if method else "",
    )


def bare(text: str) -> str:
    """A verdict without the word that says how it was found."""
    head, colon, rest = text.partition(":")
    return f"{head.removesuffix(ESTIMATED)}{colon}{rest}"


def method_of(blame: "Blame") -> str:
    """How the verdict on the model was found; "": there is nothing to find."""
    if blame.model.kind in ("good", "beyond limits", "nothing"):
        return ""
    return "estimated" if blame.model.text.partition(":")[0].endswith(ESTIMATED) else "exact"


def _left(blame: "Blame") -> str:
    """How many verdicts on nodes are estimates beside an exact one on the model."""
    left = int(((blame.verdicts > 0) & ~blame.exact).sum())
    return f" ({left:,} {'node' if left == 1 else 'nodes'} estimated)" if left > 0 else ""


def method_tip(blame: "Blame") -> str:
    """What exact and estimated mean, and why it is not exact as far as that is known."""
    from errorflow.report.blame import estimated

    judged, ran = int((blame.verdicts > 0).sum()), int(blame.exact.sum())
    if not ran:
        if blame.why:
            return estimated(blame.why)
        return (
            "Estimated from what was measured before and behind each node. It is exact where the original ONNX model "
            "is there, whose nodes are run once more on what the candidate gave them."
        )
    if ran < judged:
        return (
            f"{ran:,} of {judged:,} nodes were run once more on what the candidate gave them; the others are estimated."
        )
    return "Exact: each node was run once more on what the candidate gave it."


def ticket_text(compared: "Case") -> str:
    """What the command line prints about it, to paste into a ticket."""
    return "".join(f"{translated(line)}\n" for line in _lines(compared))


def _lines(compared: "Case") -> Iterator[str]:
    from errorflow.report.blame import blame_lines, estimated
    from errorflow.report.stages import stages_lines

    if compared.stages is not None:
        yield from stages_lines(compared.stages)
    if compared.blame is not None:
        yield from blame_lines(compared.blame)
        if compared.blame.why:
            yield estimated(compared.blame.why)


def _progress(compared: "Case", running: bool) -> str:
    rows = compared.comparison.rows
    done = len(compared.comparison.known)
    if running:
        return f"Measuring: {done:,} of {len(rows):,} tensors…"
    if done == len(rows):
        return f"All {done:,} tensors are measured; who is to blame was not worked out."
    return f"Not all is measured: {done:,} of {len(rows):,} tensors."


def pieces_of(blame: "Blame", text: str) -> Iterator[Piece]:
    """The text with the names of its nodes and outputs as pieces of their own."""
    names = dict(_names(blame))
    if not names:
        yield Piece(text)
        return
    longest_first = sorted(names, key=len, reverse=True)
    parts = re.split(rf"(?<!\S)({'|'.join(map(re.escape, longest_first))})(?=[\s.,;:]|$)", text)
    for number, part in enumerate(parts):
        if part:
            yield Piece(part, names[part] if number % 2 else "")


def _names(blame: "Blame") -> Iterator[tuple[str, str]]:
    graph: Graph = blame.graph
    for tensor, _ in blame.model.outputs:
        if graph.tensor_names[tensor]:
            yield graph.tensor_names[tensor], f"tensor:{tensor}"
    for each in blame.model.top:
        yield graph.node(each.node).title, f"node:{each.node}"
