"""Horizon: accumulated curves, sensitivity, distributions, partial quantization, accuracy."""

from collections.abc import Callable
from functools import partial

from errorflow.case.scenarios.found import Kind
from errorflow.case.scenarios.scenario import Need
from errorflow.guides import checks, commands
from errorflow.guides.facts import Facts, word
from errorflow.guides.model import Do, Flow, GuideAnswer, How, Step, StepNeed, Way
from errorflow.guides.parts import ALIGN, CONCLUDE, conclude, decided, measure, samples, script
from errorflow.vendors.horizon.guide import checks as own
from errorflow.vendors.horizon.guide import scripts as horizon_scripts

SOURCE = "Horizon: precision debug of repvgg_b2_deploy"
_MODELS: frozenset[Kind] = frozenset(("onnx", "onnx-quantized"))
_CALIBRATED = Need(
    "quantized",
    "Calibrated model",
    "The *_calibrated_model.onnx that the conversion leaves behind.",
    _MODELS,
    "hb_mapper makertbin and hb_compile always write it into their output folder.",
)
_CALIBRATION = Need(
    "calibration",
    "Calibration data",
    "The folder calibration_data of the conversion, a folder of .npy per input: already preprocessed.",
    frozenset(("array", "arrays", "npy")),
    'The conversion leaves it when its yaml says debug_mode: "dump_calibration_data".',
)
_PRESET = "horizon-int8"
_YAML = 'model_parameters:\n  debug_mode: "dump_calibration_data"\n'
_DATA_HOW = How(
    "Part of the yaml that keeps the calibration data", "file", lambda _: _YAML, lambda _: "horizon_debug_mode.yaml"
)
_LEFT_OUT = decided(_PRESET, note="Name as many nodes as the curve needs, with commas between them.")
_WANTED = (StepNeed(_CALIBRATED), StepNeed(_CALIBRATION, (_DATA_HOW,)))


def _evaluate(facts: Facts) -> str:
    return commands.on_samples("evaluate", facts, "--labels", word(facts.labels), "--preset", _PRESET)


def _evaluate_decided(facts: Facts) -> str:
    plan = f"{commands.DECIDED}/plan.json"
    return commands.on_samples("evaluate", facts, "--labels", word(facts.labels), "--plan", plan)


def _accuracy(key: str, title: str, why: str, ways: tuple[Way, ...], call: Callable[[Facts], str], *how: How) -> Step:
    return Step(
        key,
        title,
        why,
        (measure(call),),
        ways,
        wanted=samples(),
        checks=(own.KEPT_SHARE, own.OUTPUT_HORIZON),
        advice=(
            "Measure both models on the same labelled data, and write both accuracies down.",
            "At 1.5 to 3 % of loss the calibration is tuned first: another method, per channel, asymmetric.",
            "The cosine similarity of the output is normal from 0.99 on; below 0.8 accuracy is clearly lost.",
        ),
        how=how,
    )


def _steps() -> tuple[Step, ...]:
    return (
        _accuracy(
            "accuracy",
            "Accuracy: quantized against float",
            "What is kept of the float model's accuracy says where to begin: 99 % of it are the aim.",
            (
                Way("passed", CONCLUDE, "99 % of the float model's accuracy are kept: nothing is to be done."),
                Way("close", "curves", "A loss of this size is tuned: the debugger tells what costs it."),
                Way("failed", "config", "At more than 4 % faults of settings and data are looked for first."),
            ),
            _evaluate,
        ),
        _config(),
        _curves(),
        _sensitivity(),
        _distribution(),
        _partial(),
        _accuracy(
            "measured",
            "Accuracy with partial quantization",
            "Whether leaving the most sensitive nodes out of quantization brings the accuracy back.",
            (
                Way(
                    "passed",
                    CONCLUDE,
                    "99 % of the float model's accuracy are met: those nodes run on the CPU, or in int16.",
                ),
                Way("close", "partial", "Not yet: leave more of the sensitive nodes in float."),
                Way("failed", CONCLUDE, "Partial quantization does not bring it back: the case goes to support."),
            ),
            _evaluate_decided,
            _LEFT_OUT,
        ),
        conclude(),
    )


def _config() -> Step:
    return Step(
        "config",
        "Settings and data",
        "A loss of more than 4 % is rarely one of quantization alone: preprocessing, settings and calibration data are "
        "looked at first.",
        (ALIGN,),
        (
            Way("passed", "curves", "Settings and data are right: the debugger tells what costs the accuracy."),
            Way("failed", "accuracy", "Something was wrong and is mended: measure the accuracy again."),
        ),
        checks=(checks.ALIKE,),
        advice=(
            "The calibration data is 20 to 100 typical, correctly preprocessed samples.",
            "Mean, scale, order of channels and layout in the yaml are those of training.",
            "Other calibration: max with max_percentile 0.99999 to 0.999, per_channel, asymmetric.",
        ),
        by_hand=True,
    )


def _curve(facts: Facts) -> str:
    more = ("--preset", _PRESET, "--kind", "cumulative", "--metric", "cosine", "--out", "curves")
    return commands.on_samples("curve", facts, *more)


