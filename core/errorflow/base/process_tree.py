"""A process with all that it starts: they end together. On Windows they are a job, elsewhere a group of processes."""

import contextlib
import os
import signal
import sys
from multiprocessing.process import BaseProcess

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _EXTENDED_LIMITS, _KILL_ON_CLOSE = 9, 0x2000

    class _Limits(ctypes.Structure):
        """JOBOBJECT_EXTENDED_LIMIT_INFORMATION: of all its fields one is set."""

        _fields_ = (
            ("times", ctypes.c_int64 * 2),
            ("flags", wintypes.DWORD),
            ("working_sets", ctypes.c_size_t * 2),
            ("active", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("classes", wintypes.DWORD * 2),
            ("counters", ctypes.c_uint64 * 6),
            ("memory", ctypes.c_size_t * 4),
        )

    def begin_family() -> None:
        """The one that started this process puts it into a job."""

    def end_family() -> None:
        """Leaves the processes of the family to be ended by the one that started this process."""

    class Family:
        """Processes that belong to one that was just started."""

        def __init__(self, process: BaseProcess) -> None:
            self._system = ctypes.WinDLL("kernel32", use_last_error=True)
            self._system.CreateJobObjectW.restype = wintypes.HANDLE
            self._job = wintypes.HANDLE(self._system.CreateJobObjectW(None, None))
            limits = _Limits(flags=_KILL_ON_CLOSE)
            self._system.SetInformationJobObject(
                self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            self._system.AssignProcessToJobObject(self._job, wintypes.HANDLE(process.sentinel))

        def end(self) -> None:
            """Ends all of them; those that are gone are no matter."""
            self._system.TerminateJobObject(self._job, 1)

        def close(self) -> None:
            self._system.CloseHandle(self._job)

else:

    def begin_family() -> None:
        """Puts all processes that this one starts from now on into its family."""
        with contextlib.suppress(PermissionError):  # it leads a group already
            os.setsid()

    def end_family() -> None:
        """Ends this process, which began a family, with all that it started."""
        os.killpg(0, signal.SIGKILL)

    class Family:
        """Processes of one that began a family, or is about to."""

        def __init__(self, process: BaseProcess) -> None:
            assert process.pid is not None, "it was started"
            self._group = process.pid

        def end(self) -> None:
            """Ends all of them; those that are gone are no matter. Not long after their first one ended: its number
            may be that of others then."""
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._group, signal.SIGKILL)

        def close(self) -> None:
            """Does nothing: the family holds nothing."""
