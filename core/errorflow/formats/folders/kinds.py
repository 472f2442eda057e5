"""What a folder is in a comparison: an NPU's dump or the original model's files, quantized or not."""

from typing import Literal

from errorflow.errors import WrongFileError
from errorflow.formats.folders.scan import Listing
from errorflow.formats.npu.names import dump_name, is_hashed, npy_name

SideKind = Literal["npu", "npu-quantized", "npy", "npy-quantized"]
# Parts of operators' names by which the vendor's tool takes a run for one of a quantized model.
QUANTIZED = (
    *("_quant_layer", "_anti_quant_layer", "AscendQuant", "AscendWeightQuant", "AntiQuant", "_quant", "_weight_quant"),
    *("_anti_quant", "_dequant_layer", "AscendDequant", "_dequant"),
)
# What lies beside dumps and is none.
BESIDE = frozenset({"mapping.csv", "convert_failed_file_list.txt"})
_OTHER = (".npy", ".npz", ".bin", ".json", ".txt", ".csv", ".log", ".onnx", ".om", ".pb", ".md", ".png", ".part")


def is_dump_file(name: str) -> bool:
    """Whether an NPU may have named the file."""
    return not name.endswith(_OTHER) and (is_hashed(name) or dump_name(name) is not None)


def is_npy_file(name: str) -> bool:
    """Whether it is a tensor of the original model, as msaccucmp wants it called."""
    return name.endswith(".npy") and (is_hashed(name) or npy_name(name) is not None)


def check_not_mixed(found: Listing) -> None:
    """The vendor's tool refuses a folder of both, and nobody could say what it is."""
    dump = next((name for name in found.files if is_dump_file(name)), None)
    array = next((name for name in found.files if is_npy_file(name)), None)
    if dump is not None and array is not None:
        raise WrongFileError(
            f"{found.path} holds both dumps of an NPU ({dump}) and files of the original model ({array}).",
            "Put each run into a folder of its own.",
        )


def quantized_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The operators by whose names the run counts as one of a quantized model."""
    return tuple(name for name in names if any(part in name for part in QUANTIZED))
