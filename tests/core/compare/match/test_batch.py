"""Several models that were dumped at the same time, each with its own fusion rules."""

from pathlib import Path

import pytest

from ascend_writer import graph, model, op, write_json
from errorflow.compare.match.batch import batch
from errorflow.compare.match.codes import RefusedError


def rules(folder: Path, **graphs: str) -> Path:
    folder.mkdir()
    for file, name in graphs.items():
        write_json(folder / f"{file}.json", model(graph(op("a", "Relu"), name=name)))
    return folder


def dumps(folder: Path, *steps: str) -> Path:
    for step in steps:
        (folder / step).mkdir(parents=True)
    return folder


def test_each_model_is_found_by_the_name_of_its_graph(tmp_path: Path) -> None:
    top = dumps(tmp_path / "20260101000000", "0/one/1/0", "0/two/2/0", "1/one/1/3", "1/one/1/4")

    found = batch(rules(tmp_path / "rules", first="one", second="two"), top)

    assert [(run.fusion.name, str(run.candidate.relative_to(top)), run.prefix) for run in found] == [
        ("first.json", "0/one/1/0", "0_one_0_"),
        ("first.json", "1/one/1/4", "1_one_4_"),
        ("second.json", "0/two/2/0", "0_two_0_"),
    ]


def test_a_graph_of_another_moment_is_found_by_its_number(tmp_path: Path) -> None:
    top = dumps(tmp_path / "20260101000000", "0/ge_default_20210420113944_73/1/0")

    (run,) = batch(rules(tmp_path / "rules", a="ge_default_20210420113943_73"), top)

    assert run.prefix == "0_ge_default_20210420113944_73_0_"


@pytest.mark.parametrize(
    ("name", "steps", "graphs", "says"),
    [
        ("dumps", ("0/one/1/0",), {"a": "one"}, "not named after a time"),
        ("20260101000000", (), {"a": "one"}, "not laid out"),
        ("20260101000000", ("0/one/1/0",), {}, "There is no .json"),
        ("20260101000000", ("0/one/1/0",), {"a": "other"}, "No model"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, name: str, steps: tuple[str, ...], graphs: dict[str, str], says: str
) -> None:
    (tmp_path / name).mkdir()

    with pytest.raises(RefusedError, match=says) as caught:
        batch(rules(tmp_path / "rules", **graphs), dumps(tmp_path / name, *steps))

    assert caught.value.code == 3
