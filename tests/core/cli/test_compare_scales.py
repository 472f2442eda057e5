"""`errorflow compare --scales`: codes of an NPU become real values that are known; the table stays as it is."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ascend_writer import Json, desc, graph, model, op, write_json
from errorflow.cli.main import main
from npu_writer import NpuArray, write_npu

Compare = Callable[..., dict[str, dict[str, str]]]
SCALE, OFFSET = 0.5, 3
WEIGHTS = [2.0 ** -(channel % 5) for channel in range(20)]
RNG = np.random.default_rng(7)
CODES = RNG.integers(-128, 128, (1, 40, 3, 2)).astype(np.int8)
SUMS = RNG.integers(-(1 << 15), 1 << 15, (1, 20, 3, 2)).astype(np.int32)
DEQUANT_SCALES = np.array(WEIGHTS, np.float32) * np.float32(SCALE)
RECORD = (
    f'record {{ key: "conv" value {{ scale_d: {SCALE} offset_d: {OFFSET} '
    + " ".join(f"scale_w: {scale} offset_w: 0" for scale in WEIGHTS)
    + " } }"
)


def blocked(values: NDArray[np.generic], size: int) -> NpuArray:
    """NC1HWC0 with so many channels in a block; padding is garbage."""
    n, c, h, w = values.shape
    padded = np.full((n, -(-c // size) * size, h, w), 77, values.dtype)
    padded[:, :c] = values
    stored = padded.reshape(n, -1, size, h, w).transpose(0, 1, 3, 4, 2)
    return NpuArray(np.ascontiguousarray(stored), "NC1HWC0", original_shape=values.shape)


def out(name: str, dtype: str) -> Json:
    return desc(dtype, origin_format="NCHW", _datadump_origin_name=name, _datadump_origin_output_index=0)


def dump(kind: str, name: str, number: int, inputs: list[NpuArray], output: NpuArray) -> None:
    write_npu(Path("mine") / f"{kind}.{name}.{number}.2.{1_700_000_000_000_000 + number}", inputs, [output])


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quantized convolution whose codes and sums are exactly what the reference holds, once they are real values."""
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("golden").mkdir()
    Path("record.txt").write_text(RECORD)
    codes, sums = blocked(CODES, 32), blocked(SUMS, 16)
    real = SUMS.astype(np.float32) * DEQUANT_SCALES.reshape(1, -1, 1, 1)
    data = (CODES.astype(np.float32) - OFFSET) * np.float32(SCALE)
    dump("AscendQuant", "conv_quant_layer", 1, [blocked(data.astype(np.float16), 16)], codes)
    dump("Conv2D", "conv", 2, [codes], sums)
    dump("AscendDequant", "conv_dequant_layer", 3, [sums], blocked(np.maximum(real, 0).astype(np.float16), 16))
    for name, values in (("x", data), ("conv_dequant_layer", real), ("relu", np.maximum(real, 0))):
        np.save(f"golden/{name}.0.1700000000000001.npy", values)
    write("f.json")


def write(path: str, **quantizing: object) -> None:
    ops = [
        op("x", "Data", [""], [desc("DT_FLOAT", origin_format="NCHW")]),
        op("conv_quant_layer", "AscendQuant", ["x:0"], [out("conv_quant_layer", "DT_INT8")], **quantizing),
        op("conv", "Conv2D", ["conv_quant_layer:0"], [out("conv", "DT_INT32")]),
        op(
            "conv_dequant_layer",
            "AscendDequant",
            ["conv:0"],
            [out("relu", "DT_FLOAT16")],
            _datadump_original_op_names=("conv_dequant_layer", "relu"),
        ),
    ]
    for at, operator in enumerate(ops):
        operator["id"] = at
    write_json(Path(path), model(graph(*ops)))


@pytest.fixture
def compare() -> Compare:
    def comparing(*words: str, folder: str = "out", rules: str = "f.json") -> dict[str, dict[str, str]]:
        main(["compare", "-m", "mine", "-g", "golden", "-f", rules, "-out", folder, "--workers", "1", *words])
        with (Path(folder) / "tensors.csv").open(newline="", encoding="utf-8") as file:
            return {row["tensor"]: row for row in csv.DictReader(file)}

    return comparing


