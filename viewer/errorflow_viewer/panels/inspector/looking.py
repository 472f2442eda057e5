"""Looks at a tensor in the background: first quickly, then at all of it. The latest wish wins."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow.progress import Progress
from errorflow_viewer.jobs import Jobs

if TYPE_CHECKING:
    from errorflow.evidence.choices import Choice
    from errorflow.evidence.look import Looked
    from errorflow.evidence.others import AskWeights
    from errorflow.findings.model import Findings
    from errorflow.match.model import Match

KEY = "inspector"


class Looking:
    """`show` gets what was found, once or twice; `failed` why there is nothing."""

    def __init__(self, jobs: Jobs, show: "Callable[[Looked], None]", failed: Callable[[ErrorflowError], None]) -> None:
        self._jobs = jobs
        self._show = show
        self._failed = failed

    def look(
        self,
        choice: "Choice",
        graph: Graph,
        findings: "Findings | None",
        match: "Match | None",
        others: "AskWeights | None" = None,
    ) -> None:
        """Cancels what is under way."""
        from errorflow.evidence import look
        from errorflow.evidence.overview import AT_ONCE

        closer = partial(look.look_closer, graph=graph, findings=findings, match=match)

        def begin(progress: Progress) -> "Looked":
            seen = look.first(choice, graph, others, progress)
            return closer(seen, progress=progress) if seen.tensors.size <= AT_ONCE else seen

        def go_on(seen: "Looked") -> None:
            self._show(seen)
            if not seen.complete:
                self._jobs.start(
                    KEY,
                    "Looking at all values",
                    lambda progress: closer(seen, progress=progress),
                    self._show,
                    self._failed,
                )

        self._jobs.start(KEY, "Reading a tensor", begin, go_on, self._failed, shown=False)

    def stop(self) -> None:
        self._jobs.cancel(KEY)
