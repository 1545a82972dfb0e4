"""onnxslim's `slim` by rw.

    from rw.compat.onnxslim import slim
    model = slim("model.onnx", input_shapes=["x:1,3,224,224"])
"""
import sys
import warnings
from typing import Any, Dict, List, Optional, Sequence, Union

import rw

from . import _names

Texts = Union[str, Sequence[str], None]
_DTYPES = {"fp16": "f16", "fp32": "f32", "int32": "i32", "bool": "bool"}
_SKIPPED = {"constant_folding": ["fold_shapes"], "dead_node_elimination": ["dce"], "subexpression_elimination": ["cse"], "weight_tying": ["cse"],
            "graph_fusion": []}


def _texts(given: Texts) -> List[str]:
    """A list, or texts with spaces between."""
    return given.split() if isinstance(given, str) else list(given or [])


def _shapes(model: Any, texts: Texts) -> Dict[str, List[Optional[int]]]:
    return {name or _names.only_input(model): shape for name, shape in map(_names.shape_of, _texts(texts))}


def _values(model: Any, texts: Texts) -> List[str]:
    """Names of "NAME:DTYPE" or "NAME"; the type must be that of the value."""
    values: List[str] = []
    types: Dict[str, str] = {}
    for text in _texts(texts):
        name, _, dtype = text.rpartition(":")
        if dtype not in _DTYPES or not name:
            values.append(text)
            continue
        if not types:
            main = rw.load(model).main
            types = {v.name[1:]: v.type for v in main.params + [r for op in main.ops for r in op.results]}
        if not types.get(name, _DTYPES[dtype]).startswith(_DTYPES[dtype]):
            raise NotImplementedError(f"`{name}` is {types[name]}, and stays so: leave the type out, or convert the model by dtype=\"fp16\"")
        values.append(name)
    return values


def slim(model: Any, output_model: Optional[str] = None, model_check: bool = False, input_shapes: Texts = None, inputs: Texts = None,
         outputs: Texts = None, no_shape_infer: bool = False, skip_optimizations: Texts = None, dtype: Optional[str] = None,
         skip_fusion_patterns: Texts = None, size_threshold: Optional[int] = None, inspect: bool = False, dump_to_disk: bool = False,
         save_as_external_data: bool = False, model_check_inputs: Texts = None, verbose: bool = False, no_constant_folding: bool = False) -> Any:
    """The optimised model (as `simplify` of rw.compat.onnxsim gives it back), or None if `output_model` names the file that it is written to.

    model_check             compares the outputs on a random input; where they differ, it warns and returns None, and nothing is written
    model_check_inputs      ["x:1,3,224,224"]: shapes of that input
    input_shapes            ["x:1,3,224,224"]; 0 and below leave a dimension as it is
    inputs, outputs         cut the model at these values, ["y"] or ["y:fp32"] where y is of that type
    skip_optimizations      constant_folding (or no_constant_folding=True), graph_fusion, dead_node_elimination, subexpression_elimination, weight_tying
    skip_fusion_patterns    onnxslim's names ("FusionConvBN"), or rw's of patterns (names, globs, label:NAME)
    size_threshold          no constant of more bytes is computed
    dtype                   "fp16": inputs and results as well; "fp32" is for models that have no f16
    save_as_external_data   tensors go to a file beside `output_model`
    inspect                 changes nothing and shows what is in the model, or in each of a list of models
    verbose                 shows what was done, on standard error

    no_shape_infer changes nothing and warns. What is asked for in vain is a NotImplementedError that says what to do instead.
    """
    if isinstance(model, list):
        for one in model:
            slim(one, inspect=True, dump_to_disk=dump_to_disk)
        return None
    if dtype not in (None, "fp16", "fp32"):
        raise ValueError(f"`dtype` is \"fp16\" or \"fp32\", not {dtype!r}")
    if dump_to_disk:
        raise NotImplementedError("`dump_to_disk`: rw.optimize(model).statistics has the numbers, to be written as one likes")
    if save_as_external_data and output_model is None:
        raise ValueError("`save_as_external_data` writes a file beside `output_model`, which is not there")
    if dtype == "fp32" and "f16" in rw.load(model).text():
        raise NotImplementedError("`dtype`: the model has f16, and rw makes no f32 of it; convert the model that it was made of")
    if model_check_inputs and not model_check:
        raise ValueError("`model_check_inputs` says what `model_check` compares on, which is not there")
    if no_shape_infer:
        warnings.warn("`no_shape_infer` changes nothing: rw infers shapes by itself, symbols included", stacklevel=2)
    left_out = _texts(skip_optimizations) + (["constant_folding"] if no_constant_folding else [])
    for name in left_out:
        if name not in _SKIPPED:
            raise _names.unknown("no optimization", name, _SKIPPED)
    disabled = ["*"] if "graph_fusion" in left_out else []
    for name in _texts(skip_fusion_patterns):
        if name not in _names.ONNXSLIM and not _names.is_of_rw(name):
            raise _names.unknown("no pattern", name, _names.ONNXSLIM)
        disabled += _names.ONNXSLIM.get(name, (name,))
    for text in _texts(model_check_inputs):
        if text.endswith(".npy"):
            raise NotImplementedError(f"`model_check_inputs`: {text} names a file, and inputs are random here; say a shape, e.g. x:1,3,224,224")
    folded = 0 if "constant_folding" in left_out else None if size_threshold is None else _names.bytes_of(size_threshold)
    try:
        result = rw.optimize(model, pipeline="none" if inspect else _names.usual_pipeline(p for name in left_out for p in _SKIPPED[name]),
                             check=1 if model_check and not inspect else 0, check_shapes=_shapes(model, model_check_inputs) or None,
                             input_shapes=_shapes(model, input_shapes) or None, inputs=_values(model, inputs), outputs=_values(model, outputs),
                             disable=disabled, fp16="io" if dtype == "fp16" and not inspect else False, freeze_defaults=not inspect, max_fold_bytes=folded)
    except rw.Error as error:
        if any(d.tag == "check-failed" for d in error.diagnostics):
            warnings.warn(str(error), stacklevel=2)
            return None
        raise
    _names.warn_of_unchecked(result)
    if inspect:
        for kind, counts in result.statistics["ops"]["kinds"].items():
            print(f"{kind:40}{counts[0]:8}")
        print(f"{'total':40}{result.ops_before:8}")
        return None
    if verbose:
        print(result.table, end="", file=sys.stderr)
    if output_model is not None:
        result.save(output_model, external_data=save_as_external_data)
        return None
    return _names.given_back(result, model)
