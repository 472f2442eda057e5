import xml.etree.ElementTree as ET
from pathlib import Path
from typing import get_args

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.session import model as session
from errorflow.cli.main import main
from errorflow.cli.render import PALETTES, PRESETS, VIEWS
from errorflow.layout.prepare import View
from errorflow.report import presets

SVG = "{http://www.w3.org/2000/svg}"
MODEL = str(SAMPLES[0].model)
DATA = Path(__file__).parents[2] / "data"


def _svg(tmp_path: Path, *options: str, model: str = MODEL) -> ET.Element:
    target = tmp_path / "graph.svg"
    assert main(["render", model, "-o", str(target), *options]) == 0
    return ET.parse(target).getroot()


def _boxes(root: ET.Element, sort: str) -> int:
    return sum(str(group.get("id")).startswith(f"{sort}-") for group in root.iter(f"{SVG}g"))


def test_it_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = _svg(tmp_path)

    said = capsys.readouterr().out
    assert said.startswith(f"{tmp_path / 'graph.svg'}: ")
    assert f"{round(float(root.get('width', ''))):,} × {round(float(root.get('height', ''))):,} px" in said


@pytest.mark.parametrize(
    ("expand", "nodes", "closed"), [("all", True, False), ("none", False, True), ("0", False, True)]
)
def test_groups_are_opened_as_asked_for(tmp_path: Path, expand: str, nodes: bool, closed: bool) -> None:
    root = _svg(tmp_path, "--expand", expand)

    assert bool(_boxes(root, "node")) is nodes
    assert bool(_boxes(root, "fold")) is closed


def test_each_level_opens_more(tmp_path: Path) -> None:
    counts = [_boxes(_svg(tmp_path, "--expand", level), "node") for level in ("0", "1", "2", "9")]

    assert counts == sorted(counts)
    assert counts[0] < counts[1] < counts[3]


def test_columns_are_wider_than_one_piece(tmp_path: Path) -> None:
    sizes = {}
    for view in ("columns", "down"):
        root = _svg(tmp_path, "--expand", "all", "--view", view)
        sizes[view] = float(root.get("width", "")) / float(root.get("height", ""))

    assert sizes["columns"] > 1 > sizes["down"]


def test_every_way_to_lay_out_can_be_asked_for(tmp_path: Path) -> None:
    assert set(VIEWS) == set(get_args(View))
    sizes = [_svg(tmp_path, "--expand", "all", "--view", view).get("viewBox") for view in VIEWS]

    assert len(set(sizes)) == len(VIEWS)


def test_it_is_as_large_as_asked_for(tmp_path: Path) -> None:
    assert float(_svg(tmp_path, "--width", "500").get("width", "")) == 500
    plain, twice = _svg(tmp_path), _svg(tmp_path, "--scale", "2")
    assert float(twice.get("width", "")) == 2 * float(plain.get("width", ""))


def test_the_title_is_the_file_or_what_one_says(tmp_path: Path) -> None:
    titles = [
        [text.text for text in _svg(tmp_path, *options).iter(f"{SVG}text") if text.get("class") == "title"]
        for options in ((), ("--title", "A <name>"), ("--title", ""))
    ]

    assert titles == [[SAMPLES[0].model.name], ["A <name>"], []]


def test_shapes_are_worked_out_when_asked_for(tmp_path: Path) -> None:
    gated = str(DATA / "formats" / "onnx" / "gated.onnx")
    plain, known = ("".join(_svg(tmp_path, *options, model=gated).itertext()) for options in ((), ("--shapes",)))

    assert "→ m  float32 N×4" in known
    assert "→ m  float32 N×4" not in plain


