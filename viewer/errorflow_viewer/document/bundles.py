"""Shows what came in a ticket bundle: the graph and all that was found travel with it, and nothing is run."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import ErrorflowError, Progress
from errorflow.case.session.model import Session
from errorflow.case.session.moved import missing
from errorflow.graph.model import Model
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening import Opening, WithheldError
from errorflow_viewer.document.opening_jobs import PREPARE, take_back
from errorflow_viewer.kit.banner import Kind, Notice
from errorflow_viewer.kit.jobs import Jobs

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.report.bundle.model import Bundle

NOTICE, FILES = "bundle", "bundle.files"


class Bundles:
    """Bundles of one window. The one on view stays known until another model is opened."""

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        opening: Opening,
        folder: Path,
        notify: Callable[[Notice], None],
        failed: Callable[[Path, ErrorflowError], None],
    ) -> None:
        self._document = document
        self._jobs = jobs
        self._opening = opening
        self._folder = folder
        self._notify = notify
        self._failed = failed
        # Opens the session again as what it is about: its files are there by now.
        self.start: Callable[[Session], None] = lambda _: None
        # Lets the user say where the files are.
        self.look: Callable[[], None] = lambda: None
        self._bundle: Bundle | None = None
        # Whether files of it were missing when they were last looked for; a drive may not answer.
        self._lacks = True
        opening.opened.connect(lambda _: self._on_opened())

    def show(self, session: Session) -> None:
        """Opens the bundle that a session came in, with what was decided since."""
        path = session.bundle
        if path is None:
            return
        take_back(self._jobs)
        self._opening.began.emit(path)
        self._jobs.start(
            PREPARE,
            f"Opening {path.name}",
            partial(self._read, path),
            partial(self._take, session),
            partial(self._fail, session, path),
        )

    def _read(self, path: Path, progress: Progress) -> "Bundle":
        from errorflow.report.bundle.opening import open_bundle

        self._opening.check(path)
        return open_bundle(path, self._folder, progress)

    def _fail(self, session: Session, path: Path, error: ErrorflowError) -> None:
        if isinstance(error, WithheldError):
            self._opening.tell(path, error, partial(self.show, session))
        else:
            self._failed(path, error)

    def compared_on(self, model: Model) -> "Case | None":
        """Finds what was found on a model that came in a bundle; None: it did not."""
        bundle = self._bundle
        if bundle is None or bundle.case.model.path != model.path or not self._is_on_view:
            return None
        return bundle.case if bundle.case.was_compared else None

    def second(self) -> Model | None:
        """The graph that came along beside the painted one; None: none did."""
        return None if self._bundle is None or not self._is_on_view else self._bundle.case.second

    @property
    def title(self) -> str:
        """Title of the model where the bundle was made; "": none is on view."""
        return "" if self._bundle is None or not self._is_on_view else self._bundle.manifest.title

    @property
    def _is_on_view(self) -> bool:
        return self._bundle is not None and self._document.session.bundle == self._bundle.path

    def again(self) -> None:
        """Runs and compares as the session says, where all of its files are there; else asks where they are."""
        if self._jobs.running(FILES):  # where they were does not answer
            self.look()
        else:
            self._look_for_files(self._go_on)

    def _go_on(self) -> None:
        if self._lacks:
            self.look()
        else:
            self.start(replace(self._document.session, bundle=None))

    def _look_for_files(self, done: Callable[[], None]) -> None:
        session = self._document.session

        def take(lost: tuple[Path, ...]) -> None:
            if self._document.session.bundle == session.bundle:
                self._lacks = bool(lost)
                done()

        self._jobs.quietly(FILES, "Looking for the files", lambda _: missing(replace(session, bundle=None)), take)

    def withhold(self) -> bool:
        """Whether nothing can be run since a bundle is on view; then that is said."""
        if self._document.session.bundle is None:
            return False
        notice = Notice(
            "info",
            "Nothing can be run in a ticket bundle.",
            "What it holds was measured where it was made. With the model and its inputs this opens as a session.",
            key=NOTICE,
            button=self._way_out,
            pressed=self.again,
            of_model=True,
        )
        self._notify(notice)
        return True

    @property
    def _way_out(self) -> str:
        return "Look for the files…" if self._lacks else "Run it here"

    def _take(self, session: Session, bundle: "Bundle") -> None:
        self._bundle = bundle
        self._opening.show(bundle.case.model, session)

    def _on_opened(self) -> None:
        self._jobs.cancel(FILES)
        self._lacks = True
        if self._bundle is not None and self._is_on_view:
            self._tell()
            self._look_for_files(lambda: None if self._lacks else self._tell())

    def _tell(self) -> None:
        """Tells what it is, and plainly what is not in it."""
        bundle = self._bundle
        if bundle is None or not self._is_on_view:
            return
        from errorflow.case.said import MADE_UP
        from errorflow.report.bundle.listing import missing_text

        kind: Kind = "warning" if bundle.problems else "info"
        made_up = (MADE_UP,) if bundle.case.made_up else ()
        text = f"This is the ticket bundle of {bundle.manifest.title}, {bundle.manifest.said}."
        self._notify(
            Notice(
                kind,
                text,
                " ".join((*made_up, missing_text(bundle.manifest))),
                "\n".join(bundle.problems),
                NOTICE,
                self._way_out,
                self.again,
                of_model=True,
                stays=True,
            )
        )
