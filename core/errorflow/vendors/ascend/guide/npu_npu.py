"""Ascend: an NPU against an NPU: another version, another chip, fusion on and off."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from errorflow.case.scenarios import needs
from errorflow.guides import checks, commands
from errorflow.guides.facts import Facts, word
from errorflow.guides.model import Do, Flow, Step, StepNeed, Way
from errorflow.guides.parts import CONCLUDE, conclude
from errorflow.vendors.ascend.guide.parts import Build, single_operator

SOURCE = "Ascend: comparison between NPU and NPU (offline inference)"
_BOTH = (
    "Both models must be quantized, or both must not be; of a quantized one choose AMCT's deploy model as the model. "
    "The comparison is for NPUs of one kind of processor."
)
_OUTPUT = (checks.OUTPUT, checks.SUSPECTS, checks.KIND)


def _step(title: str, why: str, wanted: tuple[StepNeed, ...], bad: str, *advice: str) -> Step:
    return Step(
        "compare",
        title,
        why,
        (Do("Compare"),),
        (
            Way("passed", CONCLUDE, "Nothing moved: look for the loss elsewhere."),
            Way("doubt", "operator", "Cosine similarity cannot say everything: a single operator is compared."),
            Way("close", "operator", "One measure is good and another is not: a single operator says more."),
            Way(
                "node error",
                "operator",
                "The error begins at few nodes: the first of them is looked at value by value.",
            ),
            Way("inputs differ", "compare", "The runs were fed differently: dump both again with the same input."),
            Way("failed", CONCLUDE, bad),
        ),
        "npu-npu",
        wanted,
        _OUTPUT,
        (*advice, _BOTH),
    )


def _operator(after: Build, before: Build, fused: bool = False) -> Callable[[Facts], str]:
    def call(facts: Facts) -> str:
        rules = ("-f", word(f"{after.name(facts)}.json"), "-cf", word(f"{before.name(facts)}.json")) if fused else ()
        words = ("-m", f"dump{after.ending}", "-g", f"dump{before.ending}", *rules)
        return commands.errorflow("compare", *words, "-op", word(facts.node), "-out", "operator")

    return call


def _flow(
    key: str, title: str, story: str, step: Step, answer: Mapping[str, str], call: Callable[[Facts], str]
) -> Flow:
    operator = single_operator(
        "The first bad operator, value by value: whether it is wrong or only computes in another order.",
        (
            Way("passed", CONCLUDE, "The operator is right value by value: the difference is one of rounding."),
            Way("failed", CONCLUDE, "The operator is wrong: both builds and its values go to support."),
        ),
        call,
    )
    return Flow(key, title, story, "Ascend", (step, operator, conclude()), answer, source=SOURCE, names_chip=True)


def _version() -> Flow:
    before = Build("_before", False, note="With the CANN version, the model or the tuning from before.")
    after = Build("_after", False, note="With the new CANN version, model or tuning.")
    step = _step(
        "Before against after the change of version",
        "The same input through the build from before and the new one: whether accuracy went down with the version of "
        "CANN, of the model or of its tuning.",
        (after.dump(needs.NPU_AFTER), before.dump(needs.NPU_BEFORE), StepNeed(needs.MODEL)),
        "The new version computes something else: both builds go to support.",
        "The compiled models of both are left out: tensors are matched by the operators' names.",
    )
    return _flow(
        "npu-version",
        "NPU against NPU: version",
        "You have a model that was right on the NPU, and is worse with another CANN version, model or tuning.",
        step,
        {"target": "ascend", "case": "npu-npu", "change": "version"},
        _operator(after, before),
    )


def _chip() -> Flow:
    before = Build("_a", False, fused=False, note="For the NPU that was right.")
    after = Build(
        "_b", False, fused=False, soc="<soc_version of NPU B>", note="For the other NPU: say its --soc_version."
    )
    step = _step(
        "NPU A against NPU B",
        "The model is converted anew for each NPU with fusion off, so that all operators can be compared.",
        (after.dump(needs.NPU_AFTER), before.dump(needs.NPU_BEFORE), StepNeed(needs.MODEL)),
        "The other NPU computes something else: both dumps go to support.",
        "Neither -f nor -cf is given: with them, the comparison of two NPUs cannot be made.",
    )
    return _flow(
        "npu-chip",
        "NPU against NPU: another chip",
        "You have a model that is right on one NPU and worse on another.",
        step,
        {"target": "ascend", "case": "npu-npu", "change": "chip"},
        _operator(after, before),
    )


def _fusion() -> Flow:
    fused, unfused = Build("_on", False), Build("_off", False, fused=False)
    step = _step(
        "Fusion on against fusion off",
        "Fusion is on by default. Dumping the model with and without it tells whether a fused operator computes what "
        "the single ones do.",
        (
            fused.dump(needs.NPU_AFTER),
            unfused.dump(needs.NPU_BEFORE),
            fused.json(replace(needs.OPEN_FUSION, required=True)),
            unfused.json(replace(needs.CLOSED_FUSION, required=True)),
        ),
        "A fused operator computes something else: it goes to support, and its fusion pass can be switched off.",
        "A single pass is switched off by its name in fusion_switch.cfg, in place of ALL.",
    )
    return _flow(
        "npu-fusion",
        "NPU against NPU: fusion on and off",
        "You have a model on the NPU and suspect what the compiler fused.",
        step,
        {"target": "ascend", "case": "npu-npu", "change": "fusion"},
        _operator(fused, unfused, fused=True),
    )


NPU_NPU: tuple[Flow, ...] = (_version(), _chip(), _fusion())
