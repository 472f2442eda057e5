"""A plan as JSON, which people may write by hand: what is odd in it is an error, since it would change the result."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.codec import Form, OddError
from errorflow.base.errors import FormatError, UsageError
from errorflow.base.files import Source, write_atomic
from errorflow.quant.plan import FLOAT, PLANNED, Floating, Plan, Rule, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, with_step

if TYPE_CHECKING:
    import msgspec


# Version 1 had no steps.
MARK, VERSION = "errorflow-plan", 2
MOST_BYTES = 64 << 20
_HINT = "Compare it with the plan.json that `errorflow simulate` writes."


def write_plan(plan: Plan, path: Path) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, plan_text(plan))


def read_plan(path: Path) -> Plan:
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for a plan.", _HINT)
        return parse_plan(source.read(0, source.size), path.name)


def plan_text(plan: Plan) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(plain_plan(plan)), indent=1).decode() + "\n"


def plain_plan(plan: Plan) -> dict[str, Any]:
    """Makes plain values of a plan for its file; another file may hold them as a part."""
    return {
        MARK: VERSION,
        "preset": plan.preset,
        "activations": _plain(plan.activations),
        "weights": _plain(plan.weights),
        "biases": plan.biases,
        "outputs": plan.outputs,
        "types": None if plan.types is None else list(plan.types),
        "rules": [_plain_rule(rule) for rule in plan.rules],
        "tensors": {name: _plain(wish) for name, wish in plan.tensors},
        "coded": None if plan.coded is None else {name: _plain(how) for name, how in plan.coded},
        "fitted": plan.fitted,
        "steps": plain_steps(plan.steps),
    }


def parse_plan(data: bytes, name: str = "The plan") -> Plan:
    import msgspec

    try:
        return plan_of(msgspec.json.decode(data, type=dict[str, Any]), name)
    except msgspec.DecodeError as error:
        raise FormatError(f"{name} is no plan: {error}.", _HINT) from error
    except RecursionError as error:
        raise FormatError(f"{name} is nested too deeply for a plan.", _HINT) from error


def plan_of(rows: dict[str, Any], name: str = "The plan") -> Plan:
    """Reads what `plain_plan` gives."""
    import msgspec

    try:
        return _plan(dict(rows), name)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise FormatError(f"{name} is no plan: {error}.", _HINT) from error


def _of_object(rows: Any, where: str) -> Plan:
    if not isinstance(rows, dict):
        raise OddError("it should be an object.")
    return plan_of(rows, where)


# As a part of another file.
PLAN = Form(plain_plan, _of_object)


def _plan(rows: dict[str, Any], name: str) -> Plan:
    import msgspec

    version = rows.pop(MARK, None)
    if version is None:
        raise FormatError(f"{name} is no plan: it does not say {MARK}.", _HINT)
    if version not in range(1, VERSION + 1):
        raise FormatError(f"{name} is of a later version.", "Open it with the Errorflow that wrote it.")
    found: Any = msgspec.convert(rows, _shape())
    return Plan(
        activations=_choice(found.activations, name),
        weights=_choice(found.weights, name),
        biases=found.biases,
        outputs=found.outputs,
        types=None if found.types is None else tuple(found.types),
        rules=tuple(_rule(rule, name) for rule in found.rules),
        tensors=tuple(sorted((tensor, _choice(wish, name)) for tensor, wish in found.tensors.items())),
        coded=None if found.coded is None else _coded(found.coded, name),
        fitted=found.fitted,
        preset=found.preset,
        steps=steps_of(found.steps, name),
    )


@cache
def _shape() -> "type[msgspec.Struct]":
    """Makes the shape that the file must have."""
    import msgspec

    precision = msgspec.defstruct(
        "Precision",
        [("dtype", str), ("symmetric", bool, False), ("per_channel", bool, False), ("reduced", bool, False)],
        forbid_unknown_fields=True,
    )
    wish: Any = precision | str
    names: list[Any] = [
        (key, list[str], msgspec.field(default_factory=list)) for key in ("types", "names", "starts", "ends")
    ]
    rule = msgspec.defstruct(
        "Rule", [("activations", wish, "keep"), ("weights", wish, "keep"), *names], forbid_unknown_fields=True
    )
    rules: Any = list[rule]  # type: ignore[valid-type]  # made here
    tensors: Any = dict[str, wish]
    coded: Any = dict[str, precision] | None  # type: ignore[valid-type]  # made here
    fields: list[Any] = [
        ("activations", wish),
        ("weights", wish),
        ("biases", bool, True),
        ("outputs", bool, True),
        ("types", list[str] | None, None),
        ("rules", rules, msgspec.field(default_factory=list)),
        ("tensors", tensors, msgspec.field(default_factory=dict)),
        ("coded", coded, None),
        ("fitted", bool, False),
        ("preset", str, ""),
        ("steps", list[dict[str, Any]], msgspec.field(default_factory=list)),
    ]
    return msgspec.defstruct("Plan", fields, forbid_unknown_fields=True)


def _coded(found: dict[str, Any], name: str) -> tuple[tuple[str, Precision], ...]:
    chosen = sorted((tensor, _wish(how, name)) for tensor, how in found.items())
    return tuple((tensor, how) for tensor, how in chosen if isinstance(how, Precision))


def _choice(value: Any, name: str) -> Precision | Floating:
    wish = _wish(value, name)
    if wish == "keep" or wish == PLANNED:
        raise FormatError(f"{name}: only a rule can say {wish!r}.", _HINT)
    return wish


def _wish(value: Any, name: str) -> Wish:
    if value == FLOAT:
        return FLOAT
    if value == "keep":
        return "keep"
    if value == PLANNED:
        return PLANNED
    if isinstance(value, str):
        raise FormatError(f"{name}: {value[:40]!r} is no precision.", 'Write "float", or {"dtype": "int8"}.')
    try:
        return Precision(value.dtype, value.symmetric, value.per_channel, value.reduced)
    except UsageError as error:
        raise FormatError(f"{name}: {error.message}", error.hint) from error


def _rule(value: Any, name: str) -> Rule:
    wishes = _wish(value.activations, name), _wish(value.weights, name)
    return Rule(*wishes, *(tuple(names) for names in (value.types, value.names, value.starts, value.ends)))


def _plain_rule(rule: Rule) -> dict[str, object]:
    lists = {key: list(getattr(rule, key)) for key in ("types", "names", "starts", "ends") if getattr(rule, key)}
    return {"activations": _plain(rule.activations), "weights": _plain(rule.weights), **lists}


def _plain(wish: Wish) -> object:
    if not isinstance(wish, Precision):
        return wish
    ways = {key: True for key in ("symmetric", "per_channel", "reduced") if getattr(wish, key)}
    return {"dtype": wish.dtype, **ways}


# The steps of a plan as values that JSON knows.

# Of floats of 32 bits.
LARGEST = 3.4028234e38
_STEPS_FILE_HINT = 'A step is {"step": "equalize"}, {"step": "smooth"} or {"step": "correct biases"}.'


def plain_steps(steps: Iterable[Step]) -> list[dict[str, Any]]:
    return [_steps_file_plain(step) for step in steps]


def steps_of(rows: Iterable[Mapping[str, Any]], name: str) -> tuple[Step, ...]:
    """Reads the steps in their order, whichever one the file has."""
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
        raise FormatError(f"{name}: {str(dict(row))[:80]} is no step.", _STEPS_FILE_HINT)
    try:
        return make(**{key: msgspec.convert(row[key], kind) for key, kind in fields.items() if key in row})
    except msgspec.ValidationError as error:
        raise FormatError(f"{name}: a step is wrong: {error}.", _STEPS_FILE_HINT) from error
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


def _steps_file_plain(step: Step) -> dict[str, Any]:
    if isinstance(step, Equalize):
        return {"step": "equalize"}
    if isinstance(step, Smooth):
        return {"step": "smooth", "strength": step.strength, "threshold": step.threshold}
    return {"step": "correct biases", "shifts": {name: list(shift) for name, shift in step.shifts}}
