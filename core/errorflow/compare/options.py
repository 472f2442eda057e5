"""What is to be measured of each pair: travels to every process with the work."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Small and plain, so that it can be sent to other processes and machines."""

    # Numbers of msaccucmp's columns and names of the user's own; None: no table of that tool is wanted, and its
    # arithmetic is not done.
    columns: tuple[int | str, ...] | None = None
    # Of each tensor only so many values enter msaccucmp's columns.
    most_values: int | None = None
    # The column that says whether float16 overflowed.
    overflow: bool = False
    # A folder with the user's own columns and converters.
    custom: str = ""
    # Arguments of the user's own columns, as typed.
    custom_options: str = ""
    # Codes are brought back to real values where their scale is known; said on the row when it is done.
    dequantize: bool = True
