"""PNGs of SVGs that our own writers made."""

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from errorflow.base.errors import ErrorflowError, FormatError, UsageError
from errorflow.report.request import Request, render_by_viewer
from errorflow_viewer.export.svg_image import write_svg_image

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="20" height="20" fill="#FF0000"/></svg>'
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "plot.svg"
    path.write_text(SVG, "utf-8")
    return path


def test_it_is_painted_on_its_ground_and_sharp(source: Path, tmp_path: Path) -> None:
    assert write_svg_image(source, tmp_path / "plot.png", "#102030") == "80 × 40 px"
    image = QImage(str(tmp_path / "plot.png"))
    assert image.pixelColor(10, 10) == QColor("#FF0000")
    assert image.pixelColor(70, 10) == QColor("#102030")


def test_a_scale_is_heeded(source: Path, tmp_path: Path) -> None:
    assert write_svg_image(source, tmp_path / "plot.png", "#FFFFFF", 3.0) == "120 × 60 px"


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_sizes_that_cannot_be_are_refused(source: Path, tmp_path: Path, scale: float) -> None:
    with pytest.raises(UsageError):
        write_svg_image(source, tmp_path / "plot.png", "#FFFFFF", scale)
    assert not (tmp_path / "plot.png").exists()


def test_what_is_no_svg_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    path.write_text("<html></html>", "utf-8")
    with pytest.raises(FormatError):
        write_svg_image(path, tmp_path / "plot.png", "#FFFFFF")


def test_the_renderer_takes_it(source: Path, tmp_path: Path) -> None:
    said = render_by_viewer(Request(str(source), str(tmp_path / "plot.png"), scale=1.0))
    assert said.endswith("40 × 20 px")
    with pytest.raises(ErrorflowError):
        render_by_viewer(Request(str(tmp_path / "none.svg"), str(tmp_path / "other.png")))
