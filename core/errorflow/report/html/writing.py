"""Writes a report as one page."""

from datetime import datetime
from pathlib import Path

from errorflow.base.files import write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.graph.build import counted
from errorflow.report.content import Content
from errorflow.report.html.page import html_report


def write_case(case: Content, target: Path, progress: Progress = SILENT) -> str:
    """Whole or not at all; says what was written."""
    text = html_report(case, datetime.now(), progress)
    write_atomic(target, text, follow=False)
    return f"{target}: {counted(len(case.graph), 'node', 'nodes')}, {len(text.encode()) / 1e6:.1f} MB"
