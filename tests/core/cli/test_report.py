"""`errorflow report`."""

from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow.cli.main import main

SAMPLE = SAMPLES[0]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    files = {"model": SAMPLE.model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run}
    write_session(Session(SAMPLE.model, Setup("runs", files)), tmp_path / "case.errorflow")
    return tmp_path / "case.errorflow"


def test_a_session_becomes_a_page(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = session.with_name("case.html")
    assert main(["report", str(session), "-o", str(target), "--title", "Build <412>"]) == 0
    assert capsys.readouterr().out.startswith(f"{target}: 31 nodes, ")
    assert "<h1 class='wrap'>Build &lt;412&gt;</h1>" in target.read_text(encoding="utf-8")


def test_it_becomes_tables_and_a_picture(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ending in ("csv", "svg"):
        assert main(["report", str(session), "-o", str(session.with_name(f"case.{ending}"))]) == 0
        assert capsys.readouterr().out.startswith(f"{session.with_name(f'case.{ending}')}: 31 nodes")
    assert session.with_name("case-tensors.csv").exists()


@pytest.mark.parametrize(("name", "begin"), [("case.pdf", b"%PDF-"), ("case.png", b"\x89PNG")])
def test_the_viewer_draws_what_needs_qt(
    session: Path, name: str, begin: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    target = session.with_name(name)
    assert main(["report", str(session), "-o", str(target), "--title", "Build 412", "--scale", "1"]) == 0
    assert "31 nodes, " in capsys.readouterr().out
    assert target.read_bytes().startswith(begin)


@pytest.mark.parametrize("ending", ["html", "pdf", "zip"])
def test_a_model_is_no_session_whatever_is_asked_for(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(SAMPLE.model), "-o", str(tmp_path / f"case.{ending}")]) == 2
    assert "is no session and no ticket bundle" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_ticket_bundle_becomes_a_report_too(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = session.with_name("case.zip")
    assert main(["report", str(session), "-o", str(bundle)]) == 0
    assert main(["report", str(bundle), "-o", str(session.with_name("again.html"))]) == 0
    assert "again.html: 31 nodes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"), [("case.docx", "cannot be written as .docx"), ("gone/case.html", "There is no folder")]
)
def test_what_cannot_be_written_is_said_before_all_the_work(
    session: Path, name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(session), "-o", str(session.with_name("x").parent / name)]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_is_no_session_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "case.errorflow").write_text("nothing", encoding="utf-8")
    assert main(["report", str(tmp_path / "case.errorflow"), "-o", str(tmp_path / "case.html")]) == 2
    assert not (tmp_path / "case.html").exists()
    assert capsys.readouterr().err
