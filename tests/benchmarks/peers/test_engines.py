"""Engines run in processes of their own, which are stopped when they take too much."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from peers.engines import ENGINES, Engine, Limits, run
from peers.graphs import make
from peers.joined import unjoined
from peers.measures import crossings, pierced
from peers.pictures import picture
from peers.tangles import setting

from errorflow.layout.engine import LayoutOptions, layout

PLENTY = Limits(60, 2_000_000_000)
OURS = [engine for engine in ENGINES if engine.is_ours]


def script(code: str) -> Engine:
    return Engine("script", lambda _folder, _graph: ([sys.executable, "-c", code], []))


@pytest.mark.parametrize("engine", OURS, ids=lambda engine: engine.name)
@pytest.mark.parametrize("name", ["cycle", "self-loop", "multi-edge", "isolated", "5-components"])
def test_our_answer_shows_all_that_was_asked(name: str, engine: Engine, tmp_path: Path) -> None:
    graph = make(name)
    asked = setting(graph, layout(graph, LayoutOptions(grouped=False)))
    question = tmp_path / "question.json"
    question.write_text(json.dumps(asdict(asked.tangle())))
    answer = run(engine, tmp_path, name, question, PLENTY)
    assert not isinstance(answer, str)
    shown = picture(answer, asked)
    assert shown.boxes[shown.shown_by, 2:].tolist() == asked.sizes.tolist()
    assert (crossings(shown), pierced(shown, asked), unjoined(shown, asked)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("code", "limits", "said"),
    [
        ("while True: pass", Limits(0.5, 10**9), "> 0.5 s"),
        ("held = b'x' * 400_000_000\nwhile True: pass", Limits(20, 200_000_000), "> 0.2 GB"),
        ("raise ValueError('odd graph')", PLENTY, "fails: ValueError: odd graph"),
        ("import os; os.abort()", PLENTY, "fails: signal SIGABRT"),
        ("import sys; sys.exit(3)", PLENTY, "fails: exit code 3"),
    ],
)
def test_an_engine_that_gives_no_answer_is_told_why(code: str, limits: Limits, said: str, tmp_path: Path) -> None:
    assert run(script(code), tmp_path, "cycle", tmp_path / "question.json", limits) == said


def test_an_answer_that_took_too_long_is_none(tmp_path: Path) -> None:
    code = "import sys; open(sys.argv[2], 'w').write('{\"cpu\": 61}')"
    assert run(script(code), tmp_path, "cycle", tmp_path / "question.json", PLENTY) == "> 60 s"
