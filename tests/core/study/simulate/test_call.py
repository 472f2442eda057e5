"""The call of the command line says what the window does."""

import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from errorflow.cli.planned import basis_by
from errorflow.cli.simulate import SIMULATE
from errorflow.quant.plan import Plan, Rule
from errorflow.quant.presets import PRESETS, preset
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.call import call_of, needs_plan

MODEL = Path("/models/net one.onnx")
PICTURES = Pictures((123.5, 116.0, -1.0), (58.4, 1 / 3, 255.0), "NHWC", "bgr", "letterbox")
BASES = [
    Basis(SampleSpec(("a b.npz", "c"))),
    Basis(SampleSpec(("-x.npz",))),
    Basis(SampleSpec((), {"N": 1, "x[2]": 64, "-n": 2}, seed=3, count=5), 5, 3),
    Basis(SampleSpec(("photos",), pictures=PICTURES), 12, 9, "percentile-99.9"),
    Basis(SampleSpec(("x.npz",)), calibration=Path("ranges.json"), others=("y.npz", "z.npz")),
    Basis(SampleSpec(("x.npz",)), reference=Path("float.onnx")),
    Basis(SampleSpec(("x.npz",)), method="mse", methods=(("a=b", "entropy"), ("-c d", "percentile-99.9"))),
]


def parsed(call: str) -> Namespace:
    words = shlex.split(call)
    assert words[:3] == ["errorflow", "simulate", str(MODEL)]
    parser = ArgumentParser()
    SIMULATE.arguments(parser)
    return parser.parse_args(words[2:])


@pytest.mark.parametrize("basis", BASES)
def test_samples_and_ranges_come_back(basis: Basis) -> None:
    found = basis_by(parsed(call_of(MODEL, basis)))
    paths = tuple(path.removeprefix("./") for path in found.asked.paths)
    # Only what is made up is counted.
    count = found.asked.count if basis.asked.seed is not None else basis.asked.count
    assert replace(found, asked=replace(found.asked, paths=paths, count=count), own=basis.own) == basis


@pytest.mark.parametrize("row", PRESETS, ids=lambda row: row.key)
def test_a_preset_with_nodes_kept_and_bits_is_said_with_options(row: object) -> None:
    key = row.key  # type: ignore[attr-defined]  # parametrized over a tuple of Preset
    plan = preset(key).plan.keeping_float("/a", "/b *").with_bits(16, "/c")
    options = parsed(call_of(MODEL, BASES[0], plan))
    assert (options.preset, options.keep_float, options.bits) == (key, ["/a,/b *"], ["/c=16"])


@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        replace(preset("amct").plan, outputs=True),
        preset("amct").plan.with_rule(Rule("float", "keep", names=("/a",))),
        preset("amct").plan.with_rule(Rule("float", "float", types=("Conv",))),
        preset("amct").plan.with_bits(16, "/a").keeping_float("/a"),
        preset("amct").plan.keeping_float("/a,b"),
        preset("amct").plan.with_tensor("t", "float"),
    ],
)
def test_any_other_plan_is_to_be_saved(plan: Plan) -> None:
    assert needs_plan(plan)
    assert parsed(call_of(MODEL, BASES[0], plan)).plan == "plan.json"


def test_no_name_is_read_as_an_option() -> None:
    basis = Basis(SampleSpec(("x.npz",)), calibration=Path("-c.json"), reference=Path("-f.onnx"))
    plan = preset("amct").plan.with_bits(16, "--export")
    parser = ArgumentParser()
    SIMULATE.arguments(parser)
    options = parser.parse_args(shlex.split(call_of(Path("-m.onnx"), basis, plan))[2:])
    names = (Path(options.model), Path(options.calibration), options.reference, options.bits, options.export)
    assert names == (Path("-m.onnx"), Path("-c.json"), Path("-f.onnx"), ["--export=16"], False)


def test_the_models_own_plan_needs_no_words() -> None:
    assert call_of(MODEL, Basis(SampleSpec(("x.npz",)))) == "errorflow simulate '/models/net one.onnx' --data x.npz"
