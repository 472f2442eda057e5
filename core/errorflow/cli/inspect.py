"""`errorflow inspect FILE`: what a file or a folder is and holds."""

import contextlib
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import SILENT, ErrorflowError, UsageError
from errorflow.base.files import Source, is_file, is_folder
from errorflow.cli.command import Command
from errorflow.cli.meter import plain
from errorflow.cli.session import SESSION
from errorflow.cli.where import HELP, nodes_where

if TYPE_CHECKING:
    from errorflow.compare.model import Comparison
    from errorflow.compare.results.table import ResultTable
    from errorflow.formats.format import Content
    from errorflow.graph.describe import Fact
    from errorflow.graph.model import Graph, Node

    Held = Content | Comparison | tuple[ResultTable, ...]


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a model, a file or folder of tensors, a comparison, a result table, a session, or a ticket bundle",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON for programs; a list where there are several files"
    )
    parser.add_argument("--nodes", action="store_true", help="list every node of the main graph, one a line")
    parser.add_argument("--where", metavar="QUERY", help=f"{HELP}; without runs by what a model says alone")
    parser.add_argument("--shapes", action="store_true", help="work out missing shapes first (ONNX)")


def _run(options: Namespace) -> int:
    """Inspects files. One that cannot be read does not hide the others; the exit code tells."""
    if len(options.files) == 1 and _is_case(options.files[0]):
        return _tell_case(options)
    failures: list[ErrorflowError] = []
    summaries = []
    for number, file in enumerate(options.files):
        try:
            content = _content(file, options)
        except ErrorflowError as error:
            if len(options.files) == 1:
                raise
            failures.append(error)
            continue
        if options.json:
            summaries.append(_json(file, content, options))
        else:
            print("\n" if number and not _lists(options) else "", end="")
            _print(file, content, options)
    if options.json:
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(summaries if len(options.files) > 1 else summaries[0], indent=2))
    for failure in failures:
        print(f"errorflow: {failure.message}\n{failure.hint}", file=sys.stderr)
    return 2 if failures else 0


def _is_case(file: str) -> bool:
    path = Path(file)
    if not is_file(path):
        return False
    if path.suffix.lower() == ".errorflow":
        return True
    # First this, for which nothing has to be loaded.
    with contextlib.suppress(OSError), path.open("rb") as opened:
        if opened.read(2) == b"PK":
            from errorflow.report.bundle.archive import is_bundle

            return is_bundle(path)
    return False


def _tell_case(options: Namespace) -> int:
    """A session or a ticket bundle, as `errorflow session` tells of it."""

    if _lists(options):
        raise UsageError(f"{options.files[0]} holds a case and no nodes.", f"Leave {_lists(options)} out.")
    parser = ArgumentParser()
    SESSION.arguments(parser)
    # Behind --, as a name may begin like an option.
    return SESSION.run(parser.parse_args([*(["--json"] if options.json else []), "--", options.files[0]]))


def _results(file: str, options: Namespace) -> "tuple[ResultTable, ...] | None":
    """The tables of another tool; None: it is something else, of which others say what."""
    from errorflow.compare.results import importer_of
    from errorflow.formats import FORMATS

    if is_folder(file):
        return None
    with Source(file) as source:
        importer = None if any(row.claims(source) for row in FORMATS) else importer_of(source)
        if importer is None:
            return None
        if _lists(options):
            raise UsageError(f"{file} holds results and no nodes.", f"Leave {_lists(options)} out.")
        return importer.read(source, SILENT)


def _comparison(file: str, options: Namespace) -> "Comparison | None":
    """Reads what `errorflow compare` wrote; None: it is something else."""
    from errorflow.compare.table_file import is_tensor_table, read_tensor_table

    if is_folder(file):
        return None
    with Source(file) as source:
        if not is_tensor_table(source):
            return None
        if _lists(options):
            raise UsageError(
                f"{file} holds a comparison and no nodes.",
                f"Leave {_lists(options)} out; `errorflow compare --where` finds nodes by what was measured.",
            )
        return read_tensor_table(source)


