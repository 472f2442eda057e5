"""The one value for what was found: window, report, ticket, table and command line show it and add nothing."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.files import telling_name
from errorflow.base.values import dataclass, field
from errorflow.case.session.model import Session
from errorflow.compare.match.model import Match
from errorflow.compare.model import NOTHING, Comparison
from errorflow.compare.placed import side_of
from errorflow.explain.blame.model import Blame
from errorflow.explain.findings.model import Findings
from errorflow.explain.stages.compare import Three
from errorflow.explain.stages.model import Stages
from errorflow.graph.model import Model

if TYPE_CHECKING:
    from errorflow.run.model import MadeUpShapes
    from errorflow.study.simulate.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Case:
    """All that a session asks and that was found about it. Tensors of `match` can be read while the case is in use."""

    session: Session
    # As it is painted; its path is that of the file it was read from.
    model: Model
    comparison: Comparison = NOTHING
    # Pair by pair what the rows are of; None: they come from elsewhere, and their tensors cannot be read.
    match: Match | None = None
    # None: not worked out.
    blame: Blame | None = None
    # Of three runs, which step is at fault, and the matches of both steps; None: there are two.
    stages: Stages | None = None
    three: Three | None = None
    # What came of the plan that is simulated; None: nothing is.
    outcome: "Outcome | None" = None
    # False: more is being measured.
    complete: bool = True
    # In lines: what was compared, on which samples, with what; the same by what each is to the comparison.
    compared: tuple[str, ...] = ()
    sides: Mapping[str, str] = field(default_factory=dict)
    # Random inputs: the models were fed with values that the user did not choose.
    made_up: bool = False
    made_up_shapes: "MadeUpShapes" = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    # The graph that is shown beside the painted one; None: there is none, or it cannot be read.
    second: Model | None = None
    # What the model is called; "": as its file.
    name: str = ""
    # The file that it came from; None: it was not opened from one. With it what could not be read there.
    path: Path | None = None
    unread: tuple[str, ...] = ()
    # Answers to the form of the ticket that it came in, by their questions.
    form: Mapping[str, str] = field(default_factory=dict)

    @property
    def was_compared(self) -> bool:
        return self.comparison is not NOTHING

    @property
    def title(self) -> str:
        return self.name if self.name else telling_name(self.model.path)

    @property
    def called(self) -> str:
        """Name of the case beside another one."""
        return self.title if self.path is None else self.path.stem

    @property
    def about(self) -> str:
        """Line that says what was compared; "": not known."""
        return self.compared[0] if self.compared else ""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Rows of what leaves the model: those that the verdict is about, else as the files say."""
        findings, evidence = self.findings, None if self.blame is None else self.blame.evidence
        if findings is None or evidence is None or not evidence.are_outputs:
            return () if self.match is None else self.match.network_outputs
        numbers = (findings.row(tensor) for tensor, _ in evidence.ends)
        return tuple(findings.comparison.rows[number].tensor for number in numbers if number is not None)

    @cached_property
    def findings(self) -> Findings | None:
        """The comparison on the graph; None: nothing was compared."""
        if self.outcome is not None and self.outcome.findings.graph is self.model.graph:
            return self.outcome.findings
        if not self.was_compared:
            return None
        graph = self.model.graph
        return Findings.of(graph, self.comparison, self.blame, side_of(graph, self.comparison))
