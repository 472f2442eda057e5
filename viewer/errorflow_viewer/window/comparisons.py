"""Comparisons of the window: the page, what is dropped or named at the start, and the comparison itself."""

import os
from collections.abc import Collection, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from errorflow.base import ErrorflowError, Progress, WrongFileError, one_line
from errorflow.base.files import is_folder
from errorflow.case.scenarios import scenario_of
from errorflow.case.scenarios.call import made_up_text
from errorflow.case.scenarios.chain import FORMAT
from errorflow.case.scenarios.found import NOTHING, Discovered, Kind
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.graph.model import Model
from errorflow_viewer.document.bundles import Bundles
from errorflow_viewer.document.comparing import KEY, Comparing, ComparingStage
from errorflow_viewer.document.opening import Opening
from errorflow_viewer.document.opening_jobs import LOOK, WISHES
from errorflow_viewer.kit.banner import Banners, Notice, notice_of
from errorflow_viewer.kit.jobs import ignore_failure
from errorflow_viewer.window.desk import WholeDesk

if TYPE_CHECKING:
    from errorflow.case.scenarios.propose import Proposal
    from errorflow_viewer.pages.guide.page import ComparePage

NOTICE, MADE_UP, SAMPLE_STORY = "taken", "made up", "content"
# What is opened without a look at what else it might be.
_SURE = frozenset((".onnx", ".om", ".prototxt", ".pbtxt", ".errorflow", ".zip"))
# What is a whole case, and nothing that a comparison is put together of.
_CASES = frozenset((".errorflow", ".zip"))
_MODELS: tuple[Kind, ...] = ("onnx", "onnx-quantized", "atc-json", "om", "model", "session", "quant-info")
_RUNS: tuple[Kind, ...] = ("npu", "npu-quantized", "npy", "npy-quantized", "arrays", "raw")

_SIDES = ("candidate", "quantized", "table", "reference", "original")


class ComparisonHost(WholeDesk, Protocol):
    """The window, as far as comparing needs it."""

    def show_page(self, page: QWidget) -> None: ...

    def leave_page(self) -> None: ...


