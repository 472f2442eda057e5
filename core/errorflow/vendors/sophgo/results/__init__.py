"""Tables of tpu-mlir."""

from errorflow.vendors.sophgo.results.search import TPU_QTABLE, TPU_SEARCH
from errorflow.vendors.sophgo.results.table import TPU_CONSOLE, TPU_CSV

ROWS = (TPU_CSV, TPU_SEARCH, TPU_QTABLE, TPU_CONSOLE)
