"""Content of a report on a case, with its pictures: plain values in the order of the page."""

from collections.abc import Mapping
from pathlib import Path

from errorflow.base.values import dataclass, field
from errorflow.case.session.model import Painting
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial


@dataclass(frozen=True, slots=True)
class NodeEvidence:
    """A node that matters, and a picture of what it makes as SVG; "": its values are not there."""

    node: int
    picture: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Content:
    """A model on view, and what was found out about it."""

    title: str
    graph: Graph
    # None: nothing was compared.
    findings: Findings | None = None
    painting: Painting = field(default_factory=Painting)
    # What was compared, a line each.
    compared: tuple[str, ...] = ()
    # The same by what each is, where somebody knows: "Candidate" and the name of its file.
    sides: Mapping[str, str] = field(default_factory=dict)
    # Nobody chose what the models were fed with.
    made_up: bool = False
    # Of three runs, which step is at fault.
    stages: tuple[str, ...] = ()
    evidence: tuple[NodeEvidence, ...] = ()
    # Further plots by their headings, as SVG in the light and in the dark theme.
    plots: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # The one that is simulated, with what somebody wished of it; None: nothing is.
    plan: Plan | None = None
    trials: tuple[Trial, ...] = ()
    # The name of the trial on view.
    shown: str = ""
    # Headings and lines of what rankings and searches found.
    chapters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # The user's, by the names of nodes.
    notes: Mapping[str, str] = field(default_factory=dict)
    # And on the whole case.
    note: str = ""
    # What was filled in where it came in a ticket: answers by the questions of the form.
    form: Mapping[str, str] = field(default_factory=dict)
    # What is odd about the runs; what could not be measured is in the findings.
    problems: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    # Versions, settings and samples, as name and value.
    facts: Mapping[str, str] = field(default_factory=dict)


def size_text(count: int) -> str:
    """Says how large a file is."""
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count:,} bytes"
