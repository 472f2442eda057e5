"""Ticket bundles in `errorflow report` and `errorflow session`."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.report.bundle.draft import BundleDraft
    from errorflow.report.bundle.model import BundleChoice, Redactions

SUFFIX = ".zip"
EXAMPLES = """\
  errorflow report case.errorflow -o case.zip --preview       what a ticket bundle would hold, and what is taken out
  errorflow report case.errorflow -o case.zip --tensors conv1,fc --with-inputs --answer "chip=AX650N"
"""
_REDACTED = ("paths", "names")


def add_ticket(parser: ArgumentParser) -> None:
    """The options that only a `.zip` has."""
    ticket = parser.add_argument_group("as a ticket bundle (.zip)")
    ticket.add_argument(
        "--tensors", metavar="NODE,...", help="take along what these nodes make and read, in both runs (default: none)"
    )
    ticket.add_argument("--with-model", action="store_true", help="take along the models with their weights")
    ticket.add_argument("--with-inputs", action="store_true", help="take along what the models were fed with")
    taken = ticket.add_mutually_exclusive_group()
    taken.add_argument(
        "--redact", metavar="paths,names", help="what is taken out of all texts (default: both, folders and names)"
    )
    taken.add_argument("--no-redact", action="store_true", help="take nothing out")
    ticket.add_argument(
        "--answer", action="append", default=[], metavar="FIELD=TEXT", help="fill in a field of the form, such as chip"
    )
    ticket.add_argument("--preview", action="store_true", help="say what would go in and be taken out; write nothing")


def write_ticket(options: Namespace, source: Path, output: Path) -> int:
    """Measures what the session is about, or opens its bundle, and writes a bundle."""
    from datetime import datetime

    from errorflow.report.bundle.draft import draft_of
    from errorflow.report.bundle.listing import preview_lines, written_lines
    from errorflow.report.bundle.opening import case_in, with_second
    from errorflow.report.bundle.parts import planned
    from errorflow.report.bundle.writing import write_bundle

    choice = _choice(options)
    with Meter() as meter, case_in(source, meter) as case:
        draft, problems = draft_of(with_second(case, meter), datetime.now(), options.title, meter), case.unread
        _check_nodes(draft, choice)
        if options.preview:
            plan = planned(draft, choice, meter)
            lines = [*preview_lines(plan)]
        else:
            lines = [*written_lines(write_bundle(draft, choice, output, meter))]
    print(plain("\n".join((*lines, *(f"! {problem}" for problem in problems)))))
    return 0


def tell_bundle(path: Path, as_json: bool) -> int:
    """Prints what a bundle holds, and whether all of it is as it was written: 1 where it is not."""
    from errorflow.report.bundle.archive import check
    from errorflow.report.bundle.form import told_in, told_lines
    from errorflow.report.bundle.listing import bundle_data, bundle_lines

    with Meter() as meter:
        manifest, problems = check(path, meter)
    told = told_in(path)
    if as_json:
        said = {"verdict": told.verdict, "form": told.answers, "note": told.note, "notes": told.notes}
        print(json.dumps({**bundle_data(manifest, problems), **said}, indent=2))
    else:
        known = replace(manifest, verdict=told.verdict) if told.verdict else manifest
        head, inside = _parted(list(bundle_lines(known, problems)))
        print(plain("\n".join([*head, *told_lines(told), *inside])))
    return 1 if problems else 0


def _parted(lines: list[str]) -> tuple[list[str], list[str]]:
    """Divides the lines: what the ticket is about, and what is in it; between them stands what its sender wrote."""
    at = lines.index("Inside")
    return lines[:at], lines[at:]


def unpack_bundle(path: Path, folder: Path) -> int:
    """Into a new folder, where `case.errorflow` opens with whatever original files are put beside it."""
    from errorflow.graph.build import counted
    from errorflow.report.bundle.opening import unpack_to

    with Meter() as meter:
        manifest, problems = unpack_to(path, folder, meter)
    lines = [f"{folder}: {counted(len(manifest.files), 'file', 'files')}"]
    lines += [f"Not inside: {each.what} ({each.why})" for each in manifest.left_out]
    print(plain("\n".join((*lines, *(f"! {problem}" for problem in problems)))))
    return 1 if problems else 0


def _choice(options: Namespace) -> "BundleChoice":
    from errorflow.report.bundle.form import answers_of
    from errorflow.report.bundle.model import BundleChoice

    nodes = () if options.tensors is None else tuple(filter(None, map(str.strip, options.tensors.split(","))))
    answers = answers_of(options.answer)
    return BundleChoice(nodes, options.with_model, options.with_inputs, _redactions(options), answers)


def _redactions(options: Namespace) -> "Redactions":
    from errorflow.report.bundle.model import Redactions

    if options.no_redact:
        return Redactions(paths=False, names=False)
    if options.redact is None:
        return Redactions()
    asked = [word.strip() for word in options.redact.split(",")]
    odd = next((word for word in asked if word not in _REDACTED), None)
    if odd is not None:
        raise UsageError(f"{odd[:40]!r} is nothing that can be taken out.", "--redact takes paths, names, or both.")
    return Redactions("paths" in asked, "names" in asked)


def _check_nodes(draft: "BundleDraft", choice: "BundleChoice") -> None:
    """Names are typed by hand: one that is none would be a bundle without its tensors."""
    from errorflow.report.bundle.parts import node_of

    graph = draft.case.model.graph
    odd = next((name for name in choice.nodes if node_of(graph, name) is None), None)
    if odd is not None:
        raise UsageError(
            f"The model has no node {odd[:200]}.", "tables/nodes.csv of a bundle, and the report, list all."
        )
    if choice.nodes and draft.case.match is None:
        raise UsageError("There are no tensors to take along.", "Leave --tensors out: only a table was compared.")
