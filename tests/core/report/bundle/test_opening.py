"""A bundle opens as the same case, where none of its files are."""

import json
import zipfile
from dataclasses import fields, replace
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from bundles import changed, lines_of
from core.report.bundle.conftest import CULPRIT, NOW
from errorflow.base.errors import ErrorflowError, FileError, FormatError
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Painting, Session
from errorflow.explain.findings.model import Findings
from errorflow.formats import read_model
from errorflow.report.bundle.draft import BundleDraft, draft_of
from errorflow.report.bundle.listing import missing_text
from errorflow.report.bundle.model import GRAPH, SECOND, Bundle, BundleChoice
from errorflow.report.bundle.opening import MOST_KEPT, open_bundle, open_session, second_of, unpack_to, with_case
from errorflow.report.bundle.writing import WrittenBundle, write_bundle
from errorflow.report.contents import content_of
from errorflow.report.html.data import page_data


@pytest.fixture
def bundle(written: WrittenBundle, tmp_path: Path) -> Bundle:
    return open_bundle(written.path, tmp_path / "unpacked")


def test_every_number_and_every_verdict_is_the_same(bundle: Bundle, draft: BundleDraft) -> None:
    ours, theirs = draft.case, bundle.case
    assert theirs.blame is not None and ours.blame is not None
    for each in fields(ours.blame):
        mine, other = getattr(ours.blame, each.name), getattr(theirs.blame, each.name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, other)
        elif each.name not in ("graph", "evidence", "ran"):
            assert mine == other, each.name
    assert repr(theirs.comparison) == repr(ours.comparison)


def test_the_painting_and_the_tables_are_the_same(bundle: Bundle, draft: BundleDraft) -> None:
    ours, theirs = content_of(draft.case), content_of(bundle.case)
    mine, other = ours.findings, theirs.findings
    assert mine is not None and other is not None
    for scale in mine.scales:
        np.testing.assert_array_equal(mine.measured(scale).places, other.measured(scale).places)
    one, two = page_data(ours), page_data(theirs)
    assert one["metrics"] == two["metrics"] and one["tensors"] == two["tensors"]
    # But for what was taken out of the note.
    assert [row[:-1] for row in one["nodes"]] == [row[:-1] for row in two["nodes"]]


def test_a_second_graph_that_did_not_come_along_is_not_shown(draft: BundleDraft, tmp_path: Path) -> None:
    session = replace(draft.case.session, second=tmp_path / "other.onnx", pairing="side")
    beside = replace(draft, case=replace(draft.case, session=session))
    path = write_bundle(beside, BundleChoice(), tmp_path / "beside.zip").path
    opened = open_bundle(path, tmp_path / "unpacked")
    assert opened.case.session.pairing == "" and opened.case.second is None
    assert "The second graph is not in it." in missing_text(opened.manifest)


def test_a_second_graph_comes_along_without_its_weights(draft: BundleDraft, tmp_path: Path) -> None:
    given = draft.case
    path = Path(copy(SAMPLES[0].candidate_model, tmp_path / "int8.onnx"))
    session = replace(given.session, second=path, pairing="side")
    material = replace(given, session=session, second=read_model(path))
    file = write_bundle(draft_of(material, NOW), BundleChoice(), tmp_path / "both.zip").path
    path.unlink()
    opened = open_bundle(file, tmp_path / "unpacked").case
    assert opened.session.pairing == "side" and opened.second is not None and material.second is not None
    assert opened.second.path == opened.session.second and opened.second.path.name == "int8.onnx"
    assert opened.second.graph.node_names == material.second.graph.node_names
    assert len(file.read_bytes()) < SAMPLES[0].candidate_model.stat().st_size + draft.case.model.path.stat().st_size