@pytest.mark.parametrize(
    "model",
    [
        DATA / "ascend_models" / "s1_fusion.json",
        DATA / "formats" / "om" / "chain.om",
        DATA / "formats" / "caffe-prototxt" / "small_deploy.prototxt",
        DATA / "formats" / "amct-quant" / "s2_quant.json",
    ],
    ids=lambda path: path.name,
)
def test_every_kind_of_model_has_a_picture(tmp_path: Path, model: Path) -> None:
    assert _boxes(_svg(tmp_path, "--expand", "all", model=str(model)), "node") > 2


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        assert main(["render", MODEL, "-o", str(tmp_path / name), "--title", "net", "--no-caption"]) == 0

    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        ("--expand", "some"),
        ("--expand", "-1"),
        ("--scale", "0"),
        ("--scale", "nan"),
        ("--scale", "1e9"),
        ("--width", "x"),
        ("--width", "3"),
        ("--width", "9" * 5000),
        ("--width", "100", "--scale", "2"),
        ("--theme", "pink"),
        ("--view", "up"),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["render", MODEL, "-o", str(tmp_path / "graph.svg"), *options])

    assert stop.value.code == 2
    assert "errorflow: argument" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["graph.gif", "graph", "graph.svg.gz"])
def test_an_ending_that_is_no_picture_is_a_sentence(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", MODEL, "-o", str(tmp_path / name)]) == 2

    assert "ends in .svg" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_small_letter_makes_no_difference(tmp_path: Path) -> None:
    assert main(["render", MODEL, "-o", str(tmp_path / "GRAPH.SVG")]) == 0


def test_tensors_of_a_run_have_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", str(SAMPLES[0].candidate_run), "-o", str(tmp_path / "graph.svg")]) == 2

    assert "holds tensors" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", MODEL, "-o", str(tmp_path / "gone" / "graph.svg")]) == 2

    assert "There is no folder" in capsys.readouterr().err


def test_a_model_that_cannot_be_read_leaves_the_old_picture(tmp_path: Path) -> None:
    (tmp_path / "graph.svg").write_text("old")

    assert main(["render", str(tmp_path / "gone.onnx"), "-o", str(tmp_path / "graph.svg")]) == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def _table(folder: Path, name: str) -> str:
    path = folder / "analysis.txt"
    head = ["layer_name  simulator_error", "  entire  single", "  cos euc  cos euc", "-----"]
    lines = [*head, f"[Conv] {name}   0.5 | 1.0   0.9 | 1.0", ""]
    path.write_text("\n".join(lines))
    return str(path)


def test_the_result_table_of_another_tool_paints_it(tmp_path: Path) -> None:
    table = _table(tmp_path, SAMPLES[0].truth().culprits[0])
    root = _svg(tmp_path, "--results", table, "--column", "rknn.single.cos", "--expand", "all")

    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert any("RKNN error analysis: 1 of 1 rows found in the model" in text for text in texts)
    assert any(text.startswith("RKNN simulator single cos · node · Cosine similarity") for text in texts)


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--column", "x"), "--column names a column"), (("--results", "none.txt"), "There is no file")],
)
def test_what_cannot_be_painted_is_a_sentence(
    options: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["render", MODEL, "-o", str(tmp_path / "g.svg"), *options]) == 2
    assert message in capsys.readouterr().err


# Painted by a comparison


RUNS = ("-m", str(SAMPLES[0].candidate_run), "-g", str(SAMPLES[0].reference_run))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    assert main(["compare", *RUNS, "-out", str(folder)]) == 0
    return folder / "tensors.csv"


def _legend(root: ET.Element) -> list[str]:
    [legend] = [group for group in root.iter(f"{SVG}g") if group.get("class") == "legend"]
    return [str(text.text) for text in legend.iter(f"{SVG}text")]


def _fills(root: ET.Element) -> list[str]:
    return [str(box.get("fill")) for box in root.iter(f"{SVG}rect")]


def _titles(root: ET.Element) -> str:
    return "\n".join(str(title.text) for title in root.iter(f"{SVG}title"))


def test_a_table_and_the_runs_paint_the_same(tmp_path: Path, table: Path) -> None:
    by_table = _svg(tmp_path, "--compared", str(table), "--no-caption")
    by_runs = _svg(tmp_path, *RUNS, "--no-caption")

    assert _legend(by_table) == _legend(by_runs)
    assert _fills(by_table) == _fills(by_runs)


