"""What stands beside the fills of an SVG."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from core.report.conftest import SVG, box_elements, by_class, chain, parsed
from errorflow.compare import Comparison, Row
from errorflow.compare.metrics import METRICS
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.model import State
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.report.box_signs import TOLD, BoxSigns
from errorflow.report.colors import LIGHT
from errorflow.report.paint import error_paint
from errorflow.report.svg import Picture, svg

PictureOf = Callable[[Graph], Picture]


def root_of(picture: Picture, signs: BoxSigns, **more: object) -> ET.Element:
    info = TensorInfo("", "float32", (1,), 4)
    rows = tuple(Row(name, info, info, {"cosine": 0.95}) for name in picture.graph.tensor_names)
    paint = error_paint(picture.graph, picture.drawing, Comparison(rows), METRICS[0])
    paint = replace(paint, signs=signs, **more)  # type: ignore[arg-type]  # the dataclass checks the names
    return parsed(svg(replace(picture, paint=paint)))


def told(picture: Picture, box: int, **told: float) -> ET.Element:
    """That box of a picture of which only this is told."""
    root = root_of(picture, signs_of(len(picture.drawing), box, **told))
    return box_elements(root)[box]


@pytest.mark.parametrize("verdict", TOLD)
def test_a_verdict_has_its_own_form(picture_of: PictureOf, verdict: Verdict) -> None:
    picture = picture_of(chain(["one", "two"]))
    forms = {
        other: [path.get("d") for path in told(picture, 0, verdicts=other).iter(f"{SVG}path")] for other in (0, *TOLD)
    }
    assert sum(forms[verdict] == form for form in forms.values()) == 1


@pytest.mark.parametrize("state", [state for state in State if state not in (State.MISSING, State.INCOMPARABLE)])
def test_a_state_is_seen_and_no_other_looks_alike(picture_of: PictureOf, state: State) -> None:
    picture = picture_of(chain(["one", "two"]))
    others = [other for other in (State(0), *State) if other not in (state, State.MISSING, State.INCOMPARABLE)]
    mine = ET.tostring(told(picture, 0, states=state))
    assert all(ET.tostring(told(picture, 0, states=other)) != mine for other in others)


def test_the_bar_is_at_the_left_and_the_label_beside_it(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one", "two"]))
    with_bar, without = told(picture, 0, bars=1.0), told(picture, 0)
    left = float(picture.drawing.boxes[0, 0])
    [bar] = [rect for rect in rects_of(with_bar) if rect.get("fill") == "#7B1E3A"]
    assert (float(str(bar.get("x"))), bar.get("width")) == (left + 1, "3")
    texts = [float(str(next(box.iter(f"{SVG}text")).get("x"))) for box in (with_bar, without)]
    assert texts[0] > texts[1]


def test_the_front_is_a_ring_behind_the_box(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one", "two"]))
    ring, end = (rects_of(told(picture, 0, front=1, ends=first))[0] for first in (0, 1))
    assert ring.get("stroke") == LIGHT.front and end.get("stroke") == LIGHT.text


def test_edges_have_the_colour_of_what_flows(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one", "two"]))
    names = picture.graph.tensor_names
    tints = np.array([{"x": 0.0, "one:0": 1.0, "two:1": np.nan}[name] for name in names])
    root = root_of(picture, signs_of(len(picture.drawing), 0), tints=tints)
    edges = {str(edge.get("id")): edge.get("style") for edge in by_class(root, "path", "edge")}
    worst = edges.pop(f"tensor-{names.index('one:0')}")
    assert worst == "stroke:#7B1E3A;stroke-width:2.2" and set(edges.values()) == {None}


def test_what_cannot_be_compared_is_hatched_both_ways(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one"]))
    paint = error_paint(picture.graph, picture.drawing, Comparison(()), METRICS[0])
    signs = signs_of(len(picture.drawing), 0, states=State.INCOMPARABLE)
    root = parsed(svg(replace(picture, paint=replace(paint, signs=signs))))
    assert rects_of(box_elements(root)[0])[-1].get("style") == "fill:url(#crossed)"


def test_a_palette_reaches_boxes_and_legend(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one"]))
    text = ET.tostring(root_of(picture, signs_of(len(picture.drawing), 0, bars=1.0), palette="single")).decode()
    assert "#5C1014" in text and "#7B1E3A" not in text


def test_the_page_has_room_for_all_that_is_explained(picture_of: PictureOf) -> None:
    picture = picture_of(chain(["one"]))
    every = State(sum(State))
    signs = signs_of(len(picture.drawing), 0, states=every, verdicts=Verdict.ORIGIN, front=1, bars=0.5)
    root = root_of(picture, signs, bar="introduced · Relative error")
    [legend] = by_class(root, "g", "legend")
    lowest = max(float(str(text.get("y"))) for text in legend.iter(f"{SVG}text"))
    top = float(str(legend.get("transform")).split()[1].rstrip(")"))
    assert top + lowest < float(str(root.get("viewBox")).split()[3])


def signs_of(size: int, box: int, **told: float) -> BoxSigns:
    """Of one box."""
    kinds = {"bars": np.float64, "states": np.uint16, "verdicts": np.int8, "front": np.bool_, "ends": np.bool_}
    columns: dict[str, NDArray[Any]] = {
        name: np.full(size, np.nan if name == "bars" else 0, kind) for name, kind in kinds.items()
    }
    for name, value in told.items():
        columns[name][box] = value
    return BoxSigns(**columns)


def rects_of(box: ET.Element) -> list[ET.Element]:
    return list(box.iter(f"{SVG}rect"))
