"""What the made-up NPU writes has the form of what real tools write: its reader and its writer are of one hand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errorflow.formats.wire import fields, tag
from planted_cases import source_for
from tools.npu_case.case import Case, Wish, write_case

ASCEND = Path(__file__).parents[3] / "shared" / "data" / "ascend"
Json = dict[str, Any]
# Fields of a header: an output, an input.
_TENSORS = frozenset((tag(3), tag(4)))

pytestmark = pytest.mark.skipif(not ASCEND.is_dir(), reason="the vendor files next to the repository are absent")


@pytest.fixture(scope="module", params=[False, True], ids=["float16", "int8"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return write_case(source_for("transformer", 0), tmp_path_factory.mktemp("npu") / "case", Wish(int8=request.param))


def printed(path: Path) -> Json:
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found


def ops(model: Json) -> list[Json]:
    return [op for graph in model["graph"] for op in graph["op"]]


def tensors(model: Json) -> list[Json]:
    return [tensor for op in ops(model) for tensor in (*op.get("input_desc", ()), *op.get("output_desc", ()))]


def keys(entries: list[Json]) -> dict[str, set[str]]:
    """The attributes, and of each which members a value has."""
    found: dict[str, set[str]] = {}
    for entry in (attr for each in entries for attr in each.get("attr", ())):
        value = {} if entry["value"] is None else entry["value"]
        found.setdefault(entry["key"], set()).update(value)
    return found


def test_operators_and_tensors_have_members_of_a_real_file_only(case: Case) -> None:
    real, made = printed(ASCEND / "s8_real_atc.json"), printed(case.fusion)

    assert made.keys() <= real.keys()
    assert {key for op in ops(made) for key in op} <= {key for op in ops(real) for key in op}
    assert {key for each in tensors(made) for key in each} <= {key for each in tensors(real) for key in each}


def test_attributes_are_those_of_a_real_file_and_coded_alike(case: Case) -> None:
    real, made = printed(ASCEND / "s8_real_atc.json"), printed(case.fusion)
    of_quantizing = {"scale", "offset", "sqrt_mode"}

    for mine, golden in (
        (keys([made]), keys([real])),
        (keys(ops(made)), keys(ops(real))),
        (keys(tensors(made)), keys(tensors(real))),
    ):
        assert mine.keys() - of_quantizing <= golden.keys()
        assert all(mine[key] <= golden[key] for key in mine.keys() - of_quantizing)


def test_dumps_have_the_fields_of_the_vendors_samples(case: Case) -> None:
    golden = {field for folder in ("s1_npu", "s2_npu_quant") for field in dumped(ASCEND / folder)}

    assert set(dumped(case.npu)) <= golden


def dumped(folder: Path) -> Iterator[tuple[int, ...]]:
    """The tags of the fields of all headers, and of the tensors in them."""
    for path in sorted(folder.iterdir()):
        raw = path.read_bytes()
        if path.suffix == ".csv":
            continue
        head = raw[8 : 8 + int.from_bytes(raw[:8], "little")]
        for key, start, end in fields(head, 0, len(head)):
            yield (key,)
            if key in _TENSORS:
                yield from ((key, inner) for inner, _, _ in fields(head, start, end))
