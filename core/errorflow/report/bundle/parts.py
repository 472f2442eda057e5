"""The members of a bundle, one by one, in the order in which they are written, and what each part of it weighs."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np

from errorflow import __version__
from errorflow.base import ErrorflowError, Progress, dataclass, replace
from errorflow.base.files import PIECE_BYTES, Source
from errorflow.base.sample import folder as sample_folder
from errorflow.case.session.file import session_text
from errorflow.graph.dump import Stored
from errorflow.graph.model import Graph
from errorflow.report.bundle.draft import COMMAND, BundleDraft, call_of
from errorflow.report.bundle.form import ticket_text, versions_text
from errorflow.report.bundle.found_file import plain_kept
from errorflow.report.bundle.homes import rehomed, without_folders
from errorflow.report.bundle.model import (
    FOUND,
    GRAPH,
    KEPT,
    MARK,
    README,
    REPORT,
    SECOND,
    SESSION,
    TICKET,
    VERSION,
    VERSIONS,
    BundleChoice,
    Kind,
    Manifest,
    OmittedPart,
    OriginalFile,
    Redactions,
    encoded,
    texts,
)
from errorflow.report.bundle.redaction import Redactor
from errorflow.report.bundle.sizes import input_folders, size_of, uses_of

Pieces = Iterator[bytes]


@dataclass(frozen=True, slots=True)
class BundlePart:
    """A line of what goes in: how large it is, before it is packed."""

    key: str
    title: str
    kind: Kind
    size: int
    # How many nodes, files or the like; 0: nobody counts.
    count: int = 0
    # Whether it goes in as things are chosen.
    taken: bool = True


@dataclass(frozen=True, eq=False)
class Planned:
    """Plan of a bundle: all that is known of it before it is written."""

    choice: BundleChoice
    manifest: Manifest
    # Small files, already without what is taken out, by name.
    texts: Mapping[str, bytes]
    # Large ones: what gives their bytes.
    streams: Mapping[str, Callable[[], Pieces]]
    redactor: Redactor
    parts: tuple[BundlePart, ...] = ()

    @property
    def size(self) -> int:
        """Size of all that goes in, before it is packed."""
        return sum(part.size for part in self.parts if part.taken)


def planned(draft: BundleDraft, choice: BundleChoice, progress: Progress) -> Planned:
    """Plans a bundle; nothing is read of tensors and models yet."""
    redactor = Redactor(draft.secrets, choice.redactions)
    names = UniqueNames(redactor.text)
    case = draft.case
    graph = case.model.graph
    nodes = [node for name in choice.nodes if (node := node_of(graph, name)) is not None]
    numbers = draft.sizes.numbers(nodes)
    tensors = dict(_tensors(draft, numbers, names))
    ways = draft.sizes.input_ways if choice.inputs else {}
    inputs = {path: names.of("inputs", way) for path, way in ways.items()}
    models = {path: names.of("model", PurePath(path.name)) for path in (draft.sizes.models if choice.model else ())}
    progress.step(0, 1, "Taking out what must not be in the bundle")
    files = {**inputs, **models}
    folders = input_folders(case.session) if choice.inputs else ()
    homes = {**files, **{folder: f"inputs/{redactor.text(folder.name)}" for folder in folders}}
    manifest = Manifest(
        VERSION,
        __version__,
        draft.made.replace(microsecond=0, tzinfo=None).isoformat(),
        redactor.text(case.title),
        "" if case.blame is None else redactor.text(case.blame.model.kind),
        tuple(_originals(draft, choice, homes, redactor)),
        tuple(redactor.text(graph.title(node)) for node in nodes),
        tuple(_left_out(draft, choice, nodes)),
    )
    written = dict(_texts(draft, choice, manifest, homes, tensors, redactor))
    manifest = replace(manifest, redacted=_counted(redactor))
    streams: dict[str, Callable[[], Pieces]] = {name: _npy(stored) for name, (_, _, stored) in tensors.items()}
    streams |= {name: _file(path) for path, name in files.items()}
    parts = tuple(parts_of(draft, choice, sum(map(len, written.values()))))
    return Planned(choice, manifest, written, streams, redactor, parts)


def parts_of(draft: BundleDraft, choice: BundleChoice, texts: int) -> Iterator[BundlePart]:
    """Yields what can go in, whether chosen or not."""
    sizes, graph = draft.sizes, draft.case.model.graph
    nodes = [node for name in choice.nodes if (node := node_of(graph, name)) is not None]
    yield BundlePart("always", "Session, report, tables, graph without weights, form", "always", texts)
    size = sizes.of_pairs(sizes.numbers(nodes))
    yield BundlePart("tensors", "Tensors of the chosen nodes", "tensors", size, len(nodes), bool(nodes))
    yield BundlePart("inputs", "Inputs", "inputs", size_of(sizes.inputs), len(sizes.inputs), choice.inputs)
    yield BundlePart(
        "model", "Models with their weights", "model", size_of(sizes.models), len(sizes.models), choice.model
    )


def node_of(graph: Graph, name: str) -> int | None:
    """Finds a node by its name or title."""
    found = graph.node_index(name)
    return found if found is not None else next((n for n in range(len(graph)) if graph.title(n) == name), None)


# Names of members: they say what they are, are legal on every system, and each is there once.

_ODD = re.compile(r"[^\w.\-]+")
_FORBIDDEN = re.compile(r'[\x00-\x1f\\/:*?"<>|]')
_LONGEST = 80
# Folders around a file that are kept.
_DEEPEST = 3
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class UniqueNames:
    """Hands out each name once, whatever the case of its letters."""

    def __init__(self, redacted: Callable[[str], str]) -> None:
        self._redacted = redacted
        self._taken: set[str] = set()

    def of(self, folder: str, way: PurePath) -> str:
        """Names a file that is copied: its own name, by which it is looked for."""
        return self._free(folder, "/".join(_possible(self._redacted(part)) for part in way.parts[-_DEEPEST:]))

    def of_tensor(self, side: str, number: int, tensor: str) -> str:
        return self._free(f"tensors/{side}", f"{number:05}-{legal(self._redacted(tensor))}.npy")

    def beside(self, name: str) -> str:
        """Names a file that is not copied: where it would lie if the user put it there."""
        return self._free("", _possible(self._redacted(name)))

    def _free(self, folder: str, name: str) -> str:
        place = f"{folder}/" if folder else ""
        found, number = f"{place}{name}", 1
        while found.lower() in self._taken:
            number += 1
            found = f"{place}{number}/{name}"
        self._taken.add(found.lower())
        return found


def _possible(name: str) -> str:
    """Makes a possible name with as little changed as may be: a model finds its weights by their name."""
    found = _FORBIDDEN.sub("_", name)[-_LONGEST:].strip(" .") or "file"
    return f"_{found}" if _RESERVED.fullmatch(found) else found


def legal(name: str) -> str:
    """A name that any system takes."""
    found = _ODD.sub("_", name)[-_LONGEST:].strip(" .") or "file"
    return f"_{found}" if _RESERVED.fullmatch(found) else found


def _tensors(
    draft: BundleDraft, numbers: Sequence[int], names: UniqueNames
) -> Iterator[tuple[str, tuple[int, str, Stored]]]:
    match = draft.case.match
    for number in numbers if match is not None else ():
        assert match is not None, "there are numbers"
        pair = match.pairs[number]
        for side, stored in (("reference", pair.reference), ("candidate", pair.candidate)):
            if stored is not None:
                yield names.of_tensor(side, number, pair.tensor), (number, side, stored)


def _originals(
    draft: BundleDraft, choice: BundleChoice, files: Mapping[Path, str], redactor: Redactor
) -> Iterator[OriginalFile]:
    shown = not choice.redactions.paths
    for use, path in uses_of(draft.case.session):
        member = files.get(path, "")
        yield OriginalFile(use, redactor.text(path.name), member, redactor.text(str(path)) if shown else "")


def _left_out(draft: BundleDraft, choice: BundleChoice, nodes: Sequence[int]) -> Iterator[OmittedPart]:
    sizes, count = draft.sizes, len(draft.sizes.worst_first)
    if draft.case.match is not None and len(nodes) < count:
        what = "The tensors of all nodes" if not nodes else f"The tensors of {count - len(nodes):,} of {count:,} nodes"
        yield OmittedPart(what, "they were not chosen; all that was measured of them is here")
    if not choice.model:
        yield OmittedPart("The weights of the models", "they were not chosen; the graph is here without them")
    if sizes.inputs and not choice.inputs:
        yield OmittedPart("The inputs that the models were fed with", "they were not chosen")
    if draft.case.session.pairing and draft.second is None:
        yield OmittedPart("The second graph", "its model could not be read")
    if any(use in ("candidate", "reference", "simulator") for use, _ in uses_of(draft.case.session)):
        yield OmittedPart("The whole runs", "a bundle takes the tensors of chosen nodes only")


def _texts(
    draft: BundleDraft,
    choice: BundleChoice,
    manifest: Manifest,
    files: Mapping[Path, str],
    tensors: Mapping[str, tuple[int, str, Stored]],
    redactor: Redactor,
) -> Iterator[tuple[str, bytes]]:
    yield MARK, f"{VERSION}\n".encode()
    yield README, _bytes(readme_text(manifest, choice))
    yield TICKET, _bytes(redactor.text(ticket_text(draft.case, choice)))
    yield SESSION, _bytes(_session(draft, files, redactor))
    yield from _unchanging(draft, choice.redactions, redactor)
    kept = {f"{number} {side}": plain_kept(name, stored) for name, (number, side, stored) in tensors.items()}
    yield KEPT, _bytes(encoded({"tensors": kept}))


def _unchanging(draft: BundleDraft, redactions: Redactions, redactor: Redactor) -> Iterator[tuple[str, bytes]]:
    """Looked through once, whatever else is chosen."""
    if redactions not in draft.kept:
        fresh = Redactor(draft.secrets, redactions)
        draft.kept[redactions] = dict(_large(draft, fresh)), fresh.counts
    found, counts = draft.kept[redactions]
    redactor.add(counts)
    yield from found.items()


def _large(draft: BundleDraft, redactor: Redactor) -> Iterator[tuple[str, bytes]]:
    yield REPORT, _bytes(redactor.page(draft.report))
    yield VERSIONS, _bytes(redactor.text(versions_text()))
    configs = dict(draft.configs)
    if COMMAND in configs and redactor.redactions.paths:
        configs[COMMAND] = f"{call_of(without_folders(draft.case.session))}\n"
    for name, text in configs.items():
        yield f"config/{redactor.text(name)}", _bytes(redactor.file(name, text))
    for name, text in draft.tables.items():
        yield f"tables/{name}", _bytes(redactor.table(text))
    yield GRAPH, _bytes(redactor.values(draft.graph))
    yield FOUND, _bytes(redactor.values(draft.found))
    if draft.second is not None:
        yield SECOND, _bytes(redactor.values(draft.second))


def _bytes(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


def _session(draft: BundleDraft, files: Mapping[Path, str], redactor: Redactor) -> str:
    """Writes the session with its files where they lie in the bundle, or would lie if the user put them there."""
    import json

    root = Path(Path.cwd().anchor, "bundle")
    names, known = UniqueNames(redactor.text), dict[Path, str]()

    def now(path: Path) -> Path:
        if sample_folder() in path.parents:  # it is everywhere
            return path
        if path not in known:  # two of a name are still two
            known[path] = files[path] if path in files else names.beside(path.name)
        return root / known[path]

    rows = json.loads(session_text(rehomed(replace(draft.case.session, bundle=None, since=None), now), root))
    return json.dumps(texts(rows, redactor.text), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _counted(redactor: Redactor) -> dict[str, int]:
    counts: dict[str, int] = {}
    for found in redactor.findings:
        counts[found.what] = counts.get(found.what, 0) + found.count
    return counts


def _npy(stored: Stored) -> Callable[[], Pieces]:
    def pieces() -> Pieces:
        values = stored.read()
        if values.dtype.hasobject:
            raise ErrorflowError("It holds no numbers.", "Leave it out.")
        head = io.BytesIO()
        values = np.asarray(values, order="C")
        shape = tuple(values.shape)
        np.lib.format.write_array_header_1_0(
            head, {"descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False, "shape": shape}
        )
        yield head.getvalue()
        flat = values.reshape(-1).view(np.uint8) if values.size else np.zeros(0, np.uint8)
        for start in range(0, flat.size, PIECE_BYTES):
            yield flat[start : start + PIECE_BYTES].tobytes()

    return pieces


def _file(path: Path) -> Callable[[], Pieces]:
    def pieces() -> Pieces:
        with Source(path, head=0) as source:
            yield from source.pieces()

    return pieces


# What stands in README.txt: how a bundle is opened, what is in it, and what is not.

_INSIDE = (
    ("ticket.md", "the form: what was compared, the verdict, the answers, blanks"),
    ("report.html", "all that was found, for any browser"),
    ("tables/", "nodes and tensors with all measures, for a spreadsheet"),
    ("case.errorflow", "the session: what was decided, noted and tried"),
    ("config/", "the call of the command line, the plan, settings of toolchains"),
    ("versions.txt", "what it was measured with"),
    ("results/", "the graph without weights and all measures, for Errorflow"),
    ("tensors/", "the tensors of the chosen nodes, as .npy"),
    ("inputs/", "what the models were fed with"),
    ("model/", "the models with their weights"),
    ("manifest.json", "what is in here, what was left out and why, a checksum of each file"),
)


def readme_text(manifest: Manifest, choice: BundleChoice) -> str:
    return "\n".join(_lines(manifest, choice)) + "\n"


def _lines(manifest: Manifest, choice: BundleChoice) -> Iterator[str]:
    yield f"{manifest.title}: a ticket bundle, {manifest.said}."
    yield ""
    yield "Open this .zip in Errorflow: drop it onto the window, or call `errorflow-viewer case.zip`."
    yield "Without Errorflow read ticket.md, and open report.html in a browser."
    yield "To put the original files beside it: `errorflow session case.zip --unpack FOLDER`."
    yield ""
    yield "Inside"
    left = {"tensors/": not manifest.nodes, "inputs/": not choice.inputs, "model/": not choice.model}
    yield from (f"  {name:16} {what}" for name, what in _INSIDE if not left.get(name, False))
    if manifest.left_out:
        yield ""
        yield "Not inside"
        yield from (f"  {each.what}: {each.why}." for each in manifest.left_out)
    yield ""
    yield "Taken out"
    yield f"  folders of files: {'yes' if choice.redactions.paths else 'no'}"
    yield f"  names of users and machines: {'yes' if choice.redactions.names else 'no'}"
