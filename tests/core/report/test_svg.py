import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.report.conftest import ODD_NAMES, SVG, box_elements, branches, by_class, chain, parsed
from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.draw.text import width
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Kind
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.prepare import prepare
from errorflow.report.colors import DARK, LIGHT, DrawingColors
from errorflow.report.paint import error_paint
from errorflow.report.svg import Picture, svg

PictureOf = Callable[[Graph], Picture]


def _title(element: ET.Element) -> str:
    title = element.find(f"{SVG}title")
    assert title is not None and title.text is not None
    return title.text


def _texts(root: ET.Element) -> list[str]:
    return [str(element.text) for element in root.iter(f"{SVG}text")]


class TestBoxes:
    def test_each_node_input_and_output_is_there_once(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(branches())))

        assert sorted(str(box.get("id")) for box in box_elements(root)) == [
            "input-0",
            *[f"node-{number}" for number in range(5)],
            "output-5",
        ]

    def test_a_title_says_name_type_and_what_comes_out(self, picture_of: PictureOf) -> None:
        builder = GraphBuilder()
        builder.tensor("y", dtype="float32", shape=(1, 16, 8, 8))
        builder.input("x")
        builder.node("Conv", ["x"], ["y"], name="stem/conv")
        root = parsed(svg(picture_of(builder.build())))

        [node] = [box for box in box_elements(root) if box.get("id") == "node-0"]
        assert _title(node) == "stem/conv\nConv\n→ y  float32 1×16×8×8"

    def test_a_nameless_node_is_told_by_its_type(self, picture_of: PictureOf) -> None:
        builder = GraphBuilder()
        builder.input("x")
        builder.node("Conv", ["x"], ["y"])
        root = parsed(svg(picture_of(builder.build())))

        [node] = [box for box in box_elements(root) if box.get("id") == "node-0"]
        assert _title(node) == "Conv\n→ y"

    def test_families_have_classes_and_marks(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(branches())))

        assert len(by_class(root, "rect", "compute")) == 2
        assert len(by_class(root, "rect", "activate")) == 2
        assert len(by_class(root, "rect", "combine")) == 1
        assert len(by_class(root, "path", "mark")) + len(by_class(root, "path", "stroke")) == 7

    def test_a_closed_group_is_a_pile_that_names_its_nodes(self) -> None:
        graph = branches()
        drawing = prepare(graph).draw(frozenset())
        root = parsed(svg(Picture(drawing, graph, "net")))

        folds = [box for box in box_elements(root) if str(box.get("id")).startswith("fold-")]
        assert len(folds) == int((drawing.kinds == Kind.FOLD).sum()) == 2
        assert all(len(by_class(fold, "rect", "fold")) == 2 for fold in folds)
        assert {_title(fold).splitlines()[-1] for fold in folds} == {"2 nodes"}

    def test_labels_stay_inside_their_boxes_in_any_font(self, picture_of: PictureOf) -> None:
        builder = GraphBuilder()
        builder.input("W" * 200)
        builder.node("M" * 200, ["W" * 200], ["y"])
        builder.node("i" * 26, ["y"], ["z"])
        picture = picture_of(builder.build())
        root = parsed(svg(picture))

        for box in box_elements(root):
            [text], rect = list(box.iter(f"{SVG}text")), list(box.iter(f"{SVG}rect"))[-1]
            end = float(text.get("x", "")) + float(text.get("textLength", "0"))
            assert end <= float(rect.get("x", "")) + float(rect.get("width", ""))
        assert any(text.get("textLength") for text in root.iter(f"{SVG}text"))


class TestGroups:
    def test_each_has_a_frame_and_its_name(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(branches())))

        assert len(by_class(root, "rect", "group")) == 2
        assert [text.text for text in by_class(root, "text", "name")] == ["stem", "body"]

    def test_one_that_goes_on_in_the_next_column_keeps_its_number_to_the_first(self) -> None:
        builder = GraphBuilder()
        builder.input("x")
        last = "x"
        for number in range(30):
            builder.node("Relu", [last], [f"t{number}"], name=f"body/{number}/relu")
            last = f"t{number}"
        graph = builder.build()
        drawing = layout(graph, LayoutOptions(view="columns"))
        root = parsed(svg(Picture(drawing, graph)))

        frames = by_class(root, "rect", "group")
        assert len(frames) > 1
        assert len([frame for frame in frames if frame.get("id")]) == 1
        assert len(by_class(root, "path", "cut")) == len(drawing.marks) > 0

    def test_names_at_a_columns_top_stay_clear_of_the_boxes_there(self) -> None:
        builder = GraphBuilder()
        builder.input("x")
        last = "x"
        for number in range(60):
            builder.node("BatchNormalization", [last], [f"t{number}"], name=f"a_rather_long_name/{number}/n")
            last = f"t{number}"
        graph = builder.build()
        drawing = layout(graph, LayoutOptions(view="columns"))
        picture = Picture(drawing, graph)
        names = by_class(parsed(svg(picture)), "text", "name")

        assert names
        for name in names:
            left, base = float(name.get("x", "")), float(name.get("y", ""))
            right = left + width(str(name.text), 11)
            x, y, w, h = drawing.boxes.T
            assert not ((x < right) & (x + w > left) & (y < base) & (y + h > base - 8)).any()


