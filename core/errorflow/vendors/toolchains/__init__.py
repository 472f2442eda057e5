"""The toolchains that a decision is handed over to. To add one: a file with a `Toolchain`, a row in TOOLCHAINS."""

from pathlib import Path

from errorflow.base.errors import FileError, UsageError, WrongFileError
from errorflow.base.files import Source, is_folder
from errorflow.vendors.toolchains.amct import AMCT
from errorflow.vendors.toolchains.amct_record import AMCT_RECORD
from errorflow.vendors.toolchains.amct_simple import AMCT_SIMPLE
from errorflow.vendors.toolchains.hmct import HMCT
from errorflow.vendors.toolchains.horizon import HORIZON
from errorflow.vendors.toolchains.model import Toolchain
from errorflow.vendors.toolchains.onnx_runtime import ONNX_RUNTIME
from errorflow.vendors.toolchains.own import OWN
from errorflow.vendors.toolchains.pulsar2 import PULSAR2
from errorflow.vendors.toolchains.qdq import QDQ
from errorflow.vendors.toolchains.rknn import RKNN
from errorflow.vendors.toolchains.tpu_mlir import TPU_MLIR

# As menus and help list them; of two that claim a file, the first is taken.
TOOLCHAINS: tuple[Toolchain, ...] = (
    AMCT,
    AMCT_SIMPLE,
    AMCT_RECORD,
    PULSAR2,
    HORIZON,
    HMCT,
    ONNX_RUNTIME,
    RKNN,
    TPU_MLIR,
    QDQ,
    OWN,
)
_HEAD_BYTES = 1 << 20


def toolchain(key: str) -> Toolchain:
    """The row of that name."""
    for found in TOOLCHAINS:
        if found.key == key:
            return found
    raise UsageError(
        f"There is no toolchain {key[:40]}.", f"Choose one of {', '.join(each.key for each in TOOLCHAINS)}."
    )


def toolchain_of(path: Path) -> Toolchain:
    """Whose file it is, by its name and what it begins with."""
    if is_folder(path):
        raise FileError(f"{path.name} is a folder.", "Give the file that the toolchain takes.")
    with Source(path) as source:
        head = source.read(0, min(source.size, _HEAD_BYTES)).decode("utf-8", "replace")
    for found in TOOLCHAINS:
        if found.claims(path.name.lower(), head):
            return found
    raise WrongFileError(f"{path.name} is no setting that is known here.", "Say whose it is with --from.")
