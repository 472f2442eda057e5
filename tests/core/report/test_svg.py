import xml.etree.ElementTree as ET

import numpy as np
import pytest

from errorflow.layout.drawing import Drawing
from errorflow.report.svg import Paint, drawing_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawing() -> Drawing:
    return Drawing(
        boxes=np.array([[0, 0, 60, 28], [0, 60, 60, 28]], float),
        kinds=np.zeros(2, np.uint8),
        nodes=np.array([0, 1], np.int32),
        tensors=np.array([-1, -1], np.int32),
        groups=np.array([-1, -1], np.int32),
        folds=np.array([-1, -1], np.int32),
        labels=("Conv", "<Relu> & co"),
        lines=np.array([[30, 28, 30, 44], [30, 44, 30, 60], [10, 28, 10, 60]], float),
        line_tensors=np.array([0, 0, 1], np.int32),
        group_boxes=np.array([[-8, -20, 80, 120]], float),
        group_depths=np.array([0], np.uint8),
        group_ids=np.array([0], np.int32),
        group_labels=("stem",),
        size=(60, 88),
    )


def _parse(text: str) -> ET.Element:
    return ET.fromstring(text)  # our own output


def test_every_box_group_and_label_is_drawn(drawing: Drawing) -> None:
    root = _parse(drawing_svg(drawing, Paint("net")))

    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert texts == ["net", "stem", "Conv", "<Relu> & co"]


def test_pieces_that_meet_become_one_path(drawing: Drawing) -> None:
    root = _parse(drawing_svg(drawing, Paint("net")))

    assert [path.get("d") for path in root.iter(f"{SVG}path")] == [
        "M30.0 28.0L30.0 44.0L30.0 60.0",
        "M10.0 28.0L10.0 60.0",
    ]


def test_badness_fills_and_unmeasured_is_hatched(drawing: Drawing) -> None:
    paint = Paint("net", badness=(1.0, None), notes=("worst", ""), legend=("cosine", "1", "0.9"))

    text = drawing_svg(drawing, paint)

    fills = [rect.get("fill") for rect in _parse(text).iter(f"{SVG}rect")]
    assert "#7B1E3A" in fills
    assert "url(#unknown)" in fills
    assert "<title>worst</title>" in text
    assert "not measured" in text
