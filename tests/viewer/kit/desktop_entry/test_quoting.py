"""Commands in a desktop entry come back as they were, whatever stands in a path."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.base.errors import ErrorflowError
from errorflow_viewer.kit.desktop_entry.quoting import as_value, exec_line

ODD = '/opt/a b/它 100%/it\'s "q" $HOME `x` \\ ;&|<>~#*?()/errorflow-viewer'


def unescaped(value: str) -> str:
    """A value as a reader of such files has it."""
    result, letters = "", iter(value)
    for letter in letters:
        result += {"s": " ", "\\": "\\"}[next(letters)] if letter == "\\" else letter
    return result


def started(line: str) -> list[str]:
    """What a desktop starts: it reads the value, splits it as a shell does, and puts in what follows percent signs."""
    words = [part.replace("%%", "%") for part in split(unescaped(line))]
    return words[3:] if words[0] == "/bin/sh" else words


def split(line: str) -> list[str]:
    """As a shell: in double quotes, a backslash takes the meaning of the four that have one."""
    words = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line)
    return [plain if plain else re.sub(r'\\(["`$\\])', r"\1", quoted) for quoted, plain in words]


def test_a_plain_path_stays_plain() -> None:
    assert exec_line(["/opt/errorflow/errorflow-viewer"]) == "/opt/errorflow/errorflow-viewer"


def test_a_path_with_everything_comes_back() -> None:
    assert started(exec_line([ODD, "--x"])) == [ODD, "--x"]


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1))
def test_any_path_comes_back(text: str) -> None:
    assert started(exec_line([f"/{text}"]))[-1] == f"/{text}"


def test_a_program_with_a_percent_sign_is_started_by_a_shell() -> None:
    """GLib looks for the program before it reads `%%` as `%`."""
    line = exec_line(["/100%/errorflow-viewer"])
    assert line == '/bin/sh -c "exec \\\\"\\\\$0\\\\" \\\\"\\\\$@\\\\"" /100%%/errorflow-viewer'


def test_a_blank_of_another_script_is_a_letter_like_others() -> None:
    """Chinese keyboards have a wide one, and it gets into the names of folders."""
    path = "/我的\u3000模型\u00a0/errorflow-viewer"
    assert exec_line([path]) == path


def test_a_blank_at_the_start_is_kept() -> None:
    assert as_value(" a b") == "\\sa b"


@pytest.mark.parametrize("path", ["/a\nExec=rm", "/a\tb", "/\udcff"])
def test_what_would_break_the_file_is_refused(path: str) -> None:
    with pytest.raises(ErrorflowError, match="cannot be named in a menu entry"):
        exec_line([path])
