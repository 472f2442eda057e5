"""Searches on nets whose truth is known."""

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from bare_models import bare
from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT
from errorflow.quant.plan import FLOAT
from errorflow.report.search import search_lines
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.evaluate.asking import MeasureGoal, evaluator_of
from errorflow.study.evaluate.evaluator import Evaluator, EvaluatorError
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.rank.model import Kind
from errorflow.study.search.journal import SearchJournal, mark_of
from errorflow.study.search.model import Choice, Search, SearchRequest
from errorflow.study.search.own_strategy import own_strategy
from errorflow.study.search.raising import Raising, plan_of
from errorflow.study.search.searching import search
from errorflow.study.search.strategies import STRATEGIES, strategy
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from optimised_runs import optimised
from search_benches import CULPRIT, NODE_FAULT, node_fault, planted_bench, planted_case

KEYS = [each.key for each in STRATEGIES]
SMALL = MeasureGoal("relative_l2", AcceptRule("bound", 0.1))
AGREE = MeasureGoal("agreement", AcceptRule("drop", 0.05))
Found = Callable[[MeasureGoal, SearchRequest], Search]
# Family of a fault, net, seed.
Planting = tuple[str, str, int]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    # As many as answers need to be counted by: most of what takes time here is to run them.
    with node_fault(samples=32) as opened:
        yield opened


def found_by(bench: Bench, measured: MeasureGoal, wish: SearchRequest, folder: Path = Path()) -> Search:
    evaluator = evaluator_of(bench, measured, folder)
    try:
        return search(bench, bench.plan, evaluator, wish, strategy(wish.strategy))
    finally:
        evaluator.close()


@pytest.fixture(scope="module")
def once(bench: Bench) -> Found:
    """What is found on the bench, looked for once: nobody changes a search that has ended."""
    return cache(partial(found_by, bench))


def names(found: Search) -> set[str]:
    assert found.best is not None
    return {part.name for part, _ in found.chosen(found.best)}


@pytest.mark.parametrize("measured", [AGREE, SMALL], ids=["agreement", "relative error"])
def test_the_side_that_brings_the_noise_is_told_with_what_helps_it(once: Found, measured: MeasureGoal) -> None:
    """One layer's weights are bad under one scale for all."""
    told = [note for note in once(measured, SearchRequest("noise")).notes if "bring most of the noise" in note]
    assert len(told) == 1
    assert told[0].startswith("Weights bring most of the noise, activations alone ")
    assert "a scale per channel" in told[0]


@pytest.mark.parametrize("key", ["noise", "greedy", "binary"])
def test_of_all_before_a_node_no_more_is_taken_than_what_is_needed(bench: Bench, once: Found, key: str) -> None:
    """All before the last node brings most of all: what is enough ends where the bad layer does."""
    found = once(AGREE, SearchRequest(key, "upstream"))
    assert found.met and found.best is not None
    [(part, _)] = found.chosen(found.best)
    assert CULPRIT in part.nodes
    assert len(part.nodes) < 0.8 * max(len(each.nodes) for each in found.parts)
    assert bench.engine.assigned(plan_of(bench, found)).coded


@pytest.mark.parametrize("measured", [AGREE, SMALL], ids=["agreement", "relative error"])
@pytest.mark.parametrize("key", KEYS)
def test_every_strategy_finds_the_one_bad_layer(bench: Bench, once: Found, key: str, measured: MeasureGoal) -> None:
    found = once(measured, SearchRequest(key))
    assert found.met
    assert found.complete
    assert names(found) == {CULPRIT}
    assert found.best is not None
    evaluator = evaluator_of(bench, measured, Path())
    evaluator.original(SILENT)
    (again,) = evaluator.answers([plan_of(bench, found)], SILENT)
    assert (again.value, again.judgement.good) == (found.best.value, True)


def smallest(bench: Bench, evaluator: Evaluator, parts: Search, most: int) -> int:
    """By trying all sets of up to so many."""
    raising = Raising(bench.engine, bench.plan, "unit")
    evaluator.original(SILENT)
    for count in range(1, most + 1):
        sets = itertools.combinations(parts.parts, count)
        plans = [raising.plan([(part, "float") for part in each]) for each in sets]
        if any(answer.judgement.good for answer in evaluator.answers(plans, SILENT)):
            return count
    return most + 1


