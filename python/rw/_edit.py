"""Passes written in Python: `Pass`, and the function, ops and values that it looks at and changes while it runs.

In:  a function of a program, while a pass of the caller's runs over it (rw_edit of rw/c/rw.h).
Out: the function changed. What cannot be done raises `rw.Error` and changes nothing; what a pass raises ends the run, and the model is as it was.
"""
import array
import math
import re
import struct
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native

if TYPE_CHECKING:
    import numpy

Scalar = Union[bool, int, float, str]
Attribute = Union[Scalar, "AttrText", Sequence[Any]]
# How Python's `array` and numpy call element types; f16 and bf16 have no `array`, and bf16 is unknown to numpy.
_ARRAY_CODES = {"bool": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "f32": "f", "f64": "d"}
_NUMPY_NAMES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
                "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}


class AttrText(str):
    """An attribute as .rwir text writes it, for what is no number, text or list of these: `AttrText("dense<f32[2]: [1, 2]>")`."""


def _to_json(value: Any) -> Any:
    if isinstance(value, AttrText):
        return {"text": str(value)}
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return {"text": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, (list, tuple)):
        return [_to_json(one) for one in value]
    return value


def _op_number(edit: _native.Edit, given: Any) -> Optional[int]:
    if isinstance(given, EditableValue):
        raise TypeError(f"an op is wanted, not a value: {given!r} has `op`, which makes it")
    return _number_of(edit, given)


def _number_of(edit: _native.Edit, given: Any) -> Optional[int]:
    """How the library calls a value or an op of the function that `edit` is of; of no other, where the number would mean something else."""
    if given is None:
        return None
    if not isinstance(given, (EditableValue, EditableOp)):
        raise TypeError(f"this is done with values and ops of the function, not with {given!r}")
    if given._edit is not edit:
        raise ValueError("this op or value is of another function, or of a run that has ended")
    return given._number


def _value_number(edit: _native.Edit, given: Any) -> Optional[int]:
    if isinstance(given, EditableOp):
        raise TypeError(f"a value is wanted, not an op: {given!r} has `result` and `results`")
    return _number_of(edit, given)


def _operands(edit: _native.Edit, given: Any) -> List[Optional[int]]:
    if not isinstance(given, (EditableValue, EditableOp)) and not isinstance(given, Iterable):
        raise TypeError(f"operands are values of the function in a list, not {given!r}")
    return [_value_number(edit, value) for value in ([given] if isinstance(given, (EditableValue, EditableOp)) else given)]


def _from_json(value: Any) -> Any:
    if isinstance(value, dict):
        text = value["text"]
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}.get(text, AttrText(text))
    if isinstance(value, list):
        return [_from_json(one) for one in value]
    return value


