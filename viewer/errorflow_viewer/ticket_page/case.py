"""What is on view, as what a ticket is made of: nothing is measured again."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow_viewer.case_on_view import case_of
from errorflow_viewer.state import State

if TYPE_CHECKING:
    from errorflow.bundle.draft import Draft


def draft_on_view(state: State, second: Model | None, now: datetime, progress: Progress) -> "Draft":
    """All that takes long, to be called in the background. `second`: the graph that is shown beside the painted one."""
    from errorflow.bundle.archive import read_manifest
    from errorflow.bundle.draft import draft_of

    bundle = state.session.bundle
    name = "" if bundle is None else read_manifest(bundle).title
    return draft_of(replace(case_of(state), second=second, name=name), now, progress=progress)