# Each family, net and seed once.
PLANTED = (("loud weights", "repvgg", 0), ("loud weights", "digits", 1), ("loud channel", "mobile", 0))
# The others; larger sets, and larger nets: a minute and more.
MORE_PLANTED = (
    ("loud weights", "mobile", 1),
    ("loud weights", "digits", 0),
    *(("mixed", "repvgg", seed) for seed in (0, 1)),
    ("loud channel", "digits", 1),
    ("loud norm", "encoder", 0),
)


@pytest.fixture(scope="module")
def planted_ones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Planting], Bench]]:
    """Benches with a fault: what the engine of one has computed for a test is there for the next."""
    with ExitStack() as opened:

        @cache
        def one(case: Planting) -> Bench:
            return opened.enter_context(planted_bench(planted_case(*case), tmp_path_factory.mktemp("planted")))

        yield one


@pytest.mark.parametrize("case", [*PLANTED, *(pytest.param(case, marks=pytest.mark.slow) for case in MORE_PLANTED)])
def test_noise_finds_a_smallest_set(planted_ones: Callable[[Planting], Bench], case: Planting) -> None:
    bench = planted_ones(case)
    found = {key: found_by(bench, SMALL, SearchRequest(key)) for key in ("noise", "greedy", "binary")}
    mine = found["noise"]
    assert mine.best is not None
    assert mine.met
    assert mine.best is not mine.whole, "the fault does harm"
    size = len(mine.best.choice)
    assert size == smallest(bench, evaluator_of(bench, SMALL, Path()), mine, size)
    for other in (found["greedy"], found["binary"]):
        assert other.best is not None
        assert size <= len(other.best.choice)


@pytest.fixture(
    scope="module", params=[PLANTED, pytest.param((*PLANTED, *MORE_PLANTED), marks=pytest.mark.slow)], ids=len
)
def by_answers(request: pytest.FixtureRequest, planted_ones: Callable[[Planting], Bench]) -> list[dict[str, Search]]:
    """By a measure that no simulation tells: one that it does has no evaluations to be saved."""
    return [
        {key: found_by(planted_ones(case), AGREE, SearchRequest(key)) for key in ("noise", "greedy", "binary")}
        for case in request.param
    ]


def test_noise_finds_no_larger_set_than_others_by_answers(by_answers: list[dict[str, Search]]) -> None:
    for found in by_answers:
        sizes = {key: len(each.best.choice) for key, each in found.items() if each.best is not None and each.met}
        assert sizes["noise"] == min(sizes.values())


def test_noise_asks_less_than_halving_by_answers(by_answers: list[dict[str, Search]]) -> None:
    """All in all; a set of one part is found by greedy with as little as it takes."""
    asked = {key: sum(found[key].evaluations for found in by_answers) for key in ("noise", "binary")}
    assert asked["noise"] < asked["binary"]


def test_simulations_that_are_as_good_as_evaluations_are_counted(once: Found) -> None:
    """The error of the outputs, on all samples, is the evaluator's number."""
    found = once(SMALL, SearchRequest("noise"))
    assert 0 < found.exact < found.simulated
    assert once(AGREE, SearchRequest("noise")).exact == 0


def test_what_is_counted_by_one_engine_is_asked_for_one_by_one(bench: Bench, once: Found) -> None:
    alone = once(AGREE, SearchRequest("binary"))
    several = found_by(bench, AGREE, SearchRequest("binary", workers=3))
    assert [each.choice for each in several.tried] == [each.choice for each in alone.tried]


def test_a_choice_that_leaves_nothing_quantized_is_no_evaluation_known_from_before(bench: Bench) -> None:
    found = found_by(bench, MeasureGoal("sqnr", AcceptRule("bound", 300.0)), SearchRequest("ladder"))
    assert found.best is not None
    assert (found.best.is_original, found.best.known) == (True, False)


def test_a_plan_that_is_good_enough_is_left_as_it_is(bench: Bench) -> None:
    found = found_by(bench, MeasureGoal("agreement", AcceptRule("drop", 1.0)), SearchRequest("noise"))
    assert found.whole is found.best
    assert found.evaluations == 1
    assert plan_of(bench, found) == bench.plan


