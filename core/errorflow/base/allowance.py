"""Limits from the environment: how much of the machine may be taken, and where what can be made again is kept.

Each variable counts for this program and for all that it starts. Rubbish in one counts as nothing said.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

CORES, MEMORY, CACHE = "ERRORFLOW_CORES", "ERRORFLOW_MEMORY", "ERRORFLOW_CACHE"
MOST_CORES = 1024
# Of tensors that are held at a time, in bytes; with less than the least, nothing would be held at all.
USUAL_MEMORY, LEAST_MEMORY, MOST_MEMORY = 384 << 20, 64 << 20, 1 << 40
_MEGABYTES = re.compile(r"(\d{1,9})\s*([mg]?)b?", re.IGNORECASE | re.ASCII)


def cores(said: Mapping[str, str] = os.environ) -> int:
    """Number of processes or threads that may work at a time: as the variable says, or all that this process may
    use.
    """
    found = cores_said(said)
    return processors() if found is None else found


def cores_said(said: Mapping[str, str] = os.environ) -> int | None:
    """Reads the number of cores from the variable; None where it is not set."""
    text = said.get(CORES, "").strip()
    known = text.isascii() and text.isdecimal() and len(text) < 6 and 1 <= int(text) <= MOST_CORES
    return int(text) if known else None


def processors() -> int:
    """Counts the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # Windows and macOS; None where the system does not say


def memory(said: Mapping[str, str] = os.environ) -> int:
    """Bytes of tensors that may be held at a time."""
    found = memory_said(said)
    return USUAL_MEMORY if found is None else found


def memory_said(said: Mapping[str, str] = os.environ) -> int | None:
    """Megabytes, or with a G gigabytes; None: nothing is said."""
    found = _MEGABYTES.fullmatch(said.get(MEMORY, "").strip())
    if found is None:
        return None
    size = int(found[1]) << (30 if found[2].lower() == "g" else 20)
    return size if LEAST_MEMORY <= size <= MOST_MEMORY else None


def machine_memory() -> int:
    """Bytes that this machine has; 0 where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return _windows_memory()


def _windows_memory() -> int:
    if sys.platform != "win32":
        return 0
    import ctypes

    kilobytes = ctypes.c_ulonglong()
    known = ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
    return kilobytes.value * 1024 if known else 0


def cache_folder(said: Mapping[str, str] = os.environ) -> Path | None:
    """Folder for what can be made again: the one that is set, or that of the user's programs; None where neither is
    known.
    """
    chosen = Path(said.get(CACHE, ""))
    return chosen if chosen.is_absolute() else usual_cache_folder()


def usual_cache_folder() -> Path | None:
    """Folder of the cache where the user has chosen no other one."""
    from platformdirs import user_cache_path

    try:
        return user_cache_path("errorflow", appauthor=False, opinion=False)
    except (RuntimeError, OSError, ValueError):  # no home
        return None
