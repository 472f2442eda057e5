"""A simulation as a call of the command line, to copy."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.presets import PRESETS
from errorflow.quant.steps import Equalize, Smooth
from errorflow.run.samples.asked import MADE_UP, Pictures, SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.ranging import method_for

# What a plan is saved as where options do not say it.
PLAN = "plan.json"


def call_of(model: Path, basis: Basis, plan: Plan | None = None) -> str:
    """`plan`: None is the model's own, or the first preset. One that options cannot say is to be saved as plan.json."""
    words = ["errorflow", "simulate", _path(str(model)), *_samples(basis.asked), *_divided(basis)]
    options = _planned(plan)
    words += ["--plan", PLAN] if options is None else options
    method = basis.method
    if not method and not basis.own and options is None and plan is not None:
        # With a plan alone, a quantized model would keep its own ranges.
        method = method_for(plan, basis)
    words += ["--method", method] if method else []
    # In one word: a name may begin like an option.
    words += [f"--method={tensor}={key}" for tensor, key in basis.methods]
    words += [] if basis.calibration is None else ["--calibration", _path(str(basis.calibration))]
    words += [] if basis.reference is None else ["--reference", _path(str(basis.reference))]
    return shlex.join(words)


def needs_plan(plan: Plan | None) -> bool:
    """Whether `call_of` names a plan.json that the user has to save."""
    return _planned(plan) is None


def _samples(asked: SampleSpec) -> Iterator[str]:
    if asked.paths:
        yield from ("--data", *map(_path, asked.paths))
    elif asked.seed is not None:
        yield from ("--random", str(asked.seed))
    for name, size in asked.dims.items():
        yield from _named("--dim", f"{name}={size}")
    yield from _pictures(asked.pictures)


def _pictures(pictures: Pictures) -> Iterator[str]:
    for name, numbers in (("mean", pictures.mean), ("std", pictures.std)):
        if numbers:
            # In one word: a negative number is no option.
            yield f"--{name}={','.join(map(_number, numbers))}"
    if pictures.layout:
        yield from ("--layout", pictures.layout)
    if pictures.colour != "rgb":
        yield from ("--colour", pictures.colour)
    if pictures.resize:
        yield from ("--resize", pictures.resize)


def _divided(basis: Basis) -> Iterator[str]:
    made_up = not basis.asked.paths and basis.asked.seed is not None
    count = basis.asked.count if made_up and basis.asked.count != MADE_UP else None
    samples = count if basis.samples is None else basis.samples
    if samples is not None:
        yield from ("--samples", str(samples))
    if basis.calibrate_on is not None:
        yield from ("--calibrate-on", str(basis.calibrate_on))
    if basis.others:
        yield from ("--evaluate", *map(_path, basis.others))


def _planned(plan: Plan | None) -> list[str] | None:
    """Writes options; None: there are none that make that plan."""
    if plan is None:
        return []
    begun = PRESETS.by_key.get(plan.preset)
    steps = _steps(plan)
    if begun is None or replace(plan, rules=(), steps=()) != begun.plan or steps is None:
        return None
    kept: list[str] = []
    bits: list[str] = []
    for rule in plan.rules:
        for name in rule.names:
            alone = replace(rule, names=(name,))
            if alone == Rule(FLOAT, FLOAT, names=(name,)) and not bits and _can_be_listed(name):
                kept.append(name)
            elif (width := _bits(begun.plan, alone)) and name == name.strip():
                bits += _named("--bits", f"{name}={width}")
            else:
                return None
        if not rule.names:
            return None
    return ["--preset", plan.preset, *(["--keep-float", ",".join(kept)] if kept else []), *bits, *steps]


def _steps(plan: Plan) -> list[str] | None:
    """Writes options of steps; None: they hold what was found, which no option says."""
    words: list[str] = []
    for step in plan.steps:
        if isinstance(step, Equalize):
            words.append("--equalize")
        elif isinstance(step, Smooth):
            words += ["--smooth", f"{_number(step.strength)},{_number(step.threshold)}"]
        else:
            return None
    return words


def _can_be_listed(name: str) -> bool:
    return "," not in name and name == name.strip() and not name.startswith("-")


def _bits(begun: Plan, rule: Rule) -> int:
    """0: the rule is about something else."""
    return next((bits for bits in (4, 8, 16) if begun.with_bits(bits, *rule.names).rules == (rule,)), 0)


def _number(value: float) -> str:
    """Writes a number as short as can be, without being another one."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _named(option: str, text: str) -> tuple[str, ...]:
    # In one word where the name would be read as an option.
    return (f"{option}={text}",) if text.startswith("-") else (option, text)


def _path(text: str) -> str:
    # A name that begins like an option would be read as one.
    return f"./{text}" if text.startswith("-") else text