@pytest.mark.parametrize("key", ["noise", "ladder", "binary"])
def test_if_nothing_is_enough_the_best_is_told(bench: Bench, key: str) -> None:
    # Weights of one layer cannot be mended by raising others.
    found = found_by(bench, MeasureGoal("relative_l2", AcceptRule("bound", 1e-7)), SearchRequest(key, "weight"))
    assert not found.met
    assert found.complete
    assert found.best is not None
    assert found.best.loss == min(each.loss for each in found.tried)


def test_a_search_ends_after_as_many_evaluations_as_are_wished(bench: Bench) -> None:
    found = found_by(bench, AGREE, SearchRequest("binary", most=2))
    assert found.evaluations == 3, "the plan as it is does not count"
    assert found.stopped == "The 2 evaluations that were asked for are done."
    assert not found.complete


def test_the_float_model_itself_must_be_good_enough(bench: Bench) -> None:
    with pytest.raises(UsageError, match="The float model itself is not good enough"):
        found_by(bench, MeasureGoal("agreement", AcceptRule("bound", 1.5)), SearchRequest("noise"))


@pytest.mark.parametrize("kind", ["unit", "node", "tensor", "weight", "producer", "upstream"])
def test_any_kind_of_part_can_be_raised(bench: Bench, once: Found, kind: str) -> None:
    found = once(AGREE, SearchRequest("noise", kind))  # type: ignore[arg-type]  # one of the kinds
    assert found.met
    assert found.best is not None
    assert len(found.best.choice) == 1
    plan = plan_of(bench, found)
    is_tensor = kind in ("tensor", "weight")
    assert bool(plan.rules) is not is_tensor, "nodes are said as rules, which can be handed over"


def test_parts_can_be_raised_to_16_bits_only(bench: Bench) -> None:
    found = found_by(bench, AGREE, SearchRequest("noise", to=16))
    assert found.best is not None
    assert found.best.choice.raised == ((0, 16),)


def test_the_ranking_of_amct_puts_the_bad_layer_first(bench: Bench) -> None:
    found = found_by(bench, AGREE, SearchRequest("binary", "node", by="amct"))
    assert found.parts[0].name == CULPRIT
    assert list(found.scores) == sorted(found.scores)
    assert all(0 <= score <= 1 for score in found.scores)


def test_it_goes_along_a_ranking_that_is_given(bench: Bench, once: Found, tmp_path: Path) -> None:
    first = once(AGREE, SearchRequest("binary"))
    order = [part.name for part in first.parts][::-1]
    path = tmp_path / "ranking.json"
    path.write_text(str([[name, place / 100] for place, name in enumerate(order)]).replace("'", '"'), "utf-8")
    found = found_by(bench, AGREE, SearchRequest("binary", ranking=path))
    assert [part.name for part in found.parts] == order
    assert len(found.best.choice if found.best else ()) > 1


class Cut(Exception):  # noqa: N818 - the end of the process, as far as a test can have it
    pass


@pytest.mark.parametrize("key", KEYS)
def test_a_search_that_was_cut_off_goes_on_as_if_it_had_not_been(
    bench: Bench, once: Found, key: str, tmp_path: Path
) -> None:
    def cut(found: Search) -> None:
        if found.evaluations == 2:
            raise Cut

    def run(give: object = None, *, resume: bool = False) -> Search:
        evaluator = evaluator_of(bench, SMALL, tmp_path)
        with SearchJournal(tmp_path, mark_of(bench, evaluator), resume=resume) as journal:
            options = {} if give is None else {"give": give}
            return search(bench, bench.plan, evaluator, SearchRequest(key), strategy(key), journal=journal, **options)  # type: ignore[arg-type]  # what it takes

    whole = once(SMALL, SearchRequest(key))  # without a journal, which changes nothing either
    with pytest.raises(Cut):
        run(cut)
    again = run(resume=True)
    assert sum(each.known for each in again.tried) == 2
    as_told = [[replace(each, seconds=0.0, known=False) for each in found.tried] for found in (again, whole)]
    assert as_told[0] == as_told[1]
    assert again.asked == whole.asked


