"""What was measured of the pairs, by the metric on view."""

from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow_viewer.document.state import State
from errorflow_viewer.panels.lines.rows import Errors
from errorflow_viewer.panels.matches.rows import MatchRows

if TYPE_CHECKING:
    from errorflow.compare.metrics.metric import Scale
    from errorflow.compare.model import Comparison


def scale_on_view(state: State) -> "Scale | None":
    """The metric on view with the limits of the session; None: it was not measured."""
    painting = state.session.painting
    return None if state.findings is None else state.findings.scale(painting.metric, painting.limits)


class PairErrors:
    """Remembers the last errors: limits, which may change at every move of a hand, change their colours only."""

    def __init__(self) -> None:
        self._found: tuple[MatchRows, Comparison, Errors] | None = None

    def of(self, rows: MatchRows | None, state: State) -> Errors | None:
        """None also while what is known is of another comparison than the rows."""
        scale, compared, before = scale_on_view(state), state.case, self._found
        if rows is None:
            self._found = None
        if rows is None or scale is None or compared is None or compared.match is not rows.match:
            return None
        if state.findings is None or state.findings.comparison is not compared.comparison:
            return None
        same = before is not None and before[0] is rows and before[1] is compared.comparison
        if same and before is not None and before[2].scale.key == scale.key:
            return replace(before[2], scale=scale)
        found = rows.errors(compared.comparison, scale)
        self._found = rows, compared.comparison, found
        return found