@pytest.mark.parametrize("name", ["..", "../../other.onnx", "..\\..\\other.onnx", "/etc/other.onnx", ""])
def test_the_name_of_a_second_graph_leads_nowhere_else(written: WrittenBundle, tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(written.path) as archive:
        graph = json.loads(archive.read(GRAPH))
    odd: dict[str, bytes | None] = {SECOND: json.dumps({**graph, "name": name}).encode()}
    folder = tmp_path / "unpacked"
    opened = open_bundle(changed(written.path, tmp_path / "odd.zip", odd), folder)
    assert opened.case.second is not None
    assert opened.case.second.path in (opened.folder / "other.onnx", opened.folder / SECOND)


def test_the_second_graph_of_a_session_is_found_without_the_window(session: Session, tmp_path: Path) -> None:
    assert second_of(session, SAMPLES[0].model) is None
    shown = replace(session, pairing="side")
    assert second_of(shown, SAMPLES[0].model) == SAMPLES[0].candidate_model
    assert second_of(replace(shown, second=tmp_path / "mine.onnx"), SAMPLES[0].model) == tmp_path / "mine.onnx"
    assert session.setup is not None
    models = Setup("onnx", {"original": tmp_path / "a.onnx", "quantized": tmp_path / "b.onnx"})
    assert second_of(replace(shown, setup=models), tmp_path / "a.onnx") == tmp_path / "b.onnx"


def test_the_graph_is_the_same_without_its_weights(bundle: Bundle, draft: BundleDraft) -> None:
    ours, theirs = draft.case.model.graph, bundle.case.model.graph
    assert (theirs.node_names, theirs.tensor_names) == (ours.node_names, ours.tensor_names)
    assert list(theirs.shapes) == list(ours.shapes) and list(theirs.op_types) == list(ours.op_types)
    np.testing.assert_array_equal(theirs.producers, ours.producers)
    with pytest.raises(FileError, match="weights, which are not in the bundle"):
        theirs.weights.read("block2.project.conv.weight")


def test_tensors_that_came_along_can_be_looked_at_and_others_say_that_they_did_not(
    bundle: Bundle, draft: BundleDraft
) -> None:
    ours, theirs = draft.case.match, bundle.case.match
    assert ours is not None and theirs is not None
    here, there = theirs.pairs[12].candidate, ours.pairs[12].candidate
    assert here is not None and there is not None
    np.testing.assert_array_equal(here.read(), there.read())
    absent = theirs.pairs[3].candidate
    assert absent is not None
    with pytest.raises(FileError, match="are not in the bundle"):
        absent.read()


def test_a_model_that_came_along_brings_its_weights(draft: BundleDraft, tmp_path: Path) -> None:
    found = write_bundle(draft, BundleChoice(model=True), tmp_path / "case.zip")
    graph = open_bundle(found.path, tmp_path / "unpacked").case.model.graph
    ours = draft.case.model.graph.weights.read("block2.project.conv.weight")
    np.testing.assert_array_equal(graph.weights.read("block2.project.conv.weight"), ours)


def test_the_session_is_the_same_with_its_files_where_they_would_lie(bundle: Bundle, draft: BundleDraft) -> None:
    found = bundle.case.session
    assert found.bundle == bundle.path and found.painting == draft.case.session.painting
    assert found.setup is not None and found.setup.files["model"] == bundle.folder / "node_fault.onnx"
    assert found.notes == {CULPRIT: "seen by [user] in dump.npz on [host]"}


def test_a_session_saved_of_a_bundle_has_its_own_decisions_and_the_bundles_case(
    written: WrittenBundle, tmp_path: Path
) -> None:
    session = open_session(written.path, tmp_path / "there").session
    own = replace(session, model=tmp_path / "gone.onnx", painting=Painting("cosine"))
    found = with_case(own, tmp_path / "here")
    assert found.painting == Painting("cosine")
    assert found.model is not None and tmp_path / "here" in found.model.parents


def test_an_unpacked_bundle_is_a_session_beside_which_its_files_may_be_put(
    written: WrittenBundle, tmp_path: Path
) -> None:
    unpack_to(written.path, tmp_path / "there")
    opened = read_session(tmp_path / "there" / "case.errorflow")
    assert opened.problems == () and opened.session.model == tmp_path / "there" / "node_fault.onnx"
    with pytest.raises(FileError, match="is not empty"):
        unpack_to(written.path, tmp_path / "there")


def test_the_oldest_unpacked_bundles_give_way(written: WrittenBundle, tmp_path: Path) -> None:
    for number in range(MOST_KEPT + 2):
        path = changed(written.path, tmp_path / f"{number}.zip", {"note.txt": str(number).encode()})
        open_bundle(path, tmp_path / "unpacked")
    assert len(list((tmp_path / "unpacked").iterdir())) == MOST_KEPT


def test_a_file_that_was_changed_is_named_and_all_else_is_shown(written: WrittenBundle, tmp_path: Path) -> None:
    path = changed(written.path, tmp_path / "other.zip", {"ticket.md": b"changed"})
    found = open_bundle(path, tmp_path / "unpacked")
    assert found.problems == ("ticket.md is not as it was written: its checksum differs.",)
    assert found.case.blame is not None
    # It is said also when the bundle lies there unpacked already.
    assert open_bundle(path, tmp_path / "unpacked").problems == found.problems


@pytest.mark.parametrize("member", ["results/graph.json", "results/comparison.json", "case.errorflow", "manifest.json"])
@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"null", b'{"graph": 1}', b"\xff\xfe", b"[" * 100_000])
def test_rubbish_in_a_file_that_is_needed_is_a_sentence(
    written: WrittenBundle, tmp_path: Path, member: str, data: bytes
) -> None:
    path = changed(written.path, tmp_path / "other.zip", {member: data})
    with pytest.raises(ErrorflowError) as raised:
        open_bundle(path, tmp_path / "unpacked")
    assert raised.value.hint


