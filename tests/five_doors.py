"""One session through every door but the window: each says what it knows of the case, as plain facts.

To add a door: a function and a row in DOORS. To add a scenario: a function and a row in SCENARIOS.
"""

import csv
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from html import unescape
from io import StringIO
from pathlib import Path
from shutil import copy
from typing import Any

from amct_case.folders import Ingredients
from errorflow.base.sample import SAMPLES
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import HandPair, Session, Simulation
from errorflow.cli.main import main
from errorflow.quant.presets import preset
from errorflow.report.bundle.opening import case_in
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from planted_by_command import said
from planted_scenarios import ROWS

FIRST = 5
_KEY = "relative_l2"
SAMPLE = next(sample for sample in SAMPLES if sample.key == "node_fault")
DRIFT = next(sample for sample in SAMPLES if sample.key == "drift")
Shares = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Told:
    """What a door says; None: that door does not show it."""

    kind: str | None = None
    # The sentence of the verdict, without the word that says how it was found.
    verdict: str | None = None
    shares: Shares | None = None
    stages: str | None = None
    # By tensor its relative error.
    rows: Mapping[str, float] | None = None
    # A page whose text holds the verdict and the stages.
    page: str | None = None


def bare(text: str) -> str:
    return text.replace(" (estimated)", "", 1)


def first(shares: Mapping[str, float]) -> Shares:
    """The first five, as far as a share is worth a word."""
    loud = sorted(shares.items(), key=lambda each: (-each[1], each[0]))
    return tuple((name, round(share, 4)) for name, share in loud[:FIRST] if share >= 0.01)


def of_case(case: Case) -> Told:
    blame, findings = case.blame, case.findings
    assert findings is not None
    shares = {} if blame is None else dict(zip(case.model.graph.node_names, blame.blame_shares.tolist(), strict=True))
    return Told(
        None if blame is None else blame.model.kind,
        None if blame is None else bare(blame.model.text),
        first({name: share for name, share in shares.items() if share > 0}),
        "" if case.stages is None else case.stages.text,
        {
            row.tensor: _short(row.values["relative_l2"])
            for row in findings.comparison.rows
            if "relative_l2" in row.values
        },
    )


def _short(value: float) -> float:
    return float(f"{value:.4g}")


# Doors


def examined(session: Path, _: Path) -> Told:
    with case_in(session) as case:
        return of_case(case)


def _report(session: Path, target: Path) -> Path:
    with redirect_stdout(StringIO()):
        assert main(["report", str(session), "-o", str(target)]) == 0
    return target


