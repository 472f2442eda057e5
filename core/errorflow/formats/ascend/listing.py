"""The operators of a compiled model one by one, as the file has them: for matching, which graphs say too little for.

A graph joins what belongs together (inputs with their producers, all outputs of an operator); msaccucmp goes by the
texts, also by those that are odd.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.formats.ascend import json_nodes, om_nodes
from errorflow.formats.ascend.claims import is_atc_json, is_quant_info
from errorflow.formats.ascend.compressed import Dictionary
from errorflow.formats.ascend.cut import Cutter
from errorflow.formats.ascend.messages import Decoder
from errorflow.formats.ascend.om import OM
from errorflow.formats.ascend.om_file import MODEL, container
from errorflow.formats.ascend.om_model import GRAPH_NAME, NODE, outline
from errorflow.formats.ascend.plain import NodeText
from errorflow.formats.ascend.window import Window

_NODES_PER_STEP = 200


@dataclass(frozen=True, slots=True)
class Listing:
    """The graphs of one file in their order, each a list of operators; of no more than these one knows the name."""

    graphs: tuple[tuple[NodeText, ...], ...]
    names: tuple[str, ...]


def read_listing(path: str | Path, progress: Progress = SILENT) -> Listing:
    """The operators that an ATC JSON, an offline model or AMCT's quantization information lists."""
    with Source(path) as source:
        if OM.claims(source):
            return _of_om(source, progress)
        if is_atc_json(source) or is_quant_info(source):
            return _of_json(source, progress)
        raise WrongFileError(
            f"{source.name} does not say which operators were fused.",
            "Give the JSON that `atc --mode=1 --om=model.om --json=model.json` prints, the .om itself, or for -q the "
            "…_quant.json of AMCT.",
        )


def _of_json(source: Source, progress: Progress) -> Listing:
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
    return Listing(tuple(map(tuple, groups)), names)


def _of_om(source: Source, progress: Progress) -> Listing:
    window = Window(source)
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
    return Listing(tuple(graphs), tuple(names))


def _graph_name(window: Window, start: int, end: int) -> str:
    found = [window.copy(begin, stop) for number, begin, stop in window.fields(start, end) if number == GRAPH_NAME]
    return found[-1].decode(errors="replace") if found else ""


def _nodes(window: Window, dictionary: Dictionary, place: tuple[int, int], progress: Progress) -> Iterator[NodeText]:
    decoder = Decoder(window, dictionary)
    places = [(begin, stop) for number, begin, stop in window.fields(*place) if number == NODE]
    for count, (begin, stop) in enumerate(places):
        if count % _NODES_PER_STEP == 0:
            progress.step(count, len(places), "Reading operators")
        yield om_nodes.node(decoder, begin, stop)
