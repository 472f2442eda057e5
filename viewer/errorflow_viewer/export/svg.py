"""A picture as SVG: small ones here, large ones in a process of their own."""

from dataclasses import replace
from pathlib import Path

from errorflow.base.files import replacing, write_pieces
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import Plain, run_apart
from errorflow.report.colors import DARK, LIGHT
from errorflow.report.svg import Picture, svg
from errorflow_viewer.export.packing import packed, sound, unpacked

# Above, a thread that writes boxes and their lines would keep the window waiting time and again; below, it is done
# before another process has begun.
MOST_HERE = 10_000
_TEXT = "Writing the picture"
# Boxes that are asked what is said of them, between two looks whether to go on.
_AT_ONCE = 1000


def write_svg(picture: Picture, path: Path, progress: Progress = SILENT) -> None:
    """Writes the file; when it fails, all is as it was."""
    if len(picture.drawing) <= MOST_HERE:
        write_pieces(path, svg(picture, progress))
    else:
        write_svg_apart(picture, path, progress)


def write_svg_apart(picture: Picture, path: Path, progress: Progress = SILENT) -> None:
    """The same file, written by a process of its own."""
    with replacing(path) as beside:
        dark, said = picture.colors is DARK, _said(picture, progress)
        run_apart(_write, packed(picture), dark, said, picture.scale, str(beside), text=_TEXT, progress=progress)
        progress.step(1, 1, _TEXT)  # a cancel meanwhile comes before the old file is replaced


def _said(picture: Picture, progress: Progress) -> list[Plain]:
    """Lists the tooltip on each box's error, which is no plain data before it is needed."""
    if picture.paint is None:
        return []
    said: list[Plain] = []
    for box in range(len(picture.drawing)):
        if box % _AT_ONCE == 0:
            progress.step(box, len(picture.drawing), _TEXT)
        said.append(sound(picture.paint.note(box)))
    return said


def _write(data: list[Plain], dark: bool, said: list[Plain], scale: float, path: str) -> None:
    picture = unpacked(data)
    paint = None if picture.paint is None else replace(picture.paint, note=lambda box: str(said[box]))
    picture = replace(picture, colors=DARK if dark else LIGHT, paint=paint, scale=scale)
    write_pieces(Path(path), svg(picture))
