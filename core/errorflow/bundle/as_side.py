"""One of two that are held against each other, which may have come in a ticket bundle."""

from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.bundle.archive import is_bundle
from errorflow.bundle.model import Material
from errorflow.bundle.opening import open_bundle
from errorflow.compare.placed import side_of
from errorflow.errors import UsageError
from errorflow.findings.model import Findings
from errorflow.progress import SILENT, Progress
from errorflow.session.file import read_session
from errorflow.since.opening import Side, is_result, is_session, open_side


def is_side(path: Path) -> bool:
    """Whether it is a session, a table of tensors, or a bundle."""
    return is_result(path) or is_bundle(path)


def side_in(path: Path, progress: Progress = SILENT) -> Side:
    """What was found: of a bundle, and of a session that is kept of one, without measuring anything."""
    if is_bundle(path):
        return _of_bundle(path, path, progress)
    if is_session(path):
        came_in = read_session(path).session.bundle
        if came_in is not None:
            return _of_bundle(path, came_in, progress)
    return open_side(path, progress)


def _of_bundle(path: Path, bundle: Path, progress: Progress) -> Side:
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        opened = open_bundle(bundle, Path(place), progress)
        material = opened.material
        about = material.compared[0] if material.compared else ""
        return Side(path, _findings(path, material), about, material.session, opened.problems)


def _findings(path: Path, material: Material) -> Findings:
    if material.comparison is None:
        raise UsageError(f"Nothing was compared in {path.name}.", "Make the ticket of a comparison or a simulation.")
    graph = material.model.graph
    return Findings.of(graph, material.comparison, material.blame, side_of(graph, material.comparison))