class Comparisons:
    """The commands on comparing of a window."""

    def __init__(self, host: ComparisonHost, opening: Opening, banners: Banners, unpacked: Path) -> None:
        """`unpacked`: where ticket bundles are."""
        self._host = host
        self._opening = opening
        self._banners = banners
        self.comparing = Comparing(
            host.document,
            host.jobs,
            host.derived,
            ComparingStage(self._open, self._show, banners.show_notice, self.ask),
        )
        tell = partial(_tell_failed, banners)
        self.bundles = Bundles(host.document, host.jobs, opening, unpacked, banners.show_notice, tell)
        self.bundles.start, self.bundles.look = self.start_session, host.session_files.look_for_files
        self.comparing.brought = self.bundles.compared_on
        # What was started, be it from a page: that is left when something comes of it.
        self._awaited: Setup | None = None
        # What was said of inputs that nobody gave.
        self._told = ""
        opening.opened.connect(lambda _: self._leave_page())
        opening.failed.connect(self._on_failed)
        host.document.changed.connect(self._on_changed)
        # When a job is over, what came of it is not known yet.
        host.jobs.changed.connect(lambda _: QTimer.singleShot(0, opening, self._look) if self._awaited else None)

    @cached_property
    def page(self) -> "ComparePage":
        """Made when it is asked for: it has a quarter of all widgets, which are dressed anew with every theme."""
        from errorflow_viewer.pages.guide.page import ComparePage

        page = ComparePage(self._host)
        page.started.connect(self.start)
        page.left.connect(self._host.leave_page)
        # What is told of the model on view has nothing to do with what is put together.
        page.seen.connect(lambda on: self._banners.hold_back(SAMPLE_STORY, on))
        return page

    @property
    def _asks(self) -> bool:
        """Whether the page is on view."""
        return "page" in vars(self) and self.page.isVisible()

    def ask(self, setup: Setup | None = None) -> None:
        """Shows the page, with what is compared already filled in."""
        self._awaited = None
        known = setup if setup is not None else self.comparing.setup
        if known is not None and scenario_of(known.scenario) is not None:
            self._offer(known)
        else:
            self._host.show_page(self.page)

    def ask_or_start(self, setup: Setup) -> None:
        """Starts it unless something lacks that the page can ask for."""
        row = scenario_of(setup.scenario)
        if row is not None and row.lacks(setup):
            self.ask(setup)
        else:
            self.start(setup)

    def start(self, setup: Setup, session: Session | None = None) -> None:
        """Opens what is to be seen and compares."""
        self._awaited = setup
        self._start(setup, session)
        model = self._host.document.model
        if session is None and model is not None and self._host.document.session.setup == setup:
            self._arrive()  # its model is on view already

    def _start(self, setup: Setup, session: Session | None = None) -> None:
        self._banners.leave_model()
        self._told = ""
        self.comparing.start(setup, session)

    def start_session(self, session: Session) -> None:
        """Shows what it is about: its model, which is compared as it says, or what is made of its comparison."""
        self._banners.leave_model()
        if session.bundle is not None:
            self.bundles.show(session)
        elif session.model is not None:
            self._opening.open(session.model, session=session)
        elif session.setup is not None:
            self.start(session.setup, session)

    def _on_changed(self, fields: Collection[str]) -> None:
        document = self._host.document
        if "case" in fields:
            self._tell_of_inputs()
        if "session.simulation" in fields:
            for key in (NOTICE, MADE_UP):  # what was compared is not on view meanwhile
                self._banners.hold_back(key, document.session.simulation is not None)
        arrives = self._awaited is not None and document.session.setup == self._awaited
        if arrives and "case" in fields and document.comparison is not None:
            self._arrive()

    def _look(self) -> None:
        """Looks; what failed or was cancelled is not waited for: later the user may have gone to some page on
        purpose.
        """
        if not any(map(self._host.jobs.running, (*WISHES, KEY))):
            self._awaited = None

    def _arrive(self) -> None:
        self._awaited = None
        self._host.whole_pages.make_way()

    def _tell_of_inputs(self) -> None:
        """No verdict on inputs that were made up is shown without that."""
        setup = self.comparing.setup if self._host.document.comparison is not None else None
        text = "" if setup is None else made_up_text(setup, self.comparing.made_up)
        if text == self._told:
            return
        self._told = text
        if text:
            hint = "Enough to see a broken conversion, not how good it is."
            ask = partial(self.ask, setup)
            notice = Notice("warning", text, hint, "", MADE_UP, "Choose inputs…", ask, of_model=True)
            self._banners.show_notice(notice)

    def _leave_page(self) -> None:
        self._awaited = None
        if self._asks:
            self._host.leave_page()

    def reload(self) -> bool:
        """Compares anew where what is on view was made of the comparison; False: it is a file."""
        document = self._host.document
        setup = document.session.setup
        if document.session.bundle is not None:
            self.start_session(document.session)
            return True
        if document.model is None or document.model.format != FORMAT or setup is None:
            return False
        self._start(setup, document.session)
        return True

    def again(self) -> None:
        """Goes on with a comparison that was cancelled, or makes the same once more."""
        document = self._host.document
        compared, setup = document.state.case, document.session.setup
        known = setup if setup is not None else self.comparing.setup
        self._banners.dismiss("compare")
        if document.session.bundle is not None:
            self.bundles.again()
        elif compared is not None and not compared.complete:
            self.comparing.go_on()
        elif not self.reload() and known is not None:
            self._start(known)

    def take(self, paths: Sequence[Path]) -> None:
        """Does what makes sense of files and folders that were dropped, or named at the start."""
        self._banners.dismiss("open")  # what could not be opened before
        paths = tuple(dict.fromkeys(paths))
        if self._asks and not (len(paths) == 1 and paths[0].suffix.lower() in _CASES):
            self.page.look_through(paths)
        elif len(paths) == 1 and paths[0].suffix.lower() in _SURE:
            self._host.open(paths[0])
        else:
            self._host.jobs.start(
                LOOK,
                f"Looking at {one_line(paths[0].name)}",
                lambda progress: _looked(paths, progress),
                lambda found: self._act_on(*found),
                ignore_failure,
            )

    def _on_failed(self, path: Path, error: ErrorflowError) -> None:
        """Fails; a file that is no model may hold results of the one on view, however it was opened."""

        def act(found: Discovered) -> None:
            model, tables = self._host.document.model, found.of("table")
            if model is not None and tables:
                self.start(Setup("table", {"table": path, "model": model.path}))
            else:
                tell()

        def tell(_: object = None) -> None:
            self._banners.show_notice(notice_of(error, "open", str(path)))

        model = self._host.document.model
        if model is None or model.format == FORMAT or not isinstance(error, WrongFileError):
            tell()
        else:
            self._host.jobs.start(
                LOOK, f"Looking at {one_line(path.name)}", lambda progress: _looked((path,), progress)[1], act, tell
            )

    def _open_first(self, paths: Sequence[Path], problems: Sequence[str] = ()) -> None:
        """Opens the first: one window shows one model, and tells of the others, and of those that cannot be read."""
        first, *others = paths
        self._host.open(first)
        if problems:
            self._banners.show_notice(_unread(problems))
        if others:
            names = ", ".join(one_line(path.name) for path in others[:3])
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            self._banners.show_notice(
                Notice(
                    "info",
                    f"{one_line(first.name)} is opened.",
                    f"One model at a time: {names}{more} can be opened after it.",
                    key="several",
                    of_model=True,
                )
            )

    def _act_on(self, paths: Sequence[Path], found: Discovered, folder: bool) -> None:
        from errorflow.case.scenarios.propose import only_complete, propose

        only, model = only_complete(propose(found)), self._host.document.model
        tables = found.of("table")
        if only is not None:
            self._start_at_once(only, found)
        elif model is not None and len(tables) == 1 and not found.of(*_RUNS):
            self.start(Setup("table", {"table": tables[0].path, "model": model.path}))
        elif found.found and not found.of(*_RUNS, "table", "record", "array", "raw-file"):
            there = [each.path for each in found.of(*_MODELS)] if folder else paths
            if there:
                self._open_first(there, found.problems if folder else ())
            else:
                self._offer(None, found)
        elif found.found or folder:
            self._offer(None, found)
        else:
            self._open_first(paths)

    def _offer(self, setup: Setup | None, found: Discovered = NOTHING) -> None:
        """Shows the page, with that filled in."""
        from errorflow.case.scenarios.filling import Filling

        filling = (Filling() if setup is None else Filling.of(setup)).with_found(found)
        self.page.show_filling(filling, None if setup is None else scenario_of(setup.scenario))
        self._host.show_page(self.page)

    def _start_at_once(self, proposal: "Proposal", found: Discovered) -> None:
        setup, model = proposal.setup, self._host.document.model
        need = proposal.scenario.need("model")
        if need is not None and setup.file("model") is None and model is not None and model.format != FORMAT:
            setup = setup.with_file("model", model.path)
        self.start(setup)
        self._banners.show_notice(
            Notice(
                "info",
                _taken(proposal, found),
                _reasons(proposal, found),
                key=NOTICE,
                button="Change…",
                pressed=lambda: self._offer(setup, found),
                of_model=True,
            )
        )
        if found.problems:
            self._banners.show_notice(_unread(found.problems))

    def _open(self, path: Path, session: Session) -> None:
        self._opening.open(path, session=session)

    def _show(self, model: Model, session: Session) -> None:
        self._opening.show(model, session)


