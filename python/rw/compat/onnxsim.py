"""onnxsim's `simplify` by rw.

    from rw.compat.onnxsim import simplify
    model, ok = simplify(onnx.load("model.onnx"), check_n=3)
"""
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import rw

from . import _names

Shapes = Union[Sequence[int], Dict[Optional[str], Sequence[int]], None]
DEFAULT_TENSOR_SIZE_THRESHOLDHOLD = "1.5GB"  # as onnxsim spells it


def _shapes(model: Any, shapes: Shapes) -> Dict[str, List[Optional[int]]]:
    """One shape, or that of None, is for a model with one input; 0 and below leave a dimension as it is."""
    if not shapes:
        return {}
    by_name = dict(shapes) if isinstance(shapes, dict) else {None: shapes}
    if None in by_name:
        by_name[_names.only_input(model)] = by_name.pop(None)
    if any(not hasattr(type(size), "__index__") for shape in by_name.values() for size in shape):
        raise TypeError(f'shapes are lists of sizes, such as {{"x": [1, 3, 224, 224]}}, not {shapes!r}')
    return {str(name): [size if size > 0 else None for size in shape] for name, shape in by_name.items()}


def _refuse(given: Dict[str, Tuple[bool, str]]) -> None:
    for name, (is_given, why) in given.items():
        if is_given:
            raise NotImplementedError(f"`{name}`: {why}")


def simplify(model: Any, check_n: int = 0, perform_optimization: bool = True, skip_fuse_bn: bool = False, overwrite_input_shapes: Shapes = None,
             test_input_shapes: Shapes = None, skipped_optimizers: Optional[Sequence[str]] = None, skip_constant_folding: bool = False,
             skip_shape_inference: bool = False, input_data: Any = None, dynamic_input_shape: bool = False, custom_lib: Optional[str] = None,
             include_subgraph: bool = False, unused_output: Optional[Sequence[str]] = None,
             tensor_size_threshold: Any = DEFAULT_TENSOR_SIZE_THRESHOLDHOLD, mutable_initializer: bool = False, *,
             initializers_as_constants: bool = True, inline_functions: bool = False, import_custom_schemas: bool = True, input_shapes: Shapes = None,
             target_opset_version: Optional[int] = None, custom_rewriter: Any = None, function_rewrite_rules: Any = None, check_rtol: float = 1e-4,
             check_atol: float = 1e-5, input_fill: str = "random", providers: Any = None, profile: Optional[str] = None,
             ort_profile: Optional[str] = None, merge_ort_profile: bool = False) -> Tuple[Any, bool]:
    """The model and whether the outputs agreed on `check_n` random inputs; where they do not, the model is as it was given.

    It is an `onnx.ModelProto` if one is given, or a path and the package `onnx` is installed (with what is in files beside the model, as `onnx.load` has
    it); else the bytes of a file, which may name files beside the model. What could not be compared is warned of, and counts as agreed.

    perform_optimization    False: constants are folded and shapes inferred, no pattern runs
    skip_fuse_bn            as skipped_optimizers=["fuse_bn_into_conv"]
    overwrite_input_shapes  {"x": [1, 3, 224, 224]}, or one shape for a model with one input; 0 and below leave a dimension as it is
    test_input_shapes       shapes of the inputs that `check_n` draws
    input_shapes            onnxsim's older name: both of these
    skipped_optimizers      onnxoptimizer's names of passes, or rw's of patterns (names, globs, label:NAME)
    skip_constant_folding   nothing is computed beforehand; shapes that are known are numbers all the same
    unused_output           outputs that are left out, with what only they need
    tensor_size_threshold   no constant that is larger is computed: bytes, or "10MB"
    mutable_initializer     False: an initializer that is an input as well is a constant, and no input any more
    target_opset_version    the operator set that the model is converted to first
    check_rtol, check_atol  the greater one is the difference that `check_n` accepts, relative to numbers beyond 1

    include_subgraph, import_custom_schemas and custom_lib without check_n say what is so anyway: bodies of ops are optimised, ops that rw does not know
    stay. skip_shape_inference and dynamic_input_shape, which help onnxsim over difficulties that are not here, change nothing and warn. What is asked for
    in vain is a NotImplementedError that says what to do instead.
    """
    _refuse({
        "input_data": (input_data is not None, "the check draws its inputs; leave it out, and say shapes by test_input_shapes"),
        "custom_lib": (bool(custom_lib and check_n), "ops of other libraries cannot be evaluated here; give check_n=0, and compare where the library is"),
        "initializers_as_constants": (not initializers_as_constants, "initializers are constants; rw.optimize(model, keep=[...]) leaves single ops alone"),
        "inline_functions": (inline_functions, "functions stay; give what onnx.inliner.inline_local_functions(model) makes"),
        "custom_rewriter": (custom_rewriter is not None, "rw.optimize(model, passes=[...]) runs passes written in Python, patterns=... patterns"),
        "function_rewrite_rules": (bool(function_rewrite_rules), "rw.optimize(model, patterns=rw.Rules(...)) runs patterns of one's own"),
        "input_fill": (input_fill != "random" and check_n > 0, 'inputs are random; leave it out, or give "random"'),
        "profile": (profile is not None, "rw-opt --trace=FILE writes a time line, rw.optimize(model, timing=True) has times in its statistics"),
        "ort_profile": (ort_profile is not None or merge_ort_profile, "ONNX Runtime does not run here, so that it has no profile"),
    })
    if skip_shape_inference or dynamic_input_shape:
        name = "skip_shape_inference" if skip_shape_inference else "dynamic_input_shape"
        warnings.warn(f"`{name}` changes nothing: rw infers shapes by itself, symbols included", stacklevel=2)
    if providers is not None and any((p[0] if isinstance(p, tuple) else p) != "CPUExecutionProvider" for p in providers):
        warnings.warn("`providers` changes nothing: rw folds constants by itself, on the CPU", stacklevel=2)
    if input_shapes is not None:
        overwrite_input_shapes = test_input_shapes = input_shapes
    outputs: List[str] = []
    if unused_output:
        names = rw.load(model).main.result_names
        missing = [name for name in unused_output if name not in names]
        if missing:
            raise ValueError(f"the model has no output {', '.join(missing)}; it has {', '.join(names)}")
        outputs = [name for name in names if name not in unused_output]
        if not outputs:
            raise ValueError("`unused_output` names all outputs of the model, and nothing would be left")
    disabled, left_out = _names.skipped(_names.list_of(skipped_optimizers, "optimizers") + (["fuse_bn_into_conv"] if skip_fuse_bn else []))
    pipeline = _names.usual_pipeline(left_out)
    if not perform_optimization:
        disabled, pipeline = ["*"], "canonicalize,dce" if skip_constant_folding else "fold_shapes,canonicalize,dce"
    try:
        result = rw.optimize(model, pipeline=pipeline, disable=disabled, check=check_n, check_tolerance=max(check_rtol, check_atol) if check_n else None,
                             check_shapes=_shapes(model, test_input_shapes) or None if check_n else None,
                             input_shapes=_shapes(model, overwrite_input_shapes) or None, outputs=outputs, opset=target_opset_version,
                             freeze_defaults=not mutable_initializer, max_fold_bytes=0 if skip_constant_folding else _names.bytes_of(tensor_size_threshold))
    except rw.Error as error:
        if check_n and any(d.tag == "check-failed" for d in error.diagnostics):
            return _names.given_back(rw.load(model), model), False
        raise
    _names.warn_of_unchecked(result)
    return _names.given_back(result, model), result.check is None or bool(result.check["good"])
