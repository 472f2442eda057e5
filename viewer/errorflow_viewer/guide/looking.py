"""What is looked through for a guide, in the background: a network drive may not answer."""

from collections.abc import Sequence
from pathlib import Path

from errorflow.progress import Progress
from errorflow.scenarios.found import Discovered


def looked(paths: Sequence[Path], progress: Progress) -> Discovered:
    from errorflow.session.readable import looked_through

    return looked_through(paths, progress)


def looked_again(paths: Sequence[Path], progress: Progress) -> Discovered:
    """Of what was known before, what is still there."""
    from errorflow.files import is_file, is_folder

    return looked([path for path in paths if is_file(path) or is_folder(path)], progress)
