"""onnxslim's `slim` by rw.

    from rw.compat.onnxslim import slim
    model = slim("model.onnx", input_shapes=["x:1,3,224,224"])
"""
from typing import Any, Dict, List, Optional

import rw


def _shapes(texts: Optional[List[str]]) -> Dict[str, List[Optional[int]]]:
    """onnxslim writes "name:1,3,224,224"; 0 and below leave a dimension as it is."""
    shapes: Dict[str, List[Optional[int]]] = {}
    for text in texts or []:
        name, colon, sizes = text.rpartition(":")
        if not colon:
            raise ValueError(f"a shape is NAME:SIZES, e.g. x:1,3,224,224, not {text}")
        shapes[name] = [int(size) if int(size) > 0 else None for size in sizes.split(",") if size]
    return shapes


def slim(model: Any, output_model: Optional[str] = None, model_check: bool = False, input_shapes: Optional[List[str]] = None,
         inputs: Optional[List[str]] = None, outputs: Optional[List[str]] = None, no_shape_infer: bool = False,
         skip_optimizations: Optional[List[str]] = None, dtype: Optional[str] = None, skip_fusion_patterns: Optional[List[str]] = None,
         size_threshold: Optional[int] = None, inspect: bool = False, **_ignored: Any) -> Any:
    """The optimised model (as `rw.optimize(…).model`), or None if `output_model` names the file that it is written to.

    model_check, input_shapes, inputs, outputs and skip_fusion_patterns mean what they mean there (patterns are those of rw); `inspect` changes nothing and
    shows what is in the model. `dtype` is "fp16" (inputs and results stay as they are) or "fp32", which changes nothing; the rest means nothing here.
    """
    if dtype not in (None, "fp16", "fp32"):
        raise ValueError(f"`dtype` is \"fp16\" or \"fp32\", not {dtype!r}")
    known = {p["name"] for p in rw.patterns()}
    skipped = [name for name in skip_fusion_patterns or [] if name in known or "*" in name or name.startswith("label:")]
    result = rw.optimize(model, pipeline="none" if inspect else None, check=1 if model_check else 0, input_shapes=_shapes(input_shapes) or None,
                         inputs=inputs or (), outputs=outputs or (), disable=skipped, fp16=dtype == "fp16" and not inspect)
    if inspect:
        print(result.table, end="")
        return None
    if output_model is not None:
        result.save(output_model)
        return None
    return result.model
