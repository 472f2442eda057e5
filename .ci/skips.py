"""Lists the skipped tests of a run and fails if one is skipped for a reason that is not on the list.

Arguments: the list, then the JUnit files that pytest wrote.
"""

import re
import sys
import xml.etree.ElementTree as Xml
from collections.abc import Iterator
from pathlib import Path


def allowed(path: Path) -> list[re.Pattern[str]]:
    rows = (line.split(" #")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [re.compile(row) for row in rows if row and not row.startswith("#")]


def skips(report: Path) -> Iterator[tuple[str, str]]:
    for case in Xml.parse(report).iter("testcase"):
        for skip in case.findall("skipped"):
            yield f"{case.get('classname')}.{case.get('name')}", skip.get("message", "")


def main(list_file: str, *reports: str) -> int:
    patterns = allowed(Path(list_file))
    found = [row for report in reports for row in skips(Path(report))]
    unexpected = [row for row in found if not any(pattern.search(row[1]) for pattern in patterns)]
    for name, reason in found:
        print(f"{'UNEXPECTED' if (name, reason) in unexpected else 'allowed':10}  {name}: {reason}")
    print(f"{len(found)} skipped, {len(unexpected)} of them unexpected.")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
