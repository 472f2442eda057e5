"""The toolchains that a decision is handed over to. To add one: a `Toolchain` in a vendor's room."""

from pathlib import Path

from errorflow.base.errors import FileError, WrongFileError
from errorflow.base.files import Source, is_folder
from errorflow.base.vendor import Rows
from errorflow.report.toolchains.model import Toolchain
from errorflow.report.toolchains.own import OWN

# As menus and help list them; of two that claim a file, the first is taken.
TOOLCHAINS = Rows(Toolchain, "toolchains", (OWN,))
_HEAD_BYTES = 1 << 20


def toolchain(key: str) -> Toolchain:
    """The row of that name."""
    return TOOLCHAINS.named(key, f"There is no toolchain {key[:40]}.")


def toolchain_of(path: Path) -> Toolchain:
    """Finds whose file it is, by its name and what it begins with."""
    if is_folder(path):
        raise FileError(f"{path.name} is a folder.", "Give the file that the toolchain takes.")
    with Source(path) as source:
        head = source.read(0, min(source.size, _HEAD_BYTES)).decode("utf-8", "replace")
    for found in TOOLCHAINS:
        if found.claims(path.name.lower(), head):
            return found
    raise WrongFileError(f"{path.name} is no setting that is known here.", "Say whose it is with --from.")
