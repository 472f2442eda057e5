"""The sentence about a loud channel, with the way to whom it comes from."""

from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.loud import Born, LoudChannel
from errorflow.graph.model import Graph
from errorflow_viewer.panels.sections import breakable, link, plain


def cause_text(graph: Graph, node: int | None, looked: Looked | None) -> str:
    """As rich text with links to nodes; "": there is nothing to be said."""
    if looked is None:
        return ""
    if looked.loud is not None:
        return _said(graph, node, looked.loud, looked.born)
    if looked.upstream is not None:
        name = breakable(plain(graph.tensor_names[looked.upstream.tensor]))
        loud, born = looked.upstream.loud, looked.upstream.born
        return f"The cause is in what it reads, {name}. {_said(graph, node, loud, born)}"
    return ""


def _said(graph: Graph, node: int | None, loud: LoudChannel, born: Born | None) -> str:
    text = plain(loud.text)
    if born is None:
        return text
    if born.node == node:
        return f"{text} It is made here."
    name = graph.node(born.node).title
    return f"{text} It is made by {breakable(link(f'node:{born.node}', name))}."
