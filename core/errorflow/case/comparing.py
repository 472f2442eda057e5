"""Two or three runs, from the files of a setup to the case."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from errorflow.base import SILENT, Progress, UsageError
from errorflow.base.files import is_file
from errorflow.case.measuring import measure, original_of
from errorflow.case.model import Case
from errorflow.case.preparing import prepare
from errorflow.case.said import said_of
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.known import KnownRows
from errorflow.case.session.model import Session
from errorflow.case.values import PLAIN, Asking, MeasuringSetup, Prepared
from errorflow.compare.match.by_hand import with_hand_pairs
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison, Row
from errorflow.formats import read_model
from errorflow.graph.model import Model


def compared(session: Session, setup: Setup, asking: Asking, folder: Path | None, progress: Progress = SILENT) -> Case:
    """Models that are run leave their tensors in `folder`."""
    table = setup.file("table")
    if table is not None:
        model = _shown(session, setup, asking, progress)
        from errorflow.case.scenarios.imported import import_table  # all readers of tables come with it

        return replace(_base(session, model), comparison=import_table(table, model.graph, progress))
    return _Comparing(session, setup, asking, folder, progress).case()


def opened(
    session: Session, setup: Setup, asking: Asking, folder: Path | None, progress: Progress = SILENT
) -> tuple[Case, Prepared]:
    """Two runs that were matched, of which nothing is measured yet."""
    return _Comparing(session, setup, asking, folder, progress).opened()


def matched_again(case: Case, progress: Progress = SILENT) -> Case:
    """The same case with the pairs that its session has by now; what was measured already stays."""
    match = case.match
    if match is None:
        return case
    new = with_hand_pairs(match, [(pair.candidate, pair.reference) for pair in case.session.hand_pairs])
    if new.pairs == match.pairs and new.problems == match.problems:
        return case
    setup = case.session.setup
    original = original_of(Setup() if setup is None else setup, case.model)
    return measure(case, new, original, known=known_rows(case.comparison, match, new), progress=progress)


def with_shapes(model: Model, progress: Progress = SILENT) -> Model:
    """The model with all shapes that follow from what it says; every door looks at these."""
    return model if model.infer_shapes is None else model.infer_shapes(progress)


def _base(session: Session, model: Model) -> Case:
    return Case(session, model, **said_of(session))


def _shown(session: Session, setup: Setup, asking: Asking, progress: Progress, painted: Path | None = None) -> Model:
    if asking.model is not None:
        return asking.model
    known = painted if setup.shown is None else setup.shown
    path = session.model if known is None else known
    if path is None:
        raise UsageError("The session names no model.", "Open it in the window, choose one, and save it.")
    return with_shapes(read_model(path, progress), progress)


class _Comparing:
    """The steps of one comparison, which share what they were asked for."""

    def __init__(self, session: Session, setup: Setup, asking: Asking, folder: Path | None, progress: Progress) -> None:
        self._session, self._setup, self._asking = session, setup, asking
        self._folder, self._progress = folder, progress

    def case(self) -> Case:
        if self._asking.begun is not None:
            return self._gone_on(self._asking.begun)
        known = self._known()
        seen = None if known is None else self._seen(known)
        if seen is not None:
            if not self._asking.tensors and self._is_whole(seen, known):
                return seen
            self._asking.give(lambda: seen)
        return self._measured(known, seen)

    def _known(self) -> KnownRows | None:
        """Finds an earlier result by all that it depends on; with three runs or pairs by hand that is not enough."""
        setup = self._setup
        if self._session.hand_pairs or setup.file("simulator") is not None:
            return None
        return self._asking.kept.known(setup, self._painted, self._progress)

    @property
    def _painted(self) -> Path | None:
        """The file of the graph that is painted; None: it has none."""
        model = self._asking.model
        if model is not None:
            return model.path if is_file(model.path) else None
        return self._session.model if self._setup.shown is None else self._setup.shown

    def _seen(self, known: KnownRows) -> Case | None:
        """The comparison as it was, whose tensors cannot be read yet; None: it has to be opened first."""
        if known.match is None:
            return None
        base = _base(self._session, _shown(self._session, self._setup, self._asking, self._progress))
        return self._filled(base, known.match, dict(enumerate(known.rows)), known, known.parts is not None)

    def _is_whole(self, seen: Case, known: KnownRows | None) -> bool:
        parts = None if known is None else known.parts
        return parts is not None or original_of(self._setup, seen.model) is None

    def opened(self) -> tuple[Case, Prepared]:
        """Opens the runs and matches their tensors."""
        asking, progress = self._asking, self._progress
        prepared = asking.prepared
        if prepared is None:
            prepared = prepare(self._setup, progress, self._folder, asking.narrowed)
        pairs = [(pair.candidate, pair.reference) for pair in self._session.hand_pairs]
        match = with_hand_pairs(prepared.match, pairs) if pairs else prepared.match
        made = prepared.made if asking.model is None else asking.model
        model = _shown(self._session, self._setup, asking, progress, prepared.shown) if made is None else made
        base = _base(self._session, model)
        return replace(base, match=match, three=prepared.three, made_up_shapes=prepared.made_up), prepared

    def _measured(self, known: KnownRows | None, seen: Case | None) -> Case:
        base, prepared = self.opened()
        match = base.match
        assert match is not None, "the tensors were paired"
        fits = seen is not None and known is not None and known.fits(match)
        if fits and seen is not None and self._is_whole(seen, known):
            match = match if seen.match is None else replace(match, problems=seen.match.problems)
            return replace(seen, match=match, three=base.three, made_up_shapes=base.made_up_shapes)
        rows = seen.comparison.known if fits and seen is not None else self._asking.kept.rows(self._setup, match)
        with self._asking.work(prepared) as work:
            return self._filled(base, match, rows, known, True, work)

    def _gone_on(self, begun: Case) -> Case:
        """Goes on where a cancel ended: what was measured is kept; more may be known of the model by now."""
        assert begun.match is not None, "the tensors were paired"
        base = begun if self._asking.model is None else replace(begun, model=self._asking.model)
        return self._filled(base, begun.match, begun.comparison.known, None, True)

    def _filled(
        self,
        base: Case,
        match: Match,
        rows: Mapping[int, Row],
        known: KnownRows | None,
        runs: bool,
        work: MeasuringSetup = PLAIN,
    ) -> Case:
        """Completes the case; `asking.give` gets what is known before."""
        return measure(
            base,
            match,
            original_of(self._setup, base.model) if runs else None,
            known=rows,
            parts=None if known is None else known.parts,
            running=self._asking.running,
            work=work,
            tell=self._asking.give,
            progress=self._progress,
        )


def known_rows(comparison: Comparison, old: Match, new: Match) -> dict[int, Row]:
    """Maps numbers in `new` to the rows of the pairs that did not change."""
    rows: dict[str, list[tuple[Pair, Row]]] = {}
    for pair, row in zip(old.pairs, comparison.rows, strict=True):
        rows.setdefault(pair.tensor, []).append((pair, row))
    known: dict[int, Row] = {}
    for number, pair in enumerate(new.pairs):
        found = [row for other, row in rows.get(pair.tensor, ()) if other is pair or other == pair]
        if found:
            known[number] = found[0]
    return known
