"""Paints a picture by what a request names: a comparison, or another tool's table."""

from dataclasses import replace
from pathlib import Path

from errorflow.base.errors import UsageError, WrongFileError
from errorflow.base.progress import Progress
from errorflow.case.examine import examine
from errorflow.case.laying import findings_on
from errorflow.case.model import Case
from errorflow.case.opening import is_result, open_case
from errorflow.case.scenarios.call import key_of
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Painting, Session
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import are_limits
from errorflow.compare.results import read_results
from errorflow.explain.findings.model import Findings, with_limits
from errorflow.graph.build import counted
from errorflow.report.findings_paint import SHARE, FindingsPaint
from errorflow.report.paint import PAINTED
from errorflow.report.presets import PRESET_OF
from errorflow.report.request import Request
from errorflow.report.result_paint import Chosen, choose, placed_text, result_paint
from errorflow.report.svg import Picture

_SCALES = {scale.key: scale for scale in (*MEASURES, SHARE)}
_LIMITS = "Write METRIC=GOOD,BAD, such as cosine=0.99,0.9."


def is_painted(request: Request) -> bool:
    return any(part is not None for part in (request.results, request.compared, request.candidate))


def check(request: Request) -> None:
    """Refuses what makes no sense together, before anything is read."""
    runs = (request.candidate, request.reference)
    if request.column is not None and request.results is None:
        raise UsageError("--column names a column of a result table.", "Name the table by --results.")
    if request.metric == SHARE.key and (request.results is not None or request.against is not None):
        raise UsageError("The share of blame is of one comparison.", "Name it by --compared, or -m and -g, alone.")
    if request.against is not None and request.compared is None:
        raise UsageError("--against names the run before.", "Name the other one by --compared.")
    if (runs[0] is None) != (runs[1] is None):
        raise UsageError("It takes two runs to compare them.", "Name one by -m and the one that is right by -g.")
    if sum(part is not None for part in (request.results, request.compared, request.candidate)) > 1:
        raise UsageError("A picture is painted by one thing.", "Name --results, --compared, or -m and -g.")
    asked = (request.swap, request.limits, request.preset, request.metric != PAINTED.key)
    if any(asked) and not is_painted(request):
        raise UsageError(
            "There is nothing to paint the picture by.", "Name a comparison by --compared or -m and -g, or --results."
        )
    painting_of(request)


def painting_of(request: Request) -> Painting:
    """What the request decides. Limits of its own come before those of the preset."""
    if request.metric not in _SCALES:
        raise UsageError(f"There is no metric {request.metric}.", f"There are: {', '.join(_SCALES)}.")
    limits = dict(PRESET_OF[request.preset].limits) if request.preset in PRESET_OF else {}
    limits |= dict(map(_limits_of, request.limits))
    painting = Painting(request.metric, request.swap, request.palette, limits, request.preset)
    return replace(painting, metric=PAINTED.key, blamed=True) if request.metric == SHARE.key else painting


def _limits_of(text: str) -> tuple[str, tuple[float, float]]:
    key, _, numbers = text.partition("=")
    try:
        good, bad = (float(number) for number in numbers.split(","))
    except ValueError:
        raise UsageError(f"{text!r} names no limits.", _LIMITS) from None
    if key not in _SCALES or not are_limits(_SCALES[key], good, bad):
        wrong = f"There is no metric {key!r}." if key not in _SCALES else f"{good:g} is not better than {bad:g}."
        raise UsageError(wrong, _LIMITS)
    return key, (good, bad)


def painted_as(picture: Picture, request: Request, progress: Progress) -> Picture:
    """The picture with its paint; the note says how much was found in the model."""
    painting = painting_of(request)
    if request.results is not None:
        chosen = choose(read_results(request.results, progress), request.column, painting.metric)
        chosen = Chosen(chosen.table, chosen.column, with_limits(chosen.scale, painting.limits))
        paint = replace(result_paint(picture.graph, picture.drawing, chosen, painting), palette=painting.palette)
        return replace(picture, paint=paint, note=f"{picture.note} · {placed_text(chosen, picture.graph)}")
    findings = _findings(picture, request, progress)
    if request.against is not None and request.compared is not None:
        before = _of_file(picture, request.against, progress)
        now, then = _names(request.compared, request.against)
        findings = findings.beside(now, before.beside(then, None))
    found = FindingsPaint(picture.drawing, findings, picture.drawing.node_boxes).by(painting)
    if found is None:
        raise UsageError(
            "Nothing that was compared is a tensor of this model.", "Choose the model that one of the runs is of."
        )
    if painting.blamed and (findings.blame is None or findings.blame.blamed is None):
        raise UsageError("No node has a share of blame: no output is bad.", "Leave out --metric share.")
    count = len(set(findings.placed.tensors.tolist()))
    # Stars and their like are drawn beside the fills.
    estimated = findings.blame is not None and not findings.blame.exact.any()
    how = " · verdicts estimated" if estimated and found.signs is not None and found.signs.known_verdicts else ""
    return replace(picture, paint=found, note=f"{picture.note} · {counted(count, 'tensor', 'tensors')} compared{how}")


def _findings(picture: Picture, request: Request, progress: Progress) -> Findings:
    if request.compared is not None:
        return _of_file(picture, request.compared, progress)
    given = {
        "candidate": request.candidate,
        "reference": request.reference,
        "fusion": request.fusion,
        "quantization": request.quantization,
        "model": request.file,
    }
    files = {need: Path(path) for need, path in given.items() if path}
    with examine(Session(setup=Setup(key_of(files), files)), progress=progress) as case:
        return _on(picture, case, progress)


def _of_file(picture: Picture, path: str, progress: Progress) -> Findings:
    if not is_result(Path(path)):
        raise WrongFileError(
            f"{Path(path).name} is no table of tensors.",
            "Give the tensors.csv of `errorflow compare` or `simulate`, or a session; other tables go to --results.",
        )
    with open_case(Path(path), progress, tensors=False) as case:
        return _on(picture, case, progress)


def _on(picture: Picture, case: Case, progress: Progress) -> Findings:
    found = findings_on(case, picture.graph, progress)
    if found is None:
        raise UsageError("Nothing was compared there.", "Compare two runs or simulate the model, and save the session.")
    return found


def _names(*paths: str) -> tuple[str, ...]:
    """What two tables are called: mostly they lie in folders of their own, under the same name."""
    stems = tuple(Path(path).stem for path in paths)
    return stems if len(set(stems)) == len(stems) else tuple(Path(path).resolve().parent.name for path in paths)
