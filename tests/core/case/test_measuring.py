"""Measuring in steps that can be watched, left and gone on with."""

from pathlib import Path
from typing import Any

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.measuring import measure, original_of
from errorflow.case.model import Case
from errorflow.case.preparing import prepare
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.case.values import Part, Prepared
from errorflow.compare import compare_match
from errorflow.compare.model import PENDING
from errorflow.compare.placed import side_of
from errorflow.explain.blame.model import Blame
from errorflow.formats import read_model


def runs(tmp_path: Path) -> Setup:
    files = {"candidate": run_folders.npz(tmp_path / "a.npz", 2.0), "reference": run_folders.npz(tmp_path / "b.npz")}
    return Setup("runs", files)


def measured(prepared: Prepared, **asked: Any) -> Case:
    assert prepared.made is not None
    return measure(Case(Session(), prepared.made), prepared.match, **asked)


def done(part: Part) -> int:
    return len(part().comparison.known)


def test_rows_come_one_by_one_and_end_as_they_do_at_once(tmp_path: Path) -> None:
    prepared = prepare(runs(tmp_path))
    steps: list[tuple[int, bool]] = []

    def tell(part: Part) -> None:
        steps.append((done(part), part().complete))

    found = measured(prepared, tell=tell)
    assert steps == [(0, False), (1, False), (2, False)]
    assert found.complete and found.blame is not None
    assert found.comparison == compare_match(prepared.match)


def test_what_was_told_stays_as_it_was_when_somebody_looked(tmp_path: Path) -> None:
    seen: list[Case] = []
    measured(prepare(runs(tmp_path)), tell=lambda part: seen.append(part()))
    assert [len(case.comparison.known) for case in seen] == [0, 1, 2]


def test_what_is_known_is_not_measured_again(tmp_path: Path) -> None:
    prepared = prepare(runs(tmp_path))
    told: list[Part] = []
    first = measured(prepared, tell=told.append)
    half = {0: first.comparison.rows[0]}
    steps: list[int] = []
    again = measured(prepared, known=half, tell=lambda part: steps.append(done(part)))
    assert steps == [1, 2]
    assert again.comparison.rows[0] is first.comparison.rows[0]
    assert again.comparison == first.comparison


def test_what_has_no_partner_is_not_waited_for(tmp_path: Path) -> None:
    import numpy as np

    np.savez(tmp_path / "a.npz", a=run_folders.VALUES)
    np.savez(tmp_path / "b.npz", a=run_folders.VALUES, b=run_folders.VALUES)
    prepared = prepare(Setup("runs", {"candidate": tmp_path / "a.npz", "reference": tmp_path / "b.npz"}))
    notes: list[list[str]] = []

    def take(part: Part) -> None:
        notes.append([row.note for row in part().comparison.rows])

    measured(prepared, tell=take)
    assert notes[0][0] == PENDING
    assert notes[0][1] != PENDING


def test_the_reference_is_painted_where_only_its_names_are_in_the_graph() -> None:
    from dataclasses import replace

    sample = SAMPLES[0]
    graph = read_model(sample.model).graph
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    comparison = compare_match(prepare(Setup("runs", files)).match)
    assert side_of(graph, comparison) == "candidate"
    renamed = replace(comparison, rows=tuple(replace(row, tensor=f"npu_{row.tensor}") for row in comparison.rows))
    assert side_of(graph, renamed) == "reference"


def test_the_original_is_the_one_given_or_a_float_model_that_can_be_run(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    assert original_of(Setup(), read_model(sample.model)) == sample.model
    assert original_of(Setup(), read_model(sample.candidate_model)) is None
    assert original_of(Setup(), read_model(run_folders.atc_json(tmp_path / "net.json"))) is None
    given = Setup("npu", {"original": sample.model})
    assert original_of(given, read_model(tmp_path / "net.json")) == sample.model


def test_with_an_original_who_is_to_blame_is_known_exactly() -> None:
    sample = SAMPLES[0]
    model = read_model(sample.model)
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    match = prepare(Setup("runs", files)).match
    steps: list[bool] = []
    found = measure(
        Case(Session(), model), match, sample.model, tell=lambda part: steps.append(part().blame is not None)
    )
    assert steps[-1] and steps.count(True) == 1
    assert found.blame is not None and found.blame.exact.any()


def _verdict_on(tmp_path: Path, *scales: float) -> Blame:
    """On a chain of so many tensors; the last one is in one run only."""
    import numpy as np

    tensors = {f"t{at}": run_folders.VALUES for at in range(len(scales))}
    np.savez(tmp_path / "b.npz", **tensors)  # type: ignore[arg-type] # arrays by name
    scaled = {name: values * scale for (name, values), scale in zip(tensors.items(), scales, strict=True)}
    np.savez(tmp_path / "a.npz", **scaled, last=run_folders.VALUES)  # type: ignore[arg-type] # arrays by name
    prepared = prepare(Setup("runs", {"candidate": tmp_path / "a.npz", "reference": tmp_path / "b.npz"}))
    found = measured(prepared).blame
    assert found is not None
    return found


def test_a_chain_has_no_output_to_judge(tmp_path: Path) -> None:
    found = _verdict_on(tmp_path, 1.5, 1.0, 1.0)
    assert found.model.kind == "beyond limits"
    assert found.model.text.startswith("1 of 3 tensors is beyond the limits")
    assert not found.model.top and not found.model.outputs
    assert not any("constant" in note for note in found.notes.values())


def test_a_chain_is_good_where_all_that_was_measured_is(tmp_path: Path) -> None:
    model = _verdict_on(tmp_path, 1.0, 1.0).model
    assert (model.kind, model.text[:15]) == ("good", "All 2 tensors a")
