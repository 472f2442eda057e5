"""The attributes of a node as lines: those that say something to people first, what only a compiler needs folded."""

from collections.abc import Iterable, Iterator

from errorflow.base.errors import ErrorflowError
from errorflow.graph.describe import value_text
from errorflow.graph.model import Graph, Node
from errorflow_viewer.panels.sections import Line, Section, link, plain, soft

# Longer values are cut, with a link that shows all.
LONG, LONGEST = 160, 20_000
INTERNALS = "internals"
Expanded = frozenset[str]


def attribute_sections(graph: Graph, node: Node, expanded: Expanded) -> Iterator[Section]:
    """Two sections; the second holds a link alone until it is asked for."""
    bodies = {graph.subgraphs[position].role for position in node.subgraphs}  # these have a section of their own
    try:
        values = {name: value for name, value in node.attributes.items() if name not in bodies}
    except ErrorflowError as error:  # they are read when asked for, and the file may be gone by then
        yield Section("Attributes", (Line("", soft(str(error))),))
        return
    readable = sorted((name for name in values if not is_internal(name)), key=lambda name: _is_long(values[name]))
    internal = [name for name in values if is_internal(name)]
    yield Section("Attributes", tuple(_lines(readable, values, expanded)))
    if not internal:
        return
    title = f"Compiler internals ({len(internal):,})"
    if INTERNALS in expanded:
        yield Section(title, tuple(_lines(internal, values, expanded)))
    else:
        yield Section(title, (Line("", link(f"more:{INTERNALS}", "Show them")),))


def is_internal(name: str) -> bool:
    """Whether an attribute is a compiler's own note, by what it is called."""
    return name.startswith(("_", "op.")) or name.lower().endswith("_kernelname")


def cut_line(label: str, text: str, key: str, expanded: Expanded) -> Line:
    """A line whose value is cut until it is asked for."""
    if len(text) <= LONG or key in expanded:
        return Line(label, plain(text))
    return Line(label, f"{plain(text[:LONG].removesuffix('…'))}… {link(f'more:{key}', 'Show all')}")


def _lines(names: Iterable[str], values: dict[str, object], expanded: Expanded) -> Iterator[Line]:
    for name in names:
        key = f"attribute {name}"
        text = value_text(values[name], LONGEST if key in expanded else LONG)
        yield cut_line(name, text, key, expanded)


def _is_long(value: object) -> bool:
    return len(value_text(value, LONG)) > LONG
