"""Every flow has what it needs: ways to obtain things, somewhere to go, and commands without gaps."""

import ast
import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from errorflow.case.scenarios import scenario_of
from errorflow.case.session.model import GivenFiles
from errorflow.cli.main import make_parser
from errorflow.guides.facts import SOC, Facts
from errorflow.guides.lying import row_of
from errorflow.guides.model import OUTCOMES, Flow, How, Step
from errorflow.guides.parts import CONCLUDE
from errorflow.guides.table import FLOWS, fitting, flow_of, next_question, questions
from errorflow.guides.writing import files_of, hows_of
from errorflow.quant.presets import PRESETS

STEPS = [(flow, step) for flow in FLOWS for step in flow.steps]
NAMES = [f"{flow.key}-{step.key}" for flow, step in STEPS]
ODD = Path("/my 'nets'/a \"b\" {c}")


def odd_facts(flow: Flow) -> Facts:
    """Names with all that could break a command or a script."""
    given = GivenFiles(ODD / "res net.model", ODD / "res net.weights", ODD / "res net_cal.onnx", "Ascend310P3")
    return Facts.of(given, flow.framework)


def hows() -> list[tuple[Flow, How]]:
    return [(flow, how) for flow, step in STEPS for how in hows_of(step)]


@pytest.mark.parametrize(("flow", "step"), STEPS, ids=NAMES)
def test_every_outcome_leads_somewhere(flow: Flow, step: Step) -> None:
    if step.is_end:
        assert step.key == CONCLUDE and step is flow.steps[-1]
        return
    for outcome in OUTCOMES:
        way = step.way(outcome)
        assert way is not None or outcome in ("doubt", "exhausted"), outcome
    for way in step.ways:
        other, _, key = way.to.rpartition("/")
        target = flow_of(other).step(key) if other else flow.step(way.to)
        assert target is not None and way.why.endswith(".")


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_every_step_is_reached_and_from_each_the_end(flow: Flow) -> None:
    after = {step.key: {way.to for way in step.ways if "/" not in way.to} for step in flow.steps}
    reached = {flow.steps[0].key}
    while more := {to for key in reached for to in after[key]} - reached:
        reached |= more
    assert reached == set(after)
    ending = {CONCLUDE}
    while more := {key for key, to in after.items() if to & ending} - ending:
        ending |= more
    assert ending == set(after)


@pytest.mark.parametrize(("flow", "step"), STEPS, ids=NAMES)
def test_a_step_says_what_it_needs_and_how_it_is_judged(flow: Flow, step: Step) -> None:
    assert step.title and step.why.endswith(".")
    assert all(text.endswith(".") for text in step.advice)
    assert step.is_end or step.checks or step.by_hand
    scenario = scenario_of(step.scenario)
    assert (scenario is not None) == bool(step.scenario)
    if scenario is not None:
        needs = {each.need.key for each in step.wanted}
        assert {need.key for need in scenario.needs if need.required} <= needs
        assert needs <= {need.key for need in scenario.needs}
        assert row_of(step).key == step.scenario
    for wanted in step.wanted:
        assert wanted.need.obtain
        if wanted.carried is not None:
            source = flow.step(wanted.carried[0])
            assert source is not None and wanted.carried[1] in {each.need.key for each in source.wanted}


@pytest.mark.parametrize(("flow", "step"), STEPS, ids=NAMES)
def test_no_command_has_a_gap(flow: Flow, step: Step) -> None:
    for facts in (Facts.of(GivenFiles(), flow.framework), odd_facts(flow)):
        calls = [do.call(facts) for do in step.do if do.call is not None]
        calls += [how.text(facts) for how in hows_of(step) if how.form == "command"]
        for call in calls:
            words = shlex.split(call)
            assert words and not re.search(r"[{}…]", call.replace(str(ODD / "x")[:-2], "").replace("{c}", ""))
            assert all(word.partition("=")[2] == SOC for word in words if "<" in word and "NPU B" not in word)