def table(folder: str) -> bytes:
    (path,) = Path(folder).glob("result_*.csv")
    return path.read_bytes()


DEQUANTIZED = "dequantized with scale 0.5 and zero point 3"


@pytest.mark.parametrize("tensor", ["conv_quant_layer:output:0", "conv:input:0"])
def test_codes_become_the_values_that_were_quantized(compare: Compare, tensor: str) -> None:
    row = compare("--scales", "record.txt")[tensor]

    assert (row["max_absolute_error"], row["cosine"]) == ("0", "1")
    assert row["done"] == f"NC1HWC0 → NCHW; (1, 64, 3, 2) cut to (1, 40, 3, 2); candidate {DEQUANTIZED}"
    assert (row["rule"], row["certain"]) == ("input of the quantizing operator", "yes")


@pytest.mark.parametrize("tensor", ["conv:output:0", "conv_dequant_layer:input:0"])
def test_sums_become_the_values_of_each_channel(compare: Compare, tensor: str) -> None:
    row = compare("--scales", "record.txt")[tensor]

    assert row["max_absolute_error"] == "0"
    assert row["done"].endswith("candidate dequantized with 20 scales along axis 1")
    assert row["max_steps"] == ""


def test_the_errors_of_codes_are_told_in_steps(compare: Compare) -> None:
    np.save("golden/x.0.1700000000000001.npy", (CODES.astype(np.float32) - OFFSET + 2) * np.float32(SCALE))

    row = compare("--scales", "record.txt")["conv:input:0"]

    assert (row["max_absolute_error"], row["max_steps"], row["mean_steps"]) == ("1", "2", "2")


def test_the_table_of_the_tool_does_not_change_by_a_byte(compare: Compare) -> None:
    without = compare(folder="without")
    compare("--scales", "record.txt", folder="with")

    assert table("with") == table("without")
    assert without["conv:input:0"]["cosine"] == ""


def test_scales_that_the_model_holds_need_no_record(compare: Compare) -> None:
    write("own.json", scale=1 / SCALE, offset=float(OFFSET))

    rows = compare(rules="own.json")

    assert rows["conv:input:0"]["done"].endswith(DEQUANTIZED)
    assert rows["conv:output:0"]["cosine"] == ""


def test_scales_that_were_dumped_need_no_record(compare: Compare) -> None:
    parameters = np.zeros(32, np.uint64)
    parameters[:20] = DEQUANT_SCALES.view(np.uint32)
    sums = blocked(SUMS, 16)
    constants = NpuArray(parameters.reshape(1, 2, 1, 1, 16), "NC1HWC0", original_shape=(20,))
    dump("AscendDequant", "conv_dequant_layer", 3, [sums, constants], sums)

    row = compare()["conv:output:0"]

    assert row["max_absolute_error"] == "0"


def test_scales_that_do_not_go_with_the_tensor_are_said_and_nothing_is_measured(compare: Compare) -> None:
    Path("record.txt").write_text(RECORD.replace("scale_w: 1.0 offset_w: 0", "", 1))

    row = compare("--scales", "record.txt")["conv:output:0"]

    assert row["note"] == "candidate left in codes: 19 scales along axis 1 do not go with its shape"
    assert row["cosine"] == ""


def test_a_record_of_another_model_is_said(compare: Compare, capsys: pytest.CaptureFixture[str]) -> None:
    Path("record.txt").write_text('record { key: "stranger" value { scale_d: 1 } }')

    compare("--scales", "record.txt")

    assert "is it of another one?" in capsys.readouterr().out


def test_scales_without_a_model_are_refused(compare: Compare, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "-m", "mine", "-g", "golden", "--scales", "record.txt"]) == 6
    assert "Add -f." in capsys.readouterr().err


def test_a_file_that_is_no_record_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("record.txt").write_text("hello: 1")

    assert main(["compare", "-m", "mine", "-g", "golden", "-f", "f.json", "--scales", "record.txt"]) != 0
    assert "is no scale and offset record" in capsys.readouterr().err
