"""Table of what the window derives from what, in the background: the rows that `Deriving` runs.

The comparison is a row of its own, in `comparing`, since the window may also begin it. Lists of panels are added where
the panel is: they are worked out while it is seen.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base import ErrorflowError, Progress
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import HandPair
from errorflow.graph.model import Model
from errorflow_viewer.document import (
    compared_trial,
    deploying,
    earlier,
    finding,
    ranking,
    searching,
    simulation_news,
    simulation_work,
)
from errorflow_viewer.document.derived import Derived, V, W
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Before, State
from errorflow_viewer.kit.jobs import ignore_failure

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.study.search.model import Search


BY_HAND = "matches"


def looked(
    name: str,
    text: str,
    wish: Callable[[State], W | None],
    work: Callable[[W, Progress], V],
    keep: Callable[[V], None],
    failed: Callable[[ErrorflowError], None],
    reads: Collection[str] = (),
) -> Derived[W, V]:
    """The answer to a panel's own question; the panel says when it asks another one (`Deriving.follow`)."""
    return Derived(
        name=name,
        text=text,
        reads=reads,
        wish=wish,
        work=lambda wish, progress, _: work(wish, progress),
        keep=lambda _, __, value: keep(value),
        reports="value",
        failed=failed,
    )


def listed(
    name: str,
    text: str,
    reads: Collection[str],
    wish: Callable[[State], W | None],
    work: Callable[[W], V],
    keep: Callable[[V], None] = lambda _: None,
    drop: Callable[[], None] = lambda: None,
) -> Derived[W, V]:
    """Makes a row that a panel shows and nothing else hangs on: the window does not say that it runs, and only the log
    why not.
    """
    row = looked(name, text, wish, lambda wish, _: work(wish), keep, ignore_failure, reads)
    return replace(row, drop=lambda _: drop(), shown=False)


def _by_hand(state: State) -> "Wish | None":
    if state.case is None:
        return None

    return wished(state)


def _matched(wish: "Wish", progress: Progress, _: object) -> "Case":
    return matched(*wish, progress)


def _keep_matched(document: Document, wish: "Wish", found: "Case") -> None:
    if found is not wish[1]:
        document.take_case(found)


FINDINGS = Derived(
    name=finding.KEY,
    text="Finding the tensors",
    reads=("case", "place"),
    wish=finding.wished,
    work=lambda wish, _, __: finding.found(*wish),
    keep=lambda document, _, findings: document.take_findings(findings),
    drop=lambda document: document.take_findings(None),
    known=finding.known,
    # While a comparison grows some of its parts are skipped, none is waited for in vain, and the window gets its turn.
    in_turn=lambda running, wish: running[0] is wish[0],
    rests=lambda wish: not wish[1].complete,
    notice="compare",
    again=False,
    shown=False,
)
METRICS = listed("metrics", "Reading all metrics", ("findings", "case"), finding.complete, finding.read)
MATCHES = Derived(
    name=BY_HAND,
    text="Matching by hand",
    reads=("case", "session.hand_pairs"),
    wish=_by_hand,
    work=_matched,
    keep=_keep_matched,
    reports="value",
)
BEFORE = Derived(
    name=earlier.KEY,
    text=lambda path: f"Measuring {path.name}",
    reads=("session.since",),
    wish=earlier.wished,
    work=lambda path, progress, _: earlier.measured(path, progress),
    keep=lambda document, path, side: document.learn(before=Before(path, side)),
    drop=lambda document: document.learn(before=None),
    stays=False,
    told=lambda _, side: earlier.told(side),
    notice=earlier.NOTICE,
)
BEFORE_ON_GRAPH = Derived(
    name=earlier.LAYING,
    text="Finding its tensors",
    reads=("before", "case", "findings", "place"),
    wish=earlier.laid_on,
    work=lambda wish, progress, _: earlier.laid(*wish, progress),
    keep=earlier.keep_laid,
    notice=earlier.NOTICE,
    shown=False,
)

