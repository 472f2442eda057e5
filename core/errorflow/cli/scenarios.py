"""`errorflow scenarios [FOLDER … | NAME …]`: the comparisons there are, or those that what lies in a folder allows."""

import json
import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.errors import UsageError
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.case.scenarios.found import Discovered
    from errorflow.case.scenarios.propose import Proposal
    from errorflow.case.scenarios.scenario import Need, Scenario

# Candidates for a need in a line.
SHOWN = 5
# Comparisons that are shown where none is complete.
NEAREST = 3


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="FOLDER",
        nargs="*",
        help="say what lies there and which comparisons it allows; files too, or the name of a comparison",
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def _run(options: Namespace) -> int:
    rows = _named(options.paths)
    if rows:
        _say(_scenarios_data(rows) if options.json else "\n\n".join(_scenario_text(row) for row in rows))
        return 0
    from errorflow.case.scenarios.discover import discover
    from errorflow.case.scenarios.propose import propose

    with Meter() as meter:
        discovered = discover([Path(path) for path in options.paths], meter)
    proposals = propose(discovered)
    _say(_data(discovered, proposals) if options.json else _text(discovered, proposals))
    return 0


def _named(words: list[str]) -> "tuple[Scenario, ...]":
    """The comparisons that are meant, all where none is named; (): folders and files are, which are all there."""
    from errorflow.case.scenarios import SCENARIOS

    missing = [word for word in words if not os.path.lexists(word)]
    by_key = {row.key: row for row in SCENARIOS}
    unknown = [word for word in missing if word not in by_key]
    if unknown:
        raise UsageError(
            f"There is no folder, file or comparison {unknown[0][:200]}.",
            f"Check the path, or choose one of {', '.join(by_key)}.",
        )
    if missing and len(missing) < len(words):
        raise UsageError(
            f"{missing[0]} is a comparison, and there is no folder or file of that name.",
            "Name comparisons alone, or folders and files alone.",
        )
    return tuple(by_key[word] for word in words) if missing else () if words else SCENARIOS


def _say(what: "str | dict[str, Any]") -> None:
    # In ASCII: the other side of a pipe may have another encoding than this one.
    print(plain(what) if isinstance(what, str) else json.dumps(what, indent=2))


def _scenario_text(row: "Scenario") -> str:
    lines = [f"{row.title} [{row.key}]", f"  {row.story}"]
    for need in row.needs:
        option = f" {need.option}" if need.option else ""
        lines.append(f"  {'needs' if need.required else 'takes'}{option}: {need.label}. {need.what}")
        lines.append(f"      {need.obtain}{f' {need.command}' if need.command else ''}")
    return "\n".join(lines)


def _scenarios_data(rows: "tuple[Scenario, ...]") -> dict[str, Any]:
    return {
        "scenarios": [
            {"key": row.key, "title": row.title, "story": row.story, "needs": [_need_data(need) for need in row.needs]}
            for row in rows
        ]
    }


def _need_data(need: "Need") -> dict[str, Any]:
    return {
        "key": need.key,
        "label": need.label,
        "what": need.what,
        "required": need.required,
        "option": need.option,
        "kinds": sorted(need.kinds),
        "obtain": need.obtain,
        "command": need.command,
    }


def _text(discovered: "Discovered", proposals: "tuple[Proposal, ...]") -> str:
    lines = ["Found:", *(f"  {discovered.shown(each.path)}  {each.text}" for each in discovered.found)]
    lines = lines if discovered.found else ["Nothing was found that a comparison could use."]
    complete = [proposal for proposal in proposals if proposal.is_complete]
    for proposal in complete if complete else proposals[:NEAREST]:
        lines += ["", *_proposal_text(discovered, proposal)]
    return "\n".join([*lines, *(f"! {problem}" for problem in discovered.problems)])


def _proposal_text(discovered: "Discovered", proposal: "Proposal") -> list[str]:
    from errorflow.case.scenarios.call import call_of

    lines = [f"{proposal.scenario.title} [{proposal.scenario.key}]"]
    for need in proposal.scenario.needs:
        filled, choices = proposal.filled.get(need.key), proposal.choices.get(need.key, ())
        if filled is not None:
            sure = "a guess: " if filled.guess else ""
            lines.append(f"  {need.label}: {discovered.shown(filled.found.path)} ({sure}{filled.why})")
        elif choices:
            names = [discovered.shown(each.path) for each in choices[:SHOWN]]
            more = f" and {len(choices) - SHOWN:,} more" if len(choices) > SHOWN else ""
            lines.append(f"  {need.label}: {'one of ' if len(choices) > 1 else ''}{', '.join(names)}{more}?")
        elif need.required:
            lines.append(f"  {need.label}: missing. {need.obtain}")
    call = call_of(proposal.setup)
    return [*lines, f"  {call}"] if proposal.is_complete and call else lines


def _data(discovered: "Discovered", proposals: "tuple[Proposal, ...]") -> dict[str, Any]:
    return {
        "found": [
            {"path": str(each.path), "kind": each.kind, "label": each.text, "names": list(each.names)}
            for each in discovered.found
        ],
        "proposals": [_proposal_data(proposal) for proposal in proposals],
        "problems": list(discovered.problems),
    }


def _proposal_data(proposal: "Proposal") -> dict[str, Any]:
    from errorflow.case.scenarios.call import call_of

    return {
        "scenario": proposal.scenario.key,
        "complete": proposal.is_complete,
        "filled": {
            key: {"path": str(filled.found.path), "why": filled.why, "guess": filled.guess}
            for key, filled in proposal.filled.items()
        },
        "choices": {key: [str(each.path) for each in every] for key, every in proposal.choices.items()},
        "lacks": [need.key for need in proposal.lacks],
        "call": call_of(proposal.setup) if proposal.is_complete else "",
    }


SCENARIOS = Command(
    "scenarios", "List the comparisons and what each needs, or what the things in a folder allow.", _arguments, _run
)
