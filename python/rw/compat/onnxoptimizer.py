"""onnxoptimizer's `optimize` by rw.

    from rw.compat import onnxoptimizer
    model = onnxoptimizer.optimize(model, ["eliminate_identity", "fuse_bn_into_conv"])
"""
from typing import Any, List, Optional

import rw


def get_available_passes() -> List[str]:
    """The passes and pipelines that `optimize` takes."""
    return [p["name"] for p in rw.passes()]


def get_fuse_and_elimination_passes() -> List[str]:
    return ["onnx"]


def optimize(model: Any, passes: Optional[List[str]] = None, fixed_point: bool = False, **_ignored: Any) -> Any:
    """The optimised model. `passes` are names of rw's passes and pipelines; where none of them is one (onnxoptimizer's own names), all that rw
    knows runs, as does without `passes`. rw's passes run to a fixed point always."""
    known = set(get_available_passes())
    mine = [name for name in passes or [] if name in known]
    return rw.optimize(model, pipeline=",".join(mine) or None).model
