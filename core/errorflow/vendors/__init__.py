"""Vendors, a room each: what their tools write and take. To add one: a folder with a `Vendor`, its name below."""

from errorflow.base.vendor import Vendor
from errorflow.vendors.ascend import ASCEND
from errorflow.vendors.axera import AXERA
from errorflow.vendors.espressif import ESPRESSIF
from errorflow.vendors.horizon import HORIZON
from errorflow.vendors.onnxruntime import ONNXRUNTIME
from errorflow.vendors.rockchip import ROCKCHIP
from errorflow.vendors.samsung import SAMSUNG
from errorflow.vendors.sophgo import SOPHGO

# Of rows of equal rank, those of the first vendor stand first.
VENDORS: tuple[Vendor, ...] = (ASCEND, AXERA, HORIZON, ONNXRUNTIME, ROCKCHIP, SOPHGO, ESPRESSIF, SAMSUNG)
