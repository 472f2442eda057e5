"""The verdict on the model in the words of the report: as pieces that lead to what they name, and to paste."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Literal

from errorflow.base.language import LanguageText, Verbatim, parts, say, translated
from errorflow.base.values import dataclass, field
from errorflow.explain.blame.model import ESTIMATED, Blame, ModelVerdict
from errorflow.graph.model import Graph

if TYPE_CHECKING:
    from errorflow.case.model import Case

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
    text: str
    # Where names in it lead to.
    links: Mapping[str, str] = field(default_factory=dict)
    # "exact", "exact (6 nodes estimated)", "estimated", "estimated so far" or "".
    method: str = ""
    method_tip: str = ""
    # Nothing is known yet.
    waits: bool = False


def headline(compared: "Case", running: bool, refining: bool = False) -> Headline:
    """Writes what is known now; `running`: more comes; `refining`: what is known is made more exact."""
    blame = compared.blame
    if not compared.complete:
        return Headline("measuring", _progress(compared, running), waits=True)
    if blame is None:
        if running:
            return Headline("measuring", JUDGING, waits=True)
        return Headline("nothing", TABLE if compared.match is None else NO_VERDICT)
    method = method_of(blame)
    if running and method == "estimated" and blame.ran is None:
        method = SO_FAR
    if refining and method:
        method = say(f"{method.removesuffix(SO_FAR_WORDS)}{SO_FAR_WORDS}")
    return Headline(
        _SIGNS[blame.model.kind],
        bare(blame.model),
        links_of(blame),
        say("{}{}", say(method), _left(blame)) if method == "exact" else method,
        method_tip(blame) if method else "",
    )


def bare(verdict: ModelVerdict) -> str:
    """A verdict without the word that says how it was found."""
    head, rest = verdict.parted
    return say("{}: {}", head, rest) if head else rest


def method_of(blame: Blame) -> str:
    """Says how the verdict on the model was found; "": there is nothing to find."""
    if blame.model.kind in ("good", "beyond limits", "nothing"):
        return ""
    return "estimated" if blame.model.text.partition(":")[0].endswith(ESTIMATED) else "exact"


def _left(blame: Blame) -> str:
    """Says how many verdicts on nodes are estimates beside an exact one on the model."""
    left = int(((blame.verdicts > 0) & ~blame.exact).sum())
    return say(" ({} {} estimated)", f"{left:,}", say("node") if left == 1 else say("nodes")) if left > 0 else ""


def method_tip(blame: Blame) -> str:
    """Explains what exact and estimated mean, and why it is not exact as far as that is known."""
    from errorflow.report.blame import estimated

    judged, ran = int((blame.verdicts > 0).sum()), int(blame.exact.sum())
    if not ran:
        if blame.why:
            return estimated(blame.why)
        return say(
            "Estimated from what was measured before and behind each node. It is exact where the original "
            "ONNX model is there, whose nodes are run once more on what the candidate gave them."
        )
    if ran < judged:
        return say(
            "{} of {} nodes were run once more on what the candidate gave them; the others are estimated.",
            f"{ran:,}",
            f"{judged:,}",
        )
    return say("Exact: each node was run once more on what the candidate gave it.")


def ticket_text(compared: "Case") -> str:
    """Writes what the command line prints about it, to paste into a ticket."""
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
        return say("Measuring: {} of {} tensors…", f"{done:,}", f"{len(rows):,}")
    if done == len(rows):
        return say("All {} tensors are measured; who is to blame was not worked out.", f"{done:,}")
    return say("Not all is measured: {} of {} tensors.", f"{done:,}", f"{len(rows):,}")


def pieces_of(text: str, links: Mapping[str, str]) -> tuple[Piece, ...]:
    """The text in the language in use, with its names that lead somewhere as pieces of their own."""
    found = [Piece("")]
    for place, part in enumerate(parts(text)):
        href = links.get(part, "") if place % 2 else ""
        if found[-1].href or href:
            found.append(Piece(Verbatim(part), href))
        else:
            found[-1] = Piece(Verbatim(found[-1].text + part))
    return tuple(piece for piece in found if piece.text)


def linked_text(text: str, links: Mapping[str, str], style: str) -> str:
    """The text as rich text, whose names lead somewhere."""
    if isinstance(text, LanguageText):
        return say(escape(text.key), *(linked_text(value, links, style) for value in text.values))
    return f'<a href="{links[text]}" style="{style}">{escape(text)}</a>' if text in links else escape(text)


def links_of(blame: Blame) -> dict[str, str]:
    """Maps names of nodes and outputs to where they lead."""
    graph: Graph = blame.graph
    outputs = {graph.tensor_names[tensor]: f"tensor:{tensor}" for tensor, _ in blame.model.outputs}
    remedy = blame.model.remedy
    named = [*(each.node for each in blame.model.top), *(() if remedy is None else (*remedy.nodes, *remedy.others))]
    return outputs | {graph.node(node).title: f"node:{node}" for node in named}
