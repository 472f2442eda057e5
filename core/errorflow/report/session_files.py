"""Writers of what was found, by the ending of the file. To add one: a row in WRITERS."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from errorflow.base import SILENT, FileError, Progress, UsageError, dataclass, replace
from errorflow.base.files import write_atomic, write_pieces
from errorflow.base.language import current
from errorflow.graph.build import counted
from errorflow.report.colors import ThemeName
from errorflow.report.content import Content

# Of files that a report can be made of.
SUFFIXES = (".errorflow", ".zip")


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """A report as it is asked for. `content` measures what the session in `source` is about."""

    source: Path
    content: Callable[[Progress], Content]
    target: Path
    title: str = ""
    theme: ThemeName = "light"
    # None: what suits the picture.
    scale: float | None = None


# Writes the file, whole or not at all; says what was written.
Writer = Callable[[ReportRequest, Progress], str]


def write_report(wanted: ReportRequest, progress: Progress = SILENT) -> str:
    check(wanted.target)
    return WRITERS[wanted.target.suffix.lower()](wanted, progress)


def check(target: Path, *others: str) -> None:
    """Whether it can be written there; said before all the work, not after it. `others`: endings written elsewhere."""
    ending, known = target.suffix.lower(), (*WRITERS, *others)
    if ending not in known:
        raise UsageError(
            f"A report cannot be written as {ending}." if ending else f"{target.name} has no ending.",
            f"Give the file a name that ends in one of: {', '.join(known)}.",
        )
    if not target.parent.is_dir():
        raise FileError(f"There is no folder {target.parent}.", "Make it, or write the report to another one.")


def tables_of(case: Content, target: Path) -> Mapping[Path, str]:
    """The nodes, beside them the tensors, and what was tried if something was."""
    from errorflow.report.blame import blamed_csv
    from errorflow.report.runs_text import runs_csv
    from errorflow.report.tables import nodes_csv, tensors_csv

    blame = None if case.findings is None else case.findings.blame
    found = {target: nodes_csv(case.graph)}
    if case.findings is not None:
        found = found if blame is None else {target: blamed_csv(case.findings)}
        found[beside(target, "tensors")] = tensors_csv(case.findings.comparison, case.findings.row_shares)
    return {**found, beside(target, "runs"): runs_csv(case.trials)} if case.trials else found


def beside(target: Path, what: str) -> Path:
    return target.with_name(f"{target.stem}-{what}{target.suffix}")


def write_tables(case: Content, target: Path) -> str:
    tables = tables_of(case, target)
    for path, text in tables.items():
        write_atomic(path, text, follow=False)
    nodes = counted(len(case.graph), "node", "nodes")
    others = ", ".join(path.name for path in tables if path != target)
    return f"{target}: {nodes}; beside it {others}" if others else f"{target}: {nodes}"


def _page(wanted: ReportRequest, progress: Progress) -> str:
    from errorflow.report.html.writing import write_case

    return write_case(wanted.content(progress), wanted.target, progress)


def _tables(wanted: ReportRequest, progress: Progress) -> str:
    return write_tables(wanted.content(progress), wanted.target)


def _svg(wanted: ReportRequest, progress: Progress) -> str:
    from errorflow.report.html.graph import graph_picture
    from errorflow.report.render import contents
    from errorflow.report.svg import svg

    picture = graph_picture(wanted.content(progress), wanted.theme, datetime.now(), progress)
    picture = picture if wanted.scale is None else replace(picture, scale=wanted.scale)
    write_pieces(wanted.target, svg(picture, progress))
    return f"{wanted.target}: {contents(picture, picture.scale)}"


def _by_viewer(wanted: ReportRequest, progress: Progress) -> str:
    """Has the viewer open the session itself: what was measured is too much to be handed over."""
    from errorflow.report.request import Request, render_by_viewer

    source, target = str(wanted.source), str(wanted.target)
    title = wanted.title if wanted.title else None
    request = Request(source, target, theme=wanted.theme, title=title, scale=wanted.scale, language=current().key)
    return render_by_viewer(request, progress)


WRITERS: Mapping[str, Writer] = {
    ".html": _page,
    ".htm": _page,
    ".pdf": _by_viewer,
    ".csv": _tables,
    ".svg": _svg,
    ".png": _by_viewer,
}
