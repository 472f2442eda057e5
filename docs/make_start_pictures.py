"""Makes the pictures of the sample that the first start shows: python docs/make_start_pictures.py

Painted as the start page paints what was opened last. Run it when the colours of errors or the sample change.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "docs")]

import make_pictures as pictures  # noqa: E402 - the path comes first; it names the screen before Qt is loaded

from errorflow_viewer.look import DARK, LIGHT  # noqa: E402 - likewise
from errorflow_viewer.running import Application  # noqa: E402 - likewise
from errorflow_viewer.start.greeting import PICTURE, SAMPLE  # noqa: E402 - likewise
from errorflow_viewer.thumbnailing import painted  # noqa: E402 - likewise

FOLDER = ROOT / "resources" / "errorflow_resources" / "start"
# Pixels of the picture per logical one.
SCALE = 2


def main() -> None:
    app = Application(sys.argv[:1])
    with pictures.stage_for(pictures.Scene("start", pictures.start, size=(1280, 720)), app) as stage:
        stage.open(SAMPLE)
        stage.wait(lambda: stage.window.document.state.findings is not None, "the comparison")
        stage.settle()
        motif = stage.window._thumbnailing.motif()
        assert motif is not None, "it is on view"
        for theme in (LIGHT, DARK):
            image = painted(motif, theme, SCALE * PICTURE.width(), SCALE * PICTURE.height())
            pictures.save(image, FOLDER / f"{SAMPLE.key}-{theme.name}.png")


if __name__ == "__main__":
    main()
