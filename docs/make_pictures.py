"""Makes pictures of the documentation from the app itself, on no screen: python docs/make_pictures.py [NAME …]

Each scene is the real window with a built-in sample, driven by the commands that a user has. Run it after a change that
shows; look at every picture before it is committed. `--language zh_CN` makes those of the Chinese pages.
"""

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import scenes.screen  # first: it names the screen before Qt is loaded, and says where the app lies

# isort: split
from PySide6.QtCore import QStandardPaths

from errorflow.base.language import ENGLISH, LANGUAGES
from errorflow_viewer.app.running import Application
from scenes.saving import save
from scenes.stage import made
from scenes.table import SCENES, SPOKEN

DOCS = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(scene.name for scene in SCENES)}; all without")
    languages = [language.key for language in LANGUAGES if language is not ENGLISH]
    parser.add_argument("--language", choices=languages, help="pictures of the pages in this language")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    unknown = set(options.names) - {scene.name for scene in SCENES}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    folder = options.out or (DOCS / options.language if options.language else DOCS) / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    names = options.names or (SPOKEN if options.language else [scene.name for scene in SCENES])
    QStandardPaths.setTestModeEnabled(True)
    app = Application(sys.argv[:1])
    for scene in SCENES:
        if scene.name in names:
            path = folder / f"{scene.name}.png"
            save(made(replace(scene, language=options.language or scene.language), app), path)
            print(f"{path.name}, {path.stat().st_size // 1024} KB", flush=True)
    shutil.rmtree(scenes.screen.SCRATCH)


if __name__ == "__main__":
    main()
