"""Screens of odd kinds."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def screen(size: str = "1280x800x24", *more: str) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Its address, and the process that is it."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, *(more or ("-nolisten", "tcp"))],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader) as pipe:
        number = pipe.readline().strip()
    try:
        yield f":{number}", server
    finally:
        server.kill()
        server.wait()