BENCH = Derived(
    name=simulation_work.OPEN,
    text=lambda wish: f"Preparing {wish.path.name}",
    reads=("session.simulation", "session.model", "bench", "coming"),
    wish=simulation_work.bench_wished,
    work=lambda wish, progress, _: simulation_work.opened(wish, progress),
    keep=simulation_work.take_bench,
    known=simulation_work.bench_known,
    lost=simulation_work.end,
    # What the plan is by then is looked at when it is there.
    in_turn=lambda running, wish: running.is_as_good(wish),
    in_vain=simulation_work.forget_asked,
    notice=simulation_news.NOTICE,
    # Where the user asked for it what ran before goes on.
    cancelled=lambda wish, _, again: (
        None if wish.coming is not None else simulation_news.cancelled(False, wish.bench is not None, again)
    ),
)
OUTCOME = Derived(
    name=simulation_work.KEY,
    text="Simulating",
    reads=("simulated", "session.simulation", "coming"),
    wish=simulation_work.run_wished,
    work=simulation_work.run,
    keep=simulation_work.show,
    part=simulation_work.show,
    keeps_parts=True,
    known=simulation_work.case_known,
    in_turn=lambda running, wish: running.is_same_plan(wish),
    notice=simulation_news.NOTICE,
    cancelled=lambda _, part, again: simulation_news.cancelled(part is not None, True, again),
)

# What takes the processor waits until the simulation is there.
_SIMULATING = (simulation_work.OPEN, simulation_work.KEY)
AGAINST = Derived(
    name=compared_trial.AGAINST,
    text=lambda wish: f"Simulating {wish.trial.name}",
    reads=("simulated", "session.simulation", "session.trials"),
    wish=compared_trial.wished,
    work=lambda wish, progress, _: compared_trial.worked_out(wish, progress),
    keep=lambda document, _, outcome: compared_trial.take(document, outcome),
    drop=lambda document: compared_trial.take(document, None),
    stays=False,
    known=compared_trial.known,
    after=_SIMULATING,
    notice=simulation_news.NOTICE,
    cancelled=lambda _, __, again: simulation_news.other_cancelled(again),
)
RANKING = Derived(
    name=ranking.KEY,
    text=ranking.TEXT,
    reads=("simulated", "session.simulation", "session.question"),
    wish=ranking.wished,
    work=ranking.ranked,
    keep=ranking.remember,
    part=lambda document, _, part: document.take_ranking(part),
    keeps_parts=True,
    by_itself=False,
    holds=ranking.is_of_use,
    after=_SIMULATING,
)
PAIRS = Derived(
    name=ranking.PAIRS,
    text=ranking.PAIRS_TEXT,
    reads=("simulated", "session.simulation", "session.question"),
    wish=ranking.paired,
    work=lambda wish, progress, _: ranking.coupled(wish, progress),
    keep=lambda document, _, found: document.learn(coupled=found),
    by_itself=False,
    holds=lambda wish, state: state.simulated is not None and state.simulated.bench is wish[0],
)
DEPLOYED = Derived(
    name=deploying.KEY,
    text=deploying.TEXT,
    reads=("simulated", "session.simulation"),
    wish=deploying.wished,
    work=lambda wish, progress, _: deploying.ran(*wish, progress),
    keep=deploying.keep,
    by_itself=False,
    holds=deploying.is_of_use,
)


def search_in(place: Path) -> Derived[searching.SearchingRequest, "Search"]:
    return Derived(
        name=searching.KEY,
        text=searching.TEXT,
        reads=("simulated", "session.simulation", "session.sought"),
        wish=searching.wished,
        work=partial(searching.searched, place),
        keep=searching.remember,
        keeps_parts=True,
        by_itself=False,
        holds=searching.is_of_use,
        after=_SIMULATING,
        reports="value",
    )


def derived(place: Path) -> tuple[Derived[Any, Any], ...]:
    """Lists all rows. `place`: the folder for journals and for what evaluators print."""
    found = FINDINGS, METRICS, MATCHES, BEFORE, BEFORE_ON_GRAPH
    return *found, BENCH, OUTCOME, AGAINST, RANKING, PAIRS, DEPLOYED, search_in(place)


# Matches by hand: whenever the user brings tensors together or parts them, what changed is measured.

Wish = tuple[Model, "Case", tuple[HandPair, ...], Setup | None]


def wished(state: State) -> Wish | None:
    """Makes the wish; None: nothing was matched by hand, or of a bundle, of which nothing can be measured again."""
    session, compared = state.session, state.case
    match = None if compared is None else compared.match
    if state.model is None or compared is None or match is None or not compared.complete:
        return None
    is_asked = bool(session.hand_pairs) or match.by_rules is not None
    if session.bundle is not None or not is_asked or session.hand_pairs == compared.session.hand_pairs:
        return None
    return state.model, compared, session.hand_pairs, session.setup


def matched(model: Model, case: "Case", pairs: tuple[HandPair, ...], setup: Setup | None, progress: Progress) -> "Case":
    """Compares with these pairs; the same if they are in it already."""
    from errorflow.case.comparing import matched_again

    before = replace(case, session=replace(case.session, setup=setup, hand_pairs=pairs), model=model)
    found = matched_again(before, progress)
    return case if found is before else found
