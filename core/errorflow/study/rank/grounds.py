"""Grounds of a ranking as digests: rankings of other models, samples or ranges must not be gone on with."""

from collections.abc import Mapping
from hashlib import blake2b

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.graph.qparams import QParams
from errorflow.quant.plan import Plan
from errorflow.quant.ranges import Calibration
from errorflow.run.digests import digest_of_model
from errorflow.study.rank.model import Ground, Question, Ranking
from errorflow.study.simulate.bench import Bench

_HINT = "Start anew without --resume, or ask as before."


def ground_of(bench: Bench, progress: Progress = SILENT) -> Ground:
    """Computes the digests of what a bench simulates; the files are read."""
    files = [bench.floated.path, *(() if bench.basis.reference is None else (bench.basis.reference,))]
    models = "+".join(digest_of_model(file, progress) for file in files)
    return Ground(models, bench.data, _of_ranges(bench.calibration))


def _of_ranges(calibration: Calibration) -> str:
    hashed = blake2b(digest_size=16)
    for name, found in sorted(calibration.ranges.items()):
        hashed.update(f"{name}\0{found.low!r}\0{found.high!r}\n".encode())
    for name, channels in sorted(calibration.channels.items()):
        hashed.update(f"{name}\0{channels.axis}\0{channels.lows!r}\0{channels.highs!r}\n".encode())
    hashed.update(_of_given(calibration.given))
    return hashed.hexdigest()


def _of_given(given: Mapping[str, QParams]) -> bytes:
    rows = (f"{name}\0{params!r}\n" for name, params in sorted(given.items()))
    return "".join(rows).encode()


def check_known(known: Ranking, plan: Plan, question: Question, ground: Ground | None) -> None:
    """Raises a `UsageError` where numbers of `known` would not be those that are asked for now."""
    if known.plan != plan:
        raise _differs("of another plan")
    before, now = known.question, question
    if (before.kind, before.only) != (now.kind, now.only):
        raise _differs("of other parts of the model")
    if (before.metrics, before.outputs) != (now.metrics, now.outputs):
        raise _differs("by other metrics, or at other outputs")
    if "recovery" in before.measures and "recovery" in now.measures and before.to != now.to:
        raise _differs("of parts put to other bits")
    if ground is None or known.ground is None:
        return
    for what, one, other in (
        ("of another model", known.ground.model, ground.model),
        ("on other samples", known.ground.data, ground.data),
        ("with other ranges", known.ground.ranges, ground.ranges),
    ):
        if one != other:
            raise _differs(what)


def _differs(what: str) -> UsageError:
    return UsageError(f"The ranking that is to be gone on with is {what}.", _HINT)
