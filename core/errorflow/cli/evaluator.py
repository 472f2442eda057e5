"""Options of a measure and of when it is good enough."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError

if TYPE_CHECKING:
    from errorflow.study.evaluate.asking import MeasureGoal
    from errorflow.study.evaluate.labels import Labels
    from errorflow.study.evaluate.model import AcceptRule
    from errorflow.study.evaluate.on_outputs import Over
    from errorflow.study.evaluate.rules import Target


def add_evaluator(parser: ArgumentParser) -> None:
    """Adds the options that `measured_by` reads."""
    group = parser.add_argument_group("what is good enough")
    group.add_argument(
        "--evaluator", type=Path, metavar="FILE", help="a Python file with evaluate(run) and good_enough(original, new)"
    )
    group.add_argument("--target", metavar="RULE", help='what must be reached: "top1>=0.9", "relative_l2<=0.05"')
    group.add_argument("--max-drop", metavar="N", help="how much may be lost: 0.01, or 1%% of what the float model has")
    group.add_argument(
        "--metric",
        metavar="KEY",
        help="top1, top5, agreement (the float model's first answer), cosine, relative_l2, sqnr, max_absolute_error",
    )
    group.add_argument("--labels", type=Path, metavar="FILE", help="right answers: .txt, .csv (name,label) or .npy")
    group.add_argument(
        "--output", dest="outputs", action="append", default=[], metavar="NAME", help="that counts; repeatable"
    )
    group.add_argument("--over", choices=("pooled", "mean", "worst"), help="of samples, for metrics (default: pooled)")
    group.add_argument("--time-limit", type=float, metavar="SECONDS", help="for one evaluation by a file")


def measured_by(options: Namespace, labels: "Labels | None") -> "MeasureGoal":
    from errorflow.study.evaluate.asking import MeasureGoal
    from errorflow.study.evaluate.rules import parse_drop, parse_target

    if options.target and options.max_drop:
        raise UsageError("--target and --max-drop cannot both be given.", "Say which of the two counts.")
    seconds = seconds_of(options)
    target = parse_target(options.target) if options.target else None
    rule = parse_drop(options.max_drop) if options.max_drop else None if target is None else target.rule
    if options.evaluator is not None:
        if options.metric:
            raise UsageError("--metric and --evaluator cannot both be given.", "A file measures by itself.")
        _check_unused(options, "--evaluator", ("outputs", "over"))
        return MeasureGoal("", rule, (), file=options.evaluator, labels=labels, seconds=seconds)
    measure = _measure(options, target, labels)
    if target is not None:
        _check_way(measure, target)
    _check_unused(options, f"--metric {measure}", _unused(measure))
    over: Over = "pooled" if options.over is None else options.over
    return MeasureGoal(measure, _rule(rule, measure), tuple(options.outputs), over, None, labels, seconds)


def seconds_of(options: Namespace) -> float:
    """Reads the seconds for one evaluation by a file."""
    from errorflow.study.evaluate.own import SECONDS

    seconds = SECONDS if options.time_limit is None else float(options.time_limit)
    if not 0 < seconds < 1e9:
        raise UsageError("--time-limit must be above 0.", "Leave it out for an hour.")
    return seconds


def _unused(measure: str) -> tuple[str, ...]:
    """Options that would do nothing."""
    from errorflow.study.evaluate.asking import AGREEMENT, top_of

    if measure == AGREEMENT:
        return "time_limit", "over", "labels"
    return ("time_limit", "over") if top_of(measure) is not None else ("time_limit", "labels")


def _check_unused(options: Namespace, what: str, names: tuple[str, ...]) -> None:
    for name in names:
        if getattr(options, name) not in (None, []):
            option = "--" + name.removesuffix("s" if name == "outputs" else "").replace("_", "-")
            raise UsageError(f"{option} does nothing with {what}.", "Leave out one of them.")


def _measure(options: Namespace, target: "Target | None", labels: "Labels | None") -> str:
    named = "" if target is None else target.measure
    if named and options.metric and named != options.metric:
        raise UsageError(f"--target speaks of {named}, and --metric is {options.metric}.", "Leave out one of them.")
    if named or options.metric:
        return named if named else str(options.metric).lower()
    return "cosine" if labels is None else "top1"


def _rule(rule: "AcceptRule | None", measure: str) -> "AcceptRule | None":
    """A metric alone has a limit of its own; what may be lost of answers only the user knows."""
    from errorflow.study.evaluate.asking import AGREEMENT, top_of
    from errorflow.study.evaluate.model import AcceptRule
    from errorflow.study.evaluate.on_outputs import metric_of

    if rule is not None or measure == AGREEMENT or top_of(measure) is not None:
        return rule
    return AcceptRule("bound", metric_of(measure).good)


def _check_way(measure: str, target: "Target") -> None:
    """A bound from the wrong side would always or never hold."""
    from errorflow.study.evaluate.asking import AGREEMENT, top_of
    from errorflow.study.evaluate.on_outputs import metric_of

    higher = measure == AGREEMENT or top_of(measure) is not None or metric_of(measure).higher_is_better
    if higher != target.up:
        sign = ">=" if higher else "<="
        raise UsageError(
            f"Of {measure} {'more' if higher else 'less'} is better.", f'Write --target "{measure}{sign}…".'
        )