def _curves() -> Step:
    return Step(
        "curves",
        "Curves of the accumulated error",
        "Weights alone, activations alone: which of the two brings the loss decides what to tune. The end of a curve "
        "counts, near the output.",
        (Do("Draw the curves", "panel.curves", "Improve → Curves", _curve),),
        (
            Way("passed", "sensitivity", "Neither alone costs much: which nodes matter is asked next."),
            Way("close", "sensitivity", "One of the two costs more: its most sensitive nodes are asked for next."),
            Way("failed", "sensitivity", "Both cost: the most sensitive nodes are asked for next."),
        ),
        wanted=_WANTED,
        checks=(own.CURVES,),
        advice=("Errorflow draws the same from the float model and samples, without the toolchain.",),
        how=script(
            "Script that draws the curves with Horizon's debugger", partial(horizon_scripts.curves), "horizon_curves.py"
        ),
    )


def _rank(facts: Facts) -> str:
    more = ("--preset", _PRESET, "--by", facts.kind, "--metric", "cosine", "--vendor-table", "--out", "ranking")
    return commands.on_samples("sensitivity", facts, *more)


def _sensitivity() -> Step:
    table = Need(
        "table",
        "Printed ranking",
        "What the debugger printed, as a log.",
        frozenset(("table",)),
        "Keep what the script prints; verbose must be on.",
        required=False,
    )
    return Step(
        "sensitivity",
        "Sensitivity of each node",
        "Each node is quantized alone. A few below 0.99 are to blame by themselves; where none is, the error "
        "accumulates.",
        (Do("Rank the nodes", "rank", "Improve → Which nodes matter?", _rank),),
        (
            Way(
                "passed",
                "partial",
                "No node alone is below 0.99: the error accumulates, and as many as needed are left out.",
            ),
            Way("failed", "distribution", "Sensitive nodes are there: how their values are spread says why."),
        ),
        wanted=(
            *_WANTED,
            StepNeed(
                table,
                (
                    How(
                        "Keep what is printed",
                        "command",
                        lambda _: "python3 horizon_sensitivity.py 2>&1 | tee sensitivity.log",
                    ),
                ),
            ),
        ),
        checks=(own.SENSITIVE_NODES,),
        how=script(
            "Script that ranks the nodes with Horizon's debugger",
            partial(horizon_scripts.sensitivity),
            "horizon_sensitivity.py",
        ),
    )


def _spread(facts: Facts) -> str:
    more = ("--preset", _PRESET, "--worst", "5", "--ranking", "ranking/ranking.json", "--out", "distributions")
    return commands.on_samples("distribution", facts, *more)


def _distribution() -> Step:
    return Step(
        "distribution",
        "Distribution of the sensitive nodes",
        "One clear peak is friendly to quantization; several, or a long tail, are not, and neither are channels that "
        "differ much.",
        (Do("Look at the distributions", "distributions", "Improve → Distributions", _spread),),
        (
            Way("passed", "partial", "One clear peak each: the error accumulates, and partial quantization is tried."),
            Way(
                "failed",
                "partial",
                "The values are spread badly: those nodes are the first to leave out, or to get 16 bits.",
            ),
        ),
        wanted=_WANTED,
        checks=(checks.SETTLED,),
        advice=("Weights that are quantized per channel need no box plot: each channel has a scale of its own.",),
        how=script(
            "Script that draws the distributions with Horizon's debugger",
            partial(horizon_scripts.distribution),
            "horizon_distribution.py",
        ),
        by_hand=True,
    )


def _partial_curve(facts: Facts) -> str:
    more = ("--preset", _PRESET, "--kind", "partial", "--by", facts.kind, "--top", "20", "--out", "partial")
    return commands.on_samples("curve", facts, *more)


def _export(facts: Facts) -> str:
    return commands.export(facts, "horizon")


def _partial() -> Step:
    return Step(
        "partial",
        "Partial quantization",
        "The most sensitive nodes are left out one after the other, until the curve rises no more: that many are "
        "enough.",
        (
            Do("Draw the curves", "panel.curves", "Improve → Curves", _partial_curve),
            Do("Export the setting", "decision.export", "Improve → Export the decision → Horizon", _export),
        ),
        (
            Way("passed", "measured", "The curve is flat behind so many nodes: the accuracy is measured without them."),
            Way("failed", CONCLUDE, "No number of nodes lifts the curve: the case goes to support."),
        ),
        wanted=_WANTED,
        checks=(own.PARTIAL,),
        advice=(
            "Run those nodes on the CPU (node_info, or run_on_cpu of older toolchains), or in int16.",
            "The ladder is int8, int16, float16: take the first that is enough.",
        ),
        how=(
            *script(
                "Script that draws partial quantization with Horizon's debugger",
                partial(horizon_scripts.partial),
                "horizon_partial.py",
            ),
            _LEFT_OUT,
        ),
        by_hand=True,
    )


HORIZON: tuple[Flow, ...] = (
    Flow(
        "horizon",
        "Horizon: from curves to partial quantization",
        "You have a calibrated model of Horizon's toolchain, and less than 99 % of the float accuracy are left.",
        "Horizon",
        _steps(),
        {"target": "horizon"},
        "onnx",
        SOURCE,
        quantized="Calibrated model:",
    ),
)
TARGET = GuideAnswer("horizon", "Horizon or D-Robotics", "Converted with hb_mapper or hb_compile.")
