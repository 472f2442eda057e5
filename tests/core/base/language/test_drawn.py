"""Words in drawings and on paper, in Chinese."""

from collections.abc import Iterator

import pytest

from errorflow.base.language import ENGLISH, use
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.drawn import drawn
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak
from errorflow.report.paper.blocks import (
    Bullets,
    FindingBlock,
    GridBlock,
    Heading,
    NodeBlock,
    PairsBlock,
    Paper,
    Plot,
    Words,
    spoken,
)

TEXTS = {"Open": "打开", "Shape": "形状", "{count} nodes": "{count} 个节点"}
SVG = '<svg><title>Open</title><text class="a">2 nodes</text><text>Shape</text><rect/></svg>'


@pytest.fixture
def chinese() -> Iterator[None]:
    speak(CHINESE, Catalogue(TEXTS))
    yield
    use(ENGLISH.key)


def test_in_english_a_drawing_and_a_paper_are_as_they_were() -> None:
    paper = Paper("a", "Open", (Words("2 nodes"),))
    assert drawn(SVG) is SVG
    assert spoken(paper) is paper


@pytest.mark.usefixtures("chinese")
def test_words_of_a_drawing_are_translated_and_operators_stay() -> None:
    assert drawn(SVG) == '<svg><title>打开</title><text class="a">2 个节点</text><text>Shape</text><rect/></svg>'


@pytest.mark.usefixtures("chinese")
def test_every_block_of_a_paper_speaks() -> None:
    given = (
        Heading("Shape"),
        Words("2 nodes"),
        Bullets((("Open", "2 nodes"),)),
        PairsBlock((("Shape", "Shape"),)),
        FindingBlock("Open", "2 nodes", ("Open",), "calm"),
        NodeBlock("2 nodes", "Open", "", "Open", "", (("Shape", "2 nodes"),), SVG),
        GridBlock(("Shape",), (("Open",),), (1.0,)),
        Plot(SVG),
    )
    said = spoken(Paper("Open", "2 nodes", given))
    assert (said.title, said.about) == ("Open", "2 个节点")
    assert said.blocks == (
        Heading("形状"),
        Words("2 个节点"),
        Bullets((("打开", "2 个节点"),)),
        PairsBlock((("形状", "Shape"),)),
        FindingBlock("打开", "2 个节点", ("打开",), "calm"),
        NodeBlock("2 nodes", "打开", "", "打开", "", (("形状", "2 个节点"),), drawn(SVG)),
        GridBlock(("形状",), (("打开",),), (1.0,)),
        Plot(drawn(SVG)),
    )


@pytest.mark.usefixtures("chinese")
def test_what_somebody_wrote_stays() -> None:
    given = (Words("2 nodes", is_noted=True), Bullets((("a", "2 nodes"),), is_noted=True))
    assert spoken(Paper("a", "", given)).blocks == given