@pytest.mark.parametrize("member", ["results/graph.json", "results/comparison.json", "results/tensors.json"])
def test_a_file_that_is_needed_and_missing_is_named(written: WrittenBundle, tmp_path: Path, member: str) -> None:
    path = changed(written.path, tmp_path / "other.zip", {member: None})
    with pytest.raises(FormatError, match=member):
        open_bundle(path, tmp_path / "unpacked")


def test_weights_are_taken_from_the_bundle_only(draft: BundleDraft, written: WrittenBundle, tmp_path: Path) -> None:
    """A manifest may name whatever file."""
    (tmp_path / "there").mkdir()
    copy(draft.case.model.path, tmp_path / "net.onnx")
    rows = json.loads("\n".join(lines_of(written.path, "manifest.json")))
    rows["originals"][0]["member"] = "model/../../../net.onnx"
    path = changed(written.path, tmp_path / "evil.zip", {"manifest.json": json.dumps(rows).encode(), "model/x": b"x"})
    found = open_bundle(path, tmp_path / "unpacked").case.model.graph
    with pytest.raises(FileError, match="not in the bundle"):
        found.weights.read("block2.project.conv.weight")


@pytest.mark.parametrize("verdict", [-1, 99])
def test_a_verdict_that_there_is_not_is_a_sentence(written: WrittenBundle, tmp_path: Path, verdict: int) -> None:
    rows = json.loads("\n".join(lines_of(written.path, "results/comparison.json")))
    rows["blame"]["verdicts"][0] = verdict
    path = changed(written.path, tmp_path / "odd.zip", {"results/comparison.json": json.dumps(rows).encode()})
    with pytest.raises(FormatError, match="is broken"):
        open_bundle(path, tmp_path / "unpacked")


def test_one_that_another_window_unpacks_at_the_same_time_is_there_for_both(
    written: WrittenBundle, tmp_path: Path
) -> None:
    class Other:
        """Opens the same bundle while it is being unpacked."""

        at = 0

        def step(self, done: int, total: int, text: str) -> None:
            if text.startswith("Unpacking") and not self.at:
                self.at = 1
                open_bundle(written.path, tmp_path / "unpacked")

    found = open_bundle(written.path, tmp_path / "unpacked", Other())
    assert found.case.blame is not None
    assert [place.name for place in (tmp_path / "unpacked").iterdir()] == [found.folder.name]


def test_findings_stand_on_the_graph_of_the_bundle(bundle: Bundle) -> None:
    found = bundle.case
    assert found.comparison is not None
    assert Findings.of(found.model.graph, found.comparison, found.blame).is_measured.all()