class EditableValue:
    """A value while a pass runs: a result of an op, or a parameter."""

    def __init__(self, edit: _native.Edit, number: int):
        self._edit = edit
        self._number = number

    def _told(self) -> Dict[str, Any]:
        return self._edit.call({"ask": "value", "value": self._number})

    @property
    def name(self) -> str:
        """As in text: "%x"."""
        return str(self._told()["name"])

    @property
    def type(self) -> str:
        """As in text: "f32[B, 3]"; "?" if nothing is known."""
        return str(self._told()["type"])

    @property
    def dtype(self) -> Optional[str]:
        """"f32", "i64", …; None if it is not known or the value is no tensor."""
        dtype = self._told()["dtype"]
        return None if dtype is None else str(dtype)

    @property
    def shape(self) -> Optional[List[Union[int, str, None]]]:
        """Sizes, expressions over symbols ("B * 2"), and None for what is not known; None if the rank is not known."""
        shape = self._told()["shape"]
        return None if shape is None else list(shape)

    @property
    def op(self) -> Optional["EditableOp"]:
        """The op that makes it; None for a parameter."""
        number = self._told()["op"]
        return None if number is None else EditableOp(self._edit, number)

    @property
    def index(self) -> int:
        """Which result of its op it is, or which parameter."""
        return int(self._told()["index"])

    @property
    def uses(self) -> List[Tuple["EditableOp", int]]:
        """The ops that have it as an operand, and as which one. What a region returns are the operands of its last op, "return"."""
        return [(EditableOp(self._edit, op), index) for op, index in self._told()["uses"]]

    @property
    def users(self) -> List["EditableOp"]:
        """The ops that have it as an operand, each once."""
        return [EditableOp(self._edit, op) for op in dict.fromkeys(op for op, _ in self._told()["uses"])]

    @property
    def is_constant(self) -> bool:
        return bool(self._told()["is_constant"])

    def _elements(self) -> Tuple[Dict[str, Any], bytes, int]:
        told, data = self._edit.call_for_data({"ask": "elements", "value": self._number})
        count = math.prod(told["shape"])
        return told, data * count if told["splat"] else data, count

    def elements(self) -> List[Any]:
        """The elements of a constant, in order, flat. Element types that Python has no numbers for: `numpy()` or `data()`."""
        told, data, count = self._elements()
        if told.get("strings") is not None:
            return list(told["strings"]) * (count if told["splat"] else 1)
        if told["dtype"] == "f16":
            return list(struct.unpack(f"<{count}e", data))
        code = _ARRAY_CODES.get(told["dtype"])
        if code is None:
            raise TypeError(f"elements of {told['dtype']} are no Python numbers; numpy() or data() has them")
        numbers = array.array(code, data)
        if sys.byteorder == "big":
            numbers.byteswap()
        return [bool(n) for n in numbers] if told["dtype"] == "bool" else numbers.tolist()

    def data(self) -> bytes:
        """The elements of a constant, row-major, little endian."""
        return self._elements()[1]

    def numpy(self) -> "numpy.ndarray[Any, Any]":
        """The elements of a constant as an array of its shape; needs numpy."""
        import numpy

        told, data, _ = self._elements()
        if told.get("strings") is not None:
            return numpy.array(self.elements(), dtype=object).reshape(told["shape"])
        name = _NUMPY_NAMES.get(told["dtype"])
        if name is None:
            raise TypeError(f"numpy has no element type {told['dtype']}; data() gives the bytes")
        return numpy.frombuffer(data, numpy.dtype(name).newbyteorder("<")).reshape(told["shape"])

    def replace_uses(self, by: "EditableValue") -> None:
        """All uses become uses of the other value, whose type must not contradict. Ops that were created since the last `replace` or `erase` go on
        using this one: so a value can be wrapped."""
        self._edit.call({"do": "replace_uses", "from": self._number, "to": _value_number(self._edit, by)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EditableValue) and self._number == other._number and self._edit is other._edit

    def __hash__(self) -> int:
        return hash((id(self._edit), self._number))

    def __repr__(self) -> str:
        told = self._told()
        return f"{told['name']}: {told['type']}"


class EditableRegion:
    """A region of an op: parameters, and ops in order."""

    def __init__(self, edit: _native.Edit, data: Dict[str, Any]):
        self.params: List[EditableValue] = [EditableValue(edit, number) for number in data["params"]]
        self.ops: List[EditableOp] = [EditableOp(edit, number) for number in data["ops"]]

    def __repr__(self) -> str:
        return f"rw.EditableRegion({', '.join(map(repr, self.params))}; {len(self.ops)} op{'s' * (len(self.ops) != 1)})"


class EditableOp:
    """An op while a pass runs."""

    def __init__(self, edit: _native.Edit, number: int):
        self._edit = edit
        self._number = number

    def _told(self) -> Dict[str, Any]:
        return self._edit.call({"ask": "op", "op": self._number})

    @property
    def kind(self) -> str:
        """The full name: "onnx.Relu"."""
        return str(self._told()["kind"])

    @property
    def label(self) -> Optional[str]:
        """The op's own name (of an ONNX model, the node's); None if it has none."""
        label = self._told()["label"]
        return None if label is None else str(label)

    @property
    def operands(self) -> List[Optional[EditableValue]]:
        """None where an optional operand is left out."""
        return [None if number is None else EditableValue(self._edit, number) for number in self._told()["operands"]]

    @property
    def results(self) -> List[EditableValue]:
        return [EditableValue(self._edit, number) for number in self._told()["results"]]

    @property
    def result(self) -> EditableValue:
        """The only result, or the first."""
        return self.results[0]

    @property
    def attrs(self) -> Dict[str, Any]:
        """The attributes that are stored, by name: numbers, texts, lists, and `AttrText` for all else."""
        return {name: _from_json(value) for name, value in self._told()["attrs"].items()}

    def attr(self, name: str, otherwise: Any = None) -> Any:
        """An attribute, or the default that its op declares, or `otherwise`."""
        told = self._told()
        value = told["attrs"].get(name, told["defaults"].get(name))
        return otherwise if value is None else _from_json(value)

    @property
    def regions(self) -> List[EditableRegion]:
        return [EditableRegion(self._edit, region) for region in self._told()["regions"]]

    @property
    def parent(self) -> Optional["EditableOp"]:
        """The op in whose region it stands; None at the top."""
        number = self._told()["parent"]
        return None if number is None else EditableOp(self._edit, number)

    @property
    def next(self) -> Optional["EditableOp"]:
        number = self._told()["next"]
        return None if number is None else EditableOp(self._edit, number)

    @property
    def exists(self) -> bool:
        """Whether it was not replaced or erased meanwhile."""
        try:
            self._told()
        except _native.Error:
            return False
        return True

    def replace(self, *values: Union[EditableValue, "EditableOp"]) -> None:
        """The values stand for the results, and the op goes. An op in place of values: all of its results. Types must not contradict; the name goes
        to a new op that has none."""
        numbers = [_value_number(self._edit, value) for given in values for value in (given.results if isinstance(given, EditableOp) else [given])]
        self._edit.call({"do": "replace", "op": self._number, "values": numbers})

    def erase(self) -> None:
        """Takes the op away, whose results nobody uses."""
        self._edit.call({"do": "erase", "op": self._number})

    def set_operand(self, index: int, value: Optional[EditableValue]) -> None:
        self._edit.call({"do": "set_operand", "op": self._number, "index": index, "value": _value_number(self._edit, value)})

    def set_attr(self, name: str, value: Optional[Attribute]) -> None:
        """None takes it away."""
        self._edit.call({"do": "set_attr", "op": self._number, "name": name, "value": _to_json(value)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EditableOp) and self._number == other._number and self._edit is other._edit

    def __hash__(self) -> int:
        return hash((id(self._edit), self._number))

    def __repr__(self) -> str:
        told = self._told()
        names = ", ".join("_" if number is None else EditableValue(self._edit, number).name for number in told["operands"])
        results = ", ".join(value.name for value in self.results)
        return f"{results} = {told['kind']}({names})" if results else f"{told['kind']}({names})"


class EditableFunction:
    """A function while a pass runs over it. Each function of a program is handed to a pass on its own."""

    def __init__(self, edit: _native.Edit):
        self._edit = edit

    def _told(self) -> Dict[str, Any]:
        return self._edit.call({"ask": "function"})

    @property
    def name(self) -> str:
        return str(self._told()["name"])

    @property
    def params(self) -> List[EditableValue]:
        return [EditableValue(self._edit, number) for number in self._told()["params"]]

    @property
    def ops(self) -> List[EditableOp]:
        """All ops in order, each before those in its regions; the last one of the function is its return."""
        return [EditableOp(self._edit, number) for number in self._told()["ops"]]

    def walk(self, *kinds: str) -> Iterator[EditableOp]:
        """The ops that are there now, or those of these kinds ("onnx.Relu"), in order. While one walks, ops may be changed: those that go meanwhile
        are left out, new ones are not visited."""
        for kind in kinds:
            if not isinstance(kind, str) or ("." not in kind and kind != "return"):
                raise ValueError(f'kinds are full names of ops, as "onnx.Relu", not {kind!r}')
        return self._walk(kinds)

    def _walk(self, kinds: Sequence[str]) -> Iterator[EditableOp]:
        for op in self.ops:
            try:
                kind = op.kind
            except _native.Error:  # gone meanwhile
                continue
            if not kinds or kind in kinds:
                yield op

    def create(self, kind: str, operands: Union[EditableValue, Iterable[Optional[EditableValue]]] = (), attrs: Optional[Mapping[str, Attribute]] = None, *,
               before: Optional[EditableOp] = None, types: Union[str, Sequence[str]] = (), results: Optional[int] = None,
               label: Optional[str] = None) -> EditableOp:
        """A new op, in front of `before`, or at the end.

        kind      the full name; one that no dialect declares is taken as it is (a kernel of one's own)
        operands  values, None where an optional one is left out; a single one need not stand in a list
        attrs     by name; what is left out has its default
        types     of the results, as text ("f32[B, 3]"); left out: what follows from the operands
        results   how many, of ops that have a varying number
        """
        made = self._edit.call({
            "do": "create", "kind": kind, "operands": _operands(self._edit, operands),
            "attrs": {name: _to_json(value) for name, value in (attrs or {}).items()}, "types": [types] if isinstance(types, str) else list(types) or None, "results": results,
            "label": label, "before": _op_number(self._edit, before)})
        return EditableOp(self._edit, made["op"])

    def constant(self, elements: Any, dtype: Optional[str] = None, shape: Optional[Sequence[int]] = None, *,
                 before: Optional[EditableOp] = None) -> EditableValue:
        """A constant: of a numpy array, a number, a text, (nested) lists of them, or of bytes with `dtype` and `shape`. Without `dtype` whole numbers are
        i64 and others f32; numbers that are not of the `dtype` are a ValueError."""
        request, data = _tensor(elements, dtype, shape)
        request.update({"do": "constant", "before": _op_number(self._edit, before)})
        return EditableOp(self._edit, self._edit.call(request, data)["op"]).result

    def clone(self, op: EditableOp, operands: Union[EditableValue, Iterable[Optional[EditableValue]]], *, before: Optional[EditableOp] = None) -> EditableOp:
        """The same op, with its attributes and regions, on other operands."""
        made = self._edit.call({"do": "clone", "op": _op_number(self._edit, op), "operands": _operands(self._edit, operands),
                                "before": _op_number(self._edit, before)})
        return EditableOp(self._edit, made["op"])

    def __repr__(self) -> str:
        return f"rw.EditableFunction(@{self.name})"


def _tensor(elements: Any, dtype: Optional[str], shape: Optional[Sequence[int]]) -> Tuple[Dict[str, Any], bytes]:
    """A request for a constant, and its bytes."""
    if shape is not None and (isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable)):
        raise TypeError(f"a shape is a list of sizes, not {shape!r}")
    ours = {numpy_name: name for name, numpy_name in _NUMPY_NAMES.items()}
    dtype = None if dtype is None else ours.get(str(dtype), str(dtype))
    if isinstance(elements, (bytes, bytearray, memoryview)):
        if dtype is None or shape is None:
            raise TypeError("bytes are a constant together with `dtype` and `shape`")
        return {"dtype": dtype, "shape": list(shape)}, bytes(elements)
    if hasattr(elements, "__array_interface__"):
        import numpy

        have = numpy.asarray(elements)
        if have.dtype.kind in "UO" and all(isinstance(one, str) for one in have.flat):  # texts
            return _tensor(have.tolist(), dtype, list(have.shape) if shape is None else shape)
        if dtype is not None and dtype not in _NUMPY_NAMES:
            raise TypeError(f"numpy has no element type {dtype}; constants of it are made of bytes, with a shape")
        if dtype is not None:
            have = have.astype(_NUMPY_NAMES[dtype])
        name = ours.get(have.dtype.name)
        if name is None:
            raise TypeError(f"a constant has no elements of {have.dtype}")
        have = numpy.ascontiguousarray(have, have.dtype.newbyteorder("<")).reshape(have.shape if shape is None else list(shape))
        return {"dtype": name, "shape": list(have.shape)}, have.tobytes()
    flat, found = _flattened(elements)
    if shape is not None:
        if math.prod(shape) != len(flat):
            raise ValueError(f"a constant of shape {list(shape)} has {math.prod(shape)} elements, not {len(flat)}")
        found = list(shape)
    for one in flat:
        if not isinstance(one, str) and not hasattr(type(one), "__index__") and not hasattr(type(one), "__float__"):
            raise TypeError(f"a constant is made of numbers or texts, not of {one!r}")
    kinds = {type(one) for one in flat}
    if str in kinds and (kinds != {str} or dtype not in (None, "str")):
        raise TypeError("a constant is of numbers or of texts, not of both" if kinds != {str} else f"texts are no elements of {dtype}")
    if dtype is None:
        dtype = "str" if kinds == {str} else "bool" if kinds == {bool} else "i64" if flat and all(hasattr(kind, "__index__") for kind in kinds) else "f32"
    if dtype == "str":
        if kinds - {str}:
            raise TypeError("elements of str are texts")
        return {"dtype": dtype, "shape": found, "strings": flat}, b""
    return {"dtype": dtype, "shape": found}, _packed(flat, dtype)


def _packed(numbers: List[Any], dtype: str) -> bytes:
    """Numbers as elements of this type, little endian."""
    code = "e" if dtype == "f16" else _ARRAY_CODES.get(dtype)
    if code is None:
        raise TypeError(f"numbers make no constant of {dtype}; numpy arrays or bytes do, of types that there are")
    try:
        if code == "e":
            return struct.pack(f"<{len(numbers)}e", *numbers)
        if code in "fd":
            packed = array.array(code, numbers)
        else:
            whole = [bool(one) if dtype == "bool" else int(one) for one in numbers]
            if any(one != given for one, given in zip(whole, numbers)):
                raise ValueError
            packed = array.array(code, whole)
    except (ValueError, OverflowError):  # a fraction, no number, or one that is too large
        raise ValueError(f"these are no elements of {dtype}: {numbers if len(numbers) < 9 else [*numbers[:8], '...']}") from None
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _flattened(elements: Any) -> Tuple[List[Any], List[int]]:
    if isinstance(elements, str) or not isinstance(elements, Iterable):
        return [elements], []
    parts = [_flattened(one) for one in elements]
    shapes = [shape for _, shape in parts]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("the lists of a constant are not of one length")
    return [one for flat, _ in parts for one in flat], [len(parts)] + (shapes[0] if shapes else [])


class Pass:
    """A pass written in Python. Derive from it and say what `run` does; `rw.optimize(model, passes=[MyPass()])` runs it, and `pipeline=` can name it
    between others.

        class DropIdentity(rw.Pass):
            '''Takes ops away that give their operand.'''
            def run(self, function):
                for op in function.walk("onnx.Identity"):
                    op.replace(op.operands[0])

        rw.optimize("model.onnx", passes=[DropIdentity()], pipeline="onnx,drop_identity,dce")

    name  how pipelines call it; else the name of the class, written drop_identity
    """

    name: str = ""

    def __repr__(self) -> str:
        return f"rw.Pass({self._name()})"

    def run(self, function: EditableFunction, **options: str) -> None:
        """Called once for each function of a program; `options` are those of the pipeline's text, `drop_identity{limit=3}`. What it raises ends the run
        and leaves the model as it was. A function that is wrong afterwards (an operand that is not there yet, a type that cannot be) is an
        `rw.Error`."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its method `run` does")

    def _name(self) -> str:
        return self.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", type(self).__name__).lower()

    def _run(self, edit: _native.Edit, options: Dict[str, str]) -> None:
        try:
            self.run(EditableFunction(edit), **options)
        finally:
            edit.end()
