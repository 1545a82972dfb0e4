"""onnxsim's `simplify` by rw.

    from rw.compat.onnxsim import simplify
    model, ok = simplify(onnx.load("model.onnx"), check_n=3)
"""
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import rw

Shapes = Union[Sequence[int], Dict[str, Sequence[int]], None]


def _shapes(model: Any, shapes: Shapes) -> Dict[str, List[Optional[int]]]:
    """onnxsim takes one shape for a model with one input; 0 and below leave a dimension as it is."""
    if not shapes:
        return {}
    if not isinstance(shapes, dict):
        names = [p.name[1:] for p in rw.load(model).main.params]
        if len(names) != 1:
            raise ValueError(f"the model has {len(names)} inputs ({', '.join(names)}): say which one the shape is for")
        shapes = {names[0]: shapes}
    return {name: [size if size > 0 else None for size in shape] for name, shape in shapes.items()}


def simplify(model: Any, check_n: int = 0, perform_optimization: bool = True, skip_fuse_bn: bool = False, overwrite_input_shapes: Shapes = None,
             test_input_shapes: Shapes = None, skipped_optimizers: Optional[List[str]] = None, skip_constant_folding: bool = False,
             skip_shape_inference: bool = False, input_data: Any = None, dynamic_input_shape: bool = False, custom_lib: Optional[str] = None,
             include_subgraph: bool = False, unused_output: Optional[Sequence[str]] = None, tensor_size_threshold: Any = None,
             mutable_initializer: bool = False, *, input_shapes: Shapes = None) -> Tuple[Any, bool]:
    """The model (an `onnx.ModelProto`, or bytes if a path or bytes are given) and whether the outputs agreed on `check_n` random inputs.

    Of onnxsim's arguments these have the same meaning: check_n, perform_optimization (False: `pipeline="none"`), overwrite_input_shapes (and
    input_shapes, its older name), unused_output. skipped_optimizers names patterns of rw (names, globs, label:NAME); names of onnxoptimizer's passes
    are no error and skip nothing. The others mean nothing here: rw folds within bounds, infers shapes always, looks into subgraphs always.
    """
    known = {p["name"] for p in rw.patterns()}
    skipped = [name for name in skipped_optimizers or [] if name in known or "*" in name or name.startswith("label:")]
    outputs: List[str] = []
    if unused_output:
        names = rw.load(model).main.result_names
        missing = [name for name in unused_output if name not in names]
        if missing:
            raise ValueError(f"the model has no output {', '.join(missing)}; it has {', '.join(names)}")
        outputs = [name for name in names if name not in unused_output]
    try:
        result = rw.optimize(model, pipeline=None if perform_optimization else "none", disable=skipped, check=check_n,
                             input_shapes=_shapes(model, overwrite_input_shapes or input_shapes) or None, outputs=outputs)
    except rw.Error as error:
        if check_n and any(d.tag == "check-failed" for d in error.diagnostics):
            return model, False
        raise
    return result.model, result.check is None or bool(result.check["good"])
