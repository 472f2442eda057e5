"""Matches by hand: whenever the user brings tensors together or parts them, what changed is measured."""

from typing import TYPE_CHECKING

from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.scenarios.setup import Setup
from errorflow.session.model import HandPair
from errorflow_viewer.state import Compared, State

if TYPE_CHECKING:
    from errorflow.match.model import Match

Wish = tuple[Model, Compared, "Match", tuple[HandPair, ...], Setup | None]


def wished(state: State) -> Wish | None:
    """None: nothing was matched by hand, or of a bundle, of which nothing can be measured again."""
    session, compared = state.session, state.compared
    match = None if compared is None else compared.match
    if state.model is None or compared is None or match is None or not compared.complete:
        return None
    is_asked = bool(session.hand_pairs) or match.by_rules is not None
    if session.bundle is not None or not is_asked or session.hand_pairs == compared.by_hand:
        return None
    return state.model, compared, match, session.hand_pairs, session.setup


def matched(
    model: Model,
    compared: Compared,
    match: "Match",
    pairs: tuple[HandPair, ...],
    setup: Setup | None,
    progress: Progress,
) -> Compared:
    """What was compared with these pairs; the same if they are in it already."""
    from errorflow.compare.again import known_rows
    from errorflow.match.by_hand import with_hand_pairs
    from errorflow.scenarios.measure import measure, original_of

    new = with_hand_pairs(match, [(pair.candidate, pair.reference) for pair in pairs])
    if new.pairs == match.pairs and new.problems == match.problems:
        return compared
    known = known_rows(compared.comparison, match, new)
    original = original_of(Setup() if setup is None else setup, model)
    sketch = measure(new, model.graph, original, known=known, progress=progress)
    return Compared(sketch.comparison, new, sketch.blame)
