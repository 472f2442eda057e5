"""What of the code is a text for users, how it becomes a template, and that the language files are current."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest

from errorflow.base.language.table import load, table_of
from errorflow.base.language.table import written as table
from make_language.__main__ import LANGUAGES, file_of
from make_language.linguist import Message, merged, read, written, wrong_holes
from make_language.templates import HOLE, shape
from make_language.walk import Found, everything, texts_of

each_language = pytest.mark.parametrize("language", LANGUAGES)
# Words of English that are no name of anything. Quoted, in commands and between signs they may stand.
ENGLISH = re.compile(
    r"(?<![\w/.“`-])(the|this|is|are|was|were|has|have|of|to|and|that|with|for|from|not|it|its|by|on|which)(?![\w/=”`])"
)
# What other tools print, or are told, and what is a row of a format.
VERBATIM = re.compile(
    r"`[^`]*`|^Op Error with.*|“[^”]*”|errorflow .*|^\d+ \w+ \w+,.*|^\w+ = .*"
    r"|^(All data in|The accuracy of some|The input data of|Float16 data|numpy boolean|zero-size array|Accuracy of"
    r"|No quantized model|The generated model|The records file|Ratio of outliers|quantize_mode|sensitive layer"
    r"|Quant Precision|converted model|Say how it is|check the data that|At |A tensor of|Nobody|The layout|The shapes"
    r"|candidate left|B is A).*"
)


def texts(code: str, module: str = "errorflow_viewer.some") -> list[str]:
    return [found.text for found in texts_of(code, module)]


@cache
def all_of_the_code() -> tuple[Found, ...]:
    return tuple(everything())


class TestTemplates:
    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ('f"{count:,} nodes"', ["{count} nodes"]),
            ('f"{path.name} is not there."', ["{name} is not there."]),
            ('f"{a.name} and {b.name} differ"', ["{name} and {name2} differ"]),
            ('f"{a} differs: {a}"', ["{a} differs: {a}"]),
            ("f\"{len(rows)} rows of {', '.join(names)}\"", ["{count} rows of {names}"]),
            ('"one line " "and more"', ["one line and more"]),
            ('"begins with " + name + ", ends"', ["begins with {name}, ends"]),
            ("f\"It is {'good' if ok else 'bad'} now\"", ["It is good now", "It is bad now"]),
            ('counted(n, "node is", "nodes are")', ["{n} node is", "{n} nodes are"]),
            ("f\"{counted(n, 'node', 'nodes')} left\"", ["{n} node left", "{n} nodes left"]),
            ('"{} is 0…255"', ["{given} is 0…255"]),
        ],
    )
    def test_an_expression_is_a_text_with_holes(self, code: str, said: list[str]) -> None:
        assert texts(f"label.setText({code})") == said

    def test_the_form_for_one_knows_that_for_many(self) -> None:
        found = list(texts_of("say(f\"{n} {'node' if n == 1 else 'nodes'} left\")", "errorflow_viewer.some"))
        assert [(each.text, each.many) for each in found] == [
            ("{n} node left", "{n} nodes left"),
            ("{n} nodes left", ""),
        ]

    def test_marks_that_join_it_to_its_neighbours_are_cut_off(self) -> None:
        assert texts('text += f", {n} nodes the same"') == ["{n} nodes the same"]

    def test_tags_and_lines_part_it(self) -> None:
        assert texts('say("<p>All is well</p><b>Go on</b>\\nand so forth")') == ["All is well", "Go on", "and so forth"]

    def test_options_of_the_command_line_are_what_the_window_has(self) -> None:
        assert texts('raise E("Leave it.", "Give more with --data.")', "errorflow.some") == [
            "Leave it.",
            "Give more samples.",
        ]


class TestWhatIsVisible:
    @pytest.mark.parametrize(
        "code",
        [
            '"""A docstring of the module."""',
            'log.warning("something went wrong: %s", error)',
            're.compile(r"(\\\\d+) of (\\\\d+)")',
            'label.setStyleSheet("color: red; padding: 2px")',
            'widget.setObjectName("the name of it")',
            'if text == "not measured": pass',
            'x: "dict[str, int] | None" = None',
            'parser.add_argument("--out", help="where to write it")',
            'd = {"some key": 1}',
            "style = f\"<p style='font-size: {x}px'>{text}</p>\"",
            'folder / "some/path/of.svg"',
        ],
    )
    def test_what_nobody_reads_is_left_out(self, code: str) -> None:
        assert texts(code) == []

    def test_a_single_word_of_the_window_is_a_label(self) -> None:
        assert texts('QPushButton("Open")') == ["Open"]

    def test_a_single_word_of_the_engine_is_one_where_it_is_shown(self) -> None:
        assert texts('Fact("Producer", name); kinds = ("Conv", "Relu")', "errorflow.graph.describe") == ["Producer"]


class TestFile:
    def test_a_translation_is_kept_where_only_the_name_of_a_hole_changed(self) -> None:
        known = [Message("a", "{n} nodes of {file}", "{file} 的 {n} 个节点")]
        assert merged([Found("{count} nodes of {name}", "a")], known)[0].translation == "{name} 的 {count} 个节点"

    def test_the_form_for_one_takes_the_translation_of_that_for_many(self) -> None:
        found = [Found("{n} node", "a", "{n} nodes"), Found("{n} nodes", "a")]
        assert [each.translation for each in merged(found, [Message("a", "{n} nodes", "{n} 个节点")])] == [
            "{n} 个节点"
        ] * 2

    def test_what_vanished_is_kept_apart_until_it_comes_back(self, tmp_path: Path) -> None:
        path = tmp_path / "some.ts"
        path.write_text(written(merged([], [Message("a", "Open", "打开")]), "zh_CN"), encoding="utf-8")
        assert read(path) == [Message("a", "Open", "打开", vanished=True)]
        assert load(path).exact("Open") is None
        assert merged([Found("Open", "a")], read(path)) == [Message("a", "Open", "打开")]

    def test_signs_of_its_own_are_written_as_linguist_does(self, tmp_path: Path) -> None:
        path = tmp_path / "some.ts"
        message = Message("a", 'It\'s <b> & "c"', "它")
        path.write_text(written([message], "zh_CN"), encoding="utf-8")
        assert "It&apos;s &lt;b&gt; &amp; &quot;c&quot;" in path.read_text(encoding="utf-8")
        assert read(path) == [message]

    @pytest.mark.parametrize(
        ("translation", "wrong"),
        [("{a} 和 {b}", ""), ("{b} 和 {a}", ""), ("{a}", "{b} is missing"), ("{a}{b}{c}", "{c} is not in the source")],
    )
    def test_holes_must_agree(self, translation: str, wrong: str) -> None:
        assert wrong_holes("{a} and {b}", translation) == wrong


@each_language
class TestLanguages:
    def test_every_text_of_the_code_is_in_the_file(self, language: str) -> None:
        """If not: `python -m make_language`, and translate what it says is missing."""
        listed = {shape(each.source) for each in read(file_of(language)) if not each.vanished}
        assert sorted(each.text for each in all_of_the_code() if shape(each.text) not in listed) == []

    def test_nothing_else_is_in_the_file(self, language: str) -> None:
        said = {shape(each.text) for each in all_of_the_code()}
        gone = (each for each in read(file_of(language)) if shape(each.source) not in said)
        assert sorted(each.source for each in gone if not each.vanished) == []

    def test_the_table_of_a_start_is_made_of_it(self, language: str) -> None:
        """If not: `python -m make_language`."""
        assert table_of(file_of(language)).read_text(encoding="utf-8") == table(file_of(language))

    def test_texts_are_translated(self, language: str) -> None:
        """If not: `python -m make_language --missing`, and `--take` what you make of it."""
        assert [each.source for each in read(file_of(language)) if not each.translation and not each.vanished] == []

    def test_no_english_is_left_in_them(self, language: str) -> None:
        done = {each.translation for each in read(file_of(language)) if not each.vanished}
        assert sorted(text for text in done if ENGLISH.search(HOLE.sub(" ", VERBATIM.sub(" ", text)))) == []

    def test_holes_agree(self, language: str) -> None:
        done = [each for each in read(file_of(language)) if each.translation]
        assert [each.source for each in done if wrong_holes(each.source, each.translation)] == []

    def test_menu_keys_and_file_patterns_agree(self, language: str) -> None:
        done = [each for each in read(file_of(language)) if each.translation]
        assert [each.source for each in done if each.source.count("&") != each.translation.count("&")] == []
        assert [each.source for each in done if each.source.count(";;") != each.translation.count(";;")] == []

    def test_qt_takes_it(self, language: str, tmp_path: Path) -> None:
        made = tmp_path / "made.qm"
        tool = Path(sys.executable).parent / "pyside6-lrelease"
        done = subprocess.run(
            [str(tool), str(file_of(language)), "-qm", str(made)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert made.stat().st_size > 0
        assert ET.parse(file_of(language)).getroot().get("language") == language
