"""The report on what is on view, from what the window knows already: nothing is measured again."""

from datetime import datetime
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow_viewer.document.case_on_view import content_on_view, content_without_pictures
from errorflow_viewer.document.state import State


def write(state: State, path: Path, progress: Progress) -> Path:
    """Writes one page, or by its ending a document to print or tables; of the model's main graph."""
    return _WRITERS[path.suffix.lower().removeprefix(".")](state, path, progress)


def _page(state: State, path: Path, progress: Progress) -> Path:
    from errorflow.report.html.writing import write_case

    write_case(content_on_view(state, progress), path, progress)
    return path


def _document(state: State, path: Path, progress: Progress) -> Path:
    from errorflow.report.paper.blocks import spoken
    from errorflow.report.paper.making import paper_of
    from errorflow_viewer.export.paper.writing import write_paper_apart

    paper = paper_of(content_on_view(state, progress), datetime.now(), progress)
    write_paper_apart(spoken(paper), path, progress)
    return path


def _tables(state: State, path: Path, _progress: Progress) -> Path:
    from errorflow.report.session_files import write_tables

    write_tables(content_without_pictures(state), path)
    return path


_WRITERS = {"html": _page, "pdf": _document, "csv": _tables}
