"""ONNX models: protobuf with inline or external weights, and the text and JSON forms."""
