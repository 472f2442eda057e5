"""Settings of how much of the machine is taken, which become the environment of all that works.

What was said in the environment before the app began is stronger than a setting.
"""

import os
from collections.abc import Mapping, MutableMapping

from errorflow.base.allowance import (
    CACHE,
    CORES,
    MEMORY,
    MOST_CORES,
    USUAL_MEMORY,
    cores_said,
    machine_memory,
    memory_said,
    processors,
)
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.settings import Settings

# Which of them the app has said; programs that it starts are told as well.
_OURS = "ERRORFLOW_FROM_SETTINGS"
# Of the machine's memory, for tensors; the window, the models and other programs need room, too.
SHARE, MOST_MEMORY = 16, 4 << 30
# From so many processors on, one is left to the window.
MANY = 4


def take_effect(settings: Settings, environment: MutableMapping[str, str] = os.environ) -> None:
    """Takes effect from the next piece of work on."""
    wanted = {
        CORES: str(settings.cores if settings.cores else automatic_cores()),
        MEMORY: str(settings.memory if settings.memory else automatic_memory() >> 20),
        CACHE: settings.cache,
    }
    ours = [name for name in wanted if not said_outside(name, environment)]
    for name in ours:
        if wanted[name]:
            environment[name] = wanted[name]
        else:
            environment.pop(name, None)
    environment[_OURS] = " ".join(ours)


def said_outside(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Finds what the environment says of it that no setting can change; "": nothing of use."""
    if name in environment.get(_OURS, "").split():
        return ""
    text = environment.get(name, "")
    useful = {CORES: cores_said(environment), MEMORY: memory_said(environment), CACHE: text or None}
    return text if useful[name] is not None else ""


def kept_notice(settings: Settings) -> Notice | None:
    """Says once where settings cannot be kept, or were broken; None: all is well."""
    copy = settings.set_broken_aside()
    if not settings.is_kept:
        return Notice(
            "warning",
            "Settings will not be kept: their file cannot be written.",
            f"It is {settings.place}. Make it writable, or free some space; until then each start begins anew.",
            key="settings",
        )
    if copy is not None:
        return Notice(
            "warning",
            "The file of the settings is damaged; what could be read of it counts.",
            f"A copy as it was is at {copy}.",
            key="settings",
        )
    return None


def automatic_cores() -> int:
    """Counts all cores; of many, all but one."""
    found = min(processors(), MOST_CORES)
    return found - 1 if found >= MANY else found


def automatic_memory() -> int:
    """A share of what the machine has, in bytes; whole megabytes."""
    return min(max(machine_memory() // SHARE, USUAL_MEMORY), MOST_MEMORY) >> 20 << 20
