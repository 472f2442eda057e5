"""Folders of bare values (`.bin`), as `pulsar2 run` writes them; what they mean, the model says or the user."""

import re
from collections.abc import Iterable, Mapping

from errorflow.base import Progress, UsageError
from errorflow.formats.folders.array_file import RawMember
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.scan import Declared, Folder, FolderHints, Listing, stem_of, tensors_by_stem
from errorflow.graph.dump import Dump
from errorflow.graph.model import Graph, Problem

LABEL = "folder of raw tensors"
MAX_RANK = 64
MAX_LISTED = 5
_SUFFIX = ".bin"
_SHAPE = re.compile(r"(?P<name>.+)=(?P<dims>[0-9?x]*)(?::(?P<dtype>[a-z0-9]+))?", re.ASCII)


def declared_by(graph: Graph) -> dict[str, Declared]:
    """Declares what a model says of its tensors, for the files that do not."""
    tensors = (graph.tensor(index) for index in range(len(graph.tensor_names)))
    return {
        tensor.name: Declared(tensor.dtype, tuple(dim if isinstance(dim, int) else None for dim in tensor.shape))
        for tensor in tensors
        if tensor.shape is not None
    }


def parse_shapes(texts: Iterable[str]) -> dict[str, Declared]:
    """Parses what the user says: `name=1x3x8x8:float32` each; `?` is a dimension that the file's size tells."""
    found: dict[str, Declared] = {}
    for text in texts:
        parts = _SHAPE.fullmatch(text)
        dims = parts["dims"].split("x") if parts and parts["dims"] else []
        if not parts or len(dims) > MAX_RANK or not all(dim == "?" or dim.isdecimal() for dim in dims):
            raise UsageError(f"“{text}” is no shape.", "Write it like this: name=1x3x224x224:float32.")
        if dims.count("?") > 1:
            raise UsageError(f"“{text}” leaves more than one dimension open.", "Give all but one.")
        dtype = parts["dtype"] if parts["dtype"] else "float32"
        found[parts["name"]] = Declared(dtype, tuple(None if dim == "?" else int(dim) for dim in dims))
    return found


def shape_texts(graph: Graph, tensors: Iterable[int]) -> tuple[str, ...]:
    """The same for tensors of a model, as far as it says; what it leaves open is `?`, of which a file tells one."""
    found = (graph.tensor(index) for index in tensors)
    return tuple(
        f"{tensor.name}={'x'.join(str(dim) if isinstance(dim, int) else '?' for dim in tensor.shape)}:{tensor.dtype}"
        for tensor in found
        if tensor.shape is not None and tensor.dtype
    )


def _is_raw(found: Listing) -> bool:
    return any(name.endswith(_SUFFIX) for name in found.files)


def read_raw(found: Listing, given: FolderHints, progress: Progress) -> Dump:
    """The files for which a shape is known; the others are a problem."""
    progress.step(0, 1, found.path.name)
    files = [name for name in found.files if name.endswith(_SUFFIX)]
    if not given.tensors:
        raise UsageError(
            f"The {len(files):,} .bin files in {found.path} do not say what type and shape they have.",
            "Choose the model too (--model), or say it in “Shapes of raw files” (--shapes name=1x3x224x224:float32).",
        )
    names, clashes = tensors_by_stem(given.tensors)
    members, unknown = _members(found, files, names, given.tensors)
    listed = [*found.problems, *clashes]
    if len(members) + len(unknown) < len(files):
        listed.append(Problem("Several files are of one tensor; the last of them is used."))
    if unknown:
        shown = ", ".join(unknown[:MAX_LISTED])
        listed.append(Problem(f"No shape is known for {len(unknown):,} files, such as {shown}."))
    return FolderDump(found.path, LABEL, members, tuple(listed))


def _members(
    found: Listing, files: list[str], names: Mapping[str, str], tensors: Mapping[str, Declared]
) -> tuple[dict[str, RawMember], list[str]]:
    members: dict[str, RawMember] = {}
    unknown: list[str] = []
    for file in files:
        name = names.get(stem_of(file.removesuffix(_SUFFIX)))
        if name is None or sum(dim is None for dim in tensors[name].shape) > 1:
            unknown.append(file)
        else:
            members[name] = RawMember(found.path / file, tensors[name])
    return members, unknown


RAW_FOLDER = Folder(
    key="raw-folder",
    label=LABEL,
    claims=_is_raw,
    read=read_raw,
    obtain="`pulsar2 run --enable_perlayer_output` writes a .bin file per tensor.",
)
