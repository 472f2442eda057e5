"""Goes over all texts of a window, and finds the English in them."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.window.window import MainWindow

WORD = re.compile(r"(?<![\w/.\-])[A-Z]?[a-z]{2,}(?![\w/])")
# Names that are the same in every language: of formats, measures, programs, tensors of the sample, signs in formulas.
NAMES = """
    abs argmax bit bits board conv ctrl cosine dequantized digits errorflow evaluate evaluator english float
    good_enough group head image int json kernel_shape letterbox log max mean min name new node_fault original
    pads probabilities shift std stem strides alt del esc home end float32 int8 uint8 quantized svg csv npy onnx
    opset producer stretch-bilinear stretch-antialias centre-crop imagenet-crop add conv relu gemm flatten softmax
    globalaveragepool left right up down scroll return enter space backspace info warning error training preprocessed
    dump
"""
# Keys of settings, and what the sample says of itself.
PHRASES = ("centre-crop", "imagenet-crop", "stretch-antialias", "stretch-bilinear", "errorflow sample")
NOT_READ = re.compile(r"<style.*?</style>|\{.*\}|<[^<>]*>|&\w+;|\S*[/_\\.=:]\S*", re.DOTALL)


def left_in(text: str) -> set[str]:
    """English words that nobody translated."""
    bare = text.replace("\u200b", "")
    for phrase in PHRASES:
        bare = bare.replace(phrase, " ")
    return {word for word in WORD.findall(NOT_READ.sub(" ", bare)) if word.lower() not in NAMES.split()}


def raw(thing: Any, getter: str, *arguments: object) -> str:
    """Past the door, where texts are as Qt has them."""
    method: Callable[..., str] = getattr(type(thing), getter)
    method = getattr(method, "__wrapped__", method)
    return method(thing, *arguments)


def texts_of(window: QWidget) -> Iterator[str]:
    for widget in [window, *window.findChildren(QWidget)]:
        if widget.objectName().startswith("qt_"):
            continue  # what Qt puts there of its own is in Qt's files
        for getter in ("toolTip", "statusTip", "accessibleName", "accessibleDescription", "windowTitle"):
            yield raw(widget, getter)
        yield from texts_in(widget)
        for action in widget.actions():
            yield from (raw(action, getter) for getter in ("text", "toolTip", "statusTip"))


def texts_in(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield raw(widget, "text")
    if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        yield raw(widget, "placeholderText")
    if isinstance(widget, QTextEdit):
        yield from widget.toPlainText().split("\n")
    if isinstance(widget, QComboBox):
        yield from (raw(widget, "itemText", at) for at in range(widget.count()))
    if isinstance(widget, QTabBar):
        yield from (raw(widget, "tabText", at) for at in range(widget.count()))
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from cells(widget.model())


def cells(model: QAbstractItemModel) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
        for column in range(columns):
            yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")
            for row in range(min(model.rowCount(), 20)):
                yield str(model.data(model.index(row, column), role) or "")


def compared(window: MainWindow, qtbot: QtBot) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "node_fault")
    window.open_all((sample.model,))

    def judged() -> bool:
        found = window.document.state.case
        return found is not None and found.blame is not None and not window.jobs.steps

    qtbot.waitUntil(judged)
    for key in window.panels.by_key:
        window.panels.show(key)


def untranslated(window: MainWindow) -> dict[str, str]:
    """Words, and where each stands."""
    return {word: text for text in texts_of(window) for word in left_in(text)}