class TestLines:
    def test_each_tensor_is_one_path_that_names_it(self, picture_of: PictureOf) -> None:
        picture = picture_of(branches())
        root = parsed(svg(picture))

        edges = by_class(root, "path", "edge")
        assert {edge.get("id") for edge in edges} == {
            f"tensor-{tensor}" for tensor in set(picture.drawing.line_tensors.tolist()) if tensor >= 0
        }
        assert {_title(edge) for edge in edges} == {"x", "a", "b", "c", "d", "y"}

    def test_control_edges_are_fainter(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(branches())))

        assert len(by_class(root, "path", "control-edge")) == 1
        assert LIGHT.control_edge in "".join(svg(picture_of(branches())))


class TestPage:
    def test_everything_lies_on_the_page(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(branches())))

        _, _, width, height = map(float, root.get("viewBox", "").split())
        move = re.search(r"translate\((\S+) (\S+)\)", _graph(root).get("transform", ""))
        assert move is not None
        left, top = map(float, move.groups())
        for rect in _graph(root).iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
            assert left + x >= 0 and left + x + w <= width
            assert top + y >= 0 and top + y + h <= height

    def test_the_title_stands_above(self, picture_of: PictureOf) -> None:
        picture = replace(picture_of(branches()), title="my <net>", note="5 nodes")

        texts = _texts(parsed(svg(picture)))
        assert texts[:2] == ["my <net>", "5 nodes"]

    def test_without_a_title_there_is_no_head(self, picture_of: PictureOf) -> None:
        picture = picture_of(branches())
        bare = replace(picture, title="", note="5 nodes")

        assert by_class(parsed(svg(bare)), "text", "title") == []
        assert by_class(parsed(svg(bare)), "text", "note") == []
        assert bare.frame.height < picture.frame.height

    def test_an_endless_title_is_cut_off(self, picture_of: PictureOf) -> None:
        picture = replace(picture_of(branches()), title="a long title " * 1000)

        assert picture.frame.width < 1000
        assert _texts(parsed(svg(picture)))[0].endswith("…")

    def test_scale_changes_the_size_and_not_what_is_drawn(self, picture_of: PictureOf) -> None:
        one, two = (parsed(svg(replace(picture_of(branches()), scale=scale))) for scale in (1.0, 2.5))

        assert float(two.get("width", "")) == pytest.approx(2.5 * float(one.get("width", "")))
        assert two.get("viewBox") == one.get("viewBox")

    @pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
    def test_a_theme_colours_everything(self, picture_of: PictureOf, colors: DrawingColors) -> None:
        text = "".join(svg(replace(picture_of(branches()), colors=colors)))

        used = set(re.findall(r"#[0-9A-Fa-f]{6}", text))
        other = DARK if colors is LIGHT else LIGHT
        assert used & {other.background, other.box_text, other.edge, *other.groups, *other.families.values()} == set()

    def test_an_empty_graph_is_a_page_with_a_title(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(GraphBuilder().build())))

        assert _texts(root) == ["net"]
        assert box_elements(root) == []

    def test_a_cycle_is_drawn(self, picture_of: PictureOf) -> None:
        builder = GraphBuilder()
        builder.node("Add", ["b"], ["a"])
        builder.node("Mul", ["a"], ["b"])
        root = parsed(svg(picture_of(builder.build())))

        assert len(box_elements(root)) == 2

    def test_the_same_graph_gives_the_same_bytes(self, picture_of: PictureOf) -> None:
        assert "".join(svg(picture_of(branches()))) == "".join(svg(picture_of(branches())))


class TestOddNames:
    def test_names_of_any_characters_give_valid_xml(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(chain(ODD_NAMES))))

        assert len(box_elements(root)) == len(ODD_NAMES) + 2

    def test_what_xml_may_hold_is_kept_whole(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(chain(ODD_NAMES))))

        titles = "\n".join(map(_title, box_elements(root)))
        assert all(name in titles for name in ('<&">#0', "]]>#1", "名前/畳み込み#5", "x" * 5000, "&amp;#9"))

    def test_what_it_may_not_hold_leaves_a_sign(self, picture_of: PictureOf) -> None:
        root = parsed(svg(picture_of(chain(["a\x00b"]))))

        assert any("a\ufffdb#0" in _title(box) for box in box_elements(root))


