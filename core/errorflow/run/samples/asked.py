"""Files of the user for a model's inputs, as values that need no library: a session keeps them."""

from typing import Annotated

from errorflow.base.codec import Between, FileName
from errorflow.base.values import dataclass, field

# Samples that are made up where nobody says how many.
MADE_UP = 8
# Of what is counted, and of a seed: more cannot be sent to other processes everywhere.
LARGEST = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Pictures:
    """Options by which pictures become arrays; see `errorflow.run.samples.pictures` for the exact arithmetic."""

    # Of each channel, in the order in which the model has them; () is 0 and 1.
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    # NCHW or NHWC; "": as the model's shape says.
    layout: str = ""
    colour: str = "rgb"
    # A key of `errorflow.run.samples.resizing`; "": pictures have the right size.
    resize: str = ""


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """Files and options for a model's inputs, as plain values that other processes can be sent."""

    paths: tuple[FileName, ...] = ()
    # Sizes that the model leaves open, by their names; `x[2]` is the third dimension of the input x.
    dims: dict[str, Annotated[int, Between(1)]] = field(default_factory=dict)
    pictures: Pictures = Pictures()
    # None: nothing is made up.
    seed: Annotated[int, Between(0)] | None = None
    # How many are made up.
    count: Annotated[int, Between(1)] = MADE_UP
