"""Changes between two plans, in few words."""

from collections.abc import Iterator, Mapping

from errorflow.base.values import dataclass, replace
from errorflow.quant.plan import FLOAT, Floating, Plan, Rule, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.presets import PRESETS
from errorflow.quant.steps import KINDS, find, step_text

# Of those that are changed in the same way, so many are named.
NAMED = 2
_WORDS: Mapping[str, str] = {"keep": "as all others", "plan": "as planned"}
# Whom a rule speaks of, and what it wishes of activations and weights.
_Ruled = Mapping[str, tuple[Wish, Wish]]


@dataclass(frozen=True, slots=True)
class Changed:
    """Names of what changed, and its new state; without a name it is the plan as a whole."""

    who: str
    what: str

    @property
    def text(self) -> str:
        return f"{self.who} → {self.what}" if self.who else self.what


def changes(before: Plan, after: Plan) -> tuple[Changed, ...]:
    """Lists changes in the order of how much they reach: the whole plan, rules, single tensors."""
    return (
        *_of_whole(before, after),
        *_of_steps(before, after),
        *_of_rules(before, after),
        *_of_tensors(before, after),
    )


def beginning(plan: Plan) -> Plan:
    """Finds the plan before any change by the user: its preset, or what the model itself has."""
    preset = PRESETS.by_key.get(plan.preset)
    return replace(plan if preset is None else preset.plan, rules=(), tensors=(), steps=(), coded=plan.coded)


def beginning_text(plan: Plan) -> str:
    if plan.coded is not None:
        return "as the model is quantized"
    labels = {preset.key: preset.label for preset in PRESETS}
    return labels.get(plan.preset, plan.preset if plan.preset else "a plan of its own")


def brief(found: tuple[Changed, ...]) -> str:
    """Writes changes in one line: equal ones together, and what they became first, since the end is cut."""
    by_what: dict[str, list[str]] = {}
    for each in found:
        by_what.setdefault(each.what, []).append(each.who)
    told = ((what, _joined(who)) for what, who in by_what.items())
    return "; ".join(f"{what}: {who}" if who else what for what, who in told)


def _joined(names: list[str]) -> str:
    some = ", ".join(filter(None, names[:NAMED]))
    return f"{some} and {len(names) - NAMED:,} more" if len(names) > NAMED else some


def _of_whole(before: Plan, after: Plan) -> Iterator[Changed]:
    if (before.coded is None) != (after.coded is None) or before.preset != after.preset:
        yield Changed("", beginning_text(after))
        # What the other preset is otherwise goes without saying.
        before = replace(beginning(after), rules=before.rules, tensors=before.tensors)
    for name in ("activations", "weights"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield Changed(name, _words(new, old))
    if before.biases != after.biases:
        yield Changed("biases", "32 bit" if after.biases else FLOAT)
    if before.outputs != after.outputs:
        yield Changed("", "what nodes make is coded too" if after.outputs else "only what is read is coded")
    if before.fitted != after.fitted:
        yield Changed("", f"ranges {'' if after.fitted else 'not '}set by Relu, Clip and Softmax")
    yield from _of_types(before.types, after.types)


def _of_steps(before: Plan, after: Plan) -> Iterator[Changed]:
    for kind in KINDS:
        old, new = find(before.steps, kind), find(after.steps, kind)
        if new is not None and new != old:
            yield Changed("", step_text(new))
        elif old is not None and new is None:
            yield Changed("", f"no longer {step_text(old)}")


def _of_types(before: tuple[str, ...] | None, after: tuple[str, ...] | None) -> Iterator[Changed]:
    if before is None or after is None:
        if before != after:
            yield Changed("", "all operators" if after is None else "some operators only")
        return
    yield from (Changed(kind, "quantized") for kind in after if kind not in before)
    yield from (Changed(kind, FLOAT) for kind in before if kind not in after)


def _of_rules(before: Plan, after: Plan) -> Iterator[Changed]:
    old, new = _ruled(before.rules), _ruled(after.rules)
    for who, wishes in new.items():
        if wishes != old.get(who):
            yield from _of_wishes(who, old.get(who, ("keep", "keep")), wishes, after)
    for who, wishes in old.items():
        if who not in new and wishes != ("keep", "keep"):
            yield Changed(who, f"no longer {_both(wishes, before)}")


def _of_wishes(who: str, old: tuple[Wish, Wish], new: tuple[Wish, Wish], plan: Plan) -> Iterator[Changed]:
    if new == ("keep", "keep"):
        yield Changed(who, f"no longer {_both(old, plan)}")
    elif _is_one(new, plan):
        yield Changed(who, _both(new, plan))
    else:
        sides = zip(("activations", "weights"), old, new, (plan.activations, plan.weights), strict=True)
        for name, was, wish, base in sides:
            if wish != was:
                yield Changed(f"{who} {name}", "as all others" if wish == "keep" else _words(wish, base))


def _of_tensors(before: Plan, after: Plan) -> Iterator[Changed]:
    old, new = dict(before.tensors), dict(after.tensors)
    for name, wish in new.items():
        if wish != old.get(name):
            yield Changed(name, _words(wish, after.activations))
    for name, wish in old.items():
        if name not in new:
            yield Changed(name, f"no longer {_words(wish, before.activations)}")


def _ruled(rules: tuple[Rule, ...]) -> _Ruled:
    """Finds the last word on each thing that rules name."""
    found: dict[str, tuple[Wish, Wish]] = {}
    for rule in rules:
        for who in _spoken_of(rule):
            old = found.pop(who, ("keep", "keep"))
            found[who] = (
                old[0] if rule.activations == "keep" else rule.activations,
                old[1] if rule.weights == "keep" else rule.weights,
            )
    return found


def _spoken_of(rule: Rule) -> Iterator[str]:
    yield from (*rule.types, *rule.names)
    if rule.starts or rule.ends:
        yield " … ".join(", ".join(side) for side in (rule.starts, rule.ends)).strip()


def _is_one(wishes: tuple[Wish, Wish], plan: Plan) -> bool:
    """Whether the same can be said of activations and weights."""
    words = {_words(wish, base) for wish, base in zip(wishes, (plan.activations, plan.weights), strict=True)}
    return len(words) == 1


def _both(wishes: tuple[Wish, Wish], plan: Plan) -> str:
    if _is_one(wishes, plan):
        return _words(wishes[0], plan.activations)
    sides = zip(("activations", "weights"), wishes, (plan.activations, plan.weights), strict=True)
    return " and ".join(f"{name} {_words(wish, base)}" for name, wish, base in sides if wish != "keep")


def _words(wish: Wish, base: Precision | Floating) -> str:
    """A number of bits is enough where all else is as it is anyhow."""
    if not isinstance(wish, Precision):
        return _WORDS.get(wish, wish)
    alike = isinstance(base, Precision) and replace(base, dtype=wish.dtype, reduced=False) == wish
    same_sign = isinstance(base, Precision) and base.signed == wish.signed
    return f"{wish.bits} bit" if alike and same_sign else wish.text
