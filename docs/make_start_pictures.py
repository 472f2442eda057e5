"""Makes the pictures of the sample that the first start shows: python docs/make_start_pictures.py

Painted as the start page paints what was opened last. Run it when the colours of errors or the sample change.
"""

import shutil
import sys

import scenes.screen  # first: it names the screen before Qt is loaded, and says where the app lies

# isort: split
from errorflow_viewer.app.running import Application
from errorflow_viewer.kit.look import DARK, LIGHT
from errorflow_viewer.pages.start.page import PICTURE, SAMPLE
from errorflow_viewer.window.window import painted
from scenes.pages import start
from scenes.saving import save
from scenes.stage import Scene, stage_for

FOLDER = scenes.screen.ROOT / "resources" / "errorflow_resources" / "start"
# Pixels of the picture per logical one.
SCALE = 2


def main() -> None:
    app = Application(sys.argv[:1])
    with stage_for(Scene("start", start, size=(1280, 720)), app) as stage:
        stage.open(SAMPLE)
        stage.wait(lambda: stage.window.document.state.findings is not None, "the comparison")
        stage.settle()
        motif = stage.window._thumbnailing.motif()
        assert motif is not None, "it is on view"
        for theme in (LIGHT, DARK):
            image = painted(motif, theme, SCALE * PICTURE.width(), SCALE * PICTURE.height())
            save(image, FOLDER / f"{SAMPLE.key}-{theme.name}.png")
    shutil.rmtree(scenes.screen.SCRATCH)


if __name__ == "__main__":
    main()
