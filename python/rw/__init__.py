"""rw: rewrite rules for tensor programs, from Python.

    import rw
    result = rw.optimize("model.onnx", check=2)          # as `rw-opt model.onnx --check 2`
    print(result.table)
    result.save("smaller.onnx")

    rules = rw.Rules('''
        import "onnx/onnx_ops.rw";
        pattern DropDoubleNeg { onnx.Neg(onnx.Neg(x)) => x }
    ''')
    rules.matches("model.onnx")                          # where, and what `x` is there
    rules.why_not("model.onnx", "DropDoubleNeg")         # and where not, and why
    rules.apply("model.onnx").save("mine.onnx")
    rules.verify()                                       # proved, or refuted by an example

Models are paths (.onnx, .rwir, .mlir), bytes, or `onnx.ModelProto`. A path and what tensors lie beside it never pass through Python. What is wrong with
a model or a pattern raises `rw.Error`, whose `diagnostics` are data. Calls release the GIL: threads optimise models side by side.
"""
TYPE_CHECKING = False  # as typing's, which takes long to import
if TYPE_CHECKING:
    from ._api import (Function, Match, Op, Program, Proof, Result, Rules, TestFailure, TestReport, Value, WhyNot, diff, extract, load, optimize, passes, patterns,
                       report)
    from ._diagnostics import Diagnostic, Error, Stopped
    from ._edit import AttrText, EditableFunction, EditableOp, EditableRegion, EditableValue, Pass

__version__ = "0.1.0"
__all__ = [
    "AttrText", "Diagnostic", "EditableFunction", "EditableOp", "EditableRegion", "EditableValue", "Error", "Function", "Match", "Op", "Pass", "Program",
    "Proof", "Result", "Rules", "Stopped", "TestFailure", "TestReport", "Value", "WhyNot", "diff", "extract", "load", "optimize", "passes", "patterns", "report",
]
_EDIT = {"AttrText", "EditableFunction", "EditableOp", "EditableRegion", "EditableValue", "Pass"}
_DIAGNOSTICS = {"Diagnostic", "Error", "Stopped"}


def __getattr__(name: str) -> object:
    """What the package offers is imported when it is first named: the import itself takes a millisecond."""
    if name not in __all__:
        raise AttributeError(f"module 'rw' has no attribute {name!r}")
    from importlib import import_module

    home = "._edit" if name in _EDIT else "._diagnostics" if name in _DIAGNOSTICS else "._api"
    value = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted(set(globals()) | set(__all__))
