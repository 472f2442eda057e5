"""Expressions of the code as texts with holes: f"{count:,} nodes" is `{count} nodes`."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

# More variants of one text than this are no text any more: what varies is a hole then.
MOST_VARIANTS = 12
HOLE = re.compile(r"\{(\w+)\}")
_PLACE = re.compile(r"\{(\d*)\}")
_WRAPPERS = ("str", "repr", "int", "float", "round", "sorted", "tuple", "list", "plain", "escape", "abs", "max", "min")


@dataclass(frozen=True, slots=True)
class Hole:
    """Hole that is filled in; `code` tells apart holes that would have the same name."""

    name: str
    code: str


Part = str | Hole
Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """Form of a text, and the form for many of it, which is the same in languages without a plural."""

    parts: Parts
    many: Parts

    def __add__(self, other: "Variant") -> "Variant":
        return Variant(self.parts + other.parts, self.many + other.many)


def variants(node: ast.expr) -> list[Variant]:
    """Lists all that an expression may say; one hole where it is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return [_plain(text)]
        case ast.JoinedStr(values=values):
            return _joined([variants(value) for value in values], values)
        case ast.FormattedValue(value=value, format_spec=spec):
            return _filled(value) if spec is None else [_hole(value)]
        case ast.BinOp(left=left, op=ast.Add(), right=right) if says(left) or says(right):
            return _joined([variants(left), variants(right)], [left, right])
        case ast.IfExp():
            return _chosen(node) or [_hole(node)]
        case ast.Call(args=[ast.Constant(value=str(key)), *filling]) if is_say(node):
            return _said(key, filling)
    return _filled(node)


def _said(key: str, filling: list[ast.expr]) -> list[Variant]:
    """A key of the code, whose holes have no names or numbers for names, with what it is filled with."""
    literals, numbers = _PLACE.split(key)[::2], _PLACE.findall(key)
    places = [int(number) if number else place for place, number in enumerate(numbers)]
    between = [ast.Constant(literal) for literal in literals]
    values = [filling[place] for place in places]
    nodes = [each for pair in zip(between, [*values, between[-1]], strict=True) for each in pair][:-1]
    return _joined([variants(node) for node in nodes], nodes)


def says(node: ast.expr) -> bool:
    """Whether an expression is a text or a sum with one."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and (says(node.left) or says(node.right))
    if is_say(node):
        return True
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_say(node: ast.AST) -> bool:
    """A sentence with its key, as the code writes it."""
    return (
        isinstance(node, ast.Call)
        and called(node) == "say"
        and bool(node.args)
        and isinstance(node.args[0], ast.Constant)
    )


def counts(node: ast.expr) -> bool:
    """A call of one of the functions named `counted`, with its words in place."""
    return isinstance(node, ast.Call) and called(node) == "counted" and bool(_words(node))


def called(node: ast.Call) -> str:
    """The last part of the name of what is called."""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _filled(node: ast.expr) -> list[Variant]:
    if isinstance(node, ast.IfExp):
        return _chosen(node) or [_hole(node)]
    if isinstance(node, ast.Call) and counts(node):
        return _counted(node)
    return variants(node) if is_say(node) else [_hole(node)]


def _counted(node: ast.Call) -> list[Variant]:
    one, many = _words(node)
    hole = Hole(_name(node.args[0]), ast.unparse(node.args[0]))
    return [Variant((hole, f" {one}"), (hole, f" {many}")), Variant((hole, f" {many}"), (hole, f" {many}"))]


def _words(node: ast.Call) -> tuple[str, ...]:
    words = tuple(
        each.value for each in node.args[1:3] if isinstance(each, ast.Constant) and isinstance(each.value, str)
    )
    if not words or len(words) != len(node.args) - 1:
        return ()
    return words if len(words) == 2 else (words[0], f"{words[0]}s")


def _chosen(node: ast.IfExp) -> list[Variant]:
    """The texts of both branches; empty: one of them is no text."""
    if not all(says(branch) or isinstance(branch, ast.IfExp) for branch in (node.body, node.orelse)):
        return []
    body, other = variants(node.body), variants(node.orelse)
    singular = _is_one(node.test)
    if singular is None or len(body) != len(other):
        return body + other
    one, many = (body, other) if singular else (other, body)
    return [Variant(a.parts, b.many) for a, b in zip(one, many, strict=True)] + many


def _is_one(test: ast.expr) -> bool | None:
    """Whether a condition is true for one of something; None: it asks something else."""
    match test:
        case ast.Compare(ops=[operator], comparators=[ast.Constant(value=1)]):
            return {ast.Eq: True, ast.NotEq: False, ast.Gt: False}.get(type(operator))
    return None


def _joined(choices: list[list[Variant]], nodes: Iterable[ast.expr]) -> list[Variant]:
    count = 1
    for each in choices:
        count *= len(each)
    if count > MOST_VARIANTS:
        choices = [each if len(each) == 1 else [_hole(node)] for each, node in zip(choices, nodes, strict=True)]
    return [sum(combined, Variant((), ())) for combined in product(*choices)]


def _plain(text: str) -> Variant:
    """Text as it stands; `{}` in it is filled in later."""
    parts: list[Part] = [text]
    if "{}" in text:
        between = text.split("{}")
        parts = [between[0]]
        for number, after in enumerate(between[1:]):
            parts += [Hole("given", f"given {number}"), after]
    return Variant(tuple(parts), tuple(parts))


def _hole(node: ast.expr) -> Variant:
    hole = Hole(_name(node), ast.unparse(node))
    return Variant((hole,), (hole,))


def _name(node: ast.expr) -> str:
    """Names a hole for the translator: the last word of what fills it."""
    match node:
        case ast.FormattedValue(value=value):
            return _name(value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _tidy(name)
        case (
            ast.Call(func=ast.Attribute(attr="join"), args=[listed])
            | ast.Call(func=ast.Name(id="joined"), args=[_, listed])
        ):
            return _name(listed)
        case ast.Call(func=ast.Name(id="len")):
            return "count"
        case ast.Call(args=[argument, *_]) if called(node) in _WRAPPERS:
            return _name(argument)
        case ast.Call():
            return _tidy(called(node))
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _name(value)
        case ast.BinOp():
            return "number"
        case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each):
            return _name(each) if isinstance(each, ast.Name | ast.Attribute) else "list"
    return "text"


def _tidy(name: str) -> str:
    return re.sub(r"\W", "", name.strip("_").lower())[:24] or "text"


def text_of(parts: Parts) -> str:
    """Writes a text with holes of the same name told apart: `{name} and {name2}`."""
    names: dict[str, str] = {}
    return "".join(part if isinstance(part, str) else f"{{{_given(part, names)}}}" for part in parts)


def _given(hole: Hole, names: dict[str, str]) -> str:
    """The name of a hole in its text; the same code gets the same one."""
    if hole.code not in names:
        taken = set(names.values())
        numbered: Iterator[str] = (f"{hole.name}{number}" for number in range(2, 100))
        names[hole.code] = hole.name if hole.name not in taken else next(name for name in numbered if name not in taken)
    return names[hole.code]


def shape(text: str) -> str:
    """A text whose holes are numbered: two with the same shape are one to a reader."""
    numbers: dict[str, int] = {}
    return HOLE.sub(lambda found: f"{{{numbers.setdefault(found[1], len(numbers))}}}", text)
