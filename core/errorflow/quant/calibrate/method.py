"""The row of a calibration method."""

from collections.abc import Callable

from errorflow.base.values import dataclass
from errorflow.quant.calibrate.seen import Seen
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Range


@dataclass(frozen=True, slots=True)
class Method:
    """`find` gives the range of a tensor of which at least one finite value was seen."""

    key: str
    label: str
    # As the documentation has it.
    formula: str
    find: Callable[[Seen, Precision], Range]
    # Whether it needs to know how values are spread, not only their ends.
    spread: bool = True