def _tell_failed(banners: Banners, path: Path, error: ErrorflowError) -> None:
    banners.show_notice(notice_of(error, "open", str(path)))


def _looked(paths: Sequence[Path], progress: Progress) -> tuple[tuple[Path, ...], Discovered, bool]:
    """The paths without those that lead to the same; what lies there; and whether one of them is a folder."""
    from errorflow.case.session.readable import looked_through

    once: dict[str, Path] = {}
    for path in paths:
        once.setdefault(os.path.realpath(path), path)
    found = looked_through(paths, progress)
    return tuple(once.values()), found, any(is_folder(path) for path in paths)


def _unread(problems: Sequence[str]) -> Notice:
    return Notice(
        "warning",
        "Not all that lies there could be looked at.",
        details="\n".join(problems),
        key="unread",
        of_model=True,
    )


def _taken(proposal: "Proposal", found: Discovered) -> str:
    names = {key: found.shown(filled.found.path) for key, filled in proposal.filled.items()}
    sides = [names[key] for key in ("candidate", "quantized", "table") if key in names]
    others = [names[key] for key in ("reference", "original") if key in names]
    against = f" against {others[0]}" if others and sides else ""
    return f"{proposal.scenario.title}: {', '.join(sides)}{against}."


def _reasons(proposal: "Proposal", found: Discovered) -> str:
    """Lists what was guessed, which may be wrong; then the files beside the two sides."""
    guesses = [
        f"{found.shown(filled.found.path)} is a guess by {filled.why}"
        for filled in proposal.filled.values()
        if filled.guess
    ]
    files = [found.shown(filled.found.path) for key, filled in proposal.filled.items() if key not in _SIDES]
    return ". ".join(text for text in ("; ".join(guesses), f"With {', '.join(files)}" if files else "") if text)
