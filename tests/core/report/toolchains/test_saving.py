"""What is written into a folder in which an earlier decision stands."""

from pathlib import Path

from errorflow.report.toolchains.model import LeftOut, WrittenFiles
from errorflow.report.toolchains.saving import save

LOST = WrittenFiles({"x.json": "1"}, left_out=(LeftOut("conv", "It has no float."),))
WHOLE = WrittenFiles({"x.json": "2"})


def test_what_an_earlier_decision_left_out_is_gone_with_it(tmp_path: Path) -> None:
    save(LOST, "amct-simple", tmp_path)
    assert "conv" in (tmp_path / "amct_simple_left_out.txt").read_text("utf-8")
    save(WHOLE, "amct-simple", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"x.json"}


def test_somebody_elses_file_of_that_name_stays(tmp_path: Path) -> None:
    mine = tmp_path / "amct_left_out.txt"
    mine.write_text("what I must not forget", "utf-8")
    save(WHOLE, "amct", tmp_path)
    assert mine.read_text("utf-8") == "what I must not forget"
