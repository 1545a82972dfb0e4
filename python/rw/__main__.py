"""python -m rw IN OUT: optimises a model."""
import argparse
import sys
from typing import Dict, List, Optional

import rw


def _shape(text: str) -> "tuple[str, list[rw._api.Dimension]]":
    name, _, sizes = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"a shape is NAME=SIZES, e.g. x=1,3,224,224, not {text}")
    return name, [None if size == "?" else int(size) if size.isdigit() else size for size in sizes.split(",") if size]


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rw", description="Optimises a model (.onnx, .rwir, .mlir).")
    parser.add_argument("input")
    parser.add_argument("output", nargs="?", help="where the result goes; left out: only what would be done is shown")
    parser.add_argument("--pipeline", help="passes and pipelines; default: onnx")
    parser.add_argument("--patterns", metavar="FILE.rw", help="patterns of one's own")
    parser.add_argument("--check", type=int, default=0, metavar="N", help="compare the outputs on N random inputs")
    parser.add_argument("--fastmath", nargs="?", const=True, metavar="FREEDOMS")
    parser.add_argument("--shape", action="append", default=[], type=_shape, metavar="NAME=SIZES", help="fix the shape of an input")
    parser.add_argument("--inputs", default="", help="cut the model at these values, with commas between")
    parser.add_argument("--outputs", default="")
    parser.add_argument("--keep", action="append", default=[], metavar="NAME", help="leave this op alone")
    parser.add_argument("--opset", type=int, metavar="N", help="convert the model to this operator set first")
    parser.add_argument("--fp16", nargs="?", const=True, default=False, choices=["io"], help="compute in floats of 16 bits; io: inputs and results as well")
    parser.add_argument("--keep-fp32", default="", metavar="OPS", help="what --fp16 leaves: kinds, names, globs, with commas between")
    parser.add_argument("--external-data", nargs="?", const=True, default=False, metavar="FILE", help="write tensors to this file beside the model")
    parser.add_argument("--report", metavar="FILE.html", help="write a page about the run")
    parser.add_argument("--version", action="version", version=f"rw {rw.__version__}")
    given = parser.parse_args(arguments)
    shapes: Dict[str, list] = dict(given.shape)
    try:
        result = rw.optimize(given.input, pipeline=given.pipeline, patterns=given.patterns, check=given.check, fastmath=given.fastmath,
                             input_shapes=shapes or None, inputs=[n for n in given.inputs.split(",") if n],
                             outputs=[n for n in given.outputs.split(",") if n], keep=given.keep, report=bool(given.report),
                             opset=given.opset, fp16=given.fp16, keep_fp32=[n for n in given.keep_fp32.split(",") if n])
        if given.output:
            result.save(given.output, external_data=given.external_data)
    except rw.Error as error:
        for diagnostic in error.diagnostics:
            print(diagnostic, file=sys.stderr)
        return 1
    if given.report:
        with open(given.report, "w", encoding="utf-8") as page:
            page.write(result.report or "")
    for warning in result.warnings:
        print(warning, file=sys.stderr)
    print(result.table, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
