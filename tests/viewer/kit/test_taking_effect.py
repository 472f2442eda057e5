"""What the settings say of the machine is the environment of the work, unless that said something before."""

import pytest

from errorflow.base.allowance import CACHE, CORES, MEMORY, USUAL_MEMORY
from errorflow_viewer.kit import taking_effect
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.taking_effect import MANY, automatic_cores, automatic_memory, said_outside, take_effect


def test_without_a_wish_it_is_what_suits_the_machine(settings: Settings) -> None:
    environment: dict[str, str] = {}
    take_effect(settings, environment)
    assert environment[CORES] == str(automatic_cores()) and environment[MEMORY] == str(automatic_memory() >> 20)
    assert CACHE not in environment


def test_what_is_set_is_said_and_taken_back(settings: Settings) -> None:
    environment: dict[str, str] = {}
    settings.cores, settings.memory, settings.cache = 3, 512, "/cache"
    take_effect(settings, environment)
    assert (environment[CORES], environment[MEMORY], environment[CACHE]) == ("3", "512", "/cache")
    settings.cache = ""
    take_effect(settings, environment)
    assert CACHE not in environment and said_outside(CORES, environment) == ""


def test_what_was_said_before_counts_more(settings: Settings) -> None:
    environment = {CORES: "5", CACHE: "/theirs", MEMORY: "rubbish"}
    settings.cores, settings.memory, settings.cache = 3, 512, "/mine"
    take_effect(settings, environment)
    assert (environment[CORES], environment[CACHE], environment[MEMORY]) == ("5", "/theirs", "512")
    assert said_outside(CORES, environment) == "5" and said_outside(MEMORY, environment) == ""


def test_of_many_processors_one_is_left_and_memory_has_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for processors, wanted in ((1, 1), (2, 2), (MANY, MANY - 1), (64, 63)):
        monkeypatch.setattr(taking_effect, "processors", lambda count=processors: count)
        assert automatic_cores() == wanted
    for machine, held in ((0, USUAL_MEMORY), (2 << 30, USUAL_MEMORY), (32 << 30, 2 << 30), (1 << 40, 4 << 30)):
        monkeypatch.setattr(taking_effect, "machine_memory", lambda size=machine: size)
        assert automatic_memory() == held
