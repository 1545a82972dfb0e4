"""onnxoptimizer's `optimize` by rw.

    from rw.compat import onnxoptimizer
    model = onnxoptimizer.optimize(model, ["eliminate_identity", "fuse_bn_into_conv"])
"""
from typing import Any, List, Optional, Sequence

import rw

from . import _names


def get_available_passes() -> List[str]:
    """The passes of onnxoptimizer that rw has something for."""
    return list(_names.ONNXOPTIMIZER)


def get_fuse_and_elimination_passes() -> List[str]:
    """Those of them that make a model smaller."""
    return [name for name in get_available_passes() if name.startswith(("fuse_", "eliminate_"))]


def _pipeline(names: Sequence[str]) -> str:
    """A pass of rw for each name, in this order."""
    known = {p["name"] for p in rw.passes()}
    items: List[str] = []
    for name in names:
        if name in _names.ONNXOPTIMIZER_ALONE:
            raise NotImplementedError(f"`{name}`: rw has no such pass, which makes a model neither smaller nor faster; run it with onnxoptimizer")
        if name in known:
            items.append(name)
            continue
        if name not in _names.ONNXOPTIMIZER:
            raise _names.unknown("no pass", name, list(_names.ONNXOPTIMIZER) + sorted(known))
        counterpart = _names.ONNXOPTIMIZER[name]
        items += counterpart.passes
        if counterpart.patterns:
            items.append(f'run_patterns{{names="{",".join(counterpart.patterns + counterpart.behind)}",fastmath=true}}')
    return ",".join(items) or "none"


def optimize(model: Any, passes: Optional[Sequence[str]] = None, fixed_point: bool = False) -> Any:
    """The optimised model, of the same class as `model`.

    passes       onnxoptimizer's names, or rw's of passes and pipelines; None: all that rw knows (pipeline `onnx`)
    fixed_point  repeats the passes until none changes anything; without, each runs once (and its patterns until none of them matches)
    """
    pipeline = None if passes is None else _pipeline(_names.list_of(passes, "passes"))
    if fixed_point and pipeline not in (None, "none"):
        pipeline = f"repeat(100){{{pipeline}}}"
    return rw.optimize(model, pipeline=pipeline).model
