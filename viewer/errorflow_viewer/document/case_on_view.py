"""Case of the model on view, from what the window knows: nothing is measured again."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.base.progress import SILENT, Progress
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.report.content import Content, NodeEvidence


def case_of(state: State) -> "Case":
    """Makes the case of the model's main graph, whatever part of it is on view, with what was decided by now."""
    from errorflow.case.model import Case
    from errorflow.case.said import said_of

    model, case, session = state.model, state.case, state.session
    assert model is not None, "the command is offered with a model only"
    if case is None:
        return Case(session, model, files=(model.path,), **said_of(session))
    return replace(case, session=session, model=model)


def content_on_view(state: State, progress: Progress) -> "Content":
    """Makes the content of a report, with all pictures."""
    from errorflow.report.contents import content_of

    return content_of(_with_form(case_of(state)), progress=progress)


def content_without_pictures(state: State) -> "Content":
    """The same, at once."""
    from errorflow.report.contents import content_with

    return content_with(_with_form(case_of(state)))


def _with_form(case: "Case") -> "Case":
    """Adds what was filled in where it came in a ticket."""
    if case.session.bundle is None:
        return case
    from errorflow.report.bundle.form import told_in

    return replace(case, form=told_in(case.session.bundle).answers)


def pictures_of(
    state: State,
    content: "Content",
    known: "Collection[NodeEvidence]" = (),
    give: "Callable[[tuple[NodeEvidence, ...]], None] | None" = None,
    progress: Progress = SILENT,
) -> "tuple[NodeEvidence, ...]":
    """Draws the nodes that matter; `give` gets those that there are after each. What is known is not drawn again."""
    from errorflow.report.account.choosing import nodes_that_matter
    from errorflow.report.html.evidence import evidence_on

    compared, findings = state.case, content.findings
    if compared is None or findings is None or findings.blame is None:
        return ()
    nodes = nodes_that_matter(findings.blame)
    found = {each.node: each for each in known}
    for done, node in enumerate(nodes):
        progress.step(done, len(nodes), "Looking at the nodes that matter")
        if node not in found:
            found[node] = evidence_on(findings, compared.match, node, progress)
            if give is not None:
                give(tuple(found.values()))
    return tuple(found[node] for node in nodes)
