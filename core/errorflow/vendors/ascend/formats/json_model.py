"""Reads an ATC JSON into a model: cuts, decodes, assembles."""

from collections.abc import Sequence
from dataclasses import replace

from errorflow.base import FormatError, Progress
from errorflow.base.files import Snapshot, Source
from errorflow.formats.compiled import NodeText, TensorText
from errorflow.graph.build import counted
from errorflow.graph.model import Model
from errorflow.vendors.ascend.formats import json_nodes
from errorflow.vendors.ascend.formats.assemble import MAX_GRAPHS, GraphDraft, assemble, note, too_large
from errorflow.vendors.ascend.formats.cut import Cutter
from errorflow.vendors.ascend.formats.facts import model_facts
from errorflow.vendors.ascend.formats.json_nodes import GraphRest
from errorflow.vendors.ascend.formats.om_model import AscendNodeAttributes

_AGAIN = "Print it again with `atc --mode=1 --om=… --json=…`."


def read(source: Source, label: str, progress: Progress, *, listed: bool = False) -> Model:
    """The model in `source`; `label` names its format. `listed`: a list of operators, without their edges."""
    snapshot = Snapshot.of(source)
    cutter = Cutter(source)
    groups: list[GraphDraft] = []
    misfits: list[str] = []
    for cut in cutter.cuts(progress):
        _keep_up(groups, cutter)
        node = json_nodes.node(cut, source.name, misfits)
        groups[cut.group].add(_listed(node) if listed else node)
    _keep_up(groups, cutter)
    text, graphs = json_nodes.rest(bytes(cutter.rest), source.name)
    drafts = _drafts(graphs, dict(zip(cutter.firsts, groups, strict=True)), source.name)
    if not drafts:
        raise FormatError(f"{source.name} is an ATC JSON without any graph.", _AGAIN)
    if misfits:
        note(
            drafts[0].builder,
            counted(len(misfits), "operator holds", "operators hold") + " something unexpected, which was left out",
            misfits,
        )
    for draft in drafts:
        draft.builder.attributes = AscendNodeAttributes(snapshot, draft.places, json_nodes.attributes)
    if not drafts[0].name:
        drafts[0].name = text.name
    graph, functions = assemble(drafts)
    return Model(source.path, label, graph, model_facts(text), functions)


def _listed(node: NodeText) -> NodeText:
    """Makes a node that is not described: it reads something and makes something all the same; what, the list does not
    say.
    """
    return node if node.outputs else replace(node, inputs=node.inputs or ("",), outputs=(TensorText(),))


def _keep_up(groups: list[GraphDraft], cutter: Cutter) -> None:
    """A draft for each list of operators that has begun."""
    if len(cutter.firsts) > MAX_GRAPHS:
        raise too_large()
    groups.extend(GraphDraft() for _ in range(len(groups), len(cutter.firsts)))


def _drafts(graphs: Sequence[GraphRest], groups: dict[int, GraphDraft], name: str) -> list[GraphDraft]:
    """The graphs in file order, each with the operators that were cut out of it."""
    drafts = []
    if len(graphs) > MAX_GRAPHS:
        raise too_large()
    for rest in graphs:
        listed = [] if rest.op is None else rest.op
        numbers = [number for number in listed if number is not None]
        draft = groups.pop(numbers[0], None) if numbers else GraphDraft()
        if draft is None or numbers != list(range(numbers[0], numbers[0] + len(draft.rows)) if numbers else []):
            raise FormatError(f"{name} lists something else than operators in a graph.", _AGAIN)
        draft.name = "" if rest.name is None else rest.name
        draft.inputs, draft.outputs = json_nodes.texts(rest.input), json_nodes.texts(rest.output)
        if len(numbers) < len(listed):
            empty = counted(len(listed) - len(numbers), "operator is empty and was", "operators are empty and were")
            note(draft.builder, f"{empty} left out", ["null"])
        drafts.append(draft)
    stray = sum(len(draft.rows) for draft in groups.values())
    if stray and drafts:
        outside = counted(
            stray, "operator stands outside of any graph and was", "operators stand outside of any graph and were"
        )
        note(drafts[0].builder, f"{outside} left out", ["op"])
    return drafts
