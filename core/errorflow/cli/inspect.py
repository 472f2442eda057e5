"""`errorflow inspect FILE`: what a file is and holds."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from errorflow.cli.command import Command
from errorflow.errors import UsageError

if TYPE_CHECKING:
    from errorflow.formats.format import Content
    from errorflow.graph.model import Graph


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a model or a file of tensors")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--nodes", action="store_true", help="list every node of the main graph, one a line")
    parser.add_argument("--shapes", action="store_true", help="work out missing shapes first (ONNX)")


def _run(options: Namespace) -> int:
    from errorflow.describe import summary
    from errorflow.formats import read
    from errorflow.graph.model import Model
    from errorflow.progress import SILENT

    content = read(options.file)
    if options.shapes and isinstance(content, Model) and content.infer_shapes is not None:
        content = content.infer_shapes(SILENT)
    if options.nodes and not isinstance(content, Model):
        raise UsageError(f"{options.file} holds tensors and no nodes.", "Leave --nodes out.")
    if options.json:
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(summary(content) | (_nodes_json(content) if options.nodes else {}), indent=2))
    elif options.nodes and isinstance(content, Model):
        _print_nodes(content.graph)
    else:
        _print_facts(content)
    return 0


def _print_facts(content: "Content") -> None:
    from errorflow.describe import facts

    rows = facts(content)
    width = min(40, max((len(row.label) for row in rows), default=0))
    section = ""
    for row in rows:
        if row.section != section:
            print(f"{'' if not section else chr(10)}{row.section}")
            section = row.section
        print(f"  {row.label:<{width}}  {row.value}")


def _print_nodes(graph: "Graph") -> None:
    from errorflow.describe import tensor_text

    for node in graph.nodes():
        made = [graph.tensor_index(name) for name in node.outputs]
        shapes = ", ".join(tensor_text(graph.tensor(index)) for index in made if index is not None)
        print(f"{node.index}\t{node.op_type}\t{node.name}\t{shapes}")


def _nodes_json(content: "Content") -> dict[str, object]:
    from errorflow.graph.model import Model

    if not isinstance(content, Model):
        return {}
    rows = [
        {
            "index": node.index,
            "name": node.name,
            "type": node.op_type,
            "inputs": node.inputs,
            "outputs": node.outputs,
            "origins": node.origins,
        }
        for node in content.graph.nodes()
    ]
    return {"nodes": rows}


INSPECT = Command(
    "inspect", "Say what a file is and holds: a model, a dump, or the wrong file for the job.", _arguments, _run
)
