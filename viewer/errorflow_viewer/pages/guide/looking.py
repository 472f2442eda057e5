"""Looking through folders for a guide, in the background: a network drive may not answer."""

from collections.abc import Sequence
from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.case.scenarios.found import Discovered


def looked(paths: Sequence[Path], progress: Progress) -> Discovered:
    from errorflow.case.session.readable import looked_through

    return looked_through(paths, progress)


def looked_again(paths: Sequence[Path], progress: Progress) -> Discovered:
    """Looks again for what was known before and is still there."""
    from errorflow.base.files import is_file, is_folder

    return looked([path for path in paths if is_file(path) or is_folder(path)], progress)
