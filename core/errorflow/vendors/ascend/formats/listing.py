"""The operators of a compiled model one by one, as the file has them."""

from collections.abc import Iterator

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.formats.compiled import GraphListing, NodeText
from errorflow.vendors.ascend.formats import json_nodes, om_nodes
from errorflow.vendors.ascend.formats.compressed import Dictionary
from errorflow.vendors.ascend.formats.cut import Cutter
from errorflow.vendors.ascend.formats.messages import Decoder
from errorflow.vendors.ascend.formats.om_file import MODEL, container
from errorflow.vendors.ascend.formats.om_model import GRAPH_NAME, NODE, outline
from errorflow.vendors.ascend.formats.window import OmWindow

_NODES_PER_STEP = 200


def of_json(source: Source, progress: Progress) -> GraphListing:
    cutter = Cutter(source)
    groups: list[list[NodeText]] = []
    misfits: list[str] = []
    for cut in cutter.cuts(progress):
        groups.extend([] for _ in range(len(groups), len(cutter.firsts)))
        groups[cut.group].append(json_nodes.node(cut, source.name, misfits))
    _, graphs = json_nodes.rest(bytes(cutter.rest), source.name)
    if not groups:
        raise FormatError(f"{source.name} lists no operators.", "Print it again with `atc --mode=1`.")
    names = tuple("" if graph.name is None else graph.name for graph in graphs)
    return GraphListing(tuple(map(tuple, groups)), names)


def of_om(source: Source, progress: Progress) -> GraphListing:
    window = OmWindow(source)
    graphs: list[tuple[NodeText, ...]] = []
    names: list[str] = []
    for parts in container(source).models:
        if MODEL not in parts:
            continue
        _, dictionary, places = outline(window, parts[MODEL])
        for begin, stop in places:
            name = _graph_name(window, begin, stop)
            # The models behind the first describe subgraphs of it, which it may hold itself.
            if name not in names:
                names.append(name)
                graphs.append(tuple(_nodes(window, dictionary, (begin, stop), progress)))
    return GraphListing(tuple(graphs), tuple(names))


def _graph_name(window: OmWindow, start: int, end: int) -> str:
    found = [window.copy(begin, stop) for number, begin, stop in window.fields(start, end) if number == GRAPH_NAME]
    return found[-1].decode(errors="replace") if found else ""


def _nodes(window: OmWindow, dictionary: Dictionary, place: tuple[int, int], progress: Progress) -> Iterator[NodeText]:
    decoder = Decoder(window, dictionary)
    places = [(begin, stop) for number, begin, stop in window.fields(*place) if number == NODE]
    for count, (begin, stop) in enumerate(places):
        if count % _NODES_PER_STEP == 0:
            progress.step(count, len(places), "Reading operators")
        yield om_nodes.node(decoder, begin, stop)
