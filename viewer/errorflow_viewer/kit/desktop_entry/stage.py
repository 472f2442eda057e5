"""`python -m errorflow_viewer.kit.desktop_entry.stage SHARE PROGRAM`: the same files for a package that installs them.

SHARE is the `share` folder of what becomes the package, PROGRAM where the window will lie once it is installed. No list
is brought up to date and nothing is noted: the package's own tool does both.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from errorflow.base.files import write_atomic
from errorflow_viewer.kit.desktop_entry.data import desktop_files


def stage(share: Path, command: Sequence[str]) -> tuple[Path, ...]:
    """Stages the files; returns where they are."""
    paths: list[Path] = []
    for file in desktop_files(command):
        path = share / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, file.data)
        path.chmod(0o644)
        paths.append(path)
    return tuple(paths)


if __name__ == "__main__":
    stage(Path(sys.argv[1]), sys.argv[2:])
