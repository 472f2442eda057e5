"""The methods of Qt that take or give texts, class by class. To add one: its name in the row of its class."""

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QAbstractTableModel, QModelIndex
from PySide6.QtGui import QAction, QFontMetrics, QFontMetricsF, QPainter, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QDockWidget,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QGraphicsSimpleTextItem,
    QGraphicsTextItem,
    QGroupBox,
    QInputDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMenuBar,
    QMessageBox,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QStatusBar,
    QTabBar,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QTextEdit,
    QToolBar,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class MethodRow:
    """Methods of one class; `places` of their arguments that are texts to be read, None: the first that is one."""

    owner: type
    methods: tuple[str, ...]
    places: tuple[int, ...] | None = None


def _row(owner: type, methods: str, places: tuple[int, ...] | None = None) -> MethodRow:
    return MethodRow(owner, tuple(methods.split()), places)


SETTERS: tuple[MethodRow, ...] = (
    _row(
        QWidget,
        "setToolTip setStatusTip setWhatsThis setWindowTitle setAccessibleName setAccessibleDescription addAction",
    ),
    _row(QAction, "__init__ setText setIconText setToolTip setStatusTip setWhatsThis"),
    _row(QLabel, "__init__ setText"),
    _row(QAbstractButton, "setText"),
    _row(QPushButton, "__init__"),
    _row(QCheckBox, "__init__"),
    _row(QRadioButton, "__init__"),
    _row(QGroupBox, "__init__ setTitle"),
    _row(QMenu, "__init__ addAction addMenu addSection setTitle"),
    _row(QMenuBar, "addAction addMenu"),
    _row(QToolBar, "__init__ addAction"),
    _row(QDockWidget, "__init__"),
    _row(QComboBox, "addItem addItems insertItem insertItems setItemText setPlaceholderText"),
    _row(QTabBar, "addTab insertTab setTabText setTabToolTip"),
    _row(QTabWidget, "addTab insertTab setTabText setTabToolTip"),
    _row(QLineEdit, "setPlaceholderText"),
    _row(QPlainTextEdit, "setPlaceholderText"),
    _row(QTextEdit, "setPlaceholderText setHtml"),
    _row(QTextDocument, "setHtml"),
    _row(QSpinBox, "setPrefix setSuffix setSpecialValueText"),
    _row(QDoubleSpinBox, "setPrefix setSuffix"),
    _row(QProgressBar, "setFormat"),
    _row(QFormLayout, "addRow"),
    _row(QListWidget, "addItem addItems"),
    _row(QListWidgetItem, "__init__ setText setToolTip"),
    _row(QTableWidget, "setHorizontalHeaderLabels setVerticalHeaderLabels"),
    _row(QTableWidgetItem, "__init__ setText setToolTip"),
    _row(QTreeWidget, "setHeaderLabel setHeaderLabels"),
    _row(QTreeWidgetItem, "__init__ setText setToolTip"),
    _row(QMessageBox, "__init__", (1, 2)),
    _row(QMessageBox, "setText setInformativeText setDetailedText addButton"),
    _row(QDialogButtonBox, "addButton"),
    _row(QStatusBar, "showMessage"),
    _row(QFileDialog, "__init__", (1, 3)),
    _row(QFileDialog, "setNameFilter setNameFilters selectNameFilter setLabelText"),
    _row(QGraphicsTextItem, "setHtml setPlainText"),
    _row(QGraphicsSimpleTextItem, "setText"),
)
# Data of an item are to be read in some roles only; the place is that of the role.
DATA: tuple[MethodRow, ...] = (
    _row(QComboBox, "setItemData", (2,)),
    _row(QListWidgetItem, "setData", (0,)),
    _row(QTableWidgetItem, "setData", (0,)),
    _row(QTreeWidgetItem, "setData", (1,)),
)
# What is painted, and how long it is: both of the same text.
PAINTED: tuple[MethodRow, ...] = (
    _row(QPainter, "drawText"),
    _row(QFontMetrics, "horizontalAdvance boundingRect elidedText size tightBoundingRect"),
    _row(QFontMetricsF, "horizontalAdvance boundingRect elidedText size tightBoundingRect"),
)
GETTERS: tuple[MethodRow, ...] = (
    _row(QWidget, "toolTip statusTip windowTitle accessibleName accessibleDescription"),
    _row(QAction, "text iconText toolTip statusTip"),
    _row(QLabel, "text"),
    _row(QAbstractButton, "text"),
    _row(QGroupBox, "title"),
    _row(QMenu, "title"),
    _row(QComboBox, "currentText itemText itemData placeholderText"),
    _row(QTabBar, "tabText tabToolTip"),
    _row(QTabWidget, "tabText tabToolTip"),
    _row(QLineEdit, "placeholderText"),
    _row(QPlainTextEdit, "placeholderText"),
    _row(QTextEdit, "placeholderText"),
    _row(QListWidgetItem, "text toolTip"),
    _row(QTableWidgetItem, "text toolTip"),
    _row(QTreeWidgetItem, "text toolTip"),
    _row(QMessageBox, "text informativeText"),
    _row(QStatusBar, "currentMessage"),
    _row(QFileDialog, "selectedNameFilter"),
    _row(QModelIndex, "data"),
)
# Functions that open a dialog and answer. Paths and values in between are the user's.
STATIC: tuple[MethodRow, ...] = (
    _row(QFileDialog, "getOpenFileName getOpenFileNames getSaveFileName", (1, 3, 4)),
    _row(QFileDialog, "getExistingDirectory", (1,)),
    _row(QMessageBox, "question information warning critical about", (1, 2)),
    _row(QInputDialog, "getText getInt getDouble", (1, 2)),
    _row(QInputDialog, "getItem", (1, 2, 3)),
    _row(QToolTip, "showText", (1,)),
)
MODELS: tuple[type, ...] = (QAbstractItemModel, QAbstractListModel, QAbstractTableModel)
