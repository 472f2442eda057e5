"""The renderer of `errorflow render`: takes a request as JSON, draws it without a window, and says how it went.

It answers in lines of JSON: {"step": [done, total, text]} now and then, at the end {"done": [file, contents]} or
{"error": [message, hint]}.
"""

import json
import os
import sys
import time
from pathlib import Path

from errorflow.base import ErrorflowError, Progress
from errorflow.report.render import contents, draw
from errorflow.report.request import Request, request_of

MOST_BYTES = 1024 * 1024
_STEP_SECONDS = 0.1
_IN, _OUT = 0, 1  # a bundle without a console has these, but no sys.stdin and no sys.stdout


def main() -> int:
    """Returns what the process ends with."""
    try:
        with os.fdopen(_IN, "rb", closefd=False) as source:
            request = request_of(source.read(MOST_BYTES))
        _say(done=render(request, _Lines()))
    except ErrorflowError as error:
        _say(error=[error.message, error.hint])
    except ImportError as error:
        _say(error=[f"Qt could not be loaded: {error}.", "Install what it needs, or write an .svg, which needs no Qt."])
    except MemoryError:
        _say(error=["There is not enough memory for this picture.", "Ask for a smaller --scale, or for an .svg."])
    else:
        return 0
    return 2


def render(request: Request, progress: Progress) -> tuple[str, str]:
    """Writes a PNG or a PDF, of an SVG only a PNG; answers the name of the file to look at, and what is in it."""
    from PySide6.QtWidgets import QApplication

    from errorflow_viewer.export.pdf import write_pdf
    from errorflow_viewer.export.png import Plan, write_png
    from errorflow_viewer.export.poster import Poster
    from errorflow_viewer.export.session_request import is_session, write_session
    from errorflow_viewer.export.svg_image import is_svg, write_svg_image
    from errorflow_viewer.kit.style import Appearance, font
    from errorflow_viewer.kit.translation.door import speak

    app = QApplication(["errorflow"])
    speak(request.language)
    if is_svg(request.file):
        shown = Appearance(app, request.theme)
        path = Path(request.output)
        return path.name, write_svg_image(Path(request.file), path, shown.theme.canvas, request.scale)
    if is_session(request.file):
        return write_session(request, Appearance(app, request.theme).theme, progress)
    picture = draw(request, progress)
    poster = Poster(picture, Appearance(app, request.theme).theme, font())
    path, scale = Path(request.output), request.scale_for(poster.width)
    if request.kind == "pdf":
        scale = 1.0 if scale is None else scale
        progress.step(0, 0, "Painting the page")
        write_pdf(poster, scale, path)
        return path.name, contents(picture, scale)
    plan = Plan.of(poster.width, poster.height, scale, request.tile)
    return write_png(poster, plan, path, progress).name, contents(picture, plan.scale)


class _Lines:
    """A `Progress` that the other process hears of."""

    def __init__(self) -> None:
        self._next = 0.0

    def step(self, done: int, total: int, text: str) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _STEP_SECONDS
            _say(step=[done, total, text])


def _say(**message: object) -> None:
    os.write(_OUT, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    sys.exit(main())
