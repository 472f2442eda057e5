"""Kinds of folders in a comparison: an NPU's dump or the original model's files, quantized or not."""

from collections.abc import Callable
from typing import Literal

from errorflow.base.errors import WrongFileError
from errorflow.formats.folders.scan import Listing
from errorflow.formats.npu.names import MAPPING, DumpName, dump_name, is_hashed, npy_name

SideKind = Literal["npu", "npu-quantized", "npy", "npy-quantized"]
# Parts of operators' names by which the vendor's tool takes a run for one of a quantized model.
QUANTIZED = (
    *("_quant_layer", "_anti_quant_layer", "AscendQuant", "AscendWeightQuant", "AntiQuant", "_quant", "_weight_quant"),
    *("_anti_quant", "_dequant_layer", "AscendDequant", "_dequant"),
)
# What lies beside dumps and is none.
BESIDE = frozenset({MAPPING, "convert_failed_file_list.txt"})
_OTHER = (".npy", ".npz", ".bin", ".json", ".txt", ".csv", ".log", ".onnx", ".om", ".pb", ".md", ".png", ".part")


def dump_parts(name: str) -> DumpName | None:
    """Parses the name of a dump; None also for what the vendor's tool makes of dumps, such as `….output.0.npy`."""
    return None if name.endswith(_OTHER) else dump_name(name)


def first_dump(found: Listing) -> str | None:
    """A file that an NPU may have named; digits alone are a name only where there is a mapping."""
    named = (name for name in found.files if not name.endswith(_OTHER))
    return next((name for name in named if _is_name(name, found, dump_name)), None)


def first_array(found: Listing) -> str | None:
    """A tensor of the original model, called as msaccucmp wants it; digits alone as above."""
    arrays = (name for name in found.files if name.endswith(".npy"))
    return next((name for name in arrays if _is_name(name, found, npy_name)), None)


def _is_name(name: str, found: Listing, parts: Callable[[str], object]) -> bool:
    return parts(name) is not None or (MAPPING in found.names and is_hashed(name))


def check_not_mixed(found: Listing) -> None:
    """Refuses a folder of both kinds, as the vendor's tool does: it cannot be told what it is."""
    dump, array = first_dump(found), first_array(found)
    if dump is not None and array is not None:
        raise WrongFileError(
            f"{found.path} holds both dumps of an NPU ({dump}) and files of the original model ({array}).",
            "Put each run into a folder of its own.",
        )


def quantized_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The operators by whose names the run counts as one of a quantized model."""
    return tuple(name for name in names if any(part in name for part in QUANTIZED))
