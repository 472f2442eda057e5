"""`errorflow curve MODEL --data …`: how errors grow along a model, and what keeping the worst in float gains."""

from argparse import Namespace
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from errorflow.base import Progress, UsageError
from errorflow.base.files import is_file, write_atomic
from errorflow.cli.calibrate import some_notes
from errorflow.cli.command import Command
from errorflow.cli.curve_arguments import check, counts, curve_arguments, groups, halves, question
from errorflow.cli.keeping import Keeping
from errorflow.cli.meter import Meter, plain
from errorflow.cli.of_session import taking_sessions
from errorflow.cli.planned import basis_by, plan_by

if TYPE_CHECKING:
    from errorflow.quant.plan import Plan
    from errorflow.study.rank.curves import Curves
    from errorflow.study.rank.model import Part, Question, Ranking
    from errorflow.study.simulate.bench import Bench

FILE, RANKING = "curves.json", "ranking.json"


def _run(options: Namespace) -> int:
    from errorflow.cli.asked import folder
    from errorflow.report.curve_lines import curve_lines
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    check(options)
    basis, out = basis_by(options), folder(Namespace(output=options.folder))
    with Meter() as meter, floated(Path(options.model), options.reference, meter) as model:
        plan = plan_by(options, model, basis)
        asked = question(options, model.model.graph)
        with Bench.open(model, basis, plan, progress=meter) as bench:
            work = _Work(options, bench, plan, asked, out, meter)
            curves = work.curves()
            said = f"{model.path.name} as {bench.meant(plan)}, calibrated by {bench.calibration.method}. {bench.text}"
            notes, made_up = bench.notes, bench.made_up
        files = work.written(curves, meter)
        curves = curves.average() if options.average else curves
    print(plain(said))
    for line in some_notes(notes):
        print(plain(line))
    if made_up:
        print("The samples were made up: this says nothing about the model in use.")
    print(plain("\n".join(curve_lines(curves))))
    print(plain(f"Written: {', '.join(map(str, files))}"))
    return 0


