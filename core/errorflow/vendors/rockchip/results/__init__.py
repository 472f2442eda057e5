"""Tables of RKNN-Toolkit."""

from errorflow.vendors.rockchip.results.analysis import RKNN
from errorflow.vendors.rockchip.results.first_version import RKNN_V1
from errorflow.vendors.rockchip.results.proposal import RKNN_PROPOSAL

ROWS = (RKNN_PROPOSAL, RKNN, RKNN_V1)
