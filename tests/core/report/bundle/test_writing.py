"""What is in a bundle that was written, and what is not."""

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from bundles import lines_of
from core.report.bundle.conftest import CULPRIT, NOW
from errorflow.base.errors import FileError, UsageError
from errorflow.base.language import ENGLISH, use
from errorflow.base.progress import SILENT, Cancelled
from errorflow.base.sample import SAMPLES
from errorflow.case.examine import examine
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session, Simulation
from errorflow.quant.presets import preset
from errorflow.report.bundle.draft import BundleDraft, draft_of
from errorflow.report.bundle.form import ticket_text
from errorflow.report.bundle.model import MARK, BundleChoice, OmittedPart, Redactions
from errorflow.report.bundle.opening import open_bundle, open_session
from errorflow.report.bundle.parts import planned
from errorflow.report.bundle.writing import WrittenBundle, _write, write_bundle
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis

_ALWAYS = {
    *(MARK, "README.txt", "ticket.md", "report.html", "case.errorflow", "versions.txt", "manifest.json"),
    *("config/command.txt", "tables/nodes.csv", "tables/tensors.csv"),
    *("results/graph.json", "results/comparison.json", "results/tensors.json"),
}


def _names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_no_tensor_and_no_weight_goes_in_unless_it_is_chosen(draft: BundleDraft, tmp_path: Path) -> None:
    found = write_bundle(draft, BundleChoice(), tmp_path / "case.zip")
    assert _names(found.path) == _ALWAYS
    assert [each.what for each in found.manifest.left_out] == [
        "The tensors of all nodes",
        "The weights of the models",
        "The whole runs",
    ]


def test_what_a_chosen_node_makes_and_reads_goes_in_of_both_runs(written: WrittenBundle) -> None:
    tensors = sorted(name for name in _names(written.path) if name.startswith("tensors/"))
    assert [name.split("-", 1) for name in tensors] == [
        ["tensors/candidate/00011", "_block2_depthwise_act_Relu_output_0.npy"],
        ["tensors/candidate/00012", "_block2_project_conv_Conv_output_0.npy"],
        ["tensors/reference/00011", "_block2_depthwise_act_Relu_output_0.npy"],
        ["tensors/reference/00012", "_block2_project_conv_Conv_output_0.npy"],
    ]
    assert written.manifest.nodes == (CULPRIT,)


def test_a_model_that_is_chosen_goes_in_as_it_is(draft: BundleDraft, tmp_path: Path) -> None:
    found = write_bundle(draft, BundleChoice(model=True), tmp_path / "case.zip")
    model = draft.case.model.path
    with zipfile.ZipFile(found.path) as archive:
        assert archive.read(f"model/{model.name}") == model.read_bytes()


def test_the_weights_are_in_no_file_of_a_bundle_without_the_model(written: WrittenBundle, draft: BundleDraft) -> None:
    graph = draft.case.model.graph
    values = graph.weights.read("block2.project.conv.weight").tobytes()
    with zipfile.ZipFile(written.path) as archive:
        assert not any(values[:64] in archive.read(name) for name in archive.namelist())
        assert repr(float(graph.weights.read("block2.project.conv.weight").ravel()[0])).encode() not in archive.read(
            "results/graph.json"
        )


def test_the_same_case_gives_the_same_bytes(draft: BundleDraft, tmp_path: Path) -> None:
    one, other = (write_bundle(draft, BundleChoice((CULPRIT,)), tmp_path / name) for name in ("a.zip", "b.zip"))
    assert one.path.read_bytes() == other.path.read_bytes()


def test_a_bundle_is_known_by_its_first_bytes(written: WrittenBundle) -> None:
    assert written.path.read_bytes()[30 : 30 + len(MARK)] == MARK.encode()


def test_no_byte_of_it_gives_away_folder_user_or_host(written: WrittenBundle, home: Path) -> None:
    assert written.traces == ()
    with zipfile.ZipFile(written.path) as archive:
        for name in archive.namelist():
            data = archive.read(name).lower()
            for secret in (str(home), "margaret", "build-host-17", str(home.parent), "secret project"):
                assert secret.lower().encode() not in data, f"{secret} is in {name}"


