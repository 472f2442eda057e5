"""Matches by hand: whenever the user brings tensors together or parts them, what changed is measured."""

from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import HandPair
from errorflow.graph.model import Model
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.case.model import Case

Wish = tuple[Model, "Case", tuple[HandPair, ...], Setup | None]


def wished(state: State) -> Wish | None:
    """None: nothing was matched by hand, or of a bundle, of which nothing can be measured again."""
    session, compared = state.session, state.case
    match = None if compared is None else compared.match
    if state.model is None or compared is None or match is None or not compared.complete:
        return None
    is_asked = bool(session.hand_pairs) or match.by_rules is not None
    if session.bundle is not None or not is_asked or session.hand_pairs == compared.session.hand_pairs:
        return None
    return state.model, compared, session.hand_pairs, session.setup


def matched(model: Model, case: "Case", pairs: tuple[HandPair, ...], setup: Setup | None, progress: Progress) -> "Case":
    """What was compared with these pairs; the same if they are in it already."""
    from errorflow.case.comparing import matched_again

    before = replace(case, session=replace(case.session, setup=setup, hand_pairs=pairs), model=model)
    found = matched_again(before, progress)
    return case if found is before else found
