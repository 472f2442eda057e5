"""The scripts that guides hand over do what they say."""

import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import run_folders
from errorflow.base.errors import FileError
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.discover import discover
from errorflow.case.session.model import GuideProgress, StepProgress
from errorflow.guides.commands import broken
from errorflow.guides.facts import Facts
from errorflow.guides.lying import facts_of
from errorflow.guides.table import flow_of
from errorflow.guides.writing import files_of, hows_of, write_files
from errorflow.vendors.ascend.guide import parts
from errorflow.vendors.ascend.guide.npy_scripts import npy_script
from errorflow.vendors.ascend.guide.parts import atc
from errorflow.vendors.horizon.guide import scripts as horizon_scripts
from run_models import savez

TIME = "1700000000000000"


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "script.py"
    path.write_text(script, encoding="utf-8")
    return subprocess.run([sys.executable, path], cwd=folder, capture_output=True, text=True, check=False)


def names_of(script: str) -> dict[str, Any]:
    """What a script defines, without running it."""
    found: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script", "exec"), found)
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / 'it\'s "odd"'
    folder.mkdir()
    path = folder / "net 1.onnx"
    path.write_bytes(SAMPLES[0].model.read_bytes())
    return path


def test_onnx_runtime_writes_a_folder_that_is_recognised(model: Path, tmp_path: Path) -> None:
    from errorflow.formats import read_model

    graph = read_model(model).graph
    rng = np.random.default_rng(1)
    shapes = {graph.tensor_names[t]: graph.shapes[t] for t in graph.inputs.tolist()}
    fed = {
        name: rng.standard_normal([dim if isinstance(dim, int) else 1 for dim in shape or ()]).astype(np.float32)
        for name, shape in shapes.items()
    }
    savez(tmp_path / "inputs.npz", fed)
    done = run(npy_script(Facts("onnx", str(model)), "npy_original"), tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in model.parent.iterdir()) == ["net 1.onnx"]
    found = discover(tmp_path / "npy_original")
    assert [each.kind for each in found.found] == ["npy"] and not found.problems
    files = list((tmp_path / "npy_original").glob("*.npy"))
    assert len(files) == len(graph) + len(fed)
    assert all(path.name.count(".") == 3 for path in files)


def test_it_says_which_input_is_lacking(model: Path, tmp_path: Path) -> None:
    savez(tmp_path / "inputs.npz", {"other": np.zeros(3)})
    done = run(npy_script(Facts("onnx", str(model)), "npy_original"), tmp_path)
    assert done.returncode == 1 and "inputs.npz lacks" in done.stderr


def test_layers_that_write_over_what_they_read_are_parted() -> None:
    def layer(name: str, kind: str, bottom: list[str], top: list[str]) -> SimpleNamespace:
        return SimpleNamespace(name=name, type=kind, bottom=bottom, top=top)

    part = names_of(npy_script(Facts("caffe", "net.prototxt", "net.caffemodel"), "npy"))["part_in_place"]
    layers = part(
        [
            layer("conv1", "Convolution", ["data"], ["conv1"]),
            layer("bn1", "BatchNorm", ["conv1"], ["conv1"]),
            layer("relu1", "ReLU", ["conv1"], ["conv1"]),
            layer("drop1", "Dropout", ["conv1"], ["conv1"]),
            layer("fc", "InnerProduct", ["conv1"], ["fc"]),
        ]
    )
    assert [(each.name, each.bottom, each.top) for each in layers] == [
        ("conv1", ["data"], ["conv1"]),
        ("bn1", ["conv1"], ["bn1"]),
        ("relu1", ["bn1"], ["relu1"]),
        ("fc", ["relu1"], ["fc"]),
    ]


def test_tensorflow_names_files_as_the_comparer_wants_them(tmp_path: Path) -> None:
    file_name = names_of(npy_script(Facts("tensorflow", "net.pb"), "npy"))["file_name"]
    assert file_name("block/conv.1/BiasAdd:0", TIME) == f"block_conv_1_BiasAdd.0.{TIME}.npy"
    (tmp_path / "npy").mkdir()
    for name in ("block/conv/BiasAdd:0", "split:1"):
        np.save(tmp_path / "npy" / file_name(name, TIME), np.zeros(3, np.float32))
    assert [each.kind for each in discover(tmp_path).found] == ["npy"]


@pytest.mark.parametrize("framework", ["caffe", "onnx"])
def test_amct_is_called_in_the_order_of_its_guide(framework: str) -> None:
    facts = Facts(framework, "res net.prototxt", "w.caffemodel")
    script = parts.quantize_script(facts)
    places = [script.index(f"amct.{name}(") for name in ("create_quant_config", "quantize_model", "save_model")]
    assert places == sorted(places) and "'amct/res net'" in script
    search = parts.search_script(facts)
    assert (
        "amct.accuracy_based_auto_calibration(" in search and "class Evaluator(AutoCalibrationEvaluatorBase)" in search
    )


