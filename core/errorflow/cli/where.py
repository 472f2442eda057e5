"""`--where QUERY`: which nodes a query finds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from errorflow.base.errors import UsageError

if TYPE_CHECKING:
    from errorflow.base.arrays import Ints
    from errorflow.explain.findings.model import Findings
    from errorflow.graph.model import Graph

HELP = "list the nodes that a query finds, such as 'verdict:origin cos<0.99' (docs/how-to/search.md)"


def check_where(query: str | None) -> None:
    """Refuses a query that makes no sense before hours are spent on a comparison."""
    from errorflow.explain.findings.parse import parse_finished

    if query is not None:
        parse_finished(query)


def is_misspelt(findings: "Findings | None", query: str | None) -> bool:
    """Whether nothing is found by what is written as a field, and is none."""
    if findings is None or query is None:
        return False
    from errorflow.explain.findings.nothing import names_no_field
    from errorflow.explain.findings.parse import parse

    return names_no_field(parse(query)) and not len(_found(findings, query)[1])


def where_lines(findings: "Findings | None", query: str | None) -> Iterator[str]:
    """A line that counts, and one for each node: its place, its type and its name, and the worst of what is known."""
    if query is None:
        return
    from errorflow.case.session.model import Painting
    from errorflow.explain.findings.columns import COLUMNS, Sheet
    from errorflow.explain.findings.texts import title_of
    from errorflow.graph.build import counted

    found = _found(findings, query)
    painting = Painting()
    sheet = Sheet(found[0], painting.metric, painting.limits)
    yield f"Found by {query}: {counted(len(found[1]), 'node', 'nodes')}"
    if not len(found[1]):
        yield f"  {_why_nothing(found[0], query)}"
    for node in found[1].tolist():
        graph = found[0].graph
        known = (
            f"{column.title_on(sheet)} {column.text(sheet, node)}" for column in COLUMNS if column.text(sheet, node)
        )
        told = ", ".join(filter(None, (*known, found[0].told_behind(node))))
        yield f"  {node}  {graph.op_types[node]}  {title_of(graph, node)}  {told}".rstrip()


def where_data(findings: "Findings | None", query: str | None) -> dict[str, Any]:
    """The same for programs."""
    if query is None:
        return {}
    known, nodes = _found(findings, query)
    names, types = known.graph.node_names, known.graph.op_types
    rows = [
        {"index": node, "name": names[node], "type": types[node], **_behind_data(known, node)}
        for node in nodes.tolist()
    ]
    why = {} if rows else {"why": _why_nothing(known, query)}
    return {"where": {"query": query, "nodes": rows, **why}}


def _why_nothing(findings: "Findings", query: str) -> str:
    from errorflow.explain.findings.fields import NodeKnowledge
    from errorflow.explain.findings.nothing import why_nothing
    from errorflow.explain.findings.parse import parse
    from errorflow.explain.findings.select import asks_for_attributes
    from errorflow.explain.findings.texts import Texts

    texts, parsed = Texts(findings.graph), parse(query)
    if asks_for_attributes(parsed):
        texts.attributes = texts.read_attributes()
    return why_nothing(NodeKnowledge(texts, findings), parsed)


def _behind_data(findings: "Findings", node: int) -> dict[str, str]:
    behind = findings.behind(node)
    return {} if behind is None else {"measured behind": findings.graph.title(behind)}


def nodes_where(graph: "Graph", query: str) -> tuple[list[int], str]:
    """Finds nodes by what a model says alone, and why it is none if it is; raises a `QueryError` if the query needs
    more.
    """
    import numpy as np

    from errorflow.explain.findings.fields import NodeKnowledge
    from errorflow.explain.findings.nothing import names_no_field, why_nothing
    from errorflow.explain.findings.parse import parse_finished
    from errorflow.explain.findings.query import QUOTED, QueryError
    from errorflow.explain.findings.select import asks_for_attributes, matching
    from errorflow.explain.findings.texts import Texts

    texts, parsed = Texts(graph), parse_finished(query)
    if asks_for_attributes(parsed):
        texts.attributes = texts.read_attributes()
    known = NodeKnowledge(texts)
    found: list[int] = np.flatnonzero(matching(known, parsed)).tolist()
    why = "" if found else why_nothing(known, parsed)
    if why and names_no_field(parsed):
        raise QueryError(why, QUOTED)
    return found, why


def _found(findings: "Findings | None", query: str) -> "tuple[Findings, Ints]":
    from errorflow.explain.findings.select import select

    if findings is None:
        raise UsageError(
            "--where finds nodes of a model, and none is known that these runs are of.", "Add --model or -f."
        )
    return findings, select(findings, query)
