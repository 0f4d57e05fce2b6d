"""Trained students that ship with the package, each an ONNX file with a model card beside it."""
