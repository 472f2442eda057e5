"""File of what was found: every row with all of its measures, pairs, verdicts and blame, and the three stages."""

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FileError, FormatError, Progress, dataclass, field, fields
from errorflow.base.files import is_file
from errorflow.case.session.known import KeptParts, parts_of
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import NOTHING, Comparison, Row
from errorflow.explain.blame.model import Blame, ExactParts, ModelVerdict, Verdict
from errorflow.explain.inspect.tensors import WorkedOut
from errorflow.explain.stages.model import Stages
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.model import Graph, Problem
from errorflow.graph.qparams import QParams
from errorflow.report.bundle.model import KEPT, plain, read

MOST_BYTES = 1 << 30
_NAME = "The table of results"
_HINT = "Ask for the bundle once more; this one was changed or cut."
_COLUMNS = ("accumulated", "introduced", "inherited", "shares", "gains")
_MATCHED = ("only_reference", "only_candidate", "exit_code", "network_inputs", "network_outputs")


@dataclass(frozen=True, slots=True)
class PairFacts:
    """`Pair`, of whose tensors only what is known without their values."""

    tensor: str
    candidate: TensorInfo | None
    reference: TensorInfo | None
    rule: str = ""
    note: str = ""
    way: str = ""
    layout: str = ""
    shape: tuple[int, ...] | None = None
    node: str = ""
    op_type: str = ""
    speaker: str = ""
    listed: Listed | None = None
    qparams: QParams | None = None
    broken: str = ""


@dataclass(frozen=True, slots=True)
class _MatchFacts:
    """Facts of `Match` but its pairs."""

    only_reference: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    exit_code: int = 0
    network_inputs: tuple[str, ...] = ()
    network_outputs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Absent:
    """A tensor that is not in the bundle."""

    info: TensorInfo
    # Whose it is: "reference" or "candidate".
    side: str = ""

    @property
    def path(self) -> str:
        return self.info.name

    @property
    def lack(self) -> str:
        return f"The values of {self.info.name} are not in the bundle; all that was measured of it is."

    def read(self) -> NDArray[np.generic]:
        text = f"The {self.side}'s values of {self.info.name} are not in the bundle; all that was measured of it is."
        raise FileError(text if self.side else self.lack, "Ask for a bundle with the tensors of this node.")


@dataclass(frozen=True, slots=True)
class BundledResults:
    """Result of reading."""

    comparison: Comparison = NOTHING
    match: Match | None = None
    blame: Blame | None = None
    stages: Stages | None = None


# Where a tensor that came along lies: by the number of its pair and its side.
Finds = Callable[[int, str, TensorInfo], Stored]


def _finds_none(_: int, side: str, info: TensorInfo) -> Stored:
    return Absent(info, side)


def plain_found(
    comparison: Comparison, match: Match | None, blame: Blame | None, stages: Stages | None
) -> dict[str, Any]:
    return {
        "comparison": None if comparison is NOTHING else _plain_comparison(comparison),
        "match": None if match is None else _plain_match(match),
        "blame": None if blame is None else _plain_blame(blame),
        "stages": None if stages is None else plain(stages),
    }


def _plain_comparison(comparison: Comparison) -> dict[str, Any]:
    scales = [{each.name: getattr(scale, each.name) for each in fields(Scale)} for scale in comparison.scales]
    return {"rows": plain(comparison.rows), "measure": comparison.measure, "scales": plain(scales)}


def _plain_match(match: Match) -> dict[str, Any]:
    return {
        "pairs": [plain(told(pair)) for pair in match.pairs],
        **{name: plain(getattr(match, name)) for name in _MATCHED},
        "problems": plain(match.problems),
    }


def told(pair: Pair) -> PairFacts:
    """Describes a pair without the way to its values."""
    same = {each.name: getattr(pair, each.name) for each in fields(PairFacts)}
    return PairFacts(**{**same, "candidate": info_of(pair.candidate), "reference": info_of(pair.reference)})


def info_of(stored: Stored | None) -> TensorInfo | None:
    return None if stored is None else stored.info


def _plain_blame(blame: Blame) -> dict[str, Any]:
    return {
        "verdicts": blame.verdicts.tolist(),
        **{name: plain(getattr(blame, name)) for name in _COLUMNS},
        "exact": blame.exact.tolist(),
        "front": blame.front.tolist(),
        "notes": plain(blame.notes),
        "model": plain(blame.model),
        "unjudged": plain(blame.unjudged),
        "leads_on": blame.leads_on,
        "why": blame.why,
        "ran": None if blame.ran is None else plain(blame.ran),
        "blamed": None if blame.blamed is None else plain(blame.blamed),
    }


def found_of(rows: Mapping[str, Any], graph: Graph, finds: Finds = _finds_none) -> BundledResults:
    """Reads what `plain_found` wrote; a `FormatError` for anything else."""
    try:
        comparison, match = (rows[key] for key in ("comparison", "match"))
        blame, stages = (rows[key] for key in ("blame", "stages"))
        found = BundledResults(
            NOTHING if comparison is None else _comparison(comparison),
            None if match is None else _match(match, finds),
            None if blame is None else _blame(blame, graph),
            None if stages is None else read(Stages, stages, _NAME),
        )
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise FormatError(f"{_NAME} of the bundle is broken.", _HINT) from error
    if found.match is not None and len(found.match.pairs) != len(found.comparison.rows):
        raise FormatError(f"{_NAME} of the bundle is broken: pairs and rows do not go together.", _HINT)
    return found


def _comparison(found: Mapping[str, Any]) -> Comparison:
    rows = read(tuple[Row, ...], found["rows"], _NAME)
    return Comparison(rows, str(found["measure"]), read(tuple[Scale, ...], found["scales"], _NAME))


