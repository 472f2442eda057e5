"""Float, simulator and board on the vendor's own files: a quantized model on an NPU, its twin, the original."""

import csv
from pathlib import Path

import pytest

from errorflow.cli.main import main

DATA = Path(__file__).parents[3] / "shared" / "data"
ASCEND = DATA / "ascend"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the vendor files next to the repository are absent")


def test_names_lead_from_the_original_over_the_fake_quantized_model_to_the_npu(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = ["-m", str(ASCEND / "s2_npu_quant"), "-g", str(ASCEND / "s2_original_npy")]
    files = ["-f", str(ASCEND / "s2_fusion.json"), "-q", str(ASCEND / "s2_quant.json")]
    simulator = ["--simulator", str(ASCEND / "s2_fakequant_npy")]
    main(["compare", *sides, *files, *simulator, "-out", str(tmp_path)])

    assert capsys.readouterr().out.startswith("Neither step is at fault over 3 tensors.")
    with (tmp_path / "stages.csv").open(encoding="utf-8", newline="") as file:
        found = {line["tensor"]: line for line in csv.DictReader(file)}
    assert {name for name, line in found.items() if line["fault"] == "none"} == {"data.0", "relu1.0", "fc.0"}
    assert found["relu1.0"]["board"] == "conv1_dequant_layerrelu1:output:0"
    assert found["scale1.0"]["simulator"] == "conv1_dequant_layer.0"
    # What the quantization costs, and the board's rounding, which is much less.
    assert float(found["fc.0"]["quantization relative_l2"]) == pytest.approx(0.02, abs=1e-4)
    assert float(found["fc.0"]["deployment relative_l2"]) < 2e-4