def test_what_is_not_to_be_taken_out_stays(draft: BundleDraft, tmp_path: Path, home: Path) -> None:
    found = write_bundle(draft, BundleChoice(redactions=Redactions(False, False)), tmp_path / "case.zip")
    assert any("margaret.hamilton" in line for line in lines_of(found.path, "ticket.md"))
    assert {original.path for original in found.manifest.originals} == {
        str(path) for path in home.iterdir() if path.is_file()
    }


def test_what_is_no_text_and_still_holds_a_name_is_said(draft: BundleDraft, tmp_path: Path, home: Path) -> None:
    """A model goes in as it is; whoever sends it is told what it gives away."""
    model = draft.case.model.path
    before = model.read_bytes()
    # A field of the model that readers skip: who made it.
    model.write_bytes(before + b"\x12\x08margaret")
    try:
        found = write_bundle(draft, BundleChoice(model=True), tmp_path / "case.zip")
    finally:
        model.write_bytes(before)
    assert found.traces == (f"model/{model.name}",)


def test_a_cancel_leaves_nothing_behind(draft: BundleDraft, tmp_path: Path) -> None:
    class Impatient:
        def step(self, done: int, total: int, text: str) -> None:
            if text.startswith("Writing report"):
                raise Cancelled

    with pytest.raises(Cancelled):
        write_bundle(draft, BundleChoice(), tmp_path / "case.zip", Impatient())
    assert list(tmp_path.iterdir()) == []


class _Torn:
    """Gives one piece, and then no more."""

    def __init__(self, pieces: int) -> None:
        self._pieces = pieces

    def __call__(self) -> Iterator[bytes]:
        yield from (b"piece" for _ in range(self._pieces))
        raise FileError("There is no file /home/margaret/secret/x.npy.", "Look for it.")


def test_what_cannot_be_read_is_left_out_and_said_without_its_folder(draft: BundleDraft, tmp_path: Path) -> None:
    plan = replace(planned(draft, BundleChoice(), SILENT), streams={"inputs/x.npy": _Torn(0)})
    manifest = _write(plan, tmp_path / "case.zip", SILENT)
    assert manifest.left_out[-1] == OmittedPart("inputs/x.npy", "it could not be read: There is no file x.npy.")
    assert "inputs/x.npy" not in _names(tmp_path / "case.zip")


def test_what_breaks_off_in_the_middle_is_no_file_of_a_bundle(draft: BundleDraft, tmp_path: Path) -> None:
    plan = replace(planned(draft, BundleChoice(), SILENT), streams={"inputs/x.npy": _Torn(1)})
    with pytest.raises(FileError, match="There is no file"):
        _write(plan, tmp_path / "case.zip", SILENT)


def test_two_files_of_a_name_are_still_two(draft: BundleDraft, tmp_path: Path) -> None:
    files = {need: tmp_path / need / "net.onnx" for need in ("reference", "candidate")}
    session = replace(draft.case.session, setup=Setup("runs", files))
    changed = replace(draft, case=replace(draft.case, session=session))
    setup = open_session(
        write_bundle(changed, BundleChoice(), tmp_path / "case.zip").path, tmp_path / "there"
    ).session.setup
    assert setup is not None and setup.files["reference"] != setup.files["candidate"]
    assert {path.name for path in setup.files.values()} == {"net.onnx"}


def test_the_report_in_it_works_whatever_is_taken_out(draft: BundleDraft, tmp_path: Path, home: Path) -> None:
    notes = {CULPRIT: f'the file "{home}/x.npy" is odd\nand {home}/y.npy\nnext'}
    changed = draft_of(replace(draft.case, session=replace(draft.case.session, notes=notes)), NOW)
    found = write_bundle(changed, BundleChoice(), tmp_path / "case.zip")
    page = "\n".join(lines_of(found.path, "report.html"))
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    note = next(row for row in data["nodes"] if row[0] == CULPRIT)[-1]
    assert note.endswith('\nthe file "x.npy" is odd\nand y.npy\nnext')


