"""From files to what is matched and shown."""

import shlex
from pathlib import Path

import pytest

import run_folders
from errorflow.base.errors import UsageError
from errorflow.base.sample import SAMPLES
from errorflow.case.model import Case
from errorflow.case.preparing import prepare
from errorflow.case.scenarios.call import asked_of, call_of
from errorflow.case.scenarios.chain import FORMAT
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.compare import compare_match
from errorflow.compare.metrics import METRICS
from errorflow.compare.placed import Placed
from errorflow.formats import read_model


def test_the_window_asks_matching_for_what_the_command_line_asks(tmp_path: Path) -> None:
    from argparse import ArgumentParser

    from errorflow.cli.asked import asked
    from errorflow.cli.compare_arguments import add_arguments

    files = {"candidate": "m", "reference": "g", "fusion": "f.json", "quantization": "q.json", "scales": "s.txt"}
    setup = Setup("npu-quantized", {need: tmp_path / name for need, name in files.items()})
    parser = ArgumentParser()
    add_arguments(parser)
    words = call_of(setup).split()[2:]
    assert asked(parser.parse_args(words)) == asked_of(setup)


def test_paths_in_a_call_are_seen_from_where_one_is_and_quoted(tmp_path: Path) -> None:
    setup = Setup("runs", {"candidate": tmp_path / "my run", "reference": Path("/elsewhere/b")})
    assert call_of(setup, tmp_path) == "errorflow compare -m 'my run' -g /elsewhere/b"


def test_without_a_second_run_there_is_nothing_to_compare() -> None:
    with pytest.raises(UsageError):
        asked_of(Setup("runs", {"candidate": Path("a")}))


def test_the_compiled_model_is_shown_before_the_original() -> None:
    setup = Setup("npu", {"fusion": Path("f.json"), "original": Path("m.onnx")})
    assert setup.shown == Path("f.json")
    assert Setup("quantized", {"quantization": Path("q.json")}).shown is None


def test_runs_without_a_model_stand_in_a_chain_that_says_it_is_one(tmp_path: Path) -> None:
    candidate, reference = run_folders.npu(tmp_path / "a", scale=1.1), run_folders.npu(tmp_path / "b")
    prepared = prepare(Setup("npu-npu", {"candidate": candidate, "reference": reference}))
    made = prepared.made
    assert made is not None
    assert made.format == FORMAT
    assert list(made.graph.node_names) == ["conv1", "relu1"]
    assert "What flows where is not known" in made.problems[0].text
    assert made.graph.producers[made.graph.node_inputs[1][-1]] == 0


def test_all_that_was_measured_is_found_in_the_chain(tmp_path: Path) -> None:
    a, b = run_folders.npz(tmp_path / "a.npz", 2.0), run_folders.npz(tmp_path / "b.npz")
    prepared = prepare(Setup("runs", {"candidate": a, "reference": b}))
    assert prepared.made is not None
    placed = Placed.of(prepared.made.graph, compare_match(prepared.match))
    assert sorted(prepared.made.graph.tensor_names[tensor] for tensor in placed.tensors) == ["a", "b"]
    assert max(placed.by(METRICS[0]).places) > float("-inf")


