"""All that the panel says, gathered from a comparison in the background."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorflow.base.language import capital, say
from errorflow.explain.blame.model import Advice, Kind, Verdict
from errorflow_viewer.document.verdict_words import Sign, bare, headline, links_of, method_of, method_tip

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.compare.metrics.metric import Scale
    from errorflow.explain.blame.model import Blame
    from errorflow.explain.findings.model import Findings

# Reasons why nodes could not be judged, and first bad nodes, that are listed.
REASONS, FIRST, OUTPUTS = 3, 3, 12


@dataclass(frozen=True, slots=True)
class Contributor:
    """A node that brings `share` (0…1) of the error, and in words what it is."""

    node: int
    title: str
    share: float
    what: str


@dataclass(frozen=True, slots=True)
class Output:
    """One output; `value` by the metric on view, "" where it was not measured by that."""

    tensor: int
    name: str
    kind: Kind
    text: str
    value: str = ""
    tip: str = ""


@dataclass(frozen=True, slots=True)
class First:
    """Where it turns bad, and the notes on it."""

    node: int
    title: str
    note: str


@dataclass(frozen=True, slots=True)
class Told:
    """One verdict with everything around it."""

    sign: Sign
    # "Node error", and what comes behind the colon.
    head: str
    sentence: str
    # Where names in it lead to.
    links: Mapping[str, str]
    method: str
    why: str
    # Of three runs.
    stages: tuple[str, ...]
    contributors: tuple[Contributor, ...]
    advice: tuple[Advice, ...]
    first: tuple[First, ...]
    more_first: int
    follows: str
    outputs: tuple[Output, ...]
    nodes: int
    unjudged: int
    # Reasons with how many nodes each, the most frequent first.
    reasons: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, compared: "Case", blame: "Blame", findings: "Findings | None", scale: "Scale | None") -> "Told":
        """`findings` are those of the graph that was judged, if that is on view."""
        from errorflow.explain.blame.front import ends
        from errorflow.report.blame import described, followed
        from errorflow.report.stages import stages_lines

        model, graph = blame.model, blame.graph
        head, rest = model.parted
        first = ends(blame).tolist() if model.kind != "nothing" else []
        unjudged, reasons = _unjudged(blame)
        titled = {node: graph.node(node).title for node in (*first[:FIRST], *(each.node for each in model.top))}
        return cls(
            headline(compared, False).sign,
            head,
            capital(rest),
            links_of(blame),
            method_of(blame),
            method_tip(blame),
            () if compared.stages is None else tuple(stages_lines(compared.stages)),
            tuple(
                Contributor(
                    e.node, titled[e.node], e.share, say("{} · {}", graph.op_types[e.node], described(blame, e.node))
                )
                for e in model.top
            ),
            model.advice,
            tuple(First(node, titled[node], blame.notes.get(node, "")) for node in first[:FIRST]),
            max(len(first) - FIRST, 0),
            followed(int(blame.front.sum()) - len(first)),
            tuple(_outputs(blame, findings, scale)),
            len(graph),
            unjudged,
            reasons,
        )


def _outputs(blame: "Blame", findings: "Findings | None", scale: "Scale | None") -> list[Output]:
    values = None if findings is None or scale is None else findings.measured(scale).values
    found = []
    for tensor, verdict in blame.model.outputs[:OUTPUTS]:
        name = blame.graph.tensor_names[tensor]
        value = math.nan if values is None else float(values[tensor])
        said, tip = "", ""
        if scale is not None and not math.isnan(value):
            said, tip = scale.text(value), f"accumulated · {scale.label} · {scale.formula}"
        found.append(Output(tensor, name, verdict.kind, bare(verdict), said, tip))
    return found


def _unjudged(blame: "Blame") -> tuple[int, tuple[tuple[str, int], ...]]:
    from errorflow.explain.findings.problems import parted

    left = (blame.verdicts == Verdict.NOT_MEASURED).nonzero()[0].tolist()
    why = Counter(parted(blame.notes[node])[0] for node in left if node in blame.notes)
    return len(left), tuple(why.most_common(REASONS))
