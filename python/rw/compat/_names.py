"""What calls of other optimizers say, in rw's words: names of their passes, sizes, shapes."""
import difflib
import os
import re
import warnings
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import rw


class Counterpart(NamedTuple):
    """What of rw does the work of a pass: patterns, passes, and patterns that go on with what the first ones leave."""

    patterns: Tuple[str, ...] = ()
    passes: Tuple[str, ...] = ()
    behind: Tuple[str, ...] = ()


_UNITS = ("DropUnit_And", "DropUnit_Div", "DropUnit_Mul", "DropUnit_Or", "DropUnit_Pow", "DropAddZero", "DropAddZeroOfFloats", "DropAddFloatZero",
          "DropAddNegativeZero", "DropSubZero", "DropSubNegativeZero")
_PADS = ("AveragePoolOfPad", "MaxPoolOfPad")

# By the names that onnxoptimizer has for them; onnxsim takes these names, too.
ONNXOPTIMIZER: Dict[str, Counterpart] = {
    "nop": Counterpart(),
    "eliminate_common_subexpression": Counterpart(passes=("cse",)),
    "eliminate_consecutive_idempotent_ops": Counterpart(("DropRepeated_*",)),
    "eliminate_deadend": Counterpart(passes=("dce",)),
    "eliminate_duplicate_initializer": Counterpart(passes=("cse",)),
    "eliminate_identity": Counterpart(("DropIdentity",)),
    "eliminate_if_with_const_cond": Counterpart(passes=("inline_if",)),
    "eliminate_nop_cast": Counterpart(("DropNoOpCast",)),
    "eliminate_nop_concat": Counterpart(("DropConcat",)),
    "eliminate_nop_dropout": Counterpart(("DropDropout", "DropDropoutOfNothing")),
    "eliminate_nop_expand": Counterpart(("DropNoOpBroadcast",)),
    "eliminate_nop_flatten": Counterpart(("DropFlatten",)),
    "eliminate_nop_monotone_argmax": Counterpart(("ArgMaxOfMonotone",)),
    "eliminate_nop_pad": Counterpart(("DropPad",)),
    "eliminate_nop_reshape": Counterpart(("DropReshape", "DropIdentityReshape_onnx", "DropProvenReshape", "DropCountedReshape")),
    "eliminate_nop_split": Counterpart(("DropSplit",)),
    "eliminate_nop_transpose": Counterpart(("DropIdentityTranspose_onnx",)),
    "eliminate_nop_with_unit": Counterpart(_UNITS),
    "eliminate_shape_gather": Counterpart(passes=("fold_shapes",)),
    "eliminate_shape_op": Counterpart(passes=("fold_shapes",)),
    "eliminate_slice_after_shape": Counterpart(passes=("fold_shapes",)),
    "eliminate_unused_initializer": Counterpart(passes=("dce",)),
    "extract_constant_to_initializer": Counterpart(passes=("lift_constants",)),
    "fuse_add_bias_into_conv": Counterpart(("ConvWithAdd",)),
    "fuse_bn_into_conv": Counterpart(("BatchNormAsProduct",), (), ("ConvWithMul", "ConvWithAdd")),
    "fuse_concat_into_reshape": Counterpart(passes=("fold_shapes",)),
    "fuse_consecutive_concats": Counterpart(("MergeConcats", "MergeConcatsAtEnd")),
    "fuse_consecutive_log_softmax": Counterpart(("LogOfSoftmax",)),
    "fuse_consecutive_reduce_unsqueeze": Counterpart(("UnsqueezeOfReduce", "Kept_onnx_*")),
    "fuse_consecutive_slices": Counterpart(("MergeSlices", "MergeSlicePairs")),
    "fuse_consecutive_squeezes": Counterpart(("MergeSqueezes",)),
    "fuse_consecutive_transposes": Counterpart(("MergeTransposes_onnx",)),
    "fuse_consecutive_unsqueezes": Counterpart(("MergeUnsqueezes",)),
    "fuse_matmul_add_bias_into_gemm": Counterpart(("MatMulAddAsGemm",)),
    "fuse_pad_into_conv": Counterpart(("ConvOfPad",)),
    "fuse_pad_into_pool": Counterpart(_PADS),
    "fuse_transpose_into_gemm": Counterpart(("GemmOfTranspose_*",)),
    "replace_einsum_with_matmul": Counterpart(("EinsumAsMatMul",)),
    "rewrite_where": Counterpart(("WhereNot",)),
}
# Of onnxoptimizer alone: they prepare a model for something else, and make it neither smaller nor faster.
ONNXOPTIMIZER_ALONE = frozenset({"adjust_add", "adjust_slice_and_matmul", "fuse_qkv", "lift_lexical_references", "rename_input_output",
                                 "rewrite_input_dtype", "set_unique_name_for_nodes", "split_init", "split_predict"})

