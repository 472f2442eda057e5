"""Looks at a tensor in the background: first quickly, then at all of it. The latest wish wins."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.deriving import Deriving

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.inspect.choices import Choice
    from errorflow.explain.inspect.look import Looked
    from errorflow.explain.inspect.others import AskWeights

KEY, CLOSER = "inspector", "inspector.closer"
_Look = Callable[[Progress], "Looked"]


class Looking:
    """`show` gets what was found, once or twice; `failed` why there is nothing."""

    def __init__(
        self, derived: Deriving, show: "Callable[[Looked], None]", failed: Callable[[ErrorflowError], None]
    ) -> None:
        self._derived = derived
        self._show = show
        # The first look, and what follows it.
        self._first: _Look | None = None
        self._more: Callable[..., Looked] | None = None
        self._closer: _Look | None = None
        first = looked(KEY, "Reading a tensor", lambda _: self._first, _look, self._take, failed)
        derived.add(replace(first, shown=False))
        derived.add(looked(CLOSER, "Looking at all values", lambda _: self._closer, _look, show, failed))

    def look(
        self,
        choice: "Choice",
        graph: Graph,
        findings: "Findings | None",
        match: "Match | None",
        others: "AskWeights | None" = None,
    ) -> None:
        """Cancels what is under way."""
        from errorflow.explain.inspect import look
        from errorflow.explain.inspect.overview import AT_ONCE

        closer = partial(look.look_closer, graph=graph, findings=findings, match=match)

        def begin(progress: Progress) -> "Looked":
            seen = look.first(choice, graph, others, progress)
            return closer(seen, progress=progress) if seen.tensors.size <= AT_ONCE else seen

        self._ask(begin, None)
        self._more = closer

    def stop(self) -> None:
        self._more = None
        self._ask(None, None)

    def _take(self, seen: "Looked") -> None:
        first, more = self._first, self._more
        self._show(seen)
        if not seen.complete and first is self._first and more is not None:
            self._ask(first, lambda progress: more(seen, progress=progress))

    def _ask(self, first: _Look | None, closer: _Look | None) -> None:
        self._first, self._closer = first, closer
        for name in (KEY, CLOSER):
            self._derived.follow(name)


def _look(wish: _Look, progress: Progress) -> "Looked":
    return wish(progress)
