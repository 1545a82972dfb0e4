#!/usr/bin/env python3
"""Small models of many kinds, as exporters write them: families.py DIR [OPSET] writes each as DIR/NAME.onnx, for the
operator set it was made for or a newer one.

The kinds are those of the modules imported here; what they come to is in ../../docs/onnx.md.
"""
import os
import sys

import attention
import exported_language
import exported_other
import exported_vision
import jax_style
import keras_style
import language
import mixed
import other
import outputs
import paddle_style
import vision
from onnx_writer import Graph

# What the models are written for: the operator set each was made for, and newer ones.
OPSETS = [0, 17, 18, 21]


def write_all(folder, newest=0):
    Graph.newest = newest
    os.makedirs(folder, exist_ok=True)
    names = []
    for family in [f for module in (vision, mixed, language, other, jax_style, keras_style, attention, outputs, paddle_style,
                                         exported_vision, exported_language, exported_other) for f in module.FAMILIES]:
        names.append(family.__name__)
        with open(os.path.join(folder, family.__name__ + ".onnx"), "wb") as file:
            file.write(family())
    return names


if __name__ == "__main__":
    print("\n".join(write_all(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
