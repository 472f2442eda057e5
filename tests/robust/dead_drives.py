"""A drive that never answers: who asks for anything on it waits until it is taken away."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_AT_ONCE = 1 | 2  # by force, and whoever is in it


@contextmanager
def dead_drive(folder: Path) -> Iterator[Path | None]:
    """None: nobody but root may have one, and only on Linux."""
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
    except OSError:
        yield None
        return
    system = ctypes.CDLL(None, use_errno=True)
    folder.mkdir()
    told = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    mounted = system.mount(b"dead", os.fsencode(folder), b"fuse", 0, told.encode()) == 0
    try:
        yield folder if mounted else None
    finally:
        if mounted:
            system.umount2(os.fsencode(folder), _AT_ONCE)
        os.close(device)
