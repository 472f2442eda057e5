"""The report for paper: its chapters and their order, and what is left out of its tables."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np

from core.report.cases import case_of
from errorflow.compare.pairs import compare
from errorflow.explain.blame.estimate import blame
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_tensors
from errorflow.graph.build import GraphBuilder
from errorflow.quant.plan import Plan
from errorflow.report.content import Content
from errorflow.report.contents import plots_of
from errorflow.report.paper.blocks import FindingBlock, GridBlock, Heading, NodeBlock, Plot, SheetBlock, Words
from errorflow.report.paper.making import MOST, paper_of
from errorflow.study.simulate.trial import Trial
from run_models import savez

NOW = datetime(2026, 5, 4, 12, 30)


def test_the_chapters_are_those_of_the_page_in_its_order() -> None:
    case = replace(case_of(), trials=(Trial("Run 1", Plan()),), notes={"a": "b"}, problems=("odd",), facts={"x": "y"})
    case = replace(case, chapters={"Which nodes matter": ("one",)}, plots=plots_of(case))
    paper = paper_of(case, NOW)
    assert [block.text for block in paper.blocks if isinstance(block, Heading)] == [
        "What was compared",
        "Verdict",
        "What is recommended",
        "The nodes that matter",
        "Error along the depth",
        "Worst nodes",
        "Worst tensors",
        "What was tried",
        "Which nodes matter",
        "Notes",
        "What could not be measured",
        "What this rests on",
    ]
    kinds = [type(block) for block in paper.blocks]
    assert (
        kinds.count(SheetBlock) == kinds.count(Plot) == kinds.count(FindingBlock) == 1 and kinds.count(NodeBlock) >= 3
    )
    assert paper.about.startswith("2026-05-04 12:30 · Errorflow ")


def test_a_model_alone_is_shown_with_its_graph() -> None:
    paper = paper_of(Content("alone", case_of().graph), NOW)
    assert any(isinstance(block, Words) and "Nothing was compared" in block.text for block in paper.blocks)
    assert any(isinstance(block, SheetBlock) for block in paper.blocks)


def test_of_many_nodes_the_worst_stand_in_the_tables_and_the_rest_is_named(tmp_path: Path) -> None:
    builder = GraphBuilder()
    builder.input("image")
    names = ["image", *(f"out{layer}" for layer in range(MOST + 50))]
    for before, made in pairwise(names):
        builder.node("Relu", [before], [made], f"node {made}")
    builder.output(names[-1])
    graph, dice = builder.build(), np.random.default_rng(0)
    arrays = {name: dice.random(4).astype(np.float32) for name in names}
    other = {name: array + np.float32(0.1) for name, array in arrays.items()}
    runs = (read_tensors(savez(tmp_path / f"{run}.npz", each)) for run, each in (("r", arrays), ("c", other)))
    comparison = compare(next(runs), next(runs), workers=1)
    paper = paper_of(Content("many", graph, Findings.of(graph, comparison, blame(graph, comparison))), NOW)
    grids = [block for block in paper.blocks if isinstance(block, GridBlock)]
    assert [len(grid.rows) for grid in grids] == [MOST, MOST]
    said = [block.text for block in paper.blocks if isinstance(block, Words)]
    assert (
        f"The worst {MOST:,} of {MOST + 50:,} measured nodes, by the share of blame and accumulated error."
        in "\n".join(said)
    )
    assert sum("errorflow report SESSION -o FILE.csv" in text for text in said) == 2


def test_rows_and_heads_of_each_table_agree() -> None:
    for block in paper_of(case_of("node_fault"), NOW).blocks:
        if isinstance(block, GridBlock):
            assert {len(row) for row in block.rows} == {len(block.heads)} == {len(block.shares)}
            assert abs(sum(block.shares) - 1) < 0.01
