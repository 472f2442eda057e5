"""Labels: legible wherever there is room, whole, and within their boxes."""

from dataclasses import replace

import numpy as np
import pytest

from errorflow.layout.drawing import Kind, width
from errorflow_viewer.canvas.boxes import _Label
from errorflow_viewer.canvas.texts import abbreviations
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import grid
from viewer.canvas.test_titles import sheet_of

CONV, NORM = 1, 2  # "Conv", "BatchNormalization"


def label(canvas: Canvas, box: int, zoom: float) -> _Label:
    canvas.show_drawing(*grid(60))
    canvas.centre_on(5, zoom)
    canvas.settle()
    with sheet_of(canvas) as sheet:
        _, _, width, height = sheet.placed(sheet.scene.drawing.boxes[box : box + 1])[0]
        return _Label(sheet, box, 0, (width, height), int(sheet.text_size + 0.3))


@pytest.mark.parametrize(("zoom", "size"), [(0.4, 7), (0.45, 9), (0.5, 9), (0.6, 9), (0.7, 9), (0.9, 10), (1.0, 11)])
def test_a_label_shrinks_less_than_its_box(canvas: Canvas, zoom: float, size: int) -> None:
    found = label(canvas, CONV, zoom)
    assert found.text == "Conv"
    assert found.pixels == size


@pytest.mark.parametrize("zoom", np.linspace(0.3, 2.0, 18).tolist())
@pytest.mark.parametrize("box", [CONV, NORM])
def test_a_label_is_legible_or_not_there_and_within_its_box(canvas: Canvas, box: int, zoom: float) -> None:
    found = label(canvas, box, zoom)
    whole = ("Conv", "BatchNormalization")[box - 1]
    assert found.text in (whole, "", *abbreviations(whole))
    assert found.width <= 120 * canvas.zoom
    assert not found.text or found.pixels >= 7


def test_only_near_boxes_have_their_marks(canvas: Canvas) -> None:
    assert label(canvas, CONV, 1.0).width > label(canvas, CONV, 1.0).height
    marked, plain = label(canvas, CONV, 1.0), label(canvas, CONV, 0.6)
    assert marked.marked and not plain.marked


def test_labels_come_at_forty_per_cent(canvas: Canvas) -> None:
    tiles = []
    for zoom in (0.3, 0.4):
        canvas.show_drawing(*grid(200, columns=20))
        canvas.centre_on(100, zoom)
        canvas.settle()
        canvas.repaint()
        tiles.append(canvas.counts.tiles)
    assert tiles[0] < 20 < 60 < tiles[1]


@pytest.mark.parametrize(
    ("text", "kind", "share", "shown"),
    [
        ("Concat", Kind.OPERATOR, 1.05, "Concat"),
        ("Concat", Kind.OPERATOR, 0.85, "Conc"),
        ("Concat", Kind.OPERATOR, 0.6, ""),  # "Con" could be a Conv
        ("ReduceMean", Kind.OPERATOR, 0.95, "ReducMean"),
        ("ReduceMean", Kind.OPERATOR, 0.75, "RedMea"),
        ("encoder.layers.11", Kind.INPUT, 0.8, "encod…rs.11"),
        ("moe (194)", Kind.FOLD, 1.05, "moe (194)"),
        ("moe (194)", Kind.FOLD, 0.9, "moe"),
        ("moe (194)", Kind.FOLD, 0.3, ""),
    ],
)
def test_what_has_no_room_from_afar_is_the_count_first_and_then_all_that_is_ambiguous(
    canvas: Canvas, text: str, kind: Kind, share: float, shown: str
) -> None:
    drawing, graph = grid(60)
    labels, kinds = list(drawing.labels), drawing.kinds.copy()
    labels[CONV], kinds[CONV] = text, kind
    canvas.show_drawing(replace(drawing, labels=tuple(labels), kinds=kinds), graph)
    with sheet_of(canvas) as sheet:
        room = share * sheet.style.width(text, 7), 11.0
        found = _Label(sheet, CONV, 0, room, 4).text
    assert found == shown


@pytest.mark.parametrize("zoom", [0.37, 0.39, 0.42, 0.48])
def test_a_wide_type_of_four_letters_loses_one_before_its_box_stays_blank(canvas: Canvas, zoom: float) -> None:
    drawing, graph = grid(60)
    labels = list(drawing.labels)
    labels[CONV] = "Gemm"
    canvas.show_drawing(replace(drawing, labels=tuple(labels)), graph)
    with sheet_of(canvas) as sheet:
        afar = replace(sheet, camera=replace(sheet.camera, scale=zoom))
        _, _, wide, high = afar.placed(np.array([[0.0, 0.0, width("Gemm"), 28.0]]))[0]
        found = _Label(afar, CONV, 0, (wide, high), int(afar.text_size + 0.3))
    assert found.text in ("Gem", "Gemm") and found.width <= wide


@pytest.mark.parametrize("zoom", [0.37, 0.375, 0.38, 0.39])
@pytest.mark.parametrize("text", ["MatMul", "LSTM", "Mean", "CumProd", "ReduceLogSum", "ArgMin"])
def test_no_box_of_a_usual_type_stays_blank_as_soon_as_there_are_labels(canvas: Canvas, text: str, zoom: float) -> None:
    drawing, graph = grid(60)
    labels = list(drawing.labels)
    labels[CONV] = text
    canvas.show_drawing(replace(drawing, labels=tuple(labels)), graph)
    with sheet_of(canvas) as sheet:
        afar = replace(sheet, camera=replace(sheet.camera, scale=zoom))
        _, _, wide, high = afar.placed(np.array([[0.0, 0.0, width(text), 28.0]]))[0]
        found = _Label(afar, CONV, 0, (wide, high), int(afar.text_size + 0.3))
    assert found.shown and found.width <= wide


@pytest.mark.parametrize("text", ["Conv", "Gemm", "Sum", "MatMul", "MaxPool", "Softmax", "GlobalAveragePool", "MMM"])
def test_boxes_as_they_are_laid_out_have_room_for_the_mark_too(canvas: Canvas, text: str) -> None:
    drawing, graph = grid(60)
    labels = list(drawing.labels)
    labels[CONV] = text
    canvas.show_drawing(replace(drawing, labels=tuple(labels)), graph)
    with sheet_of(canvas) as sheet:
        at_full_size = replace(sheet, camera=replace(sheet.camera, scale=1.0))
        _, _, wide, high = at_full_size.placed(np.array([[0.0, 0.0, width(text), 28.0]]))[0]
        found = _Label(sheet, CONV, 0, (wide, high), 11)
    assert found.marked and found.text == text