class _Work:
    def __init__(
        self, options: Namespace, bench: "Bench", plan: "Plan", asked: "Question", out: Path, progress: Progress
    ) -> None:
        from errorflow.study.rank.grounds import ground_of

        self._options, self._bench, self._plan, self._asked = options, bench, plan, asked
        self._out, self._progress = out, progress
        self._ground = ground_of(bench, progress)
        self._about = asdict(self._ground)
        self._keeping = Keeping(out / FILE, self._save)
        most = options.measure_on
        self._samples = tuple(range(bench.engine.samples if most is None else min(most, bench.engine.samples)))

    def curves(self) -> "Curves":
        known = self._known() if self._options.resume else None
        try:
            found = self._cumulative(known) if self._options.kind == "cumulative" else self._along_ranking(known)
        except BaseException:  # whatever ended it, also Ctrl-C: what is known is kept
            self._keeping.end()
            raise
        return found

    def _known(self) -> "Curves | None":
        from errorflow.study.rank.curves_file import read_curves

        path = self._out / FILE
        if not is_file(path):
            if self._goes_by_own_ranking and is_file(self._out / RANKING):
                return None  # it ended while it ranked
            raise UsageError(f"There is no {FILE} in {self._out} to go on with.", "Leave out --resume to begin.")
        saved = read_curves(path)
        hint = "Start anew without --resume, or ask as before."
        if dict(saved.about) != self._about:
            raise UsageError(f"{path} is of another model, other samples or ranges.", hint)
        if saved.curves.plan != self._plan or saved.curves.kind != self._options.kind:
            raise UsageError(f"{path} is of another plan or kind of curve.", hint)
        return saved.curves

    @property
    def _goes_by_own_ranking(self) -> bool:
        options = self._options
        return not options.ranking and (options.kind != "cumulative" or bool(options.keep_top))

    def _save(self, curves: "Curves") -> None:
        from errorflow.study.rank.curves_file import SavedCurves, write_curves

        write_curves(self._out / FILE, SavedCurves(curves, self._about))

    def _cumulative(self, known: "Curves | None") -> "Curves":
        from errorflow.study.rank.curves_cumulative import cumulative
        from errorflow.study.rank.curves_portions import PortionChoice

        options, graph = self._options, self._bench.engine.graph
        tops = counts(options.keep_top)
        ranked = self._parts()[1] if tops else ()
        wanted = PortionChoice(
            halves(options),
            (*groups(options.only, graph), *groups(options.group, graph, together=True)),
            groups(options.all_but, graph),
            tuple(ranked[:top] for top in tops),
        )
        return cumulative(
            self._bench.engine,
            self._plan,
            wanted,
            self._asked.metrics,
            self._samples,
            known,
            options.every_node,
            self._keeping.take,
            self._progress,
        )

    def _along_ranking(self, known: "Curves | None") -> "Curves":
        from errorflow.study.rank.curves_choosing import picked, with_impacts
        from errorflow.study.rank.curves_recovery import RecoveryRequest, recovery, thresholded
        from errorflow.study.rank.parts import outputs_of

        options, engine = self._options, self._bench.engine
        ranking, parts = self._parts()
        if options.pick_threshold is not None:
            parts = picked(ranking, parts, options.pick_threshold)
            if not parts:
                raise UsageError("No part is as bad as the threshold.", "Give another --pick-threshold.")
        parts = parts[: options.top]
        outputs = outputs_of(engine.graph, options.output, engine.tensors)
        outputs = outputs if outputs else tuple(name for name in engine.outputs if name in engine.shapes)
        wish = RecoveryRequest(
            parts, self._asked.to, self._asked.metrics, outputs, self._samples, options.kind == "partial"
        )
        wish = with_impacts(wish, ranking, self._plan, self._ground, engine.samples, outputs)
        found = recovery(engine, self._plan, wish, known, self._keeping.take, self._progress)
        return found if options.pick_threshold is None else thresholded(found, options.pick_threshold)

    def _parts(self) -> "tuple[Ranking, tuple[Part, ...]]":
        from errorflow.study.rank.curves_choosing import worst_first
        from errorflow.study.rank.ranking_file import load_ranking

        graph = self._bench.engine.graph
        ranking = load_ranking(Path(self._options.ranking)) if self._options.ranking else self._ranked()
        return ranking, worst_first(ranking, graph)

    def _ranked(self) -> "Ranking":
        """Ranks, and keeps that for the next time."""
        from errorflow.study.rank.model import Ranking
        from errorflow.study.rank.ranking import rank
        from errorflow.study.rank.ranking_file import load_ranking, save_ranking

        path = self._out / RANKING
        known = load_ranking(path) if self._options.resume and is_file(path) else None
        keeping = Keeping[Ranking](path, partial(save_ranking, path))
        asked = replace(self._asked, samples=self._samples)
        try:
            found = rank(
                self._bench.engine,
                self._plan,
                asked,
                known=known,
                give=keeping.take,
                progress=self._progress,
                ground=self._ground,
            )
        except BaseException:  # whatever ended it, also Ctrl-C: what is known is kept
            keeping.end()
            raise
        save_ranking(path, found)
        return found

    def written(self, curves: "Curves", progress: Progress) -> list[Path]:
        from errorflow.report.curve_csv import curves_csv

        options = self._options
        usual = not (options.svg or options.png or options.csv)
        self._save(curves)
        files = [self._out / FILE]
        curves = curves.average() if options.average else curves
        if options.csv or usual:
            write_atomic(self._out / "curves.csv", curves_csv(curves))
            files.append(self._out / "curves.csv")
        if options.svg or options.png or usual:
            files += self._drawn(curves, progress, svg=options.svg or usual)
        return files

    def _drawn(self, curves: "Curves", progress: Progress, *, svg: bool) -> list[Path]:
        from errorflow.report.request import Request, render_by_viewer

        files = []
        for name, text in _pictures(self._options, curves):
            if svg:
                files.append(self._out / f"{name}.svg")
                write_atomic(files[-1], text)
            if self._options.png:
                files.append(self._out / f"{name}.png")
                with TemporaryDirectory(prefix="errorflow-") as place:
                    source = Path(place) / "curves.svg"
                    write_atomic(source, text)
                    request = Request(str(source), str(files[-1].absolute()), theme=self._options.theme)
                    render_by_viewer(request, progress)
        return files


def _pictures(options: Namespace, curves: "Curves") -> "list[tuple[str, str]]":
    """Names without endings, and SVGs: one for each metric, and for each output where there are several."""
    from errorflow.report.curve_page import curve_svg
    from errorflow.report.curve_shapes import ShownCurves
    from errorflow.report.curve_text import TITLES

    title = options.title if options.title else f"{Path(options.model).name}: {TITLES[curves.kind].lower()}"
    found = []
    for key in curves.metrics:
        several = len(curves.outputs) > 1
        for number, output in enumerate(curves.outputs if several else ("",), 1):
            shown = curves.at(output) if several else curves
            name = f"{curves.kind}_{key}{f'_{number}' if several else ''}"
            head = f"{title}, {output}" if several else title
            found.append((name, curve_svg(ShownCurves(shown, key, options.linear), options.theme, head)))
    return found


CURVE = Command(
    "curve",
    "Draw how errors grow along a model, and what keeping the worst in float gains.",
    curve_arguments,
    taking_sessions(curve_arguments, _run),
)
