"""The table that a start reads in place of a language file."""

import json
from pathlib import Path

import pytest

from errorflow.base.language.table import load, table_of, written

TEXT = """<TS language="zh_CN"><context><name>a</name>
<message><source>Open</source><translation>打开</translation></message>
<message><source>{count} nodes of {name}</source><translation>{name} 的 {count} 个节点</translation></message>
</context></TS>"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "some.ts"
    path.write_text(TEXT, encoding="utf-8")
    table_of(path).write_text(written(path), encoding="utf-8")
    return path


def edited(path: Path, **fields: object) -> None:
    table = table_of(path)
    table.write_text(json.dumps(json.loads(table.read_bytes()) | fields), encoding="utf-8")


def test_it_is_read_in_place_of_the_file(path: Path) -> None:
    edited(path, exact={"open": "from the table"})
    assert load(path).exact("Open") == "from the table"


def test_templates_are_found_in_it(path: Path) -> None:
    catalogue = load(path)
    assert [filled for _, filled in catalogue.fitting("3 nodes of net")] == [{"count": "3", "name": "net"}]
    assert len(catalogue) == 2 and list(catalogue.fitting("some other words")) == []


def test_a_file_that_was_changed_since_counts_itself(path: Path) -> None:
    path.write_text(TEXT.replace("打开", "开启"), encoding="utf-8")
    assert load(path).exact("Open") == "开启"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"of": ""}'])
def test_a_table_that_cannot_be_read_is_as_none(path: Path, content: bytes) -> None:
    table_of(path).write_bytes(content)
    assert load(path).exact("Open") == "打开"
