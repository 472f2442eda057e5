"""Selection of operators to compare: all, or those that -r or -s name by their place in the order of execution."""

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from errorflow.compare.match.codes import OUT_OF_RANGE, WRONG_OPTIONS, RefusedError
from errorflow.compare.match.fusion.table import FusionTable, Key, Operator

Group = Sequence[Operator]
Selection = Callable[[FusionTable], Iterable[Group]]


def everything(table: FusionTable) -> Iterable[Group]:
    return table.groups.values()


def in_range(text: str) -> Selection:
    """`start,end,step`, each of which may be left out; -1 is the last one."""
    parts = [part.strip() for part in text.split(",")]
    hint = "Give start,end,step, such as 1,-1,1."
    if len(parts) != 3:
        raise RefusedError(f'The range "{text}" is not start,end,step.', hint, WRONG_OPTIONS)
    start, end, step = (
        default if not part or (part == "-1" and at == 1) else _number(part, text, hint)
        for at, (part, default) in enumerate(zip(parts, (1, -1, 1), strict=True))
    )

    def select(table: FusionTable) -> Iterable[Group]:
        count = _last(table)
        last = count if end == -1 else end
        if not (1 <= start <= last <= count and 1 <= step < max(count, 2)):
            raise RefusedError(
                f'The range "{text}" does not lie within the operators of the model, 1 to {count}.', hint, OUT_OF_RANGE
            )
        numbers = {*range(start, last + 1, step), last}
        inside = takewhile(lambda operator: operator.number <= last, table.operators)
        return _groups(table, [operator for operator in inside if operator.number in numbers])

    return select


def selected(text: str) -> Selection:
    """`1,2,3`; numbers that the model does not have are left out unless all are such."""
    hint = "Give the numbers of operators, such as 1,2,3."
    numbers = {_number(part.strip(), text, hint) for part in text.split(",") if part.strip()}

    def select(table: FusionTable) -> Iterable[Group]:
        count = _last(table)
        known = {number for number in numbers if number <= count}
        if numbers and not known:
            raise RefusedError(f"The model has operators 1 to {count} only, and none of {text}.", hint, WRONG_OPTIONS)
        return _groups(table, [operator for operator in table.operators if operator.number in known])

    return select


def _number(text: str, given: str, hint: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise RefusedError(f'"{given}" holds something that is no number.', hint, WRONG_OPTIONS)
    return int(text)


def _last(table: FusionTable) -> int:
    return table.operators[-1].number if table.operators else 0


def _groups(table: FusionTable, operators: Iterable[Operator]) -> list[Group]:
    """The whole group of each operator."""
    keys: dict[Key, None] = {}
    for operator in operators:
        key = table.group_of.get(operator.name)
        if key is not None and key in table.groups:
            keys.setdefault(key)
    return [table.groups[key] for key in keys]
