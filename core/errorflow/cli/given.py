"""A parser of what was given: what is wrong with a call is a sentence, without a page of options before it."""

from argparse import Action, ArgumentError, ArgumentParser
from typing import Any, NoReturn

USER_ERROR = 2


class Parser(ArgumentParser):
    """An empty name is no file: a script whose variable is empty would mean the folder that it is in."""

    def error(self, message: str) -> NoReturn:
        program = self.prog.partition(" ")[0]
        self.exit(USER_ERROR, f"{program}: {message}.\n`{self.prog} --help` lists what can be given.\n")

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Reads a value; where "" stands for no file, or for one that is found, it may be given as well."""
        if not arg_string and "" not in (action.default, action.const) and _is_path(action):
            raise ArgumentError(action, "an empty name is no file and no folder")
        return super()._get_value(action, arg_string)


def _is_path(action: Action) -> bool:
    from errorflow.cli.completion.grammar import value_of

    return value_of(action).kind in ("file", "folder")
