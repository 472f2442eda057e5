"""Planted faults are first in the ranking."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import onnx
import pytest

from errorflow.base.sample import SAMPLES
from errorflow.quant.presets import preset
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.reading import at_output, order, value
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from planted_faults import FAMILIES, Planted, planted

BOTH = Question(measures=("impact", "recovery"))
BY_KEY = {family.key: family for family in FAMILIES}
SINGLE = [(key, net) for key in ("loud weights", "loud channel", "loud norm") for net in BY_KEY[key].nets]


@contextmanager
def opened(case: Planted, folder: Path, key: str = "onnxruntime") -> Iterator[Bench]:
    path = folder / "model.onnx"
    onnx.save(case.model, path)
    np.savez(folder / "samples.npz", allow_pickle=False, **{case.base.net.input: case.base.samples[:, np.newaxis]})
    with (
        floated(path) as model,
        Bench.open(model, Basis(SampleSpec((str(folder / "samples.npz"),))), preset(key).plan) as found,
    ):
        yield found


def ranked(case: Planted, folder: Path) -> Ranking:
    with opened(case, folder) as bench:
        return rank(bench.engine, bench.plan, BOTH)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("key", "net"), SINGLE)
def test_the_culprit_is_first(key: str, net: str, seed: int, tmp_path: Path) -> None:
    case = planted(BY_KEY[key], net, seed, per_channel=False)
    ranking = ranked(case, tmp_path)
    values = value(ranking, "impact")
    first, second = order(ranking, "impact")[:2].tolist()
    if values[first] < 0.05:
        pytest.skip("this fault does no harm to this net")
    assert case.culprits[0].intersection(ranking.parts[first].nodes), ranking.parts[first].name
    assert values[first] > values[second]
    best = int(order(ranking, "recovery")[0])
    assert case.culprits[0].intersection(ranking.parts[best].nodes), ranking.parts[best].name


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_of_several_faults_those_that_do_most_are_first(seed: int, tmp_path: Path) -> None:
    case = planted(BY_KEY["mixed"], "repvgg", seed, per_channel=False)
    ranking = ranked(case, tmp_path)
    guilty = list(case.culprits)
    found = [
        any(group.intersection(ranking.parts[part].nodes) for group in guilty)
        for part in order(ranking, "impact")[: len(guilty)].tolist()
    ]
    assert found[0] and sum(found) >= len(guilty) - 1


@pytest.mark.parametrize("seed", [1, 2])
def test_without_a_fault_no_part_stands_out(seed: int, tmp_path: Path) -> None:
    case = planted(BY_KEY["unharmed"], "repvgg", seed, per_channel=False)
    values = np.sort(value(ranked(case, tmp_path), "impact"))
    assert values[-1] < 4 * values[-3]


@pytest.mark.parametrize("key", ["node_fault", "loud_channel", "transformer"])
def test_what_heals_a_sample_of_the_first_start_is_among_the_first(key: str) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == key)
    truth = sample.truth()
    with floated(sample.model) as model, Bench.open(model, Basis(SampleSpec((str(sample.calibration),)))) as bench:
        ranking = rank(bench.engine, bench.plan, BOTH)
    bad = next(output for output, kind in truth.verdicts.items() if kind == "node error")
    alone = at_output(ranking, ranking.outputs.index(bad))
    known = {*truth.culprits, *truth.restoring_nodes}
    for measure in ("impact", "recovery"):
        first = ranking.parts[int(order(alone, measure)[0])]
        assert known.intersection(first.nodes) or set(truth.restoring_tensors).intersection(first.tensors), measure


def test_what_makes_no_number_is_first(tmp_path: Path) -> None:
    case = planted(BY_KEY["log of nothing"], "logarithm", 1, per_channel=False)
    with opened(case, tmp_path, "pulsar2-u8") as bench:
        ranking = rank(bench.engine, bench.plan, BOTH)
    # What goes into the logarithm becomes zero where it is coded.
    first = int(order(ranking, "impact")[0])
    assert np.isnan(value(ranking, "impact")[first]) and np.isnan(value(ranking, "impact")).sum() == 1
    assert ranking.parts[first].name == "/bands/conv/Conv"
    assert order(ranking, "recovery")[0] == first
