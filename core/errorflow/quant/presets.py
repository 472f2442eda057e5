"""Plans that mimic what a toolchain does by default. To add one: a row in a vendor's room."""

from errorflow.base.values import dataclass
from errorflow.base.vendor import Rows
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision


@dataclass(frozen=True, slots=True)
class Preset:
    """A plan with a name, and how far it can be trusted to stand for the target."""

    key: str
    label: str
    plan: Plan
    # The method of calibration that the target takes by default.
    method: str
    mimics: str
    leaves_out: str
    # Its place in lists.
    rank: int = 0


# Of what several toolchains are made.
BYTES, SIGNED = Precision("uint8"), Precision("int8")
EVEN = Precision("int8", symmetric=True)
EACH = Precision("int8", symmetric=True, per_channel=True)
PRESETS = Rows(Preset, "presets")


def preset(key: str) -> Preset:
    """The row of that name."""
    return PRESETS.named(key, f"There is no preset {key[:40]}.")