def _content(file: str, options: Namespace) -> "Held":
    from errorflow.formats import read
    from errorflow.formats.runs import read_run
    from errorflow.graph.model import Model

    comparison = _comparison(file, options)
    if comparison is not None:
        return comparison
    tables = _results(file, options)
    if tables is not None:
        return tables
    content = read_run(file) if is_folder(file) else read(file)
    if isinstance(content, Model):
        return content.infer_shapes(SILENT) if options.shapes and content.infer_shapes is not None else content
    if _lists(options):
        raise UsageError(f"{file} holds tensors and no nodes.", f"Leave {_lists(options)} out.")
    return content


def _lists(options: Namespace) -> str:
    """The option by which nodes are listed, if one is there."""
    return "--nodes" if options.nodes else "--where" if options.where is not None else ""


def _json(file: str, content: "Held", options: Namespace) -> dict[str, object]:
    from errorflow.compare.model import Comparison
    from errorflow.graph.describe import summary
    from errorflow.report.imported import result_summary

    if isinstance(content, Comparison):
        from errorflow.report.comparison_facts import comparison_summary

        return comparison_summary(Path(file), content)
    if isinstance(content, tuple):
        return result_summary(Path(file), content, with_rows=False)
    return summary(content) | (_nodes_json(content, options.where) if _lists(options) else {})


def _print(file: str, content: "Held", options: Namespace) -> None:
    from errorflow.compare.model import Comparison
    from errorflow.graph.describe import facts
    from errorflow.graph.model import Model
    from errorflow.report.imported import result_facts

    if isinstance(content, Comparison):
        from errorflow.report.comparison_facts import comparison_facts

        _print_facts(comparison_facts(Path(file), content))
    elif isinstance(content, tuple):
        _print_facts(result_facts(Path(file), content))
    elif _lists(options) and isinstance(content, Model):
        _print_nodes(content.graph, options.where)
    else:
        _print_facts(facts(content))


def _print_facts(rows: "Sequence[Fact]") -> None:
    width = min(40, max((len(row.label) for row in rows), default=0))
    section = ""
    for row in rows:
        if row.section != section:
            print(f"{'' if not section else chr(10)}{row.section}")
            section = row.section
        print(f"  {row.label:<{width}}  {row.value}")


def _print_nodes(graph: "Graph", where: str | None) -> None:
    from errorflow.graph.describe import known_text

    nodes, why = _nodes(graph, where)
    if why:
        print(plain(f"errorflow: {why}"), file=sys.stderr)
    for node in nodes:
        made = [graph.tensor_index(name) for name in node.outputs]
        shapes = ", ".join(known_text(graph.tensor(index)) for index in made if index is not None)
        print(f"{node.index}\t{node.op_type}\t{node.name}\t{shapes}")


def _nodes(graph: "Graph", where: str | None) -> "tuple[Iterator[Node], str]":
    """And why there are none, where a query finds none."""
    if where is None:
        return graph.nodes(), ""
    found, why = nodes_where(graph, where)
    return map(graph.node, found), why


def _nodes_json(content: "Content", where: str | None) -> dict[str, object]:
    from errorflow.graph.model import Model

    if not isinstance(content, Model):
        return {}
    nodes, why = _nodes(content.graph, where)
    rows = [
        {
            "index": node.index,
            "name": node.name,
            "type": node.op_type,
            "inputs": node.inputs,
            "outputs": node.outputs,
            "origins": node.origins,
        }
        for node in nodes
    ]
    return {"nodes": rows} | ({"why": why} if why else {})


INSPECT = Command(
    "inspect",
    "Say what a file is and holds: a model, a dump, results, or the wrong file for the job.",
    _arguments,
    _run,
)
