"""What is compared and tried on the model on view, and where of it something is kept."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from errorflow_viewer.document.simulating import Stage
from errorflow_viewer.document.studies import Studies
from errorflow_viewer.panels.simulate.remedying import corrected_for
from errorflow_viewer.window.comparisons import Comparisons, Host
from errorflow_viewer.window.remembering import Remembering
from errorflow_viewer.window.sessions import Sessions
from errorflow_viewer.window.workings import Workings


class Trying:
    """Of one window."""

    def __init__(
        self,
        host: Host,
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
        stage = Stage(
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
