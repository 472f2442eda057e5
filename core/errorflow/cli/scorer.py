"""The user's own measure in a call that ranks: a Python file, or answers that are right."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError

if TYPE_CHECKING:
    from errorflow.base.progress import Progress
    from errorflow.study.evaluate.labels import Labels
    from errorflow.study.rank.scoring import Scorer
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import Floated


def labelled(
    options: Namespace, model: "Floated", basis: "Basis", progress: "Progress"
) -> "tuple[Basis, Labels | None]":
    """Right answers, where something asks for them; samples in folders per class come in another order."""
    if options.evaluator is None:
        if options.labels is not None:
            raise UsageError("--labels belong to a measure.", "Name it with --evaluator top1.")
        return basis, None
    from errorflow.study.evaluate.asking import AGREEMENT, few_calibrate, top_of, with_labels

    name = options.evaluator
    if top_of(name) is None and name != AGREEMENT and not name.endswith(".py"):
        raise UsageError(f"--evaluator knows no {name[:60]}.", "Give a Python file, top1, top5 or agreement.")
    basis, labels = with_labels(model, basis, options.labels, progress)
    return few_calibrate(model, basis, progress), labels


@contextmanager
def scorer_by(
    options: Namespace, bench: "Bench", labels: "Labels | None", out: Path, progress: "Progress"
) -> Iterator["Scorer | None"]:
    """None: there is no such measure. What a file prints is kept in `out`."""
    if options.evaluator is None:
        yield None
        return
    from errorflow.cli.plain import plain
    from errorflow.study.evaluate.asking import Measured, evaluator_of, resolution, scorer_of
    from errorflow.study.evaluate.model import Rule

    # Nothing is judged here, only measured.
    any_rule, name = Rule("drop", 0.0), options.evaluator
    if name.endswith(".py"):
        asked = Measured(rule=any_rule, file=Path(name), labels=labels)
    else:
        asked = Measured(name, any_rule, labels=labels)
    with closing(evaluator_of(bench, asked, out)) as evaluator:
        scorer = scorer_of(evaluator, progress)
        yield scorer
        note = resolution(bench, evaluator, scorer.original)
    if note:
        print(plain(f"{evaluator.name}: {note}"))
