"""Quantization of a tensor's numbers: real value = (code − zero point) × scale."""

from collections.abc import Mapping

from errorflow.base.values import dataclass

# The types that codes have: bits, and whether there are negative ones.
CODE_TYPES: Mapping[str, tuple[int, bool]] = {
    "int4": (4, True),
    "uint4": (4, False),
    "int8": (8, True),
    "uint8": (8, False),
    "int16": (16, True),
    "uint16": (16, False),
    "int32": (32, True),
}


@dataclass(frozen=True, slots=True)
class QParams:
    """One scale and zero point, or one per slice along `axis`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...] = (0,)
    bits: int = 8
    signed: bool = True
    # None: one scale for the whole tensor.
    axis: int | None = None

    @property
    def low(self) -> int:
        """The smallest code."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest code."""
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1