@pytest.mark.parametrize(("flow", "step"), STEPS, ids=NAMES)
def test_our_own_calls_are_calls_of_ours(flow: Flow, step: Step) -> None:
    facts = odd_facts(flow)
    calls = [do.call(facts) for do in step.do if do.call is not None]
    calls += [how.text(facts) for how in hows_of(step) if how.form == "command"]
    for call in calls:
        if call.startswith("errorflow "):
            make_parser().parse_args(shlex.split(call)[1:])  # ends with an error where it is none
            presets = [after for word, after in pairwise(shlex.split(call)) if word == "--preset"]
            assert set(presets) <= {row.key for row in PRESETS}


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_a_plan_that_is_taken_was_written_by_another_call(flow: Flow) -> None:
    for step in flow.steps:
        calls = [do.call(Facts()) for do in step.do if do.call is not None]
        calls += [how.text(Facts()) for how in hows_of(step) if how.form == "command"]
        pairs = [pair for call in calls for pair in pairwise(shlex.split(call))]
        plans = {after for word, after in pairs if word == "--plan"}
        assert plans <= {f"{after}/plan.json" for word, after in pairs if word in ("-out", "--out")}


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.key)
def test_files_of_one_name_say_the_same(flow: Flow) -> None:
    facts = odd_facts(flow)
    seen: dict[str, str] = {}
    for each, how in hows():
        if each is flow and how.file is not None:
            name = how.file(facts)
            assert Path(name).name == name and seen.setdefault(name, how.text(facts)) == how.text(facts)
    assert seen == files_of(flow, facts)


def test_scripts_compile_whatever_files_are_called() -> None:
    texts = [
        how.text(facts)
        for flow, how in hows()
        if how.form == "script"
        for facts in (odd_facts(flow), Facts.of(GivenFiles(), flow.framework))
    ]
    assert texts and all(ast.parse(text).body for text in texts)


def test_settings_are_what_their_tools_read() -> None:
    for flow, how in hows():
        if how.form == "file" and how.file is not None:
            text, name = how.text(odd_facts(flow)), how.file(odd_facts(flow))
            assert name.endswith(".yaml") or json.loads(text)


def test_every_flow_is_found_by_its_answers() -> None:
    for flow in FLOWS:
        answers: dict[str, str] = {}
        while (asked := next_question(answers)) is not None:
            question, offered = asked
            assert flow.answers[question.key] in [answer.key for answer in offered]
            answers[question.key] = flow.answers[question.key]
        assert fitting(answers) == (flow,)


def test_every_answer_leads_to_a_flow() -> None:
    for question in questions():
        for answer in question.answers:
            assert any(flow.answers.get(question.key) == answer.key for flow in FLOWS)


def test_an_npu_against_an_npu_takes_no_fusion_rules_but_to_compare_fusion() -> None:
    for key, rules in (("npu-version", set()), ("npu-chip", set()), ("npu-fusion", {"fusion", "closed_fusion"})):
        step = flow_of(key).steps[0]
        assert {each.need.key for each in step.wanted} & {"fusion", "closed_fusion"} == rules
        assert all(each.need.required for each in step.wanted if each.need.key in rules)


def test_the_conversion_is_compiled_without_fusion() -> None:
    flow = flow_of("ascend-caffe")
    step = flow.step("conversion")
    assert step is not None
    facts = Facts.of(GivenFiles(Path("resnet50.prototxt"), soc_version="Ascend310P3"), "caffe")
    texts = [how.text(facts) for how in hows_of(step)]
    assert (
        "atc --model=amct/resnet50_deploy_model.prototxt --weight=amct/resnet50_deploy_weights.caffemodel "
        "--framework=0 --output=out/resnet50_int8_off --soc_version=Ascend310P3 --fusion_switch_file=fusion_switch.cfg"
        in texts
    )
    assert json.loads(files_of(flow, facts)["fusion_switch.cfg"]) == {
        "Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}
    }


@pytest.mark.parametrize("key", ["ascend-onnx", "ascend-caffe-float", "npu-version"])
def test_a_run_that_is_dumped_runs_once(key: str) -> None:
    """What warms the model up would lie beside it as another run."""
    flow = flow_of(key)
    facts = Facts.of(GivenFiles(), flow.framework)
    runs = [how.text(facts) for step in flow.steps for how in hows_of(step) if "ais_bench" in how.text(facts)]
    assert runs and all("--warmup_count 0 " in run for run in runs)


def test_partial_quantization_is_measured_with_what_was_decided() -> None:
    step = flow_of("horizon").step("measured")
    assert step is not None and step.do[0].call is not None
    assert step.do[0].call(Facts()).endswith("--plan decided/plan.json")
