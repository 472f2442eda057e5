"""Demonstration of what the app can do, on its own sample and without a window. It grows with the app."""

from collections.abc import Iterator
from pathlib import Path

from errorflow.base import SILENT, FileError, Progress
from errorflow.base.files import write_atomic, write_pieces
from errorflow.base.sample import SAMPLES, Sample
from errorflow.case.examine import examine
from errorflow.case.session.model import Painting, Session
from errorflow.case.values import Asking
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.report.findings_paint import FindingsPaint
from errorflow.report.page import Chapter, html_page
from errorflow.report.paint import PAINTED
from errorflow.report.svg import Picture, svg
from errorflow.report.tables import nodes_csv, tensors_csv

TITLE = "Errorflow's sample: where int8 goes wrong"
INTRODUCTION = (
    "Small trained networks with planted faults. Each was run in float (the reference) and quantized to int8 "
    "(the candidate); every tensor of one run was compared with the same tensor of the other. "
    "Colour shows the accumulated error."
)
# Of pictures: those of tall graphs are wrapped into columns, or nothing could be read at the page's size.
ASPECT = 2.2
_PLAIN = Painting()


def demo(folder: Path, progress: Progress = SILENT, painting: Painting = _PLAIN) -> Iterator[str]:
    """Writes a picture and two tables per sample and a page that shows them; yields a line per step for the reader."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} could not be made: {error.strerror}.", "Choose another folder by --out.") from error
    chapters = []
    for number, sample in enumerate(SAMPLES):
        progress.step(number, len(SAMPLES), sample.title)
        chapter = _chapter(sample, folder, painting)
        chapters.append(chapter)
        said = (f"{sample.title}: {sample.story}", chapter.lines[0], chapter.lines[-1], str(folder / chapter.picture))
        yield "\n  ".join(said)
    write_atomic(folder / "index.html", html_page(TITLE, INTRODUCTION, chapters))


def _chapter(sample: Sample, folder: Path, painting: Painting) -> Chapter:
    with examine(Session(sample.model), Asking(running="never")) as case:
        model, findings = case.model, case.findings
    assert findings is not None and findings.blame is not None, "a sample has its runs"
    comparison, found = findings.comparison, findings.blame
    drawing = layout(model.graph, LayoutOptions(view="columns", aspect=ASPECT))
    paint = FindingsPaint(drawing, findings, drawing.node_boxes).by(painting)
    picture, tables = f"{sample.key}.svg", (f"{sample.key}-tensors.csv", f"{sample.key}-nodes.csv")
    write_pieces(folder / picture, svg(Picture(drawing, model.graph, sample.title, paint=paint)))
    write_atomic(folder / tables[0], tensors_csv(comparison))
    write_atomic(folder / tables[1], nodes_csv(model.graph))
    lines = (*_lines(sample), f"Found: {found.model.text}")
    return Chapter(sample.title, sample.story, lines, picture, tables, comparison, PAINTED, painting.palette)


def _lines(sample: Sample) -> tuple[str, ...]:
    truth = sample.truth()
    accuracy = truth.accuracy
    lines = [
        f"Accuracy ({truth.measure}): {accuracy.in_float:.1%} in float, {accuracy.quantized:.1%} in int8"
        + (f", {accuracy.restored:.1%} with the fault undone." if truth.fault else ".")
    ]
    if truth.fault:
        lines.append(f"Planted: {truth.fault}")
    if truth.culprits:
        lines.append(f"To blame: {', '.join(truth.culprits[:4])}{' …' if len(truth.culprits) > 4 else ''}")
    return tuple(lines)
