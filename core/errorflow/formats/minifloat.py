"""Floats of 4 to 8 bits, as tables: the float32 value, which is exact, of every code."""

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Layout:
    """Bits of exponent and mantissa, the exponent's bias, and which codes are no numbers.

    "ieee": infinities and NaN as float16 has them; "fn": NaN only, all ones; "fnuz": NaN only, where −0 would be;
    "none": every code is a number.
    """

    exponent: int
    mantissa: int
    bias: int
    specials: Literal["ieee", "fn", "fnuz", "none"]


LAYOUTS = {
    "float8e4m3fn": Layout(4, 3, 7, "fn"),
    "float8e4m3fnuz": Layout(4, 3, 8, "fnuz"),
    "float8e5m2": Layout(5, 2, 15, "ieee"),
    "float8e5m2fnuz": Layout(5, 2, 16, "fnuz"),
    "float6e2m3": Layout(2, 3, 1, "none"),
    "float6e3m2": Layout(3, 2, 3, "none"),
    "float4e2m1": Layout(2, 1, 1, "none"),
}
POWERS = "float8e8m0"


@cache
def table(name: str) -> Floats:
    """The values of all codes of the type `name`."""
    codes = _powers() if name == POWERS else values(LAYOUTS[name])
    codes.flags.writeable = False
    return codes


def _powers() -> Floats:
    """Scales: 2^(code − 127), no sign and no zero; the last code is NaN."""
    values = np.ldexp(np.ones(256), np.arange(256) - 127)
    values[255] = np.nan
    powers: Floats = values.astype(np.float32)
    return powers


def values(layout: Layout) -> Floats:
    """The value of each code of a type that is laid out like this."""
    codes = np.arange(1 << (1 + layout.exponent + layout.mantissa))
    mantissa = codes & ((1 << layout.mantissa) - 1)
    top = (1 << layout.exponent) - 1
    exponent = codes >> layout.mantissa & top
    whole = mantissa + ((exponent > 0) << layout.mantissa)
    size = np.ldexp(whole.astype(np.float64), np.maximum(exponent, 1) - layout.bias - layout.mantissa)
    negative = codes >= len(codes) // 2
    found = np.where(negative, -size, size)
    full = exponent == top
    if layout.specials == "ieee":
        found[full] = np.nan
        found[full & (mantissa == 0)] = np.where(negative[full & (mantissa == 0)], -np.inf, np.inf)
    elif layout.specials == "fn":
        found[full & (mantissa == (1 << layout.mantissa) - 1)] = np.nan
    elif layout.specials == "fnuz":
        found[len(codes) // 2] = np.nan
    floats: Floats = found.astype(np.float32)
    return floats