def test_runs_are_judged_exactly_where_the_model_can_be_run(tmp_path: Path, table: Path) -> None:
    ends = [
        [
            str(text.text)
            for text in _svg(tmp_path, *how, "--no-caption").iter(f"{SVG}text")
            if "compared" in str(text.text)
        ]
        for how in (("--compared", str(table)), RUNS)
    ]
    assert [line.endswith("verdicts estimated") for (line,) in ends] == [True, False]


def test_it_says_who_is_to_blame(tmp_path: Path, table: Path) -> None:
    [culprit] = SAMPLES[0].truth().culprits
    root = _svg(tmp_path, "--compared", str(table), "--expand", "all")

    assert f"{culprit}\nConv" in _titles(root)
    assert "origin – 100 % introduced here" in _titles(root)
    assert {"origin", "what the first fault explains"} < set(_legend(root))
    assert any(str(text.text).endswith("tensors compared · verdicts estimated") for text in root.iter(f"{SVG}text"))


def test_metric_limits_and_palette_are_chosen(tmp_path: Path, table: Path) -> None:
    asked = ("--metric", "cosine", "--limits", "cosine=0.99,0.5", "--palette", "blue-orange")
    root = _svg(tmp_path, "--compared", str(table), *asked)

    assert _legend(root)[0].startswith("accumulated · Cosine similarity")
    assert _legend(root)[1:3] == ["0.99", "0.5"]
    assert "#6B2A06" in ET.tostring(root).decode()


def test_the_share_of_blame_is_painted(tmp_path: Path, table: Path) -> None:
    root = _svg(tmp_path, "--compared", str(table), "--metric", "share", "--limits", "share=10,40")

    assert _legend(root)[0].startswith("error at probabilities · Share of blame (")
    assert _legend(root)[1:3] == ["10 %", "40 %"]


def test_a_preset_sets_limits_that_others_come_before(tmp_path: Path, table: Path) -> None:
    asked = ("--compared", str(table), "--preset", "int8-detection")

    assert _legend(_svg(tmp_path, *asked))[1:3] == ["0.05", "0.2"]
    assert _legend(_svg(tmp_path, *asked, "--limits", "relative_l2=0.1,0.3"))[1:3] == ["0.1", "0.3"]


def test_the_two_marks_are_swapped(tmp_path: Path, table: Path) -> None:
    plain, swapped = (_legend(_svg(tmp_path, "--compared", str(table), *more)) for more in ((), ("--swap",)))

    assert plain[0].startswith("accumulated") and "bar: introduced · Relative error" in plain
    assert swapped[0].startswith("introduced") and "bar: accumulated · Relative error" in swapped


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--metric", "cosine"), "nothing to paint the picture by"),
        (("--metric", "share"), "nothing to paint the picture by"),
        (("--results", "t.csv", "--metric", "share"), "is of one comparison"),
        (("--compared", "t.csv", "--against", "u.csv", "--metric", "share"), "is of one comparison"),
        (("--swap",), "nothing to paint the picture by"),
        (("-m", "run"), "takes two runs"),
        ((*RUNS, "--compared", "t.csv"), "painted by one thing"),
        ((*RUNS, "--metric", "beauty"), "no metric beauty"),
        ((*RUNS, "--limits", "cosine"), "names no limits"),
        ((*RUNS, "--limits", "cosine=1"), "names no limits"),
        ((*RUNS, "--limits", "cosine=0.5,0.9"), "0.5 is not better than 0.9"),
        ((*RUNS, "--limits", "beauty=0,1"), "no metric 'beauty'"),
        (("--compared", MODEL), "is no table of tensors"),
    ],
)
def test_what_cannot_be_painted_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert main(["render", MODEL, "-o", str(tmp_path / "graph.svg"), *options]) != 0
    assert said in capsys.readouterr().err


def test_a_comparison_of_another_model_is_refused(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = str(DATA / "formats" / "onnx" / "gated.onnx")
    assert main(["render", other, "-o", str(tmp_path / "graph.svg"), "--compared", str(table)]) != 0
    assert "is a tensor of this model" in capsys.readouterr().err


def test_choices_are_those_of_the_engine() -> None:
    assert (*PALETTES,) == session.PALETTES
    assert tuple(preset.key for preset in presets.PRESETS) == PRESETS
