"""Precision: how a tensor is to be coded, before its range is known."""

from errorflow.base import UsageError, dataclass
from errorflow.graph.qparams import CODE_TYPES, QParams

# The types that activations and weights can be given; int32 is for biases, whose scale is that of a product.
CHOICES: tuple[str, ...] = ("int4", "uint4", "int8", "uint8", "int16", "uint16")
# Symmetric codes leave out the lowest one, so that their range has its middle at zero; of 4 bits none can be spared.
_EVEN = {"int8": (-127, 127), "int16": (-32767, 32767)}
# One bit less: sums of products of 8-bit codes overflow the 16 bits of x86 without VNNI.
_REDUCED = {
    "uint8": (0, 127),
    "int8": (-64, 64),
    "uint16": (0, 32767),
    "int16": (-16384, 16384),
    "uint4": (0, 7),
    "int4": (-4, 3),
}


@dataclass(frozen=True, slots=True)
class Precision:
    """The type of the codes, and how the range is laid over them."""

    dtype: str = "uint8"
    # Zero has the code in the middle, and the range goes as far to both sides.
    symmetric: bool = False
    # A scale for each channel instead of one for all: of weights, those of the output; of activations, where the
    # ranges of their channels are known.
    per_channel: bool = False
    reduced: bool = False

    def __post_init__(self) -> None:
        if self.dtype not in CHOICES:
            raise UsageError(
                f"There are no codes of the type {self.dtype[:40]}.", f"Choose one of {', '.join(CHOICES)}, or float."
            )

    @property
    def bits(self) -> int:
        return CODE_TYPES[self.dtype][0]

    @property
    def signed(self) -> bool:
        return CODE_TYPES[self.dtype][1]

    @property
    def span(self) -> tuple[int, int]:
        """The codes that a range is laid over."""
        if self.reduced:
            return _REDUCED[self.dtype]
        return _EVEN[self.dtype] if self.symmetric and self.dtype in _EVEN else self.codes

    @property
    def codes(self) -> tuple[int, int]:
        """Codes of the type: the first and the last, where values are clipped."""
        half = 1 << (self.bits - 1)
        return (-half, half - 1) if self.signed else (0, 2 * half - 1)

    def has(self, qparams: QParams) -> bool:
        """Whether such codes are of this type."""
        return (qparams.bits, qparams.signed) == (self.bits, self.signed)

    @property
    def text(self) -> str:
        """Text as tables show it, such as `int8 symmetric, per channel`."""
        ways = (self.symmetric * "symmetric", self.per_channel * "per channel", self.reduced * "7 bit")
        return " ".join((self.dtype, ", ".join(way for way in ways if way))).strip()


def precision_of(qparams: QParams) -> Precision | None:
    """Finds the precision of given codes; None for types that cannot be chosen, as those of biases."""
    dtype = f"{'' if qparams.signed else 'u'}int{qparams.bits}"
    if dtype not in CHOICES:
        return None
    middle = 0 if qparams.signed else 1 << (qparams.bits - 1)
    return Precision(dtype, all(zero == middle for zero in qparams.zero_points), qparams.axis is not None)
