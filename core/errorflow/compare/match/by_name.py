"""Any two runs whose tensors have the same names."""

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.model import Match, Pair
from errorflow.formats.folders.dump import FolderDump
from errorflow.formats.folders.npu import NpuFolder
from errorflow.graph.dump import Dump


def match_by_name(reference: Dump, candidate: Dump, progress: Progress = SILENT) -> Match:
    """Pairs in the order of the reference, then what only the candidate has."""
    for dump in (reference, candidate):
        if isinstance(dump, FolderDump | NpuFolder):
            dump.look(progress)
    ours, theirs = dict.fromkeys(reference.names()), dict.fromkeys(candidate.names())
    pairs = []
    for name in ours | theirs:
        r = reference.stored(name) if name in ours else None
        c = candidate.stored(name) if name in theirs else None
        note = "only in the reference" if c is None else "only in the candidate" if r is None else ""
        pairs.append(Pair(name, c, r, rule="" if note else "tensor-name", note=note))
    return Match(
        tuple(pairs),
        only_reference=tuple(name for name in ours if name not in theirs),
        only_candidate=tuple(name for name in theirs if name not in ours),
    )
