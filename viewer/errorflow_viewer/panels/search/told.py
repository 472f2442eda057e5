"""Texts on a search: what was found as a sentence, and what an attempt was."""

import math
import re
from collections.abc import Iterator

from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search, Tried
from errorflow_viewer.panels.search.words import COUNTED, metric_of, value_text

WAITS = "The search begins as soon as the simulation is there."
NONE_YET = "The first attempt is drawn here as soon as it is evaluated."
OLDER = "This is about the plan before: find again for the one on view."
SAVED = "The simulation is not there: this is what was found before."
_PERCENT = re.compile(r"([0-9])%")
# Parts that a tooltip names.
_NAMED = 12


def result(found: Search, sought: Sought) -> str:
    """The sentence above the plot."""
    whole, best = found.whole, found.best
    if whole is None or best is None:
        return found.stage
    effort = "1 evaluation" if found.evaluations == 1 else f"{found.evaluations:,} evaluations"
    if whole.good:
        return f"The plan is good enough as it is: {_reached(found, sought, whole)}. Nothing needs more bits."
    ended = found.complete or bool(found.stopped)
    if best.good:
        done = f"found in {effort}" if ended else f"the best of {effort} so far"
        return f"With {kept_of(found, best)}, {_reached(found, sought, best)}, {done}."
    closest = "" if not len(best.choice) else f" The closest is {value_text(sought, best.value)}, with {kept(best)}."
    start = f"No set is good enough: {_asked(found, sought)}" if ended else f"None of {effort} is good enough yet"
    return f"{start}.{closest}"


def kept_of(found: Search, tried: Tried) -> str:
    """Such as `4 of 62 units in float`."""
    one, several = COUNTED[found.wish.kind]
    count = len(found.parts)
    noun = one if count == 1 else several
    floats, wide = tried.choice.floats, tried.choice.wide
    parts = ([f"{floats:,} of {count:,} {noun} in float"] if floats else []) + (
        [f"{wide:,}{'' if floats else f' of {count:,} {noun}'} in 16 bits"] if wide else []
    )
    return " and ".join(parts) if parts else f"None of {count:,} {noun}"


def kept(tried: Tried) -> str:
    floats, wide = tried.choice.floats, tried.choice.wide
    parts = ([f"{floats:,} in float"] if floats else []) + ([f"{wide:,} in 16 bits"] if wide else [])
    return " and ".join(parts) if parts else "the plan as it is"


def _reached(found: Search, sought: Sought, tried: Tried) -> str:
    """Such as `the relative error of scores is 0.0009 (at most 0.05 is asked for)`."""
    value = _values(sought, tried)
    if sought.evaluator is not None:
        rule = "good enough for it" if sought.limit is None else f"{_rule(found)} is asked for"
        return f"{found.measure} says {value} ({rule})"
    return f"{_measure(found, sought)} is {value} ({_rule(found)} is asked for)"


def _values(sought: Sought, tried: Tried) -> str:
    """Such as `0.0008 in simulation, 0.0009 as deployed`."""
    value = value_text(sought, tried.value)
    if math.isnan(tried.deployed):
        return value
    return f"{value} in simulation, {value_text(sought, tried.deployed)} as deployed"


def _asked(found: Search, sought: Sought) -> str:
    if sought.evaluator is not None and sought.limit is None:
        return f"{found.measure} decides"
    return f"{_measure(found, sought)} has to be {_rule(found)}"


def _measure(found: Search, sought: Sought) -> str:
    name, metric = found.measure, metric_of(sought)
    if metric is None:
        return name
    return f"the {name[:1].lower()}{name[1:]}" if name[1:2].islower() else f"the {name}"


def _rule(found: Search) -> str:
    return _spaced(found.rule.replace("than the original", "than the float model"))


def _spaced(text: str) -> str:
    """Spaces a text as the window writes per cent."""
    return _PERCENT.sub(r"\1 %", text)


def notes(found: Search, *, busy: bool) -> Iterator[str]:
    from errorflow.report.search import deployed_notes, monotone_notes

    if busy:
        return
    if found.stopped:
        yield found.stopped
    elif not found.complete:
        yield "It was stopped before its end: Go on continues from what is known."
    if found.complete and not found.met:
        yield (
            "What is left: another calibration, scales per channel, more or better samples, or nodes in place of units."
        )
    yield from map(_spaced, (*monotone_notes(found), *deployed_notes(found), *found.notes))


def attempt(found: Search, sought: Sought, tried: Tried) -> str:
    """Writes all of one attempt, a line each."""
    lines = [f"{tried.number + 1}. {tried.why[:1].upper()}{tried.why[1:]}", f"Kept: {kept(tried)}"]
    good = "good enough" if tried.good else "not good enough"
    # Beside a float model without end, as its SQNR is, the loss is that to what is asked for.
    than = "what is asked for" if math.isinf(found.original) else "float"
    loss = "" if math.isnan(tried.loss) else f", {tried.loss:.3g} worse than {than}"
    lines.append(f"{found.measure}: {_values(sought, tried)}{loss}, {good} ({_rule(found)})")
    chosen = found.chosen(tried)
    for part, switch in chosen[:_NAMED]:
        lines.append(f"• {part.name} → {'float' if switch == 'float' else f'{switch} bits'}")
    if len(chosen) > _NAMED:
        lines.append(f"• and {len(chosen) - _NAMED:,} more")
    known = " (known from before)" if tried.known else ""
    lines += [tried.note, f"{tried.seconds:.1f} s{known}"]
    return "\n".join(line for line in lines if line)
