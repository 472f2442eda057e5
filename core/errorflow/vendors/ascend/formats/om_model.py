"""Reads an offline model: finds its parts, decodes the operators, assembles."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.arrays import Longs, is_possible
from errorflow.base.files import Snapshot, Source
from errorflow.formats.compiled import ConstantPlace, ModelText
from errorflow.graph.model import Model, Weight
from errorflow.vendors.ascend.formats import om_nodes, values
from errorflow.vendors.ascend.formats.assemble import MAX_GRAPHS, MAX_NODES, GraphDraft, assemble, too_large
from errorflow.vendors.ascend.formats.compressed import KEYS, Dictionary
from errorflow.vendors.ascend.formats.facts import model_facts
from errorflow.vendors.ascend.formats.json_nodes import node_attributes
from errorflow.vendors.ascend.formats.messages import Decoder
from errorflow.vendors.ascend.formats.om_file import AGAIN, MODEL, WEIGHTS, Range, container
from errorflow.vendors.ascend.formats.window import OmWindow

_MODEL_NAME, _VERSION, _CUSTOM_VERSION, _GRAPH, _MODEL_ATTRIBUTE = 1, 2, 3, 7, 11
GRAPH_NAME, _INPUT, _OUTPUT, NODE = 1, 4, 5, 6
_NODES_PER_STEP = 200


def read(source: Source, label: str, progress: Progress) -> Model:
    """The model in `source`; `label` names its format."""
    snapshot = Snapshot.of(source)
    found = container(source)
    window = OmWindow(source)
    texts: list[ModelText] = []
    drafts: list[GraphDraft] = []
    for parts in found.models:
        if MODEL not in parts:
            continue
        text, dictionary, places = outline(window, parts[MODEL])
        texts.append(text)
        reader = _GraphReader(snapshot, Decoder(window, dictionary), parts.get(WEIGHTS, (0, 0)), progress)
        known = {draft.name for draft in drafts}
        for draft in map(reader.read, places):
            # The models behind the first describe subgraphs of it, which it may hold itself.
            if draft.name not in known:
                drafts.append(draft)
    if not drafts:
        raise FormatError(f"{source.name} describes no graph.", AGAIN)
    if not drafts[0].name:
        drafts[0].name = texts[0].name
    graph, functions = assemble(drafts)
    more = (("Platform", found.platform), ("Models in the file", str(len(found.models))))
    return Model(source.path, label, graph, (*model_facts(texts[0]), *((n, v) for n, v in more if v)), functions)


@dataclass(frozen=True, slots=True)
class _GraphReader:
    """Reads graphs of one of the models in the file."""

    snapshot: Snapshot
    decoder: Decoder
    weights: Range
    progress: Progress

    def read(self, place: Range) -> GraphDraft:
        draft, nodes, ends = GraphDraft(), list[Range](), dict[int, list[str]]({_INPUT: [], _OUTPUT: []})
        for number, begin, stop in self.decoder.window.fields(*place):
            if number == NODE:
                nodes.append((begin, stop))
                if len(nodes) > MAX_NODES:
                    raise too_large()
            elif number == GRAPH_NAME:
                draft.name = _text(self.decoder.window, begin, stop)
            elif number in ends:
                ends[number].append(_text(self.decoder.window, begin, stop))
        draft.inputs, draft.outputs = tuple(ends[_INPUT]), tuple(ends[_OUTPUT])
        for count, (begin, stop) in enumerate(nodes):
            if count % _NODES_PER_STEP == 0:
                self.progress.step(begin, self.snapshot.size, "Reading operators")
            draft.add(om_nodes.node(self.decoder, begin, stop))
        draft.builder.weights = AscendConstants(self.snapshot, draft.constants, self.weights)
        draft.builder.attributes = AscendNodeAttributes(
            self.snapshot, draft.places, _AttributeDecoder(self.decoder.dictionary)
        )
        return draft


@dataclass(frozen=True, slots=True)
class _AttributeDecoder:
    """Decoder of everything that the file says about an operator, as for the printed form."""

    dictionary: Dictionary

    def __call__(self, snapshot: Snapshot, start: int, end: int) -> Mapping[str, object]:
        with snapshot.open() as source:
            decoder = Decoder(OmWindow(source, end - start), self.dictionary)
            return node_attributes({"id": 0} | decoder.message("Node", start, end))


def outline(window: OmWindow, part: Range) -> tuple[ModelText, Dictionary, list[Range]]:
    """Reads what a model definition says of itself, its dictionary, and where its graphs lie."""
    texts = {_MODEL_NAME: "", _VERSION: "", _CUSTOM_VERSION: ""}
    graphs, entries = list[Range](), list[Range]()
    for number, begin, stop in window.fields(*part):
        if number == _GRAPH:
            graphs.append((begin, stop))
            if len(graphs) > MAX_GRAPHS:
                raise too_large()
        elif number == _MODEL_ATTRIBUTE:
            entries.append((begin, stop))
        elif number == _VERSION:
            texts[number] = str(window.number(begin, stop))
        elif number in texts:
            texts[number] = _text(window, begin, stop)
    plain = Decoder(window, Dictionary())
    attributes = {}
    for begin, stop in entries:
        key, inside, outside = window.entry(begin, stop)
        name = key.decode(errors="replace")
        attributes[name] = values.plain(plain.value(name, inside, outside))
    dictionary = Dictionary.of(attributes)
    kept = {name: value for name, value in attributes.items() if name not in KEYS}
    return ModelText(texts[_MODEL_NAME], texts[_VERSION], texts[_CUSTOM_VERSION], kept), dictionary, graphs


def _text(window: OmWindow, start: int, end: int) -> str:
    return window.copy(start, end).decode(errors="replace")


_NUMPY = {
    "float32": "<f4",
    "float16": "<f2",
    "float64": "<f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "bool": "u1",
    "bfloat16": "<u2",
    "complex64": "<c8",
    "complex128": "<c16",
}
_AGAIN = "Convert the model again, or look at the values in the model it was made from."


@dataclass(frozen=True, slots=True)
class AscendConstants:
    """The constants of one graph, by the name of the tensor that each makes."""

    snapshot: Snapshot
    rows: Mapping[str, ConstantPlace]
    # Where the weights of the model lie in the file.
    part: tuple[int, int]

    def names(self) -> Sequence[str]:
        return tuple(self.rows)

    def info(self, name: str) -> Weight:
        row = self.rows[name]
        return Weight(name, row.dtype, row.shape, row.nbytes)

    def read(self, name: str) -> NDArray[np.generic]:
        """The values, bfloat16 widened to float32; what is no array is a `FormatError`."""
        row = self.rows[name]
        if row.dtype not in _NUMPY:
            raise FormatError(f"The values of {name} are of the type {row.dtype}, which cannot be shown.", _AGAIN)
        dtype = np.dtype(_NUMPY[row.dtype])
        needed = prod(row.shape) * dtype.itemsize
        begin, end = self._place(row)
        fits = is_possible(row.shape, dtype.itemsize) and needed <= row.nbytes
        if not fits or end > self._limit(row) or begin < 0:
            raise FormatError(f"The values of {name} do not lie where the file says, or are of another size.", _AGAIN)
        values = np.frombuffer(self.snapshot.read(begin, begin + needed), dtype).reshape(row.shape)
        return _readable(values, row.dtype)

    def _place(self, row: ConstantPlace) -> tuple[int, int]:
        begin = row.start if row.inline else self.part[0] + row.start
        return (begin if row.start >= 0 else -1), begin + row.nbytes

    def _limit(self, row: ConstantPlace) -> int:
        return self.snapshot.size if row.inline else self.part[1]


def _readable(stored: NDArray[np.generic], dtype: str) -> NDArray[np.generic]:
    values = stored
    if dtype == "bool":
        values = stored != 0
    elif dtype == "bfloat16":
        values = (stored.astype(np.uint32) << 16).view(np.float32)
    values.flags.writeable = False
    return values


# Parts of a file that are read again later, when someone looks at a node: not kept in memory until then.


@dataclass(frozen=True, slots=True)
class AscendNodeAttributes:
    """The attributes of one graph's nodes: where they lie in the file, and how to decode them."""

    snapshot: Snapshot
    # One row per node: first byte and the byte behind the last.
    places: Longs
    decode: Callable[[Snapshot, int, int], Mapping[str, object]]

    def __call__(self, node: int) -> Mapping[str, object]:
        start, end = self.places[node].tolist()
        return LazyMapping(lambda: self.decode(self.snapshot, start, end))


@dataclass(frozen=True, eq=False)
class LazyMapping(Mapping[str, object]):
    """A mapping that is made when it is first looked into; that may raise what reading a file may raise."""

    make: Callable[[], Mapping[str, object]] = field(repr=False)

    @cached_property
    def _made(self) -> Mapping[str, object]:
        return self.make()

    def __getitem__(self, key: str) -> object:
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
