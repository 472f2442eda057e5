"""Evaluators of the user's, in real processes."""

import math
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from errorflow.base.progress import SILENT, Cancelled
from errorflow.study.evaluate.asking import MeasureGoal, evaluator_of, scorer_of
from errorflow.study.evaluate.evaluator import EvaluatorError
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.evaluate.on_bench import BenchPlan
from errorflow.study.evaluate.own import MOST_LOG, OwnEvaluator
from errorflow.study.evaluate.own_file import told
from errorflow.study.simulate.bench import Bench
from search_benches import node_fault

AGREES = """
    import numpy as np

    def evaluate(run):
        same = [np.argmax(run.outputs(i)["probabilities"]) == np.argmax(run.reference(i)["probabilities"])
                for i in run.samples]
        print("looked at", len(run), "samples, the first is", run.names[0])
        return sum(same) / len(same)
"""
GOOD = """
    def good_enough(original, new):
        return original - new <= 0.05, original - new
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with node_fault() as opened:
        yield opened


def own(folder: Path, text: str, rule: AcceptRule | None = None, seconds: float = 60.0) -> OwnEvaluator:
    path = folder / "mine.py"
    path.write_text(dedent(text), "utf-8")
    return OwnEvaluator(path, folder / "mine.log", rule, seconds=seconds)


def asked(bench: Bench, mine: OwnEvaluator) -> tuple[float, bool]:
    """What it says of the plan as it is."""
    try:
        mine.check()
        original = mine.ask(BenchPlan(bench, None), None)
        found = mine.ask(BenchPlan(bench, bench.plan), original)
    finally:
        mine.close()
    return found.value, found.judgement.good


def test_functions_see_outputs_of_this_run_and_of_the_float_model(bench: Bench, tmp_path: Path) -> None:
    value, good = asked(bench, own(tmp_path, dedent(AGREES) + dedent(GOOD)))
    names, count = ["probabilities"], bench.engine.samples
    both = [[bench.engine.values(plan, names, n)["probabilities"] for n in range(count)] for plan in (None, bench.plan)]
    wanted = sum(int(np.argmax(a) == np.argmax(b)) for a, b in zip(*both, strict=True)) / count
    assert value == wanted < 0.5
    assert not good


def test_what_it_prints_is_in_the_log(bench: Bench, tmp_path: Path) -> None:
    asked(bench, own(tmp_path, dedent(AGREES) + dedent(GOOD)))
    assert "looked at 56 samples, the first is digits_calibration.npz[8]" in (tmp_path / "mine.log").read_text("utf-8")


def test_inputs_labels_and_the_model_are_there(bench: Bench, tmp_path: Path) -> None:
    text = """
        import onnxruntime

        def evaluate(run):
            session = onnxruntime.InferenceSession(run.model)
            (made,) = session.run(["probabilities"], run.inputs(3))
            assert run.labels is None
            return float(abs(made - run.outputs(3)["probabilities"]).max())

        def good_enough(original, new):
            return new < 0.01
    """
    value, good = asked(bench, own(tmp_path, text))
    # Kernels of integers round elsewhere: one code of 1/255.
    assert value < 0.01
    assert good


@pytest.mark.parametrize("form", ["model", "model_file, weights_file"])
def test_a_class_for_amct_is_taken_as_it_is_where_amct_is_not_installed(
    bench: Bench, tmp_path: Path, form: str
) -> None:
    text = f"""
        import onnxruntime
        import amct_onnx as amct
        from amct_onnx.common.auto_calibration import AutoCalibrationEvaluatorBase

        class Accuracy(AutoCalibrationEvaluatorBase):
            def __init__(self):
                super().__init__()
                self.calibrated = 0

            def calibration(self, {form}):
                self.calibrated += 1

            def evaluate(self, {form}):
                session = onnxruntime.InferenceSession({form.partition(",")[0]})
                return self.calibrated + len(session.get_outputs()) / 4

            def metric_eval(self, original_metric, new_metric):
                loss = original_metric - new_metric
                if loss * 100 < 0.2:
                    return True, loss
                return False, loss
    """
    assert asked(bench, own(tmp_path, text)) == (1.25, True)


def test_what_amct_itself_would_do_is_told_when_it_is_called(bench: Bench, tmp_path: Path) -> None:
    text = """
        import amct_onnx as amct

        def evaluate(run):
            amct.create_quant_config("config.json", run.model)
    """
    with pytest.raises(EvaluatorError, match="create_quant_config was called, and AMCT is not installed"):
        asked(bench, own(tmp_path, text, AcceptRule("drop", 0.1)))


def test_a_rule_of_the_call_stands_in_for_that_of_the_file(bench: Bench, tmp_path: Path) -> None:
    assert asked(bench, own(tmp_path, dedent(AGREES) + dedent(GOOD), AcceptRule("drop", 1.0)))[1]


def test_without_any_rule_it_is_not_asked(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(EvaluatorError, match="does not say what is good enough"):
        asked(bench, own(tmp_path, AGREES))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def evaluate(run):\n    return 1 / 0\n", r"failed in line 2 of mine\.py: ZeroDivisionError: division by"),
        ("import nothing_of_that_name\n", r"failed in line 1 of mine\.py: ModuleNotFoundError"),
        ("def evaluate(run:\n", r"mine\.py is no Python: .* in line 1"),
        ("x = 1\n", r"mine\.py has no evaluator"),
        ("def evaluate(run):\n    return 'good'\n", r"mine\.py gave str “good”, no number"),
        ("def evaluate(run):\n    return None\n", r"mine\.py gave NoneType"),
        ("def evaluate(run):\n    return 10**400\n", r"mine\.py gave a number that is too large"),
        ("def evaluate(run):\n    return 0.5\x00\n", r"mine\.py is no Python: .*null bytes\."),
        ("import sys\ndef evaluate(run):\n    sys.exit(3)\n", r"ended its own process in line 3 of mine\.py"),
        ("class T:\n    def item(self):\n        raise RuntimeError('3 of it')\ndef evaluate(run):\n    return T()\n",
         r"failed in line 3 of mine\.py: RuntimeError: 3 of it"),
        ("def evaluate(run):\n    a = []\n    a.append(a)\n    return a\n", r"gave lists within lists without end"),
        ("def evaluate(run):\n    a = []\n    a.extend([a] * 900)\n    return a\n", r"mine\.py gave 1,800 numbers"),
        ("import numpy as np\ndef evaluate(run):\n    return np.zeros(2000)\n", r"mine\.py gave 2,000 numbers"),
        ("import os\ndef evaluate(run):\n    os._exit(3)\n", r"mine\.py crashed in its own process \(code 3\)"),
        ("def evaluate(run):\n    return run.outputs(99)\n", r"failed in line 2 of mine\.py: IndexError"),
        ("class A:\n    def evaluate(self, m): pass\n    def metric_eval(self, a, b): pass\nclass B(A): pass\n"
         "class C(A): pass\n", r"several evaluators in the file: B, C"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_a_sentence_with_file_and_line(bench: Bench, tmp_path: Path, text: str, said: str) -> None:
    mine = own(tmp_path, text, AcceptRule("drop", 0.1))
    with pytest.raises(EvaluatorError, match=said) as told:
        asked(bench, mine)
    assert str(mine.log) in told.value.hint


@pytest.mark.parametrize(
    ("frozen", "said"),
    [(False, "Install torch where Errorflow is"), (True, "Install Errorflow with pip where torch is.")],
)
def test_what_is_not_installed_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frozen: bool, said: str) -> None:
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    with pytest.raises(EvaluatorError) as raised, told(tmp_path / "mine.py"):
        raise ModuleNotFoundError("No module named 'torch'", name="torch.nn")
    assert said in raised.value.hint


@pytest.mark.parametrize(
    "answer", ["np.bool_(True), np.float32(0)", "np.array(True), np.array([0.0])", "[1, 0]", "True", "(True, None)"]
)
def test_a_rule_may_answer_in_many_ways(bench: Bench, tmp_path: Path, answer: str) -> None:
    text = f"""
        import numpy as np

        def evaluate(run):
            return np.array(0.5)

        def good_enough(original, new):
            return {answer}
    """
    assert asked(bench, own(tmp_path, text)) == (0.5, True)


@pytest.mark.parametrize("answer", ["2, 0", "'yes', 0", "None", "True, 0, 1", "np.array([True, False]), 0"])
def test_what_a_rule_answers_may_make_no_sense(bench: Bench, tmp_path: Path, answer: str) -> None:
    text = f"import numpy as np\ndef evaluate(run):\n    return 0.5\ndef good_enough(a, b):\n    return {answer}\n"
    with pytest.raises(EvaluatorError, match=r"mine\.py answered .* to good_enough") as told:
        asked(bench, own(tmp_path, text))
    assert "Return (True, loss) or (False, loss)." in told.value.hint


def test_it_may_start_processes_of_its_own(bench: Bench, tmp_path: Path) -> None:
    text = """
        import multiprocessing

        def half(number):
            return number / 2

        def evaluate(run):
            with multiprocessing.Pool(1) as pool:
                return sum(pool.map(half, [1, 2]))
    """
    assert asked(bench, own(tmp_path, text, AcceptRule("drop", 0.1))) == (1.5, True)


def test_one_that_hangs_is_stopped(bench: Bench, tmp_path: Path) -> None:
    text = "import time\ndef evaluate(run):\n    run.outputs(0)\n    while True:\n        time.sleep(0.01)\n"
    with pytest.raises(EvaluatorError, match=r"mine\.py took longer than 1 seconds and was stopped"):
        asked(bench, own(tmp_path, text, AcceptRule("drop", 0.1), seconds=1.0))


def test_a_cancel_reaches_one_that_hangs(bench: Bench, tmp_path: Path) -> None:
    class Impatient:
        def __init__(self) -> None:
            self.steps = 0

        def step(self, done: int, total: int, text: str) -> None:
            self.steps += 1
            if self.steps > 20:
                raise Cancelled

    mine = own(tmp_path, "def evaluate(run):\n    while True:\n        pass\n", AcceptRule("drop", 0.1))
    with pytest.raises(Cancelled):
        mine.ask(BenchPlan(bench, None), None, Impatient())
    mine.close()


def test_no_number_is_not_good_whatever_the_rule_says(bench: Bench, tmp_path: Path) -> None:
    text = "def evaluate(run):\n    return float('nan')\ndef good_enough(original, new):\n    return True, 0.0\n"
    value, good = asked(bench, own(tmp_path, text))
    assert math.isnan(value)
    assert not good


def test_several_numbers_go_back_to_the_rule_as_they_were(bench: Bench, tmp_path: Path) -> None:
    text = """
        import numpy as np

        def evaluate(run):
            return np.float32(0.5), 2

        def good_enough(original, new):
            assert original == new == (0.5, 2.0)
            return True, original[1] - new[1]
    """
    assert asked(bench, own(tmp_path, text)) == (0.5, True)


def test_several_at_a_time_give_the_same_answers_in_their_order(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(AGREES) + dedent(GOOD), "utf-8")
    plans = [bench.plan, bench.plan.keeping_float("*"), bench.plan.keeping_float("/block2/project/conv/Conv")]
    found = []
    for workers in (1, 2):
        evaluator = evaluator_of(bench, MeasureGoal(file=tmp_path / "mine.py"), tmp_path, workers)
        evaluator.original(SILENT)
        found.append([answer.value for answer in evaluator.answers(plans, SILENT)])
        evaluator.close()
    assert found[0] == found[1]
    assert found[0][0] < 0.5 < found[0][1] == 1.0


def test_the_edge_of_a_rule_is_found_without_looking_into_it(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(AGREES) + dedent(GOOD), "utf-8")
    evaluator = evaluator_of(bench, MeasureGoal(file=tmp_path / "mine.py"), tmp_path)
    original = evaluator.original(SILENT)
    (whole,) = evaluator.answers([bench.plan], SILENT)
    assert evaluator.edge(original, whole, SILENT) == pytest.approx(0.95)
    evaluator.close()


def test_a_scorer_gives_its_number_for_any_plan(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(AGREES) + dedent(GOOD), "utf-8")
    evaluator = evaluator_of(bench, MeasureGoal(file=tmp_path / "mine.py"), tmp_path)
    scorer = scorer_of(evaluator)
    assert scorer.higher_is_better
    assert scorer.label == "mine.py"
    assert scorer.score(bench.plan) < scorer.score(bench.plan.keeping_float("*")) == 1.0
    evaluator.close()


def test_one_that_closes_its_outputs_is_asked_again(bench: Bench, tmp_path: Path) -> None:
    text = """
        import os, sys

        def evaluate(run):
            print("still here")
            sys.stdout.close()
            return 0.5
    """
    assert asked(bench, own(tmp_path, text, AcceptRule("drop", 0.1))) == (0.5, True)
    assert (tmp_path / "mine.log").read_text("utf-8") == "still here\n" * 2


def test_the_log_begins_anew(bench: Bench, tmp_path: Path) -> None:
    log = tmp_path / "mine.log"
    with log.open("wb") as file:
        file.truncate(MOST_LOG + 1)
    assert asked(bench, own(tmp_path, "def evaluate(run):\n    return 0.5\n", AcceptRule("drop", 0.1))) == (0.5, True)
    assert log.read_bytes() == b""


def test_what_was_printed_before_a_call_is_no_reason_to_stop_it(bench: Bench, tmp_path: Path) -> None:
    mine = own(tmp_path, "def evaluate(run):\n    return 0.5\n", AcceptRule("drop", 0.1))
    mine.check()
    with mine.log.open("wb") as file:
        file.truncate(MOST_LOG + 1)
    assert mine.ask(BenchPlan(bench, None), None).value == 0.5
    mine.close()


def test_one_that_prints_without_end_is_stopped(bench: Bench, tmp_path: Path) -> None:
    text = f"""
        import os

        def evaluate(run):
            os.ftruncate(1, {MOST_LOG + 1})
            while True:
                pass
    """
    with pytest.raises(EvaluatorError, match=r"mine\.py prints without end and was stopped"):
        asked(bench, own(tmp_path, text, AcceptRule("drop", 0.1)))


HELPERS = ("helper.py", "late.py", "named.py", "kit/__init__.py", "kit/tools.py", "kit/more.py", "through.py")


def with_helpers(folder: Path) -> Path:
    (folder / "kit").mkdir()
    texts = dict.fromkeys(HELPERS, "x = 1\n") | {
        "helper.py": "import through\n",
        "kit/tools.py": "from . import more\n",
        "mine.py": "import helper, numpy\nfrom kit import tools\n\ndef evaluate(run):\n    import late\n"
        "    return __import__('named').x\n",
        "other.py": "x = 1\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    return folder / "mine.py"


@pytest.mark.parametrize("name", HELPERS)
def test_another_evaluator_is_one_whose_helpers_changed(tmp_path: Path, name: str) -> None:
    path = with_helpers(tmp_path)
    before = OwnEvaluator(path, tmp_path / "mine.log").digest
    with (tmp_path / name).open("a", encoding="utf-8") as file:
        file.write("y = 2\n")
    assert OwnEvaluator(path, tmp_path / "mine.log").digest != before


def test_what_an_evaluator_does_not_import_is_no_part_of_it(tmp_path: Path) -> None:
    path = with_helpers(tmp_path)
    before = OwnEvaluator(path, tmp_path / "mine.log").digest
    (tmp_path / "other.py").write_text("x = 2\n", "utf-8")
    assert OwnEvaluator(path, tmp_path / "mine.log").digest == before


def test_the_digest_of_one_file_is_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def evaluate(run):\n    return 0.5\n", "utf-8")
    assert OwnEvaluator(path, tmp_path / "mine.log").digest == sha256(path.read_bytes()).hexdigest()
