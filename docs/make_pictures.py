"""Makes pictures of the documentation from the app itself, on no screen: python docs/make_pictures.py [NAME …]

Each scene is the real window with a built-in sample, driven by the commands that a user has. Run it after a change that
shows; look at every picture before it is committed.
"""

import argparse
import shutil
import sys
from pathlib import Path

import scenes.screen  # first: it names the screen before Qt is loaded, and says where the app lies

# isort: split
from PySide6.QtCore import QStandardPaths

from errorflow_viewer.running import Application
from scenes.saving import save
from scenes.stage import made
from scenes.table import SCENES

PICTURES = Path(__file__).parent / "pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(scene.name for scene in SCENES)}; all without")
    parser.add_argument("--out", type=Path, default=PICTURES)
    options = parser.parse_args()
    unknown = set(options.names) - {scene.name for scene in SCENES}
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    QStandardPaths.setTestModeEnabled(True)
    app = Application(sys.argv[:1])
    for scene in SCENES:
        if not options.names or scene.name in options.names:
            path = options.out / f"{scene.name}.png"
            save(made(scene, app), path)
            print(f"{path.name}, {path.stat().st_size // 1024} KB", flush=True)
    shutil.rmtree(scenes.screen.SCRATCH)


if __name__ == "__main__":
    main()
