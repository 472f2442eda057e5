"""Types in which a node was to compute and in which it did, as far as the files at hand say so."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph, Model
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.panels.sections import Line, plain, soft

if TYPE_CHECKING:
    from errorflow.explain.difference.precision import NodePrecisions, Said
    from errorflow.formats.amct.record import ScaleRecord

KEY = "inspector.record"


class Precise:
    """Knows the files; `told` is called when one that takes time was read."""

    def __init__(self, desk: Desk, told: Callable[[], None]) -> None:
        self._document = desk.document
        self._second = desk.pair.second
        self._told = told
        # What was read before is valid until it is read for another model.
        self._read: tuple[Path, ScaleRecord] | None = None
        reads = ("session.setup",)
        desk.derived.add(looked(KEY, "Reading scales", self._wished, _record, self._take, ignore_failure, reads))

    def of(self, graph: Graph) -> "NodePrecisions | None":
        """Makes precisions; None: that is no model's main graph."""
        from errorflow.explain.difference.precision import NodePrecisions, RecordedPrecision, command_of

        model = self._document.model
        if model is None or model.graph is not graph:
            return None
        path, second = self._scales, self._second
        known = RecordedPrecision(
            name=model.path.name,
            command=command_of(model),
            record=None if self._read is None or self._read[0] != path else self._read[1],
            record_name="" if path is None else path.name,
        )
        if second.links is not None and second.linked and second.model is not None:
            known = known.with_other(second.links, second.model.path.name)
        return NodePrecisions(graph, known, self._document.state.findings)

    def _wished(self, state: State) -> tuple[Path, Model] | None:
        """Read again, a model may have another one."""
        path, model = self._scales, state.model
        return None if path is None or model is None else (path, model)

    @property
    def _scales(self) -> Path | None:
        setup = self._document.session.setup
        return None if setup is None else setup.file("scales")

    def _take(self, found: "tuple[Path, ScaleRecord]") -> None:
        self._read = found
        self._told()


def precision_lines(precisions: "NodePrecisions", node: int) -> Iterator[Line]:
    """Yields both types with their sources, a mark where they differ, and what the compiler was told."""
    found = precisions.of(node)
    if found.requested is not None:
        yield from _said("Requested", found.requested)
        if found.effective is None:
            yield Line("Effective", soft("no file says it"))
        else:
            yield from _said("≠ Effective" if found.differs else "Effective", found.effective)
        if found.differs:
            yield Line("", plain("It did not compute as it was asked to."))
    for option, value in precisions.options:
        yield Line(f"--{option}", plain(value))


def _said(label: str, said: "Said") -> Iterator[Line]:
    yield Line(label, plain(said.dtype))
    yield Line("", soft(f"by {said.by}"))


def _record(wish: tuple[Path, Model], progress: Progress) -> "tuple[Path, ScaleRecord]":
    from errorflow.formats.amct.record import read_record

    return wish[0], read_record(wish[0], progress)