def test_what_another_evaluator_said_is_not_believed(bench: Bench, tmp_path: Path) -> None:
    marks = {mark_of(bench, evaluator_of(bench, measured, tmp_path)) for measured in (SMALL, AGREE)}
    assert len(marks) == 2


HALF = """
    from amct_onnx.common.auto_calibration.auto_calibration_strategy_base import AutoCalibrationStrategyBase

    class OneMore(AutoCalibrationStrategyBase):
        def initialize(self, ranking_info):
            self.names = [name for name, _ in sorted(ranking_info.items(), key=lambda pair: pair[1])]
            self.count = 0

        def update_quant_config(self, metric_eval):
            good, loss = metric_eval
            if good:
                self.result["stop_flag"] = True
                return self.result
            self.count += 1
            config = {name: place >= self.count for place, name in enumerate(self.names)}
            self.result = {"stop_flag": False, "roll_back_config": config}
            return self.result
"""


def test_a_strategy_of_the_users_for_amct_is_taken_as_it_is(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "one_more.py"
    path.write_text(dedent(HALF), "utf-8")
    evaluator = evaluator_of(bench, AGREE, tmp_path)
    found = search(bench, bench.plan, evaluator, SearchRequest(str(path)), own_strategy(path))
    assert names(found) == {CULPRIT}
    assert [len(each.choice) for each in found.tried] == [0, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "has no strategy"),
        ("class A:\n    def initialize(self, r): pass\n    def update_quant_config(self, m): return 3\n", "gave 3"),
        ("class A:\n    def initialize(self, r): pass\n    def update_quant_config(self, m): 1 / 0\n", "in line 3 of"),
        ("class A:\n    def initialize(self, r): pass\n    def update_quant_config(self, m):\n"
         "        return {'stop_flag': False, 'roll_back_config': {'nobody': False}}\n", "names nobody"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_strategy_is_a_sentence(bench: Bench, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text, "utf-8")
    with pytest.raises(EvaluatorError, match=said):
        search(bench, bench.plan, evaluator_of(bench, AGREE, tmp_path), SearchRequest(str(path)), own_strategy(path))


def test_an_evaluator_that_fails_on_a_choice_is_not_the_end(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = """
        import numpy as np

        def evaluate(run):
            marks = [np.argmax(run.outputs(i)["probabilities"]) == np.argmax(run.reference(i)["probabilities"])
                     for i in run.samples]
            share = sum(marks) / len(marks)
            assert share != 1.0 or run.model.endswith("node_fault.onnx"), "no boxes were found"
            return share

        def good_enough(original, new):
            return new > 0.9, original - new
    """
    path.write_text(dedent(text), "utf-8")
    evaluator = evaluator_of(bench, MeasureGoal(file=path), tmp_path)
    with pytest.raises(EvaluatorError, match=r"The search ended: .*no boxes were found"):
        search(bench, bench.plan, evaluator, SearchRequest("greedy"), strategy("greedy"))
    evaluator.close()


def test_several_at_a_time_find_the_same(bench: Bench, tmp_path: Path) -> None:
    for key in KEYS:
        found = found_by(bench, SMALL, SearchRequest(key, workers=3), tmp_path)
        assert names(found) == {CULPRIT}, key


def test_equal_choices_are_equal_and_cost_floats_first() -> None:
    assert Choice.of({2: "float", 1: 16, 0: "plan"}) == Choice(((1, 16), (2, "float")))
    assert Choice.of([1]).cost < Choice.of([1, 2]).cost
    assert Choice.of(range(9), 16).cost < Choice.of([1]).cost


# As deployed

CULPRITS_WEIGHT = "block2.project.conv.weight"
# In simulation the culprit's weight alone is within it, and as deployed it is not.
BETWEEN = MeasureGoal("relative_l2", AcceptRule("bound", 0.0077))


def relative_error(bench: Bench, model: Path) -> float:
    """As deployed, over all samples as one."""
    power = size = 0.0
    for sample in range(bench.engine.samples):
        reference = bench.engine.values(None, bench.engine.outputs[:1], sample)[bench.engine.outputs[0]]
        power += float(np.square(np.subtract(optimised(model, bench.evaluated.read(sample)), reference)).sum())
        size += float(np.square(reference).sum())
    return math.sqrt(power / size)


@pytest.mark.parametrize("kind", ["unit", "weight"])
def test_what_is_enough_reaches_as_deployed_what_it_says(bench: Bench, once: Found, kind: Kind, tmp_path: Path) -> None:
    found = once(SMALL, SearchRequest("noise", kind))
    assert found.met and found.best is not None
    bench.engine.export(plan_of(bench, found), tmp_path / "qdq.onnx")
    assert found.best.deployed == pytest.approx(relative_error(bench, tmp_path / "qdq.onnx"), rel=1e-3)
    assert found.best.deployed <= 0.1
    if kind == "weight":
        assert names(found) == {CULPRITS_WEIGHT}
        assert relative_error(bench, bare(tmp_path / "qdq.onnx")) > 0.1


def test_answers_are_counted_as_deployed_too(once: Found) -> None:
    found = once(AGREE, SearchRequest("noise", "weight"))
    assert found.best is not None
    assert (found.best.value, found.best.deployed) == (1, 1)


def test_a_file_of_the_users_is_asked_as_deployed_too(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, "utf-8")
    found = found_by(bench, MeasureGoal(file=tmp_path / "own.py"), SearchRequest("noise", "weight"), tmp_path)
    assert found.best is not None
    bench.engine.export(plan_of(bench, found), tmp_path / "qdq.onnx")
    assert found.best.deployed == pytest.approx(relative_error(bench, tmp_path / "qdq.onnx"), rel=1e-3)


OWN = dedent(
    """
    import numpy as np

    higher_is_better = False

    def evaluate(run):
        every = [(run.outputs(at)["probabilities"], run.reference(at)["probabilities"]) for at in run.samples]
        mine, reference = (np.concatenate(each) for each in zip(*every))
        return float(np.linalg.norm(mine - reference) / np.linalg.norm(reference))

    def good_enough(original, new):
        return new <= 0.1, new
    """
)


def test_a_set_that_does_not_hold_as_deployed_gives_way_to_a_larger_one(once: Found) -> None:
    found = once(BETWEEN, SearchRequest("noise", "tensor"))
    assert found.met and found.best is not None
    first = next(each for each in found.tried if not each.good and not math.isnan(each.deployed))
    assert first.value <= 0.0077 < first.deployed
    assert {part.name for part, _ in found.chosen(first)} < names(found)
    assert max(found.best.value, found.best.deployed) <= 0.0077
    assert f"1 in float is not enough: {first.value:.6g} in simulation, {first.deployed:.6g} as deployed." in list(
        search_lines(found)
    )


def test_where_nothing_holds_as_deployed_that_is_the_answer(once: Found) -> None:
    """Whatever weights are in float, the kernels between them round as they do."""
    found = once(BETWEEN, SearchRequest("noise", "weight"))
    assert found.complete and not found.met
    assert any(each.value <= 0.0077 for each in found.tried)
    assert "No set was found that is good enough." in "\n".join(search_lines(found))


def test_larger_sets_are_evaluations_too(once: Found) -> None:
    found = once(BETWEEN, SearchRequest("noise", "tensor", most=1))
    assert found.stopped and not found.complete
    assert len(found.tried) == 2
    assert not found.met and not math.isnan(found.tried[1].deployed)


def test_a_plan_that_is_good_as_it_is_is_run_as_deployed(bench: Bench) -> None:
    found = found_by(bench, MeasureGoal("relative_l2", AcceptRule("bound", 2.0)), SearchRequest())
    assert found.whole is not None and found.met
    assert found.best is found.whole
    assert 0 < found.whole.deployed <= 2


def test_a_model_that_onnx_runtime_changes_is_told_of_and_its_plan_exported_anew(bench: Bench, tmp_path: Path) -> None:
    bench.engine.export(bench.plan.with_tensor(CULPRITS_WEIGHT, FLOAT), tmp_path / "qdq.onnx")
    path, data = bare(tmp_path / "qdq.onnx"), Basis(SampleSpec((str(NODE_FAULT.calibration),)), 16)
    with floated(path) as model, Bench.open(model, data) as own:
        found = found_by(own, SMALL, SearchRequest())
    assert found.whole is not None and found.best is found.whole and found.met
    assert found.whole.deployed <= 0.1
    assert any(note.startswith("bare.onnx itself reaches 0.") for note in found.notes)
