"""python -m rw IN OUT: optimises a model. It takes onnxsim's flags as well."""
import argparse
import sys
from typing import Any, Dict, List, Optional

import rw

from .compat import _names


def _shape(text: str) -> "tuple[str, list[rw._api.Dimension]]":
    name, _, sizes = text.rpartition("=")
    if not name:
        raise argparse.ArgumentTypeError(f"a shape is NAME=SIZES, e.g. x=1,3,224,224, not {text}")
    return name, [None if size == "?" else int(size) if size.isdigit() else size for size in sizes.split(",") if size]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rw", description="Optimises a model (.onnx, .rwir, .mlir).")
    parser.add_argument("input")
    parser.add_argument("output", nargs="?", help="where the result goes; left out: only what would be done is shown")
    parser.add_argument("check_n", nargs="?", type=int, help="as --check")
    parser.add_argument("--pipeline", help="passes and pipelines; default: onnx")
    parser.add_argument("--patterns", metavar="FILE.rw", help="patterns of one's own")
    parser.add_argument("--check", type=int, metavar="N", help="compare the outputs on N random inputs")
    parser.add_argument("--check-shape", action="append", default=[], type=_shape, metavar="NAME=SIZES", help="the shape of an input that --check draws")
    parser.add_argument("--fastmath", nargs="?", const=True, metavar="FREEDOMS")
    parser.add_argument("--shape", action="append", default=[], type=_shape, metavar="NAME=SIZES", help="fix the shape of an input")
    parser.add_argument("--freeze-defaults", action="store_true", help="inputs that have a default are constants")
    parser.add_argument("--inputs", default="", help="cut the model at these values")
    parser.add_argument("--outputs", default="")
    parser.add_argument("--keep", action="append", default=[], metavar="NAME", help="leave this op alone")
    parser.add_argument("--opset", type=int, metavar="N", help="convert the model to this operator set first")
    parser.add_argument("--fp16", nargs="?", const=True, default=False, choices=["io"], help="compute in floats of 16 bits; io: inputs and results as well")
    parser.add_argument("--keep-fp32", default="", metavar="OPS", help="what --fp16 leaves: kinds, names, globs, with commas between")
    parser.add_argument("--external-data", nargs="?", const=True, default=False, metavar="FILE", help="write tensors to this file beside the model")
    parser.add_argument("--report", metavar="FILE.html", help="write a page about the run")
    parser.add_argument("-v", "--version", action="version", version=f"rw {rw.__version__}")
    other = parser.add_argument_group("as onnxsim has them")
    other.add_argument("--overwrite-input-shape", "--input-shape", nargs="+", default=[], metavar="NAME:SIZES",
                       help="as --shape; without NAME for a model with one input; sizes of 0 and below stay")
    other.add_argument("--test-input-shape", nargs="+", default=[], metavar="NAME:SIZES", help="as --check-shape")
    other.add_argument("--skip-optimization", "--skip-optimizer", nargs="*", metavar="NAME",
                       help="leave out these: onnxoptimizer's passes, or rw's patterns; without a name all of them")
    other.add_argument("--skip-fuse-bn", action="store_true", help="as --skip-optimization fuse_bn_into_conv")
    other.add_argument("--skip-constant-folding", action="store_true", help="compute nothing beforehand")
    other.add_argument("--no-large-tensor", nargs="?", const="1KB", metavar="SIZE", help="compute no constant that is larger (default 1KB)")
    other.add_argument("--unused-output", nargs="+", default=[], metavar="NAME", help="outputs to leave out, with what only they need")
    other.add_argument("--save-as-external-data", action="store_true", help="as --external-data")
    for flag, why in {"--enable-fuse-bn": "it is so anyway", "--include-subgraph": "it is so anyway", "--mutable-initializer": "it is so anyway",
                      "--skip-shape-inference": "rw infers shapes by itself", "--dynamic-input-shape": "symbols are sizes, too"}.items():
        other.add_argument(flag, action="store_true", help=f"changes nothing: {why}")
    other.add_argument("--input-data-path", nargs="+", metavar="NAME:FILE", help="an error: inputs are random here")
    other.add_argument("--custom-lib", metavar="FILE", help="an error beside a check: ops of other libraries cannot be evaluated here")
    return parser


