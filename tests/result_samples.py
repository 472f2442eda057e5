"""A sample of every result table, and a .vis.db made where a test wants one."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

DATA = Path(__file__).parent / "data" / "results"

CONV = "Functional.conv2d.0.forward"
VALUES = {
    f"{CONV}.input.0": {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [1, 3], "Max": 1.5, "Cosine": 1.0},
    f"{CONV}.input.1": {"Cosine": "unsupported", "MaxAbsErr": "unsupported", "Err_message": "[]"},
}
OUTPUT = {
    f"{CONV}.output.0": {
        "dtype": "torch.float32",
        "shape": "[1, 4]",
        "Cosine": 0.5,
        "MaxRelativeErr": 2.0,
        "One Thousandth Err Ratio": 0.25,
        "Err_message": "Look here.",
    }
}
COLORS: dict[str, dict[str, str]] = {"#FFFCF3": {}, "#FFDC7F": {}, "#FF704D": {}, "#C7C7C7": {}}

Node = tuple[str, int, float | None, str | None, str | None]
NODES: tuple[Node, ...] = (
    (CONV, 1, 1.0, json.dumps(VALUES), json.dumps(OUTPUT)),
    ("Module.fc.Linear.forward.0", 0, 0.5, "{}", "{}"),
    ("Functional.relu.0.forward", 1, None, None, None),
)


def sample(key: str, folder: Path) -> Path:
    """The sample of an importer."""
    if key == "msprobe-graph":
        return graph_file(folder / "compare.vis.db")
    (found,) = (path for path in DATA.iterdir() if path.name.partition(".")[0] == key)
    return found


def graph_file(path: Path, nodes: Iterable[Node] = NODES, colors: str = json.dumps(COLORS)) -> Path:
    """What msprobe's graph_visualize writes, as far as it is read."""
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE tb_nodes (id INTEGER PRIMARY KEY, node_name TEXT, node_type INTEGER, precision_index REAL, "
        "overflow_level TEXT, matched_node_link TEXT, data_source TEXT, input_data TEXT, output_data TEXT)"
    )
    connection.execute("CREATE TABLE tb_config (id INTEGER PRIMARY KEY, graph_type TEXT, node_colors TEXT)")
    connection.execute("INSERT INTO tb_config (graph_type, node_colors) VALUES ('compare', ?)", (colors,))
    connection.executemany(
        "INSERT INTO tb_nodes (node_name, node_type, precision_index, data_source, input_data, output_data) "
        "VALUES (?, ?, ?, 'NPU', ?, ?)",
        nodes,
    )
    connection.commit()
    connection.close()
    return path