def _match(found: Mapping[str, Any], finds: Finds) -> Match:
    said = read(_MatchFacts, {name: found[name] for name in (*_MATCHED, "problems")}, _NAME)
    pairs = read(tuple[PairFacts, ...], found["pairs"], _NAME)
    rest = {each.name: getattr(said, each.name) for each in fields(_MatchFacts)}
    return Match(tuple(_pair(number, pair, finds) for number, pair in enumerate(pairs)), **rest)


def _pair(number: int, pair: PairFacts, finds: Finds) -> Pair:
    same = {each.name: getattr(pair, each.name) for each in fields(PairFacts)}
    sides = {
        side: None if info is None else finds(number, side, info)
        for side, info in (("candidate", pair.candidate), ("reference", pair.reference))
    }
    return Pair(**{**same, **sides})


def _blame(found: Mapping[str, Any], graph: Graph) -> Blame:
    count = len(graph)
    columns: dict[str, Any] = {name: _floats(found[name], count) for name in _COLUMNS}
    model = _verdict(found["model"], graph)
    verdicts = _array(found["verdicts"], count, np.int8)
    for verdict in np.unique(verdicts):
        Verdict(int(verdict))
    return Blame(
        graph,
        verdicts,
        exact=_array(found["exact"], count, np.bool_),
        front=_array(found["front"], count, np.bool_),
        notes=read(dict[int, str], found["notes"], _NAME),
        model=model,
        unjudged=read(frozenset[int], found["unjudged"], _NAME),
        leads_on=bool(found["leads_on"]),
        why=str(found["why"]),
        ran=None if found["ran"] is None else _parts(found["ran"], count),
        blamed=_blamed(found.get("blamed"), model, count),
        **columns,
    )


def _blamed(found: Any, model: ModelVerdict, count: int) -> NDArray[np.float64] | None:
    """Bundles of earlier versions hold only what the verdict names."""
    if found is not None:
        return _floats(found, count)
    shares = np.full(count, np.nan)
    for each in model.top:
        shares[each.node] = each.share
    return _checked(shares, count) if model.top else None


def _verdict(found: Any, graph: Graph) -> ModelVerdict:
    verdict: ModelVerdict = read(ModelVerdict, found, _NAME)
    each = (verdict, *(inner for _, inner in verdict.outputs))
    nodes = [part.node for one in each for part in one.top]
    nodes += [node for one in each if one.remedy for node in (*one.remedy.nodes, *one.remedy.others)]
    if any(not 0 <= node < len(graph) for node in nodes):
        raise ValueError("no such node")
    tensors = [tensor for one in each for tensor, _ in (*one.outputs, *one.inputs)]
    tensors += [one.output for one in each if one.output != -1]
    if any(not 0 <= tensor < len(graph.tensor_names) for tensor in tensors):
        raise ValueError("no such tensor")
    return verdict


def _parts(found: Any, count: int) -> ExactParts:
    parts = parts_of(read(KeptParts, found, _NAME))
    if len(parts.exact) != count:
        raise ValueError("another number of nodes")
    return parts


def _floats(found: Any, count: int) -> NDArray[np.float64]:
    values = np.array(read(tuple[float, ...], found, _NAME), np.float64)
    return _checked(values, count)


def _array(found: Any, count: int, dtype: Any) -> NDArray[Any]:
    return _checked(np.array(found, dtype), count)


def _checked(values: NDArray[Any], count: int) -> NDArray[Any]:
    if values.shape != (count,):
        raise ValueError("another number of nodes")
    values.flags.writeable = False
    return values


@dataclass(frozen=True, slots=True)
class BundledTensor:
    """A tensor that came along, as it was stored."""

    info: TensorInfo
    file: Path = field(repr=False)

    @property
    def path(self) -> str:
        return str(self.file)

    def read(self) -> NDArray[np.generic]:
        from errorflow.formats import read_tensors

        dump = read_tensors(self.file)
        names = dump.names()
        if len(names) != 1:
            raise FormatError(f"{self.file.name} of the bundle holds no single tensor.", _HINT)
        return dump.read(names[0])


@dataclass(frozen=True, slots=True)
class KeptWorkedOut(BundledTensor):
    """The same of a simulation, whose values are real and were rounded to codes."""

    codes: QParams | None = None

    def read_within(self, progress: Progress) -> NDArray[np.generic]:
        progress.step(0, 1, self.info.name)
        return self.read()

    def coded(self) -> QParams | None:
        return self.codes


def plain_kept(member: str, stored: Stored) -> dict[str, Any]:
    """Writes where a tensor lies in the bundle, and what only its maker can tell of it."""
    if isinstance(stored, WorkedOut):
        return {"member": member, "coded": plain(stored.coded())}
    return {"member": member}


def kept_in(folder: Path, rows: Mapping[str, Any]) -> Finds:
    """Tensors that lie in a folder, by `number side`."""
    listed = rows.get("tensors")
    known: Mapping[str, Any] = listed if isinstance(listed, dict) else {}

    def find(number: int, side: str, info: TensorInfo) -> Stored:
        row: Any = known.get(f"{number} {side}")
        member = row.get("member") if isinstance(row, dict) else None
        if not isinstance(member, str) or not is_below(member):
            return Absent(info, side)
        path = folder / member
        if not is_file(path):
            return Absent(info, side)
        return (
            KeptWorkedOut(info, path, read(QParams | None, row["coded"], KEPT))
            if "coded" in row
            else BundledTensor(info, path)
        )

    return find


def is_below(member: str) -> bool:
    """Whether the name of a member leads nowhere else."""
    parts = PurePosixPath(member).parts
    return bool(parts) and not member.startswith("/") and ".." not in parts and "\\" not in member and ":" not in member