def test_horizons_debugger_is_called_by_either_of_its_names() -> None:
    script = horizon_scripts.curves(Facts(quantized="cal model.onnx"))
    assert "import hmct.quantizer.debugger as dbg" in script and "import horizon_nn.debug as dbg" in script
    assert "MODEL = 'cal model.onnx'" in script and 'quantize_node=["weight", "activation"]' in script


def test_the_ranking_of_horizons_debugger_is_printed(tmp_path: Path) -> None:
    """The debugger prints it by the log, at a level that is not shown unless one asks for it."""
    (tmp_path / "hmct" / "quantizer").mkdir(parents=True)
    (tmp_path / "hmct" / "quantizer" / "debugger.py").write_text(
        "import logging\n\n\ndef get_sensitivity_of_nodes(**given):\n    logging.info('Node  cosine-similarity')\n"
    )
    done = run(horizon_scripts.sensitivity(Facts()), tmp_path)
    assert (done.returncode, done.stderr.splitlines()) == (0, ["Node  cosine-similarity"] * 2)


@pytest.mark.parametrize(("weights", "kind"), [(0.98, "weight"), (0.999, "activation")])
def test_the_kind_that_cost_more_in_the_curves_is_ranked(weights: float, kind: str) -> None:
    flow = flow_of("horizon")
    steps = {"curves": StepProgress(numbers={"weights_end": weights, "activations_end": 0.99})}
    facts = facts_of(flow, GuideProgress("horizon", steps=steps))
    for script in (horizon_scripts.distribution(facts), horizon_scripts.partial(facts)):
        assert f"KIND = '{kind}'" in script and "node_type=KIND" in script
    calls = [do.call(facts) for step in flow.steps for do in step.do if do.call is not None]
    assert sum(f"--by {kind} " in call for call in calls) == 2


def test_pulsar2s_configurations_are_read_as_they_are_meant(tmp_path: Path) -> None:
    from errorflow.base.progress import SILENT
    from errorflow.formats import read_model
    from errorflow.vendors.axera.toolchains.pulsar2 import PULSAR2

    run_folders.onnx(tmp_path / "net.onnx")
    graph = read_model(tmp_path / "net.onnx").graph
    files = files_of(flow_of("pulsar2"), Facts(node=graph.node_names[0]))
    write_files(tmp_path / "kit", files)
    plans = {
        name: PULSAR2.read(tmp_path / "kit" / name, graph, SILENT)
        for name, text in files.items()
        if '"quant"' in text and PULSAR2.claims(name, text)
    }
    assert len(plans) == 10 and not any(reading.notes for reading in plans.values())
    assert plans["pulsar2_u16_all.json"].plan.preset == "pulsar2-u16"
    assert plans["pulsar2_smooth.json"].plan.steps and not plans["pulsar2_endtoend.json"].plan.steps
    assert plans["pulsar2_u16_layers.json"].plan != plans["pulsar2_perlayer.json"].plan
    assert plans["pulsar2_again.json"].plan != plans["pulsar2_endtoend.json"].plan
    plain = files_of(flow_of("pulsar2"), Facts())
    assert "layer_configs" not in plain["pulsar2_again.json"]  # no layer needed more bits


def test_no_build_of_pulsar2_writes_over_the_table_of_another() -> None:
    flow = flow_of("pulsar2")
    calls = {how.text(Facts()) for step in flow.steps for how in hows_of(step) if how.form == "command"}
    builds = [shlex.split(call) for call in calls if call.startswith("pulsar2 build")]
    folders = [words[words.index("--output_dir") + 1] for words in builds]
    assert len(builds) == 10 and len(set(folders)) == len(folders)
    opened = [
        do.call(Facts()) for step in flow.steps for do in step.do if do.call and "errorflow results" in do.call(Facts())
    ]
    assert opened and all(any(f" {folder}/quant/debug/" in call for folder in folders) for call in opened)


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.cfg": "1"})
    write_files(tmp_path, {"a.cfg": "1", "b.cfg": "2"})
    with pytest.raises(FileError, match=r"a\.cfg"):
        write_files(tmp_path, {"a.cfg": "other", "c.cfg": "3"})
    assert not (tmp_path / "c.cfg").exists()
    write_files(tmp_path, {"a.cfg": "other"}, force=True)
    assert (tmp_path / "a.cfg").read_text() == "other"


@pytest.mark.parametrize("name", ["resnet50.prototxt", "my nets/a --b 'c'.prototxt"])
def test_a_long_call_in_lines_is_the_same_call(name: str) -> None:
    call = atc(Facts("caffe", name, "weights/resnet50.caffemodel", "Ascend310P3"), "resnet50_off", fused=False)
    lines = broken(call)
    assert lines.count("\\\n") >= 4 and shlex.split(lines.replace("\\\n", "")) == shlex.split(call)
    assert broken("python3 run.py") == "python3 run.py"