def test_the_form_holds_what_is_known_what_was_answered_and_blanks(draft: BundleDraft, tmp_path: Path) -> None:
    found = write_bundle(draft, BundleChoice(answers={"chip": "AX650N of margaret"}), tmp_path / "case.zip")
    text = "\n".join(lines_of(found.path, "ticket.md"))
    assert "- **Chip and board**: AX650N of [user]\n" in text
    assert f"- **What is wrong**: Node error: {CULPRIT} brings" in text
    assert "- **Command of the conversion**: (blank: please fill in)" in text


def test_the_form_says_what_was_switched_by_hand(draft: BundleDraft) -> None:
    plan = preset("onnxruntime").plan.keeping_float(CULPRIT)
    session = replace(draft.case.session, simulation=Simulation(Basis(SampleSpec()), plan))
    text = ticket_text(replace(draft.case, session=session), BundleChoice())
    assert f"## Changed by hand\n\n- {CULPRIT}: float\n" in text
    assert f"in config/. Changed by hand: float: {CULPRIT}\n" in text


def test_the_form_is_in_the_language_in_use_but_for_what_the_user_wrote(draft: BundleDraft) -> None:
    use("zh_CN")
    try:
        text = ticket_text(draft.case, BundleChoice(answers={"chip": "Chip and board"}))
    finally:
        use(ENGLISH.key)
    assert "- **芯片和开发板**: Chip and board\n" in text
    assert f"节点误差：{CULPRIT} 引起" in text
    assert "(blank: please fill in)" not in text
    assert "For margaret.hamilton only" in text


def test_further_lines_of_an_answer_are_of_the_same_point(draft: BundleDraft, tmp_path: Path) -> None:
    found = write_bundle(draft, BundleChoice(answers={"chip": "AX650N\n# no head\n- no point"}), tmp_path / "case.zip")
    text = "\n".join(lines_of(found.path, "ticket.md"))
    assert "- **Chip and board**: AX650N\n  # no head\n  - no point\n" in text


def test_a_bundle_is_not_written_over_the_one_that_it_is_made_of(written: WrittenBundle, tmp_path: Path) -> None:
    """What was not chosen again would be gone."""
    before = written.path.read_bytes()
    draft = draft_of(open_bundle(written.path, tmp_path / "there").case, NOW)
    with pytest.raises(UsageError, match="is the bundle that this came in"):
        write_bundle(draft, BundleChoice(), written.path)
    assert written.path.read_bytes() == before
    assert write_bundle(draft, BundleChoice((CULPRIT,)), tmp_path / "new.zip").manifest.nodes == (CULPRIT,)


def test_a_folder_of_inputs_goes_in_with_the_ways_inside_it(tmp_path: Path) -> None:
    """Folders may say which class a sample is of."""
    model = Path(copy(SAMPLES[0].model, tmp_path))
    for kind in ("cat", "dog"):
        (tmp_path / "my data" / kind).mkdir(parents=True)
        np.save(tmp_path / "my data" / kind / "1.npy", np.zeros((1, 1, 8, 8), np.float32))
    session = Session(model)
    simulation = Simulation(Basis(SampleSpec((str(tmp_path / "my data"),))), preset("onnxruntime").plan)
    with examine(session) as case:
        draft = draft_of(replace(case, session=replace(session, simulation=simulation)), NOW)
        found = write_bundle(draft, BundleChoice(inputs=True), tmp_path / "case.zip")
    assert {name for name in _names(found.path) if name.startswith("inputs/")} == {
        "inputs/my data/cat/1.npy",
        "inputs/my data/dog/1.npy",
    }
    bundle = open_bundle(found.path, tmp_path / "unpacked")
    opened = bundle.case.session.simulation
    assert opened is not None and opened.basis.asked.paths == (str(bundle.folder / "inputs" / "my data"),)
