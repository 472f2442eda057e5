"""Measures what a session is about, and writes its report."""

from datetime import datetime
from pathlib import Path

from errorflow.files import write_atomic
from errorflow.graph.build import counted
from errorflow.progress import SILENT, Progress
from errorflow.report.html.case import Case
from errorflow.report.html.opening import case_of
from errorflow.report.html.page import html_report
from errorflow.session.model import Session


def write_report(session: Session, target: Path, title: str = "", progress: Progress = SILENT) -> str:
    """Whole or not at all; says what was written."""
    return write_case(case_of(session, title, progress), target, progress)


def write_case(case: Case, target: Path, progress: Progress = SILENT) -> str:
    text = html_report(case, datetime.now(), progress)
    write_atomic(target, text, follow=False)
    return f"{target}: {counted(len(case.graph), 'node', 'nodes')}, {len(text.encode()) / 1e6:.1f} MB"
