from pathlib import Path

import numpy as np
import pytest

from align_pictures import NCHW, NORMAL, PICTURE, SIDE
from errorflow.base.errors import ErrorflowError
from errorflow.base.sample import SAMPLES
from errorflow.formats import read_model
from errorflow.formats.folders.raw import parse_shapes
from errorflow.formats.runs import read_run
from errorflow.report.alignment import alignment_csv, alignment_json, alignment_lines
from errorflow.run.both import RunInputs, run_model
from errorflow.study.align.aligning import Also, align, gap_of
from errorflow.study.align.model import Alignment
from errorflow.study.align.opening import open_pipeline, stage_of
from errorflow.study.align.resizes import WAYS, made_by, picture_of
from run_models import savez

RESULT = np.linspace(0, 1, 30).reshape(5, 6)


def _save(folder: Path, **arrays: np.ndarray) -> Path:
    folder.mkdir()
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    return folder


def _aligned(one: Path, other: Path, also: Also | None = None) -> Alignment:
    return align(open_pipeline(one), open_pipeline(other), also)


@pytest.fixture
def same(tmp_path: Path) -> Path:
    return _save(tmp_path / "a", preprocessed=NORMAL, output=RESULT, postprocessed=RESULT)


def test_equal_pipelines_are_alike(tmp_path: Path, same: Path) -> None:
    other = _save(tmp_path / "b", preprocessed=NORMAL + 9e-5, output=RESULT, postprocessed=RESULT + 9e-4)
    found = _aligned(same, other)
    assert found.fault is None and all(row.alike for row in found.rows)
    assert "alike" in found.text


@pytest.mark.parametrize(
    ("name", "by", "fault"),
    [("preprocessed", 2e-4, "input"), ("output", 2e-3, "output"), ("postprocessed", 2e-3, "result")],
)
def test_the_first_step_beyond_its_tolerance_is_at_fault(
    tmp_path: Path, same: Path, name: str, by: float, fault: str
) -> None:
    arrays = {"preprocessed": NORMAL, "output": RESULT, "postprocessed": RESULT}
    arrays[name] = arrays[name] + by
    assert _aligned(same, _save(tmp_path / "b", **arrays)).fault == fault


def test_a_tolerance_can_be_another(tmp_path: Path, same: Path) -> None:
    other = _save(tmp_path / "b", preprocessed=NORMAL + 0.01)
    assert _aligned(same, other, Also(tolerances={"input": 0.1})).fault is None


def test_what_one_side_lacks_is_told_and_not_compared(tmp_path: Path, same: Path) -> None:
    found = _aligned(same, _save(tmp_path / "b", preprocessed=NORMAL))
    assert found.fault is None
    assert [row.note for row in found.rows if not row.measured] == ["only A has it"] * 2
    assert "Not compared: model output, postprocessed output." in found.advice


def test_outputs_are_paired_by_name_and_a_single_one_with_whatever_it_is_called(tmp_path: Path) -> None:
    one = _save(tmp_path / "a", input_image=NORMAL, output_boxes=RESULT, output_scores=RESULT[0])
    other = _save(tmp_path / "b", input_data=NORMAL, output_scores=RESULT[0] + 1, output_boxes=RESULT)
    found = _aligned(one, other)
    assert {row.name: row.alike for row in found.rows} == {"image": True, "boxes": True, "scores": False}


def test_nan_on_one_side_is_told(tmp_path: Path, same: Path) -> None:
    bad = NORMAL.copy()
    bad[0, 0, 0, :3] = np.nan
    (row,) = [row for row in _aligned(same, _save(tmp_path / "b", preprocessed=bad)).rows if row.measured]
    assert not row.alike and row.note == "NaN or infinite: 0 values of A, 3 of B"


def test_equal_nan_are_equal() -> None:
    values = np.array([1.0, np.nan, np.inf])
    assert gap_of(values, values, 0.0).largest == 0 and gap_of(values, values, 0.0).broken == 0


def test_the_place_of_the_largest_difference_is_told() -> None:
    values = np.zeros((3, 4))
    other = values.copy()
    other[2, 1] = 5
    assert gap_of(values, other, 1e-3).place == (2, 1)


@pytest.mark.parametrize("number", range(len(WAYS)))
def test_the_way_a_picture_was_resized_is_found(number: int, tmp_path: Path) -> None:
    from PIL import Image

    picture = Image.fromarray(PICTURE)
    values = WAYS[number].resize(picture, SIDE, SIDE).transpose(2, 0, 1)[::-1] / 255
    made = made_by(picture, np.ascontiguousarray(values, np.float32))
    assert made is not None and made.text == WAYS[number].text
    assert "channels" in made.cause.keys and "scale" in made.cause.keys


