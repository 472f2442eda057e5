"""Limits and what broke them as JUnit XML, which Jenkins, GitLab and their like show: a suite for each limit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from errorflow.case.regression.limits import Held, LimitCheck

# XML has no form for these, whatever a tensor is called.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Lines below one failure.
_MOST = 50


def junit_xml(found: Sequence[Held], about: Mapping[str, str]) -> str:
    """Writes JUnit XML. `about`: what each suite says of where its numbers come from."""
    return "\n".join(_lines(found, about)) + "\n"


def junit_error(message: str) -> str:
    """Writes the error of a comparison that could not be made: no limit holds, and none is broken."""
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<testsuites name="errorflow diff" tests="1" failures="0" errors="1" time="0">',
            '  <testsuite name="comparison" tests="1" failures="0" errors="1" skipped="0" time="0">',
            '    <testcase classname="errorflow" name="comparison" time="0">',
            # Some show the message, others what is inside.
            f'      <error type="comparison" message={_quoted(message)}>{_text(message)}</error>',
            "    </testcase>",
            "  </testsuite>",
            "</testsuites>",
            "",
        )
    )


def _lines(found: Sequence[Held], about: Mapping[str, str]) -> Iterator[str]:
    cases = [case for each in found for case in each.cases]
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    # Their schema counts what was skipped in suites only.
    yield f'<testsuites name="errorflow diff" {_counts(cases)}>'
    for each in found:
        yield from _suite(each, about)
    yield "</testsuites>"


def _counts(cases: Sequence[LimitCheck]) -> str:
    broken = sum(bool(case.broken) for case in cases)
    return f'tests="{len(cases)}" failures="{broken}" errors="0" time="0"'


def _suite(held: Held, about: Mapping[str, str]) -> Iterator[str]:
    skipped = sum(bool(case.skipped) for case in held.cases)
    yield f'  <testsuite name={_quoted(held.limit.text)} {_counts(held.cases)} skipped="{skipped}">'
    yield "    <properties>"
    for name, value in about.items():
        yield f"      <property name={_quoted(name)} value={_quoted(value)}/>"
    yield "    </properties>"
    # A point would begin another package.
    group = _quoted(f"errorflow.{held.limit.text.replace('.', ',')}")
    names: dict[str, int] = {}
    for case in held.cases:
        yield from _case(case, group, _own(_ILLEGAL.sub("", case.name).strip(), names))
    yield "  </testsuite>"


def _own(name: str, names: dict[str, int]) -> str:
    """Makes a name unique: of two cases of one name build servers show the first alone, even if the other one is
    broken.
    """
    name = name if name else "(no name)"
    while count := names.get(name, 0):
        names[name] = count + 1
        name = f"{name} ({count + 1})"
    names[name] = 1
    return name


def _case(case: LimitCheck, group: str, name: str) -> Iterator[str]:
    head = f'    <testcase classname={group} name={_quoted(name)} time="0"'
    if case.broken:
        yield f"{head}>"
        yield f'      <failure type="limit" message={_quoted(case.broken)}>{_text(_told(case))}</failure>'
        yield "    </testcase>"
    elif case.skipped:
        yield f"{head}>"
        yield f"      <skipped message={_quoted(case.skipped)}/>"
        yield "    </testcase>"
    else:
        yield f"{head}/>"


def _told(case: LimitCheck) -> str:
    more = len(case.details) - _MOST
    tail = [f"… and {more:,} more"] if more > 0 else []
    return "\n".join((case.broken, *case.details[:_MOST], *tail))


def _quoted(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("", text))


def _text(text: str) -> str:
    return escape(_ILLEGAL.sub("", text))
