"""Runs one side, on one core, and prints what it found as the last line.

Its arguments: the side, the work, and which function of the side does it, `measure` if none is named.
"""

import importlib
import json
import logging
import os
import sys

from rerun_peers.work import Meter, Work


def main() -> None:
    side, work = sys.argv[1], Work(**json.loads(sys.argv[2]))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    logging.disable(logging.INFO)
    module = importlib.import_module(f"rerun_peers.{side}_side")
    meter = Meter()
    found = getattr(module, sys.argv[3] if len(sys.argv) > 3 else "measure")(work, meter)
    print()
    print(json.dumps({"rows": meter.rows, **found}))
