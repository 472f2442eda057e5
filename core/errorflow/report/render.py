"""Rendering of a model file as a picture of its graph."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from errorflow.base import SILENT, FileError, Progress, UsageError, WrongFileError, dataclass, replace
from errorflow.base.arrays import frozen
from errorflow.base.files import write_pieces
from errorflow.case.examine import examine
from errorflow.case.laying import findings_on
from errorflow.case.model import Case
from errorflow.case.opening import is_result, open_case
from errorflow.case.scenarios.call import key_of
from errorflow.case.scenarios.imported import PREFERRED
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Painting, Session
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits, badness
from errorflow.compare.placed import Measured, order_of
from errorflow.compare.results import read_results
from errorflow.compare.results.place import HOW, TablePlacement, place
from errorflow.compare.results.table import Column, ResultTable
from errorflow.explain.findings.model import Findings, with_limits
from errorflow.formats import read_model
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.layout.outline import Outline
from errorflow.layout.prepare import prepare
from errorflow.report.box_signs import BoxSigns, bar_badness, node_places
from errorflow.report.caption import caption, made_as_asked
from errorflow.report.colors import THEMES
from errorflow.report.findings_paint import SHARE, FindingsPaint, tints
from errorflow.report.notes import drawing_note
from errorflow.report.paint import PAINTED, Paint, measure_text, paint_of
from errorflow.report.presets import PRESET_OF
from errorflow.report.request import Expand, Request, render_by_viewer
from errorflow.report.svg import Picture, svg

ASPECT = 1.4  # of a drawing in columns: width to height


def draw(request: Request, progress: Progress = SILENT) -> Picture:
    """Reads the model and draws its main graph."""
    model = read_model(request.file, progress)
    if request.shapes and model.infer_shapes is not None:
        model = model.infer_shapes(progress)
    prepared = prepare(model.graph, progress=progress)
    groups = open_groups(prepared.outline, request.expand)
    drawing = prepared.draw(groups, request.view, ASPECT, progress)
    title = model.path.name if request.title is None else request.title
    picture = Picture(drawing, model.graph, title, drawing_note(model.graph, drawing), THEMES[request.theme])
    if request.caption:
        picture = replace(picture, caption=caption(made_as_asked(request), datetime.now()))
    return painted_as(picture, request, progress) if is_painted(request) else picture


def open_groups(outline: Outline, expand: Expand) -> frozenset[int]:
    if expand == "all":
        return outline.everything
    if expand == "start":
        return outline.at_first()
    return frozenset((outline.depths < expand).nonzero()[0].tolist())


def render(request: Request, progress: Progress = SILENT) -> str:
    """Writes the picture, whole or not at all; says what was written."""
    if request.tile is not None and request.kind != "png":
        raise UsageError(f"A .{request.kind} has no tiles.", "Leave --tile out, or write a .png.")
    check(request)
    folder = Path(request.output).parent
    if not folder.is_dir():  # said before all the work, not after it
        raise FileError(f"There is no folder {folder}.", "Make it, or write the picture to another one.")
    return _write_svg(request, progress) if request.kind == "svg" else render_by_viewer(request, progress)


def _write_svg(request: Request, progress: Progress) -> str:
    picture = draw(request, progress)
    scale = request.scale_for(picture.frame.width)
    picture = picture if scale is None else replace(picture, scale=scale)
    write_pieces(request.output, svg(picture, progress))
    return f"{request.output}: {contents(picture, picture.scale)}"


def contents(picture: Picture, scale: float) -> str:
    """Says what is in a file, in a line."""
    width, height = (round(side * scale) for side in (picture.frame.width, picture.frame.height))
    return f"{picture.note}, {width:,} × {height:,} px"


# Paints a picture by what a request names: a comparison, or another tool's table.

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
    """Chooses what the request decides. Limits of its own come before those of the preset."""
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
        chosen = ChosenColumn(chosen.table, chosen.column, with_limits(chosen.scale, painting.limits))
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
    """Names two tables: mostly they lie in folders of their own, under the same name."""
    stems = tuple(Path(path).stem for path in paths)
    return stems if len(set(stems)) == len(stems) else tuple(Path(path).resolve().parent.name for path in paths)


# A result table of another tool painted on a model: each tensor by one column, on the limits of our own measures.

_ACCUMULATED, _NODE = "accumulated", "node"
AS_USUAL = Painting()
_MAIN_FIRST = tuple(scale.key for scale in (*METRICS, *MEASURES))
# How sure a place is: what is found by name comes before what is found by likeness.
_SURE = tuple(HOW)


@dataclass(frozen=True, slots=True)
class ChosenColumn:
    """One column of one table, and the measure of ours that its numbers can be turned into."""

    table: ResultTable
    column: Column
    scale: Scale


def choose(tables: Sequence[ResultTable], key: str | None = None, metric: str = AS_USUAL.metric) -> ChosenColumn:
    """The column of that key or name; without one, what the window paints by: of the measure that says most, the
    column that is the wanted metric, else the main one."""
    found = [chosen for table in tables for column in table.columns if (chosen := _chosen(table, column))]
    if key is not None:
        found = [chosen for chosen in found if key in (chosen.column.key, chosen.column.name)]
    if found:
        return min(found, key=lambda chosen: _order(chosen, metric)) if key is None else found[0]
    can = [each.column.key for table in tables for column in table.columns if (each := _chosen(table, column))]
    if not can:
        raise UsageError("No column of this table can be painted.", "It needs one that is a measure of ours as well.")
    raise UsageError(f"The column {key} cannot be painted.", f"These can: {', '.join(can)}.")


def _order(chosen: ChosenColumn, metric: str) -> tuple[int, bool, int]:
    key = chosen.scale.key
    return PREFERRED.index(chosen.column.definition.measure), key != metric, _MAIN_FIRST.index(key)


def _chosen(table: ResultTable, column: Column) -> ChosenColumn | None:
    scale = next((scale for scale in MEASURES if scale.key == column.definition.equals), None)
    return None if scale is None else ChosenColumn(table, column, scale)


def result_paint(graph: Graph, drawing: Drawing, chosen: ChosenColumn, painting: Painting = AS_USUAL) -> Paint:
    """Paints a table as `error_paint` does a comparison; rows that the graph has nothing for are left out.

    Where the table has what has come together and what each node adds, the one fills, and the other is the bar.
    """
    placement = place(chosen.table, graph)
    if not placement.places:
        raise UsageError(
            "No row of this table is about a tensor or node of this model.",
            "Choose the model that the tool was given, or the one that it made.",
        )
    other = companion(chosen, painting)
    fill, bar = (other, chosen) if painting.swapped and other is not None else (chosen, other)
    measured = _measured(graph, fill, placement)
    paint = paint_of(graph, drawing, measured)
    flows = fill.column.definition.measure == _ACCUMULATED
    paint = replace(paint, tints=tints(measured)) if painting.edges and flows else paint
    return paint if bar is None else _with_bar(paint, graph, drawing, _measured(graph, bar, placement))


def _with_bar(paint: Paint, graph: Graph, drawing: Drawing, measured: Measured) -> Paint:
    count = len(drawing)
    nothing = np.zeros(count, np.bool_)
    bars = bar_badness(node_places(graph, measured.places), drawing.node_boxes, count)
    signs = BoxSigns(bars, np.zeros(count, np.uint16), np.zeros(count, np.int8), nothing, nothing)
    return replace(paint, signs=signs, bar=measure_text(measured))


def companion(chosen: ChosenColumn, painting: Painting = AS_USUAL) -> ChosenColumn | None:
    """The column that says of each node alone what the chosen one says of all up to it, or the other way round."""
    measure = chosen.column.definition.measure
    wanted = {_ACCUMULATED: _NODE, _NODE: _ACCUMULATED}.get(measure)
    found = (_chosen(chosen.table, column) for column in chosen.table.columns if column.definition.measure == wanted)
    others = [other for other in found if other is not None]
    alike = next((other for other in others if other.scale.key == chosen.scale.key), next(iter(others), None))
    return None if alike is None else replace(alike, scale=with_limits(alike.scale, painting.limits))


def placed_text(chosen: ChosenColumn, graph: Graph) -> str:
    """Says how many of the rows were found, for the line below the title."""
    placement = place(chosen.table, graph)
    total = len(chosen.table.rows)
    return f"{chosen.table.label}: {len(placement.places):,} of {total:,} rows found in the model"


def _measured(graph: Graph, chosen: ChosenColumn, placement: TablePlacement) -> Measured:
    """Measures tensors; of several rows about one the surest counts, and of these the worst."""
    values = np.full(len(graph.tensor_names), np.nan)
    best: dict[int, tuple[int, float]] = {}
    notes: dict[int, str] = {}
    for where in placement.places:
        value, note = _value(chosen, where.row)
        if value is None:
            notes.update(dict.fromkeys(where.tensors, note))
            continue
        order = (_SURE.index(where.how), -badness(chosen.scale, value))
        for tensor in where.tensors:
            if tensor not in best or order < best[tensor]:
                best[tensor] = order
                values[tensor] = value
    known = frozen(sorted(best))
    measure = f"{chosen.table.vendor} {chosen.column.name} · {chosen.column.definition.measure}"
    return Measured(chosen.scale, values, order_of(chosen.scale, values, known), notes, measure)


def _value(chosen: ChosenColumn, index: int) -> tuple[float | None, str]:
    """The number of a row as ours; without one, why there is none."""
    row, key = chosen.table.rows[index], chosen.column.key
    if key in row.values:
        return chosen.column.definition.ours(row.values[key]), ""
    return None, " ".join([*([row.states[key]] if key in row.states else []), *row.notes])