def html(session: Path, place: Path) -> Told:
    text = _report(session, place / "report.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    shares = {node[0]: node[6] for node in data["nodes"] if node[6]}
    return Told(shares=first(shares), page=_plain(text))


def pdf(session: Path, place: Path) -> Told:
    path = _report(session, place / "report.pdf")
    done = subprocess.run(["pdftotext", path, "-"], check=True, capture_output=True, text=True)
    return Told(page=_plain(done.stdout))


def _plain(text: str) -> str:
    """Words only, as they follow each other."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return "".join(unescape(re.sub(r"<[^>]*>", " ", body)).split()).lower()


def tables(session: Path, place: Path) -> Told:
    path = _report(session, place / "report.csv")
    with path.open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    shares = {node["name"]: float(node["share"]) for node in nodes if node.get("share")}
    return Told(shares=first(shares), rows=_table(place / "report-tensors.csv"))


def _table(path: Path) -> dict[str, float]:
    with path.open(encoding="utf-8", newline="") as file:
        return {row["tensor"]: _short(float(row["relative_l2"])) for row in csv.DictReader(file) if row["relative_l2"]}


def ticket(session: Path, place: Path) -> Told:
    """Reopened at the other end."""
    with case_in(_report(session, place / "case.zip")) as case:
        return of_case(case)


def difference(session: Path, place: Path) -> Told:
    """The session against its own ticket: nothing may have changed on the way."""
    if not (place / "case.zip").exists():
        ticket(session, place)
    text = StringIO()
    with redirect_stdout(text):
        assert main(["diff", str(place / "case.zip"), str(session), "--json"]) == 0
    data = json.loads(text.getvalue())
    assert set(data["counts"]) - {kind for kind, count in data["counts"].items() if not count} <= {"same"}, data[
        "counts"
    ]
    assert data["before"]["verdict_text"] == data["now"]["verdict_text"]
    shares = {each["node"]: each["share"] for each in data["now"]["top"]}
    return Told(data["now"]["verdict"], bare(data["now"]["verdict_text"]), first(shares))


def command(session: Path, place: Path) -> Told:
    """`compare` with the command of the ticket, or `simulate` with the session."""
    held = read_session(session).session
    words = [*_called(held), *(f"--pair={pair.candidate}={pair.reference}" for pair in held.hand_pairs)]
    if held.simulation is not None:
        words = ["simulate", str(session)]
    out = place / "out"
    code, text = said([*words, "-out", str(out)], place)
    assert code in (0, 2), text  # inputs never have a dump
    data: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    if held.simulation is not None:
        shares = {each["node"]: each["share"] for each in data["contributors"]}
        return Told(data["verdict"], bare(data["text"]), first(shares))
    blame = data["blame"]
    shares = {each["node"]: each["share"] for each in blame["top"]}
    stages = data.get("stages", {}).get("text", "")
    return Told(blame["kind"], bare(blame["text"]), first(shares), stages, _table(out / "tensors.csv"))


def _called(session: Session) -> list[str]:
    from shlex import split

    from errorflow.case.said import setup_of
    from errorflow.case.scenarios.call import call_of

    setup = setup_of(session)
    return [] if setup is None else split(call_of(setup))[1:]


DOORS: Mapping[str, Callable[[Path, Path], Told]] = {
    "html": html,
    "ticket": ticket,
    "diff": difference,
    "command": command,
    "pdf": pdf,
    "tables": tables,
}


# Scenarios: each writes a session into a folder


def _saved(session: Session, place: Path) -> Path:
    path = place / "case.errorflow"
    write_session(session, path)
    return path


def sample(place: Path) -> Path:
    """As the window saves the built-in sample: the session names its model only."""
    return _saved(Session(SAMPLE.model), place)


def _runs(place: Path, *, model: bool) -> Setup:
    files = {"candidate": DRIFT.candidate_run, "reference": DRIFT.reference_run}
    own = {need: Path(copy(path, place / f"{need}.npz")) for need, path in files.items()}
    return Setup("runs", {**own, **({"model": Path(copy(DRIFT.model, place))} if model else {})})


def runs(place: Path) -> Path:
    setup = _runs(place, model=True)
    return _saved(Session(setup.files["model"], setup), place)


def paired(place: Path) -> Path:
    setup = _runs(place, model=True)
    return _saved(Session(setup.files["model"], setup, hand_pairs=(HandPair("/stem/conv/Conv_output_0", ""),)), place)


def chain(place: Path) -> Path:
    return _saved(Session(setup=_runs(place, model=False)), place)


def simulated(place: Path) -> Path:
    """With a sample that was chosen, which is not the worst one."""
    basis = Basis(SampleSpec((str(SAMPLE.calibration),)), samples=6)
    return _saved(Session(SAMPLE.model, simulation=Simulation(basis, preset("onnxruntime").plan, sample=1)), place)


def planted(row: str) -> Callable[[Path], Path]:
    """A fault in the folder of one of the vendor's comparisons, saved by the printed command."""

    def written(place: Path) -> Path:
        from planted.test_scenarios import command_of  # as a user gets there
        from planted.test_scenarios import written as write

        plant = next(name for name, given in ROWS[row].cases().items() if _is_fault(given))
        write(place, row, plant)
        words = command_of(place, row).split()[1:]
        code, text = said([*words, "--session", "case.errorflow", "-out", "first"], place)
        assert code in (0, 2), text
        return place / "case.errorflow"

    return written


def _is_fault(given: Ingredients) -> bool:
    return given.expected == "fault"


SCENARIOS: Mapping[str, Callable[[Path], Path]] = {
    "a sample": sample,
    "runs": runs,
    "pairs by hand": paired,
    "runs without a model": chain,
    "a simulation": simulated,
    # Those of later faults are the same comparisons.
    **{name: planted(name) for name, row in ROWS.items() if not row.late},
}
