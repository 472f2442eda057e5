"""Division of samples: which calibrate, and which errors are measured on."""

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass
from errorflow.graph.build import counted
from errorflow.study.simulate.basis import Basis

# Of many samples so many are left for evaluation; of very many an eighth, up to so many: few of them see no drift.
EVALUATED, SHARE, MOST = 8, 8, 64


@dataclass(frozen=True, slots=True)
class Division:
    """The first `calibrated` of the samples calibrate (0: nothing is calibrated); those from `first` on are measured,
    `evaluated` of them, unless others were given for that."""

    calibrated: int
    first: int
    evaluated: int
    # A sentence on it.
    text: str


def divided(basis: Basis, count: int, has_ranges: bool, others: int | None = None) -> Division:
    """Divides `count` samples. `has_ranges`: nothing needs to be calibrated. `others`: how many were given to measure
    on.
    """
    taken = count if basis.samples is None else min(basis.samples, count)
    if has_ranges:
        if others is not None:
            return Division(0, 0, others, f"Evaluated on {counted(others, 'sample', 'samples')}.")
        text = f"Evaluated on {taken:,} of {counted(count, 'sample', 'samples')}."
        return Division(0, 0, taken, f"{text}{_unused(basis)}")
    if basis.calibrate_on is not None and basis.calibrate_on < 1:
        raise UsageError("--calibrate-on must be at least 1.", "Leave it out to divide the samples.")
    if others is not None:
        first = taken if basis.calibrate_on is None else min(basis.calibrate_on, taken)
        return Division(first, 0, others, f"{_lacking(basis, taken)}{_apart(first, others)}")
    first = taken - _left(taken) if basis.calibrate_on is None else basis.calibrate_on
    if first >= taken:
        same = f"Calibrated and evaluated on the same {counted(taken, 'sample', 'samples')}: no others are left."
        return Division(taken, 0, taken, f"{_lacking(basis, taken)}{same}")
    return Division(first, first, taken - first, _apart(first, taken - first))


def _left(taken: int) -> int:
    return min(max(EVALUATED, min(taken // SHARE, MOST)), taken // 4)


def _lacking(basis: Basis, taken: int) -> str:
    """More was wished than there is."""
    if basis.calibrate_on is None or basis.calibrate_on <= taken:
        return ""
    return f"Only {taken:,} of the {basis.calibrate_on:,} samples to calibrate on are there. "


def _unused(basis: Basis) -> str:
    """Says what was wished and is not done, since there are ranges already."""
    if basis.calibrate_on is None:
        return ""
    return f" Ranges are given, so that the first {basis.calibrate_on:,} are evaluated too."


def _apart(calibrated: int, evaluated: int) -> str:
    others = counted(evaluated, "other", "others")
    return f"Calibrated on {counted(calibrated, 'sample', 'samples')}, evaluated on {others}."
