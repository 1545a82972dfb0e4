"""Simplifies a model before it is deployed: fixes sizes that the deployment knows, checks that the outputs agree, and writes the result.

    python3 simplify_model.py IN.onnx OUT.onnx [--size SYMBOL=N ...] [--fp16]
"""
import argparse
import sys

import rw


def shapes_with(sizes, params):
    """The shapes of inputs in which these symbols stand: {"x": [None, 4]}; None leaves a dimension as it is."""
    shapes = {}
    for param in params:
        dims = [dim.strip() for dim in param.type.partition("[")[2].rstrip("]").split(",")]
        if any(dim in sizes for dim in dims):
            shapes[param.name.lstrip("%").strip('"')] = [sizes.get(dim) for dim in dims]
    return shapes


def main():
    parser = argparse.ArgumentParser(description="Simplifies a model before it is deployed.")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--size", action="append", default=[], metavar="SYMBOL=N", help="what a symbol in the shapes of inputs is")
    parser.add_argument("--fp16", action="store_true", help="compute in floats of 16 bits")
    given = parser.parse_args()
    sizes = {symbol: int(size) for symbol, _, size in (text.partition("=") for text in given.size)}
    try:
        shapes = shapes_with(sizes, rw.load(given.input).main.params)
        # A difference in the outputs is an error that names the rewrite at fault, and then nothing is written.
        result = rw.optimize(given.input, input_shapes=shapes or None, fp16=given.fp16, check=2)
    except rw.Error as error:
        sys.exit(str(error))
    result.save(given.output)
    print(f"{result.ops_before} ops -> {result.ops_after}; outputs agree: {result.check['good']}")
    print("inputs:", ", ".join(str(param.type) for param in result.program.main.params))
    for remark in result.remarks:
        print(remark)


if __name__ == "__main__":
    main()
