"""Sentences about the changes of a model since another run."""

from collections.abc import Iterator

from errorflow.case.regression.carried import Carried
from errorflow.case.regression.lines import KINDS, RegressionLine, Since, unnoticed
from errorflow.compare.metrics.metric import Scale
from errorflow.explain.blame.model import Blame
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.texts import title_of
from errorflow.graph.build import counted

# Outputs that are told one by one.
MOST_OUTPUTS = 8
# With a smaller part of what was measured before in both, something is wrong.
_COMMON = 0.5


def counts_text(since: Since) -> str:
    """Says how many tensors became what."""
    counts = since.counts
    if not counts["worse"] and not counts["better"]:
        head = f"No tensor got worse or better, {counts['same']:,} the same"
    else:
        worse = f"{counted(counts['worse'], 'tensor', 'tensors')} got worse"
        head = f"{worse}, {counts['better']:,} better, {counts['same']:,} the same"
    more = [f"{counts[kind]:,} {KINDS[kind].many}" for kind in ("gone", "new") if counts[kind]]
    return f"{', '.join([head, *more])}."


def doubt_text(since: Since) -> str:
    """Whether the two look like different models; "": they do not."""
    counts = since.counts
    both, before = sum(counts[kind] for kind in ("worse", "better", "same")), counts["gone"]
    if both >= _COMMON * (both + before):
        return ""
    return f"Only {both:,} of {both + before:,} tensors measured before are measured now: is it the same model?"


def tolerance_text(since: Since) -> str:
    """Says what counts as the same."""
    change, metric = since.change, since.change.metric
    floor = unnoticed(metric)
    side = "above" if metric.higher_is_better else "below"
    both = f", or it is {side} {floor} in both" if floor else ""
    return f"The same means that {metric.label} moved by less than {change.told_from}{both}."


def verdict_text(since: Since) -> str:
    """Says which verdict became which; "" where one of them is unknown."""
    now, before = since.change.now.blame, blame_before(since.change.before)
    if now is None or before is None or "nothing" in (now.model.kind, before.model.kind):
        return ""
    changed = verdict_change_text(now, before)
    return f"{changed}." if changed else f"Verdict: {now.model.kind}{_at(now)}, as before."


def verdict_change_text(now: Blame | None, before: Blame | None) -> str:
    """The same where it is another one; "": it is not."""
    if now is None or before is None or "nothing" in (now.model.kind, before.model.kind):
        return ""
    ours, others = (f"{blame.model.kind}{_at(blame)}" for blame in (now, before))
    return "" if ours == others else f"Verdict: {others} → {ours}"


def blame_before(before: Findings) -> Blame | None:
    """The verdicts of the other run, on the graph that it was found on."""
    if isinstance(before, Carried):
        return None if before.home is None else before.home.blame
    return before.blame


def output_texts(since: Since) -> Iterator[str]:
    """A line for each output of the model, in its order."""
    by_tensor = {line.tensor: line for line in since.lines if line.is_output}
    outputs = [tensor for tensor in since.change.now.graph.outputs.tolist() if tensor in by_tensor]
    for tensor in outputs[:MOST_OUTPUTS]:
        line = by_tensor[tensor]
        yield f"{line.name}: {since.change.metric.label} {numbers_text(since, line)}"
    if len(outputs) > MOST_OUTPUTS:
        yield f"… and {len(outputs) - MOST_OUTPUTS:,} more outputs"


def numbers_text(since: Since, line: RegressionLine) -> str:
    """Writes the numbers: before → now."""
    return pair_text(since.change.metric, line)


def pair_text(metric: Scale, line: RegressionLine) -> str:
    before, now = metric.text(line.before), metric.text(line.now)
    if line.kind == "new":
        return f"not measured → {now}"
    return f"{before} → not measured" if line.kind == "gone" else f"{before} → {now}"


def change_text(since: Since, line: RegressionLine) -> str:
    """Writes the change with its sign; "": it was not measured in both."""
    return "" if line.kind in ("new", "gone") else since.change.text(line.change)


def verdicts_text(line: RegressionLine) -> str:
    """Writes the verdict before and now; one word where it stayed."""
    if line.verdict_before == line.verdict_now or not line.verdict_before:
        return line.verdict_now
    return f"{line.verdict_before} → {line.verdict_now}" if line.verdict_now else line.verdict_before


def summary_lines(since: Since) -> list[str]:
    """Lines of the summary, the most important first."""
    lines = [counts_text(since), doubt_text(since), verdict_text(since), *output_texts(since), tolerance_text(since)]
    return [line for line in lines if line]


def _at(blame: Blame) -> str:
    top = blame.model.top
    who = blame.model.named or (title_of(blame.graph, top[0].node) if top else "")  # tickets of before do not say it
    return f" at {who}" if blame.model.kind == "node error" and who else ""