def _painted(picture: Picture, values: dict[str, float]) -> ET.Element:
    """By cosine."""
    info = TensorInfo("", "float32", (1,), 4)
    rows = tuple(Row(tensor, info, info, {"cosine": value}) for tensor, value in values.items())
    paint = error_paint(picture.graph, picture.drawing, Comparison(rows), METRICS[0])
    return parsed(svg(replace(picture, paint=paint)))


class TestPaint:
    def test_badness_fills_and_unmeasured_is_hatched(self, picture_of: PictureOf) -> None:
        root = _painted(picture_of(chain(["one", "two"])), {"x": 1.0, "one:0": 0.5})

        fills = {str(box.get("id")): _rects(box)[-1].get("style") for box in box_elements(root)}
        assert list(fills.values()) == ["fill:#7B1E3A", "fill:url(#unknown)", "fill:#E9EEF3", "fill:url(#unknown)"]
        notes = [_title(box).splitlines()[-1] for box in box_elements(root)]
        assert notes[0] == "accumulated · Cosine similarity 0.500000 – one:0"
        assert notes[1] == notes[3] == "not measured"

    def test_each_theme_has_its_scale(self, picture_of: PictureOf) -> None:
        root = _painted(replace(picture_of(chain(["one"])), colors=DARK), {"x": 1.0, "one:0": 0.5})

        fills = [_rects(box)[-1].get("style") for box in box_elements(root)]
        assert fills[:2] == [f"fill:{DARK.error.hex(1)}", f"fill:{DARK.error.hex(0)}"]

    def test_what_is_no_number_has_a_frame(self, picture_of: PictureOf) -> None:
        root = _painted(picture_of(chain(["one"])), {"x": 1.0, "one:0": float("nan")})

        framed = [any(r.get("stroke") == "url(#broken)" for r in _rects(box)) for box in box_elements(root)]
        assert framed == [True, False, True]

    def test_a_closed_group_shows_its_worst_node_and_how_bad_how_many_are(self) -> None:
        graph = branches()
        drawing = prepare(graph).draw(frozenset(), "down", 1.0)
        root = _painted(Picture(drawing, graph), {"a": 1.0, "b": 0.5, "c": 1.0})

        [stem, body] = [box for box in box_elements(root) if str(box.get("id")).startswith("fold")]
        bars = [_bars(box) for box in (stem, body)]
        assert [rect.get("style") for rect in _rects(stem) if rect.get("class")][-1] == "fill:#7B1E3A"
        assert [fill for fill, _ in bars[0]] == [LIGHT.background, "#E9EEF3", "#7B1E3A"]
        assert [fill for fill, _ in bars[1]] == [LIGHT.background, LIGHT.unknown[1], "#E9EEF3"]
        line, good, bad = (width for _, width in bars[0])
        assert good == bad == pytest.approx(line / 2, abs=0.1)

    def test_single_nodes_and_folds_of_which_nothing_is_known_have_no_bar(self) -> None:
        graph = branches()
        drawing = prepare(graph).draw(frozenset(), "down", 1.0)
        root = _painted(Picture(drawing, graph), {"a": 1.0, "y": 0.5})

        with_bar = [str(box.get("id")).split("-")[0] for box in box_elements(root) if _bars(box)]
        assert with_bar == ["fold"]

    def test_the_legend_lies_below_the_drawing_and_fits(self, picture_of: PictureOf) -> None:
        picture = picture_of(chain(["one"]))
        paint = error_paint(picture.graph, picture.drawing, Comparison(()), METRICS[0])
        painted = replace(picture, paint=paint)

        assert painted.frame.height > picture.frame.height
        texts = _texts(parsed(svg(painted)))[-4:]
        assert texts == [f"{paint.measure} ({paint.formula})", "0.999", "0.9", "not measured"]
        assert painted.frame.width >= width(texts[0], 11) + 48


def _rects(box: ET.Element) -> list[ET.Element]:
    return list(box.iter(f"{SVG}rect"))


def _bars(box: ET.Element) -> list[tuple[str, float]]:
    """Fill and width of each part of the bar, the line above it first."""
    return [
        (str(rect.get("fill")), float(str(rect.get("width"))))
        for rect in _rects(box)
        if rect.get("fill", "none")[0] == "#"
    ]


def _graph(root: ET.Element) -> ET.Element:
    [graph] = by_class(root, "g", "graph")
    return graph
