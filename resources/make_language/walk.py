"""Goes over the code and gives every text that a user may see, in the order of how much it matters."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from errorflow_viewer.help.manual import Manual
from make_language import composed, extras
from make_language.templates import HOLE, Variant, counts, is_say, says, shape, text_of, variants
from make_language.visible import WORD, is_label, is_program, is_silent, is_spoken, pieces, reads

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT / "viewer" / "errorflow_viewer", ROOT / "core" / "errorflow")
# What translators should see first; a module belongs to the first line that it begins with.
ORDER = (
    "viewer actions",
    "errorflow_viewer",
    "errorflow.case.scenarios",
    "errorflow.explain.blame",
    "errorflow.report",
    "errorflow.explain.findings",
    "errorflow.compare.metrics",
    "errorflow.explain.stages",
    "errorflow.graph.describe",
    "errorflow.explain.inspect",
    "errorflow.explain.outliers",
    "errorflow.quant",
    "errorflow.study.search",
    "errorflow.study.rank",
    "errorflow.study.simulate",
    "errorflow.study.rewrites",
    "errorflow.study.align",
    "errorflow.explain.difference",
    "errorflow.compare",
    "errorflow.compare.match",
    "errorflow.case.session",
    "errorflow.vendors",
    "errorflow.study.evaluate",
    "errorflow.run",
    "errorflow.run.engine",
    "errorflow.graph",
    "errorflow",
)


@dataclass(frozen=True, slots=True)
class Found:
    """A text and the module that says it; `many`: the form for many, when this is the one for one."""

    text: str
    module: str
    many: str = ""


def everything() -> list[Found]:
    """Each text once, where it matters most."""
    kept: dict[str, Found] = {}
    for path in sorted(_files(), key=_place):
        for found in _texts_in(path):
            kept.setdefault(shape(found.text), found)
    for text in (*extras.TEXTS, *composed.TEXTS):
        kept.setdefault(shape(text), Found(text, "errorflow"))
    for page in Manual.read(ROOT / "docs").pages.values():
        kept.setdefault(shape(page.title), Found(page.title, "errorflow_viewer.help"))
    # A text without the mark of its menu key is made of that with it.
    marked = {text.replace("&", "") for text in kept if "&" in text}
    return [found for text, found in kept.items() if text not in marked]


def _texts_in(path: Path) -> Iterator[Found]:
    try:
        yield from texts_of(path.read_text(encoding="utf-8"), module_of(path))
    except SyntaxError as error:
        sys.exit(f"{path.relative_to(ROOT)}, line {error.lineno}, is no Python now: {error.msg}. Nothing was changed.")


def _files() -> Iterator[Path]:
    for package in PACKAGES:
        for path in package.rglob("*.py"):
            if not module_of(path).startswith(extras.LEFT_OUT) or module_of(path) in extras.TAKEN:
                yield path


def module_of(path: Path) -> str:
    package = next(package for package in PACKAGES if path.is_relative_to(package))
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _place(path: Path) -> tuple[int, str]:
    module = module_of(path)
    if module.startswith("errorflow_viewer") and module.endswith("actions"):
        return 0, module
    return next(place for place, start in enumerate(ORDER) if module.startswith(start)), module


def texts_of(code: str, module: str) -> Iterator[Found]:
    """The texts of one module, from top to bottom."""
    yield from _Walk(module).of(ast.parse(code), [])


class _Walk:
    def __init__(self, module: str) -> None:
        self._module = module
        self._in_viewer = module.startswith("errorflow_viewer")

    def of(self, node: ast.AST, parents: list[ast.AST]) -> Iterator[Found]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.expr) and (says(node) or counts(node)):
            yield from self._text(node, parents)
            inside = _holes(node)
        else:
            inside = list(ast.iter_child_nodes(node))
        for child in inside:
            yield from self.of(child, [node, *parents])

    def _text(self, node: ast.expr, parents: list[ast.AST]) -> Iterator[Found]:
        if is_silent(node, parents):
            return
        for variant in variants(node):
            yield from self._found(variant, node, parents)

    def _found(self, variant: Variant, node: ast.expr, parents: list[ast.AST]) -> Iterator[Found]:
        text, many = text_of(variant.parts), text_of(variant.many)
        if is_program(text):
            return
        said, more = self._said(text), self._said(many)
        for each, plural in zip(said, more if len(more) == len(said) else said, strict=True):
            if self._counts(each, node, parents):
                yield Found(each, self._module, plural if plural != each else "")

    def _said(self, text: str) -> list[str]:
        return pieces(extras.in_window(text))

    def _counts(self, text: str, node: ast.expr, parents: list[ast.AST]) -> bool:
        if text in extras.NOT_TEXTS or not WORD.search(HOLE.sub(" ", text)):
            return False
        return reads(text) or (is_label(text) and is_spoken(node, parents, self._in_viewer))


def _holes(node: ast.expr) -> list[ast.AST]:
    """Lists what is inside a text and not part of it: what fills its holes."""
    match node:
        case ast.JoinedStr(values=values):
            return [inner for value in values for inner in _holes(value)]
        case ast.FormattedValue(value=value) | ast.Starred(value=value):
            return _holes(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if says(node):
            return [*_holes(left), *_holes(right)]
        case ast.IfExp(test=test, body=body, orelse=other) if _all_text(node):
            return [test, *_holes(body), *_holes(other)]
        case ast.Constant():
            return []
        case ast.Call(args=[first, *_]) if counts(node):
            return [first]
        case ast.Call(args=[_, *filling]) if is_say(node):
            return [inner for value in filling for inner in _holes(value)]
    return [node]


def _all_text(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _all_text(node.body) and _all_text(node.orelse)
    return says(node)
