"""Reads a graph as a list of edges: a first line `edges 1`, then a node on each, its type, what it reads and makes."""

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.formats.format import Format
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model

_MAGIC = b"edges 1\n"
_MOST_BYTES = 16 * 1024**2
_AGAIN = "Write it again, or copy it again if it was cut off."


def _read(source: Source, progress: Progress) -> Model:
    if source.size > _MOST_BYTES:
        raise FormatError(f"{source.name} is larger than {_MOST_BYTES >> 20} MB, which no list of edges is.", _AGAIN)
    progress.step(0, source.size, f"Reading {source.name}")
    lines = b"".join(source.pieces()).decode("utf-8", "replace").splitlines()[1:]
    builder = GraphBuilder(source.path.stem)
    made: list[str] = []
    for number, line in enumerate(lines, 2):
        words = line.split()
        if len(words) != 4:
            raise FormatError(f"Line {number} of {source.name} has {len(words)} words, not 4.", _AGAIN)
        name, kind, read, makes = words
        if not made:
            builder.input(read)
        builder.node(kind, [read], [makes], name=name)
        made.append(makes)
    if made:
        builder.output(made[-1])
    return Model(source.path, EDGE_LIST.label, builder.build())


EDGE_LIST = Format(
    key="edge-list",
    label="List of edges",
    holds="model",
    extensions=(".edges",),
    claims=lambda source: source.head[: len(_MAGIC)] == _MAGIC,
    read=_read,
    obtain="Anybody can write it by hand.",
)
