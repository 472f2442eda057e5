"""What is on view, as what a ticket is made of: nothing is measured again."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow_viewer.state import State

if TYPE_CHECKING:
    from errorflow.bundle.draft import Draft
    from errorflow.bundle.model import Material


def draft_on_view(state: State, second: Model | None, now: datetime, progress: Progress) -> "Draft":
    """All that takes long, to be called in the background. `second`: the graph that is shown beside the painted one."""
    from errorflow.bundle.draft import draft_of

    return draft_of(replace(_material(state), second=second), now, progress=progress)


def _material(state: State) -> "Material":
    from errorflow.bundle.archive import read_manifest
    from errorflow.bundle.draft import SAID, said_of
    from errorflow.bundle.model import Material
    from errorflow.report.html.opening import said_of_simulation

    model, compared, session, simulated = state.model, state.compared, state.session, state.simulated
    assert model is not None, "the command is offered with a model only"
    said = said_of(session)
    if simulated is not None and simulated.outcome is not None and session.simulation is not None:
        found = said_of_simulation(model.path, session.simulation, simulated.bench)
        said = {name: found[name] for name in SAID if name in found}
    material = Material(session, model, **said)
    if session.bundle is not None:
        material = replace(material, name=read_manifest(session.bundle).title)
    if compared is None:
        return material
    return replace(
        material,
        comparison=compared.comparison,
        match=compared.match,
        blame=compared.blame,
        stages=compared.stages,
    )
