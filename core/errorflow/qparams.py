"""How the numbers of a tensor are quantized: real value = (code − zero point) × scale."""

from dataclasses import dataclass


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
