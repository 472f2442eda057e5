"""The other model's weights: of the second graph if it is there, else of the file that it would be opened from."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.drawings import same_form

if TYPE_CHECKING:
    from errorflow.compare.match.model import Match
    from errorflow.explain.difference.model import Side
    from errorflow.explain.difference.weights import OtherModel
    from errorflow.explain.inspect.others import AskWeights

# On which side the models of a comparison are, by what they are needed for.
_SIDES: "Mapping[str, Side]" = {
    "original": "reference",
    "closed_fusion": "reference",
    "quantized": "candidate",
    "fusion": "candidate",
}
# A compiled model as text says everything but weights, and takes long to be read.
_WITHOUT = frozenset((".json",))


@dataclass(slots=True, eq=False)
class _Asked:
    """A file for one graph. A job fills it in; by then it may be forgotten, and is kept by nobody."""

    graph: Graph
    path: Path
    weights: "OtherModel | None" = None

    def opened(self, side: "Side | None", match: "Match | None", progress: Progress) -> "OtherModel":
        if self.weights is None:
            self.weights = _opened(self.graph, self.path, side, match, progress)
        return self.weights


class OtherWeights:
    """Opens a model at most once, in the background, and forgets it when it is told to."""

    def __init__(self, desk: Desk) -> None:
        self._document = desk.document
        self._second = desk.pair.second
        self._asked: _Asked | None = None

    @property
    def path(self) -> Path | None:
        """The file that is asked; None: there is no other model with weights."""
        model, path = self._second.model, self._second.proposed
        path = path if model is None else model.path
        return None if path is None or path.suffix.lower() in _WITHOUT else path

    def forget(self) -> None:
        self._asked = None

    def ask(self, graph: Graph, match: "Match | None") -> "AskWeights | None":
        """For the weights of that graph; to be called elsewhere, where it may take its time."""
        second, path = self._second, self.path
        if path is None:
            return None
        links = second.links
        if links is not None and second.linked:
            from errorflow.explain.difference.weights import OtherModel

            known = OtherModel(links, second.side_of("main"), path.name)
            ours = links.reference if known.side == "reference" else links.candidate
            return (lambda _: known) if same_form(ours, graph) else None
        asked = self._asked
        if asked is None or asked.graph is not graph or asked.path != path:
            asked = self._asked = _Asked(graph, path)
        return partial(asked.opened, self._side(path), match)

    def _side(self, path: Path) -> "Side | None":
        """That of the other model, where the comparison says it."""
        setup = self._document.session.setup
        keys = () if setup is None else (key for key, given in setup.files.items() if given == path)
        return next((_SIDES[key] for key in keys if key in _SIDES), None)


def _opened(graph: Graph, path: Path, side: "Side | None", match: "Match | None", progress: Progress) -> "OtherModel":
    from errorflow.explain.difference.link import is_candidate, link
    from errorflow.explain.difference.weights import OtherModel
    from errorflow.formats import read_model

    other = read_model(path, progress).graph
    theirs: Side = "reference" if is_candidate(graph, other) else "candidate"
    theirs = theirs if side is None else side
    if theirs == "candidate":
        return OtherModel(link(graph, other, match, progress), "reference", path.name)
    return OtherModel(link(other, graph, match, progress), "candidate", path.name)
