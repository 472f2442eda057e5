"""Every recorded comparison of msaccucmp 26.2.0, cell by cell: none differs."""

import csv
import shlex
from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data" / "ascend"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")

S1 = "-m s1_npu -g s1_golden -f s1_fusion.json"
CASES = (
    ("s1", S1, 2),
    ("s1_alg", f"{S1} -alg 0,3,MeanAbsoluteError", 2),
    ("s1_alg", f"{S1} -alg 0 3 6", 2),
    ("s1_ovf", f"{S1} -overflow_detection", 2),
    ("s1_adv", f"{S1} -advisor", 2),
    ("s1_sel", f"{S1} -s 4,7,60", 0),
    ("s1_map", f"{S1} -map", 0),
    ("s2_fq", "-m s2_npu_quant -g s2_fakequant_npy -f s2_fusion.json", 2),
    ("s2_fqq", "-m s2_npu_quant -g s2_original_npy -f s2_fusion.json -q s2_quant.json", 2),
    ("s2_q", "-m s2_fakequant_npy -g s2_original_npy -q s2_quant.json", 0),
    ("s3_nn", "-m s3_npu_a -g s3_npu_b", 11),
    ("s8", "-m s8_npu -g s8_golden -f s8_real_atc.json", 2),
)
REFUSED = (
    ("-m s2_npu_quant -g s2_original_npy -f s2_fusion.json", 6),
    ("-m s2_fakequant_npy -g s2_original_npy -f s2_fusion.json", 20),
    ("-m s2_original_npy -g s2_fakequant_npy -q s2_quant.json", 20),
    ("-m s3_npu_a -g s3_npu_b -f s1_fusion.json", 6),
)


def rows(path: Path) -> list[list[str]]:
    """The cells; the tool was run in the folder of the data, so that its paths are relative to it."""
    with path.open(newline="", encoding="utf-8") as file:
        return [[cell.replace(f"{DATA.resolve()}/", "") for cell in row] for row in csv.reader(file)]


@pytest.mark.parametrize(("name", "call", "code"), CASES, ids=[f"{name} {call}" for name, call, _ in CASES])
def test_every_cell_is_as_the_tool_prints_it(
    name: str, call: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATA)

    found = main(["compare", *shlex.split(call), "-out", str(tmp_path), "--workers", "1"])

    kind = "mapping" if name == "s1_map" else "result"
    (table,) = tmp_path.glob(f"{kind}_*.csv")
    assert found == code
    assert rows(table) == rows(DATA / "expected" / f"{name}_new" / f"{kind}.csv")


def test_the_advisor_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    main(["compare", *shlex.split(f"{S1} -advisor"), "-out", str(tmp_path), "--workers", "1"])

    expected = DATA / "expected" / "s1_adv_new" / "advisor_summary.txt"
    assert (tmp_path / "advisor_summary.txt").read_bytes() == expected.read_bytes()


@pytest.mark.parametrize(("call", "code"), REFUSED)
def test_what_the_tool_refuses_is_refused_with_the_right_call(
    call: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(DATA)

    assert main(["compare", *shlex.split(call), "-out", str(tmp_path)]) == code
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert list(tmp_path.iterdir()) == []


def test_tensors_that_the_tool_loses_are_measured_beside_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATA)
    main(["compare", *shlex.split("-m s8_npu -g s8_golden -f s8_real_atc.json"), "-out", str(tmp_path)])

    with (tmp_path / "tensors.csv").open(newline="", encoding="utf-8") as file:
        guessed = {row["tensor"]: row["cosine"] for row in csv.DictReader(file) if row["certain"] == "no"}

    assert set(guessed) >= {"trans_Cast_7:input:0", "trans_Cast_7:output:0"}
    assert all(guessed[tensor] for tensor in ("trans_Cast_7:input:0", "trans_Cast_7:output:0"))