def test_both_ways_are_named_where_the_picture_is_known(tmp_path: Path) -> None:
    from PIL import Image

    file = tmp_path / "picture.png"
    Image.fromarray(PICTURE).save(file)
    other = WAYS[2].resize(Image.fromarray(PICTURE), SIDE, SIDE).transpose(2, 0, 1)[None]
    one, two = _save(tmp_path / "a", input=NCHW), _save(tmp_path / "b", input=other)
    (row,) = _aligned(one, two, Also(picture=picture_of(str(file)))).rows
    assert row.cause is not None
    assert row.cause.keys == ("resize",) and WAYS[0].text in row.cause.text and WAYS[2].text in row.cause.text


@pytest.mark.parametrize("honest", [True, False])
def test_the_model_says_whether_inputs_alone_explain_the_outputs(tmp_path: Path, honest: bool) -> None:
    model = SAMPLES[0].model
    graph = read_model(model).graph
    name, output = graph.tensor_names[graph.inputs[0]], graph.tensor_names[graph.outputs[0]]
    first = read_run(SAMPLES[0].evaluation).read(read_run(SAMPLES[0].evaluation).names()[0])[:1].astype(np.float32)
    sides = []
    for place, values in (("a", first), ("b", first * 0.5)):
        savez(tmp_path / f"{place}_in.npz", {name: values})
        ran = run_model(model, RunInputs([tmp_path / f"{place}_in.npz"]), tmp_path / f"{place}.npz")
        made = read_run(ran.path).read(output)
        sides.append(_save(tmp_path / place, input=values, output=made if honest or place == "a" else made * 2))
    found = _aligned(sides[0], sides[1], Also(model=model))
    assert found.fault == "input"
    assert ("the inputs alone explain them" in found.advice) == honest
    assert [("is what" in note) for note in found.notes] == [True, honest]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("preprocessed", ("input", "")),
        ("pre", ("input", "")),
        ("input_image", ("input", "image")),
        ("output", ("output", "")),
        ("Output.boxes", ("output", "boxes")),
        ("postprocessed-scores", ("result", "scores")),
        ("result/boxes", ("result", "boxes")),
        ("in_0", ("input", "0")),
        ("model_output.boxes", ("output", "boxes")),
        ("prepared", (None, "prepared")),
        ("weights", (None, "weights")),
    ],
)
def test_names_tell_the_step(name: str, expected: tuple[str | None, str]) -> None:
    assert stage_of(name) == expected


def test_an_archive_and_a_folder_go_together(tmp_path: Path, same: Path) -> None:
    np.savez(tmp_path / "b.npz", preprocessed=NORMAL, output=RESULT, postprocessed=RESULT)
    found = align(open_pipeline(same), open_pipeline(tmp_path / "b.npz"))
    assert found.fault is None and len(found.rows) == 3


def test_two_single_arrays_are_two_inputs_whatever_they_are_called(tmp_path: Path) -> None:
    np.save(tmp_path / "cat.npy", NORMAL)
    np.save(tmp_path / "board.npy", NORMAL[:, ::-1])
    found = align(open_pipeline(tmp_path / "cat.npy"), open_pipeline(tmp_path / "board.npy"))
    assert found.fault == "input" and "BGR" in found.reason


def test_raw_files_are_read_by_their_shapes(tmp_path: Path, same: Path) -> None:
    (tmp_path / "b").mkdir()
    NORMAL.astype("<f4").tofile(tmp_path / "b" / "preprocessed.bin")
    shapes = parse_shapes([f"preprocessed=1x3x{SIDE}x{SIDE}:float32"])
    assert align(open_pipeline(same), open_pipeline(tmp_path / "b", shapes)).rows[0].alike


@pytest.mark.parametrize("name", ["nothing", "empty", "raw"])
def test_what_cannot_be_used_is_told_with_a_way_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    if name != "nothing":
        folder.mkdir()
    if name == "raw":
        (folder / "preprocessed.bin").write_bytes(b"1234")
    with pytest.raises(ErrorflowError) as error:
        open_pipeline(folder)
    assert error.value.hint


def test_tables_have_a_line_for_each_row(tmp_path: Path, same: Path) -> None:
    found = _aligned(same, _save(tmp_path / "b", preprocessed=NORMAL[:, ::-1], output=RESULT + 1))
    assert len(alignment_csv(found).splitlines()) == 1 + len(found.rows)
    assert '"fault": "input"' in alignment_json(found)
    text = "\n".join(alignment_lines(found))
    assert "RGB on one side is BGR on the other" in text and "only A has it" in text
