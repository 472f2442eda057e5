"""The orders in which tensors lie in memory, by the names that msaccucmp knows."""

from collections.abc import Sequence

from errorflow.base.errors import ErrorflowError
from errorflow.base.values import word_list

Shape = tuple[int, ...]

# A plain layout is a permutation of the axes that its name spells.
PLAIN_4D = ("NCHW", "NHWC", "HWCN", "CHWN")
PLAIN_5D = ("NCDHW", "NDHWC", "DHWCN", "DHWNC")
PLAIN = (*PLAIN_4D, *PLAIN_5D)

# Where msaccucmp converts nothing unless the tensor has four axes.
STRICT_4D = ("NCHW", "HWCN", "NHWC")

# Layouts with an axis for depth.
WITH_DEPTH = ("NDHWC", "NCDHW", "DHWCN", "NDC1HWC0")

LAYOUTS = word_list(
    "NCHW NHWC ND NC1HWC0 FRACTAL_Z NC1C0HWPAD NHWC1C0 FSR_NCHW FRACTAL_DECONV C1HWNC0 FRACTAL_DECONV_TRANSPOSE "
    "FRACTAL_DECONV_SP_STRIDE_TRANS NC1HWC0_C04 FRACTAL_Z_C04 CHWN DECONV_SP_STRIDE8_TRANS NC1KHKWHWC0 BN_WEIGHT "
    "FILTER_HWCK HWCN LOOKUP_LOOKUPS LOOKUP_KEYS LOOKUP_VALUE LOOKUP_OUTPUT LOOKUP_HITS MD NDHWC C1HWNCoC0 "
    "FRACTAL_NZ NCDHW DHWCN NDC1HWC0 FRACTAL_Z_3D CN DHWNC FRACTAL_Z_3D_TRANSPOSE FRACTAL_ZN_LSTM FRACTAL_Z_G "
    "RESERVED ALL NULL ND_RNN_BIAS FRACTAL_ZN_RNN YUV YUV_A MAX"
)


def known(layout: str) -> str:
    """The layout, if there is one of that name."""
    if layout not in LAYOUTS:
        raise ConvertError(
            f'There is no layout "{layout}".',
            "Usual ones are NCHW, NHWC, HWCN, ND, NC1HWC0, FRACTAL_Z, FRACTAL_NZ and NDC1HWC0.",
            f'The format " {layout} " is not supported.',
        )
    return layout


def shape_text(shape: Sequence[int]) -> str:
    """The shape as msaccucmp writes it into its sentences: (4,) is "(4)"."""
    return f"({', '.join(map(str, shape))})"


def axes(source: str, target: str) -> tuple[int, ...]:
    """Finds where the axes of one plain layout are in another."""
    return tuple(source.index(axis) for axis in target)


# Error of a tensor that cannot be brought into another order.


class ConvertError(ErrorflowError):
    """The tensor stays as it is. `reason` is what msaccucmp writes into its table for it: often nothing at all."""

    def __init__(self, message: str, hint: str = "", reason: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason
