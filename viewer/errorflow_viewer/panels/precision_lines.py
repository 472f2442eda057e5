"""Precisions that a node of a simulation was to compute in and that it does, with links that switch it."""

from collections.abc import Iterator

from PySide6.QtCore import QUrl

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.switching import selected, switch
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.simulation_work import precisions
from errorflow_viewer.panels.sections import Line, Section, link, plain, soft

# The scheme of links that switch what is selected.
SWITCH = "switch"
# Sections before the one on precision: where the node is drawn and measured.
_BEHIND = 3
_CHOICES = (("float", "float"), ("16", "16 bits"), ("8", "8 bits"), ("4", "4 bits"), ("plan", "as planned"))


def precision_section(document: Document, node: int) -> Section:
    """Empty where nothing is simulated."""
    return Section("Precision", tuple(_lines(document, node)))


def with_section(page: tuple[str, str, list[Section]], section: Section) -> tuple[str, str, list[Section]]:
    """Adds a section behind what stands at the top of a page."""
    title, subtitle, sections = page
    return title, subtitle, [*sections[:_BEHIND], section, *sections[_BEHIND:]]


def follow_switch(desk: Desk, url: QUrl) -> bool:
    """Whether it was such a link."""
    if url.scheme() != SWITCH:
        return False
    match url.path():
        case "float":
            switch(desk, selected, "float")
        case "plan":
            switch(desk, selected, "plan")
        case "16":
            switch(desk, selected, 16)
        case "8":
            switch(desk, selected, 8)
        case "4":
            switch(desk, selected, 4)
    return True


def _lines(document: Document, node: int) -> Iterator[Line]:
    known = precisions(document)
    if known is None or node >= len(known.graph):
        return
    state = known.state(node)
    differs = state.requested.split(" ")[0].rstrip(",:") != state.effective.split(" ")[0].rstrip(",")
    yield Line("Requested", plain(state.requested))
    yield Line("≠ Effective" if differs else "Effective", plain(state.effective))
    for why in state.why:
        yield Line("", soft(why))
    yield Line("Switch to", " · ".join(link(f"{SWITCH}:{key}", text) for key, text in _CHOICES))
