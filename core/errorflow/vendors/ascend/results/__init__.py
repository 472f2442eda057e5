"""Tables of Ascend's tools: msaccucmp, AMCT, msProbe."""

from errorflow.vendors.ascend.results.amct import AMCT_HISTORY, AMCT_RANKING, AMCT_SETTING
from errorflow.vendors.ascend.results.mapping import MAPPING
from errorflow.vendors.ascend.results.msaccucmp import MSACCUCMP
from errorflow.vendors.ascend.results.msprobe_dump import MSPROBE_DUMP
from errorflow.vendors.ascend.results.msprobe_graph import MSPROBE_GRAPH

ROWS = (MSPROBE_GRAPH, MSACCUCMP, MAPPING, AMCT_RANKING, AMCT_HISTORY, AMCT_SETTING, MSPROBE_DUMP)