def _shapes_of(given: List[Any], texts: List[str], model: str) -> Dict[str, Any]:
    shapes = dict(given)
    for text in texts:
        name, shape = _names.shape_of(text)
        shapes[name or _names.only_input(model)] = shape
    return shapes


def _options(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Dict[str, Any]:
    """What `rw.optimize` is called with."""
    if given.check is not None and given.check_n is not None:
        parser.error("--check and a number behind OUT say the same: give one of them")
    check = given.check if given.check is not None else given.check_n or 0
    if given.input_data_path:
        parser.error("--input-data-path: inputs are random here; leave it out, and say shapes by --test-input-shape")
    if given.custom_lib and check:
        parser.error("--custom-lib: ops of other libraries cannot be evaluated here; leave out the check, and compare where the library is")
    skips = given.skip_optimization is not None or given.skip_fuse_bn or given.skip_constant_folding
    if given.pipeline and skips:
        parser.error("--pipeline says what runs, and --skip-... what does not: give one of them")
    disabled, left_out = _names.skipped((given.skip_optimization or []) + (["fuse_bn_into_conv"] if given.skip_fuse_bn else []))
    pipeline = given.pipeline or _names.usual_pipeline(left_out)
    if given.skip_optimization == []:
        disabled, pipeline = ["*"], "canonicalize,dce" if given.skip_constant_folding else "fold_shapes,canonicalize,dce"
    outputs = [name for name in given.outputs.split(",") if name]
    if given.unused_output:
        if outputs:
            parser.error("--outputs says which outputs there are, and --unused-output which not: give one of them")
        names = rw.load(given.input).main.result_names
        missing = [name for name in given.unused_output if name not in names]
        outputs = [name for name in names if name not in given.unused_output]
        if missing or not outputs:
            parser.error(f"--unused-output: the model has no output {', '.join(missing)}; it has {', '.join(names)}" if missing else
                         "--unused-output names all outputs of the model, and nothing would be left")
    check_shapes = _shapes_of(given.check_shape, given.test_input_shape, given.input) if check else None
    folded = 0 if given.skip_constant_folding else _names.bytes_of(given.no_large_tensor) if given.no_large_tensor else None
    return {"pipeline": pipeline, "patterns": given.patterns, "check": check, "check_shapes": check_shapes or None, "fastmath": given.fastmath,
            "input_shapes": _shapes_of(given.shape, given.overwrite_input_shape, given.input) or None, "freeze_defaults": given.freeze_defaults,
            "inputs": [name for name in given.inputs.split(",") if name], "outputs": outputs, "keep": given.keep, "disable": disabled,
            "report": bool(given.report), "opset": given.opset, "fp16": given.fp16, "max_fold_bytes": folded,
            "keep_fp32": [name for name in given.keep_fp32.split(",") if name]}


def main(arguments: Optional[List[str]] = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    for flag in ("skip_shape_inference", "dynamic_input_shape"):
        if getattr(given, flag):
            print(f"python -m rw: --{flag.replace('_', '-')} changes nothing", file=sys.stderr)
    try:
        result = rw.optimize(given.input, **_options(parser, given))
        if given.output:
            result.save(given.output, external_data=given.external_data or given.save_as_external_data)
    except ValueError as error:
        parser.error(str(error))
    except rw.Error as error:
        for diagnostic in error.diagnostics:
            print(diagnostic, file=sys.stderr)
        return 1
    if given.report:
        try:
            with open(given.report, "w", encoding="utf-8") as page:
                page.write(result.report or "")
        except OSError as why:
            print(f"{given.report}: error: cannot be written: {why.strerror}", file=sys.stderr)
            return 1
    for warning in result.warnings:
        print(warning, file=sys.stderr)
    print(result.table, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