# By the names that onnxslim has for its patterns.
ONNXSLIM: Dict[str, Tuple[str, ...]] = {
    "EliminationConcat": ("MergeConcats", "MergeConcatsAtEnd", "DropConcat"),
    "EliminationReshape": ("MergeReshapes_onnx", "MergeReshapesAcross_onnx"),
    "EliminationReshapeAs": ("DropReshape", "DropIdentityReshape_onnx", "DropProvenReshape", "DropCountedReshape"),
    "EliminationSlice": ("MergeSlices", "MergeSlicePairs"),
    "EliminationTranspose": ("MergeTransposes_onnx", "DropIdentityTranspose_onnx"),
    "EliminationUnsqueeze": ("MergeUnsqueezes",),
    "FusionConvAdd": ("ConvWithAdd",),
    "FusionConvBN": ("BatchNormAsProduct",),
    "FusionConvMul": ("ConvWithMul",),
    "FusionConvTransposeBN": ("BatchNormAsProduct",),
    "FusionGelu": ("label:fuse_gelu",),
    "FusionGemm": ("MatMulAddAsGemm", "MatMulAddBetweenReshapes"),
    "FusionPadConv": ("ConvOfPad",),
    "FusionReduce": ("UnsqueezeOfReduce", "Kept_onnx_*"),
}


def is_of_rw(name: str) -> bool:
    """Whether a pattern of rw is named so, or a glob or label."""
    return "*" in name or name.startswith("label:") or any(p["name"] == name for p in rw.patterns())


def unknown(what: str, name: str, known: Iterable[str]) -> ValueError:
    near = difflib.get_close_matches(name, list(known), 1)
    return ValueError(f"{what} is named {name!r}" + (f"; did you mean {near[0]!r}?" if near else "; a pattern of rw, as rw.patterns() lists them, "
                                                                                            "would do as well"))


def list_of(names: Any, what: str) -> List[str]:
    """A single name need not stand in a list."""
    found = [names] if isinstance(names, str) else list(names or [])
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"{what} are names, not {name!r}")
    return found


def skipped(names: Sequence[str]) -> Tuple[List[str], List[str]]:
    """Patterns to disable and passes to leave out for onnxoptimizer's names, or rw's."""
    patterns: List[str] = []
    passes: List[str] = []
    for name in names:
        if name in ONNXOPTIMIZER:
            patterns += ONNXOPTIMIZER[name].patterns
            passes += ONNXOPTIMIZER[name].passes
        elif name not in ONNXOPTIMIZER_ALONE:  # which nothing of rw does anyway
            if not is_of_rw(name):
                raise unknown("no optimizer", name, ONNXOPTIMIZER)
            patterns.append(name)
    return patterns, passes


def usual_pipeline(without: Iterable[str] = ()) -> Optional[str]:
    """The pipeline `onnx` without these passes; None if it is whole."""
    names = sorted(set(without))
    if not names:
        return None
    text = next(p["text"] for p in rw.passes() if p["name"] == "onnx")
    text = re.sub(rf"\b(?:{'|'.join(map(re.escape, names))})\b(?:\{{[^{{}}]*\}})?,?", "", re.sub(r"\s", "", text))
    return re.sub(r",(?=\}|$)", "", text)


_BYTES = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}


def bytes_of(size: Any) -> int:
    """1024, "1024", "10KB" or "1.5GB"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?b?)\s*", str(size).lower())
    unit = match and _BYTES.get(match[2] if match[2].endswith("b") or not match[2] else match[2] + "b")
    if not match or not unit:
        raise ValueError(f"a size is a number of bytes, or a number with KB, MB or GB behind it, not {size!r}")
    return int(float(match[1]) * unit)


def shape_of(text: str) -> Tuple[str, List[Optional[int]]]:
    """"x:1,3,224,224"; the name is empty for a model with one input; 0 and below leave a dimension as it is."""
    name, _, sizes = text.rpartition(":")
    try:
        return name, [int(size) if int(size) > 0 else None for size in sizes.split(",")]
    except ValueError:
        raise ValueError(f"a shape is NAME:SIZES, e.g. x:1,3,224,224, not {text}") from None


def only_input(model: Any) -> str:
    """The name of the input, if there is one; those that have a default do not count."""
    names = [p.name[1:] for p in rw.optimize(model, pipeline="none", freeze_defaults=True, progress=False).program.main.params]
    if len(names) != 1:
        raise ValueError(f"the model has {len(names)} inputs ({', '.join(names)}): say which one the shape is for")
    return names[0]


def warn_of_unchecked(result: Any) -> None:
    """Says what a check could not compare: nothing contradicts then, and nothing is known."""
    for function in (result.check or {}).get("functions", []):
        if function["outcome"] == "not evaluated":
            warnings.warn(f"the outputs of @{function['function']} were not compared: {function.get('text', '')}", stacklevel=3)


def given_back(result: Any, model: Any) -> Any:
    """The model of a result or program, as the other packages give it back: a message, also for a path where the package `onnx` is installed; bytes for
    bytes, and for a path without that package. A message for a path holds what lies in files beside it, as that of `onnx.load` does."""
    data = result.to_bytes()
    if isinstance(model, (str, os.PathLike)):
        try:
            from onnx import ModelProto, external_data_helper
        except ImportError:
            return data
        made = ModelProto()
        made.ParseFromString(data)
        external_data_helper.load_external_data_for_model(made, os.path.dirname(os.path.abspath(os.fspath(model))))
        return made
    if hasattr(model, "ParseFromString"):
        made = type(model)()
    else:
        return data
    made.ParseFromString(data)
    return made
