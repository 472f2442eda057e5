"""The steps of a plan as values that JSON knows."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from errorflow.base.errors import FormatError, UsageError
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, with_step

# Of floats of 32 bits.
LARGEST = 3.4028234e38
_HINT = 'A step is {"step": "equalize"}, {"step": "smooth"} or {"step": "correct biases"}.'


def plain_steps(steps: Iterable[Step]) -> list[dict[str, Any]]:
    return [_plain(step) for step in steps]


def steps_of(rows: Iterable[Mapping[str, Any]], name: str) -> tuple[Step, ...]:
    """In their order, whichever one the file has."""
    read = [_step(row, name) for row in rows]
    found: tuple[Step, ...] = ()
    # Those that others are dropped for come first.
    for step in sorted(read, key=lambda step: isinstance(step, CorrectBiases)):
        found = with_step(found, step)
    return found


def _step(row: Mapping[str, Any], name: str) -> Step:
    import msgspec

    make, fields = _SHAPES.get(str(row.get("step")), (None, {}))
    if make is None or not set(row) <= {"step", *fields}:
        raise FormatError(f"{name}: {str(dict(row))[:80]} is no step.", _HINT)
    try:
        return make(**{key: msgspec.convert(row[key], kind) for key, kind in fields.items() if key in row})
    except msgspec.ValidationError as error:
        raise FormatError(f"{name}: a step is wrong: {error}.", _HINT) from error
    except UsageError as error:
        raise FormatError(f"{name}: {error.message}", error.hint) from error


def _corrected(shifts: Mapping[str, list[float]] | None = None) -> CorrectBiases:
    rows = {} if shifts is None else shifts
    for tensor, shift in rows.items():
        if not all(abs(value) <= LARGEST for value in shift):  # what is no number neither
            raise UsageError(
                f"What is added to the biases of {tensor[:80]} is no number of 32 bits.", "Correct the biases anew."
            )
    return CorrectBiases(tuple(sorted((tensor, tuple(shift)) for tensor, shift in rows.items())))


_SHAPES: Mapping[str, tuple[Callable[..., Step], Mapping[str, Any]]] = {
    "equalize": (Equalize, {}),
    "smooth": (Smooth, {"strength": float, "threshold": float}),
    "correct biases": (_corrected, {"shifts": dict[str, list[float]]}),
}


def _plain(step: Step) -> dict[str, Any]:
    if isinstance(step, Equalize):
        return {"step": "equalize"}
    if isinstance(step, Smooth):
        return {"step": "smooth", "strength": step.strength, "threshold": step.threshold}
    return {"step": "correct biases", "shifts": {name: list(shift) for name, shift in step.shifts}}
