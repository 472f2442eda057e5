"""A search as the files that are kept of it: plan, history and ranking, of our own and as AMCT's tool writes them."""

from pathlib import Path

from errorflow.errors import ErrorflowError
from errorflow.files import write_atomic
from errorflow.progress import SILENT, Progress
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import plan_text
from errorflow.report.search import ranking_json, search_json, tried_csv
from errorflow.search import amct_files
from errorflow.search.best import plan_of
from errorflow.search.model import Search
from errorflow.simulate.bench import Bench
from errorflow.toolchains import toolchain
from errorflow.toolchains.model import Decision

PLAN, HISTORY, TABLE, RANKING, LOG = "plan.json", "history.json", "history.csv", "ranking.json", "search.log"
AMCT_LOGS, QDQ = "amct_log", "model_qdq.onnx"


def write_search(
    out: Path,
    found: Search,
    bench: Bench,
    *,
    amct: str | None = None,
    qdq: bool = False,
    progress: Progress = SILENT,
) -> tuple[list[Path], list[str]]:
    """What was written into the folder, which is there, and what to know of it.

    `amct`: also AMCT's final config and record of scales, from the setting of that name on; "": from none.
    """
    plan = plan_of(bench, found)
    texts = {PLAN: plan_text(plan), HISTORY: search_json(found, dict(bench.facts)), TABLE: tried_csv(found)}
    if found.parts:
        rows = [(part.name, score) for part, score in zip(found.parts, found.scores, strict=True)]
        texts |= {RANKING: ranking_json(found), amct_files.RANKING: amct_files.ranking_text(rows)}
    (out / AMCT_LOGS).mkdir(exist_ok=True)
    texts[f"{AMCT_LOGS}/{amct_files.HISTORY}"] = amct_files.history_text(amct_files.records_of(found))
    texts[LOG] = "\n".join(amct_files.log_lines(found, out, out / amct_files.RECORD)) + "\n"
    notes: list[str] = []
    if amct is not None:
        made, notes = _for_amct(amct, bench, plan, found)
        texts |= made
    for name, text in texts.items():
        write_atomic(out / name, text)
    files = [out / name for name in texts]
    if qdq:
        bench.engine.export(plan, out / QDQ, progress)
        files.append(out / QDQ)
    return files, notes


def _for_amct(start: str, bench: Bench, plan: Plan, found: Search) -> tuple[dict[str, str], list[str]]:
    """The setting that it began with, with what was found, and the record of scales."""
    if found.best is None or not found.best.good:
        return {}, ["Nothing is written for AMCT: no plan is good enough."]
    engine = bench.engine
    decision = Decision(engine.graph, plan, engine.assigned(plan), bench.calibration, bench.model.path.name)
    base = Path(start) if start else None
    texts: dict[str, str] = {}
    notes: list[str] = []
    for key, name, begun in (("amct", amct_files.FINAL, base), ("amct-record", amct_files.RECORD, None)):
        try:
            written = toolchain(key).write(decision, begun)
        except ErrorflowError as error:  # the search is done, and its other files are wanted
            notes.append(f"{name} is not written: {error}")
            continue
        texts[name] = next(iter(written.files.values()))
        notes += [f"{name}: {note}" for note in written.notes]
        notes += [f"{name}: {each.name}: {each.why}" for each in written.left_out]
    return texts, notes
