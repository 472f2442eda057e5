from pathlib import Path
from shutil import copy

from errorflow.formats import read_model
from errorflow_viewer.panels.details_text import node_page

ATC_JSON = Path(__file__).parents[2] / "data" / "formats" / "atc-json" / "s2_fusion.json"


def test_attributes_of_a_file_that_is_gone_are_a_sentence(tmp_path: Path) -> None:
    path = Path(copy(ATC_JSON, tmp_path / "model.json"))
    model = read_model(path)
    path.unlink()

    _, _, sections = node_page(model, model.graph, 1, frozenset())

    (line,) = next(section.lines for section in sections if section.title == "Attributes")
    assert "model.json" in line.value
