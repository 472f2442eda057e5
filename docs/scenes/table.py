"""Every picture of the documentation: its name, and what plays in it."""

from scenes import comparisons, graphs, pages, simulations
from scenes.stage import Scene

# With a panel below the graph of which the picture is about; with a large graph.
HIGH, LARGE = (1280, 900), (1600, 1000)

SCENES = (
    Scene("start", pages.start),
    Scene("recents", pages.recents),
    Scene("tour", pages.tour),
    Scene("settings", pages.settings, size=(1280, 858)),
    Scene("keys-page", pages.keys),
    Scene("window-light", comparisons.sample, size=(1440, 900)),
    Scene("canvas-overview", graphs.overview),
    Scene("canvas-columns", graphs.columns, size=LARGE),
    Scene("canvas-rows-dark", graphs.rows, "dark"),
    Scene("canvas-search-dark", graphs.searched, "dark"),
    Scene("canvas-error", comparisons.drifting),
    Scene("canvas-error-dark", comparisons.drifting, "dark"),
    Scene("canvas-unfolded", graphs.unfolded, size=LARGE),
    Scene("canvas-skips", graphs.skips, size=LARGE),
    Scene("canvas-experts", graphs.experts, size=LARGE),
    Scene("canvas-10000-nodes-dark", graphs.ten_thousand, "dark", LARGE),
    Scene("second-graph", comparisons.second),
    Scene("compare-page", pages.compare, size=(1280, 760)),
    Scene("simulate-panel", simulations.simulated),
    Scene("runs-panel", simulations.runs),
    Scene("evaluate-panel", simulations.evaluated, size=(1440, 940)),
    Scene("profile-panel", simulations.profile, size=HIGH),
    Scene("nodes-found", simulations.found),
    Scene("matches-panel", comparisons.matches, size=HIGH),
    Scene("inspector", simulations.inspector, size=(1440, 800)),
    Scene("verdict-page", pages.verdict, size=(1280, 1000)),
    Scene("ticket-page", pages.ticket, size=(1280, 900)),
    Scene("view-with-caption", pages.view_page),
    Scene("manual", pages.manual),
    Scene("report-page", pages.report),
    Scene("ranking-panel", simulations.ranking, size=HIGH),
    Scene("curves-panel", simulations.curves, size=HIGH),
    Scene("changes-panel", comparisons.changes, size=HIGH),
    Scene("search-panel", simulations.search, size=(1280, 980)),
    Scene("outliers-panel", simulations.outliers, size=HIGH),
    Scene("distributions", simulations.distributions, size=(1280, 1000)),
    Scene("align-page", pages.align, size=(1280, 700)),
    Scene("guide-step", pages.guide_step, size=(1280, 860)),
    Scene("window-zh", simulations.profile, size=HIGH, language="zh_CN"),
    Scene("guide-zh", pages.guide_step, size=(1280, 860), language="zh_CN"),
)

# Those that translated pages have in their own language: what is read first.
SPOKEN = (
    *("start", "recents", "tour", "settings", "keys-page"),
    *("canvas-overview", "canvas-columns", "canvas-rows-dark", "canvas-search-dark", "canvas-error"),
    *("canvas-error-dark", "canvas-unfolded", "canvas-skips", "canvas-experts"),
    *("compare-page", "simulate-panel", "runs-panel", "guide-step", "manual"),
)