def test_a_chain_of_npu_rows_paints_outputs_and_keeps_inputs_apart(tmp_path: Path) -> None:
    import numpy as np

    from npu_writer import NpuArray, write_npu

    for side, scale in (("a", 1.5), ("b", 1.0)):
        folder = tmp_path / side
        folder.mkdir()
        for number, name in enumerate(("one", "two")):
            tensor = NpuArray((run_folders.VALUES * scale).astype(np.float16))
            write_npu(folder / f"Add.{name}.{number}.1.{run_folders.TIME + number}", [tensor, tensor], [tensor])
    prepared = prepare(Setup("npu-npu", {"candidate": tmp_path / "a", "reference": tmp_path / "b"}))
    assert prepared.made is not None
    graph = prepared.made.graph
    placed = Placed.of(graph, compare_match(prepared.match))
    assert sorted(graph.tensor_names[tensor] for tensor in placed.tensors) == ["one:output:0", "two:output:0"]
    assert set(placed.read) == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_two_models_are_run_and_matched_and_shown_as_the_float_one(tmp_path: Path) -> None:
    from errorflow.base.sample import SAMPLES
    from errorflow.case.measuring import measure, original_of
    from errorflow.compare.placed import side_of
    from errorflow.formats import read_model

    sample = SAMPLES[0]
    setup = Setup("onnx", {"original": sample.model, "quantized": sample.candidate_model})
    assert setup.shown == sample.model
    match = prepare(setup, folder=tmp_path).match
    model = read_model(sample.model)
    found = measure(Case(Session(), model), match, original_of(setup, model))
    assert any("made up" in problem.text for problem in match.problems)
    side = side_of(model.graph, found.comparison)
    assert len(Placed.of(model.graph, found.comparison, side).tensors) >= len(model.graph)
    assert found.blame is not None and found.blame.exact.any()
    assert found.blame.model.kind != "inputs differ"
    assert call_of(setup).endswith("--random 1")


def test_of_three_runs_the_step_at_fault_is_named(tmp_path: Path) -> None:
    from errorflow.case.measuring import measure

    files = {
        "reference": run_folders.npz(tmp_path / "float.npz"),
        "simulator": run_folders.npz(tmp_path / "simulator.npz"),
        "candidate": run_folders.npz(tmp_path / "board.npz", 9.0),
    }
    prepared = prepare(Setup("three-way", files))
    assert prepared.made is not None and prepared.three is not None
    found = measure(Case(Session(), prepared.made, three=prepared.three), prepared.match)
    assert found.stages is not None and found.stages.fault == "deployment"


CLEAN = next(sample for sample in SAMPLES if sample.key == "clean")
THREE = {"reference": CLEAN.model, "simulator": CLEAN.candidate_model, "candidate": CLEAN.candidate_run}


def test_three_of_which_two_are_run_are_as_the_command_line_has_them(tmp_path: Path) -> None:
    from errorflow.case.measuring import measure
    from errorflow.cli.main import main
    from errorflow.report.stages import stages_csv

    setup = Setup("three-way", {**THREE, "inputs": CLEAN.reference_run})
    prepared = prepare(setup, folder=tmp_path)
    assert setup.shown == CLEAN.model and prepared.made is None
    found = measure(Case(Session(), read_model(CLEAN.model), three=prepared.three), prepared.match)
    assert main([*shlex.split(call_of(setup))[1:], "-out", str(tmp_path / "out"), "--workers", "1"]) == 0
    assert found.stages is not None
    assert (tmp_path / "out" / "stages.csv").read_text("utf-8") == stages_csv(found.stages)


def test_inputs_are_made_up_for_models_in_place_of_runs(tmp_path: Path) -> None:
    setup = Setup("three-way", THREE)
    assert call_of(setup).endswith("--random 1")
    assert "made up" in prepare(setup, folder=tmp_path).match.problems[0].text


def test_inputs_without_a_model_are_refused(tmp_path: Path) -> None:
    a, b = run_folders.npz(tmp_path / "a.npz"), run_folders.npz(tmp_path / "b.npz")
    with pytest.raises(UsageError, match="Inputs are for models"):
        prepare(Setup("three-way", {"candidate": a, "reference": b, "simulator": a, "inputs": b}))


def test_a_run_is_written_as_files_too_where_rules_ask_for_them_but_for_the_candidates(tmp_path: Path) -> None:
    from errorflow.case.scenarios.three import run_models
    from errorflow.run.both import RunInputs

    models = {"reference": CLEAN.model, "candidate": CLEAN.candidate_model}
    setup = Setup("three-way", {**models, "quantization": tmp_path / "quant.json"})
    runs = run_models(setup, RunInputs((CLEAN.reference_run,), (), None), tmp_path)
    reference, candidate = (runs.setup.files[need] for need in ("reference", "candidate"))
    assert reference.is_dir() and candidate.is_file()
    assert runs.setup.files["model"] == CLEAN.model and {reference, candidate} <= set(runs.written)
