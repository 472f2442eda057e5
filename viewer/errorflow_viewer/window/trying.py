"""Trials on the model on view: what is compared and tried, and where something of it is kept."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from errorflow.base.sample import folder as sample_folder
from errorflow.case.scenarios.setup import Setup
from errorflow.compare.match.model import Match
from errorflow.compare.model import Options, Row
from errorflow_viewer.document.comparing import Comparing
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.simulating import SimulatingStage
from errorflow_viewer.document.state import State
from errorflow_viewer.document.studies import Studies
from errorflow_viewer.panels.simulate.remedying import corrected_for
from errorflow_viewer.window.comparisons import ComparisonHost, Comparisons
from errorflow_viewer.window.sessions import Sessions
from errorflow_viewer.window.workings import Workings

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.case.session.known import KnownRows

    _Wish = tuple[Case, Match, Setup, str, Path | None]


class Trying:
    """Comparisons and trials of one window."""

    def __init__(
        self,
        host: ComparisonHost,
        workings: Workings,
        sessions: Sessions,
        folder: Path,
        show: Callable[[str], None],
        parent: QObject,
    ) -> None:
        """`folder`: of what the app keeps; `show` brings the panel of that key."""
        opening, banners, derived = workings.opening, workings.banners, workings.derived
        self.comparisons = Comparisons(host, opening, banners, folder / "bundles")
        comparing, bundles = self.comparisons.comparing, self.comparisons.bundles
        host.pair.second.brought = bundles.second
        self.remembering = Remembering(derived, folder / "results", sessions, comparing, parent)
        stage = SimulatingStage(
            lambda path, session: opening.open(path, session=session),
            opening.show,
            banners.show_notice,
            banners.dismiss,
            comparing.stop,
            comparing.again,
            lambda: show("simulate"),
            bundles.withhold,
        )
        place = folder / "searches"
        self.studies = Studies(workings.document, derived, workings.jobs, stage, show, place, parent)
        derived.add(corrected_for(host))


KEY = "keep results"


class Remembering(QObject):
    """Memory of finished comparisons: rows go into a folder of the user's, and beside the session's file if it has
    one.
    """

    def __init__(
        self, derived: Deriving, folder: Path, sessions: Sessions, comparing: Comparing, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._folder = folder
        self._sessions = sessions
        self._comparing = comparing
        comparing.recall = self.recall
        comparing.recall_known = self.recall_known
        text = "Keeping what was measured"
        self._derived = derived
        derived.add(listed(KEY, text, ("case",), self._wished, lambda wish: self._write(*wish)))
        sessions.saved.connect(self._follow)

    def _follow(self, _saved: object) -> None:
        self._derived.follow(KEY)

    def recall(self, setup: Setup, match: Match) -> "Mapping[int, Row]":
        """The rows that are known of a comparison; asked in the background."""
        from errorflow.case.session.results import beside, recall

        if _is_small(setup):
            return {}
        file = self._sessions.file
        known = {} if file is None else recall(beside(file), match, Options(), file.parent)
        return known if known else recall(self._folder, match, Options())

    def recall_known(self, mark: str) -> "KnownRows | None":
        """Recalls what is known of a comparison before anything is opened or run; called in the background."""
        from errorflow.case.session.results import beside, recall_known

        file = self._sessions.file
        known = None if file is None else recall_known(beside(file), mark)
        return recall_known(self._folder, mark) if known is None else known

    def _wished(self, state: State) -> "_Wish | None":
        """Makes the wish for what is on view if it is complete."""
        compared, session, setup = state.case, state.session, state.session.setup
        if compared is None or compared.match is None or not compared.complete:
            return None
        if session.simulation is not None or session.bundle is not None or setup is None or _is_small(setup):
            return None
        return compared, compared.match, setup, self._comparing.mark, self._sessions.file

    def _write(self, compared: "Case", match: Match, setup: Setup, mark: str, file: Path | None) -> None:
        from errorflow.case.session.results import beside, tidy

        _write(self._folder, None, setup, mark, compared, match)
        if file is not None:
            tidy(file, _write(beside(file), file.parent, setup, mark, compared, match))


def _write(folder: Path, base: Path | None, setup: Setup, mark: str, compared: "Case", match: Match) -> list[Path]:
    """Writes all that is needed to show it again; of what runs leave behind for a while, only what is known by the
    mark.
    """
    from errorflow.case.scenarios.three import models_in
    from errorflow.case.session.known import KnownRows
    from errorflow.case.session.results import keep, keep_known

    by_running = setup.file("quantized") is not None or bool(models_in(setup))
    rows, parts = compared.comparison.rows, None if compared.blame is None else compared.blame.ran
    kept: list[Path | None] = []
    if match.by_rules is None and compared.stages is None and mark and (by_running or parts is not None):
        kept.append(keep_known(folder, mark, KnownRows(match, rows, parts) if by_running else KnownRows(parts=parts)))
    if not by_running:
        kept.append(keep(folder, match, Options(), rows, base))
    return [path for path in kept if path is not None]


def _is_small(setup: Setup) -> bool:
    """The sample is compared in a moment."""
    return all(sample_folder() in path.parents for path in setup.files.values())
