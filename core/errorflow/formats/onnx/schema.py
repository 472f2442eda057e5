"""The field numbers of ONNX's messages (onnx.proto, IR version 14), as tags."""

from errorflow.formats.wire import FIXED32, VARINT, tag


class MODEL:
    IR_VERSION = tag(1, VARINT)
    PRODUCER_NAME = tag(2)
    PRODUCER_VERSION = tag(3)
    DOMAIN = tag(4)
    MODEL_VERSION = tag(5, VARINT)
    DOC_STRING = tag(6)
    GRAPH = tag(7)
    OPSET_IMPORT = tag(8)
    METADATA = tag(14)
    TRAINING_INFO = tag(20)
    FUNCTIONS = tag(25)
    CONFIGURATION = tag(26)


class GRAPH:
    NODE = tag(1)
    NAME = tag(2)
    INITIALIZER = tag(5)
    DOC_STRING = tag(10)
    INPUT = tag(11)
    OUTPUT = tag(12)
    VALUE_INFO = tag(13)
    QUANTIZATION = tag(14)
    SPARSE_INITIALIZER = tag(15)
    METADATA = tag(16)


class FUNCTION:
    NAME = tag(1)
    INPUT = tag(4)
    OUTPUT = tag(5)
    ATTRIBUTE = tag(6)
    NODE = tag(7)
    DOC_STRING = tag(8)
    OPSET_IMPORT = tag(9)
    DOMAIN = tag(10)
    ATTRIBUTE_PROTO = tag(11)
    VALUE_INFO = tag(12)
    OVERLOAD = tag(13)
    METADATA = tag(14)


class NODE:
    INPUT = tag(1)
    OUTPUT = tag(2)
    NAME = tag(3)
    OP_TYPE = tag(4)
    ATTRIBUTE = tag(5)
    DOC_STRING = tag(6)
    DOMAIN = tag(7)
    OVERLOAD = tag(8)
    METADATA = tag(9)


class ATTRIBUTE:
    NAME = tag(1)
    F = tag(2, FIXED32)
    I = tag(3, VARINT)  # noqa: E741 - the field's name in onnx.proto
    S = tag(4)
    T = tag(5)
    G = tag(6)
    STRINGS = tag(9)
    TENSORS = tag(10)
    GRAPHS = tag(11)
    TP = tag(14)
    TYPE_PROTOS = tag(15)
    TYPE = tag(20, VARINT)
    REFERENCE = tag(21)
    SPARSE_TENSOR = tag(22)
    SPARSE_TENSORS = tag(23)
    FLOATS_NUMBER = 7
    INTS_NUMBER = 8


class TENSOR:
    DIMS_NUMBER = 1
    DATA_TYPE = tag(2, VARINT)
    SEGMENT = tag(3)
    NAME = tag(8)
    RAW_DATA = tag(9)
    EXTERNAL_DATA = tag(13)
    DATA_LOCATION = tag(14, VARINT)
    # Numbers of the fields that hold values, whichever wire type was chosen for them.
    PAYLOAD_NUMBERS = frozenset((4, 5, 6, 7, 9, 10, 11))


class SPARSE:
    VALUES = tag(1)
    INDICES = tag(2)
    DIMS_NUMBER = 3


class VALUE:
    NAME = tag(1)
    TYPE = tag(2)


class TYPE:
    TENSOR = tag(1)
    SEQUENCE = tag(4)
    MAP = tag(5)
    OPAQUE = tag(7)
    SPARSE_TENSOR = tag(8)
    OPTIONAL = tag(9)
