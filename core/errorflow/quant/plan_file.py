"""A plan as JSON, which people may write by hand: what is odd in it is an error, since it would change the result."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from errorflow.base.codec import Codec, FileKind, Form, Most, OddError
from errorflow.base.errors import FormatError
from errorflow.base.files import write_atomic
from errorflow.quant.plan import FLOAT, PLANNED, Floating, Plan, Rule, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.steps import KINDS, CorrectBiases, Equalize, Smooth, Step, with_step

_HINT = "Compare it with the plan.json that `errorflow simulate` writes."
# Version 1 had no steps.
FILE = FileKind("plan", {}, "errorflow-plan", 2, 64 << 20, _HINT, _HINT, is_by_hand=True)
# Of 32 bits.
LARGEST_FLOAT = 3.4028234e38
_STEPS: Mapping[str, type[Step]] = {"equalize": Equalize, "smooth": Smooth, "correct biases": CorrectBiases}
_STEP_NAMES = {kind: name for name, kind in _STEPS.items()}
# What is chosen of tensors, by their names.
_MOST_TENSORS = Most(10_000_000)
_Chosen = Precision | Floating
_Shifts = tuple[tuple[str, tuple[float, ...]], ...]


def write_plan(plan: Plan, path: Path) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, plan_text(plan))


def read_plan(path: Path) -> Plan:
    return FILE.read(path, _plan)


def plan_text(plan: Plan) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(plain_plan(plan)), indent=1).decode() + "\n"


def plain_plan(plan: Plan) -> dict[str, Any]:
    """Makes plain values of a plan for its file; another file may hold them as a part."""
    rows = _CODEC.plain(replace(plan, tensors=(), coded=None))
    coded = None if plan.coded is None else _plain_wishes(plan.coded)
    return {**FILE.head, "preset": plan.preset, **rows, "tensors": _plain_wishes(plan.tensors), "coded": coded}


def parse_plan(data: bytes, name: str = "The plan") -> Plan:
    return FILE.parse(data, name, _plan)


def plan_of(rows: Any, name: str = "The plan") -> Plan:
    """Reads what `plain_plan` gives."""
    import msgspec

    try:
        msgspec.json.encode(rows)
    except UnicodeEncodeError as error:  # a name that could not be written again
        raise FormatError(f"{name} is no plan: {error}.", _HINT) from error
    except RecursionError as error:
        raise FormatError(f"{name} is nested too deeply for a plan.", _HINT) from error
    return FILE.take(rows, name, _plan)


# As a part of another file.
PLAN = Form(plain_plan, plan_of)


def _plan(rows: dict[str, Any]) -> Plan:
    for name in ("activations", "weights"):
        if name not in rows:
            raise OddError(f"it does not say what its {name} are.")
    plan: Plan = _CODEC.read(Plan, rows)
    found: tuple[Step, ...] = ()
    # Those that others are dropped for come first, whichever order the file has.
    for step in sorted(plan.steps, key=lambda step: isinstance(step, CorrectBiases)):
        found = with_step(found, step)
    return replace(plan, steps=found)


def _wish(value: Any, where: str) -> Wish:
    if value == FLOAT:
        return FLOAT
    if value == "keep":
        return "keep"
    if value == PLANNED:
        return PLANNED
    if isinstance(value, str):
        raise OddError(f'{value[:40]!r} is no precision: write "float", or {{"dtype": "int8"}}.')
    return _precision(value, where)


def _choice(value: Any, where: str) -> _Chosen:
    wish = _wish(value, where)
    if wish == "keep" or wish == PLANNED:
        raise OddError(f"only a rule can say {wish!r}.")
    return wish


def _precision(value: Any, where: str) -> Precision:
    if isinstance(value, dict) and "dtype" not in value:
        raise OddError("it does not say its dtype.")
    found: Precision = _PARTS.read(Precision, value, where)
    return found


def _rule(value: Any, where: str) -> Rule:
    found: Rule = _PARTS.read(Rule, value, where)
    return found


def _step(value: Any, where: str) -> Step:
    kind = _STEPS.get(str(value.get("step"))) if isinstance(value, dict) else None
    if kind is None:
        raise OddError('a step is {"step": "equalize"}, {"step": "smooth"} or {"step": "correct biases"}.')
    found: Step = _PARTS.read(kind, {key: each for key, each in value.items() if key != "step"}, where)
    return found


def _shifts(value: Any, where: str) -> _Shifts:
    rows: Mapping[str, tuple[float, ...]] = _PARTS.read(Mapping[str, tuple[float, ...]], value, where)
    for tensor, shift in rows.items():
        if not all(abs(each) <= LARGEST_FLOAT for each in shift):  # what is no number neither
            raise OddError(f"what is added to the biases of {tensor[:80]} is no number of 32 bits; correct them anew.")
    return tuple(sorted(rows.items()))


def _named(kind: Any) -> Form:
    """Form of what is chosen of tensors, which a file has by their names."""
    hint = Annotated[Mapping[str, kind], _MOST_TENSORS]
    return Form(_plain_wishes, lambda value, where: tuple(sorted(Codec(_WISHES).read(hint, value, where).items())))


def _plain_wishes(chosen: Iterable[tuple[str, Wish]]) -> dict[str, object]:
    return {name: _plain_wish(wish) for name, wish in chosen}


def _plain_wish(wish: Wish) -> object:
    if not isinstance(wish, Precision):
        return wish
    ways = {key: True for key in ("symmetric", "per_channel", "reduced") if getattr(wish, key)}
    return {"dtype": wish.dtype, **ways}


def _plain_rule(rule: Rule) -> dict[str, object]:
    lists = {key: list(getattr(rule, key)) for key in ("types", "names", "starts", "ends") if getattr(rule, key)}
    return {"activations": _plain_wish(rule.activations), "weights": _plain_wish(rule.weights), **lists}


def _plain_step(step: Step) -> dict[str, Any]:
    rows = {"shifts": dict(step.shifts)} if isinstance(step, CorrectBiases) else _PARTS.plain(step)
    return {"step": _STEP_NAMES[type(step)], **rows}


# Of the parts that are written field by field, and of the plan.
_PARTS = Codec({Wish: Form(_plain_wish, _wish), _Shifts: Form(dict, _shifts)}, is_closed=True)
_WISHES = {_Chosen: Form(_plain_wish, _choice), Precision: Form(_plain_wish, _precision)}
_CODEC = Codec(
    {
        **_WISHES,
        Rule: Form(_plain_rule, _rule),
        **dict.fromkeys((Step, *KINDS), Form(_plain_step, _step)),
        tuple[tuple[str, _Chosen], ...]: _named(_Chosen),
        tuple[tuple[str, Precision], ...]: _named(Precision),
    },
    is_closed=True,
)
