"""The functions and classes of the package; `rw/__init__.py` lists them."""
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._diagnostics import Diagnostic
from ._edit import Pass
from ._progress import shown_progress

if TYPE_CHECKING:
    import onnx

ModelLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, "onnx.ModelProto", "Program"]
PatternsLike = Union[str, "os.PathLike[str]", "Rules"]
Dimension = Union[int, str, None]  # a size, a symbol, or as it is
ProgressFunction = Callable[[Dict[str, Any]], None]


def _is_proto(model: Any) -> bool:
    """Whether it is a message that a model is; a graph, or a node, is a message as well."""
    name = getattr(getattr(type(model), "DESCRIPTOR", None), "name", "ModelProto")
    return hasattr(model, "SerializeToString") and hasattr(model, "ParseFromString") and name == "ModelProto"


def _read(session: _native.Session, model: ModelLike) -> _native.Model:
    if isinstance(model, Program):
        return model._model
    if isinstance(model, (str, os.PathLike)):
        return session.read(os.fspath(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return session.read_bytes(bytes(model), "<bytes>")
    if _is_proto(model):
        return session.read_bytes(model.SerializeToString(), "<ModelProto>")
    raise TypeError(f"a model is a path, bytes, an onnx.ModelProto or an rw.Program, not {type(model).__name__}")


def _write(model: _native.Model, path: Union[str, "os.PathLike[str]"], external_data: Union[bool, str], size_threshold: int) -> List[Diagnostic]:
    file = os.path.basename(os.fspath(path)) + ".data" if external_data is True else external_data or None
    return model.write(os.fspath(path), {"external_data": file, "external_bytes": size_threshold if file else None})


class Result:
    """What a run made of a model, and what it did.

    `statistics` is the object that `rw-opt --stats=json` prints: "ops" {"before", "after", "kinds"}, "passes", "patterns", "changed", "check".
    """

    def __init__(self, model: _native.Model, answer: Dict[str, Any], diagnostics: List[Diagnostic], proto: Any = None):
        self._model = model
        self._proto = proto  # the class of the model that was given, if it was one
        self.statistics: Dict[str, Any] = answer.get("statistics", {})
        self.table: str = answer.get("table", "")
        self.rewrites: List[Dict[str, Any]] = answer.get("rewrites", [])
        self.report: Optional[str] = answer.get("report")
        self.diagnostics: List[Diagnostic] = model.diagnostics + diagnostics

    @property
    def changed(self) -> bool:
        return bool(self.statistics.get("changed"))

    @property
    def ops_before(self) -> int:
        """Ops before, without constants."""
        return int(self.statistics["ops"]["before"])

    @property
    def ops_after(self) -> int:
        return int(self.statistics["ops"]["after"])

    @property
    def patterns(self) -> Dict[str, int]:
        """How often each pattern applied."""
        return {p["name"]: p["applied"] for p in self.statistics.get("patterns", [])}

    @property
    def remarks(self) -> List[str]:
        """What passes say of the run, and what they left."""
        said = [f"{p['pass']}: {p['message']}" for p in self.statistics.get("passes", []) if p.get("message")]
        return list(dict.fromkeys(list(self.statistics.get("remarks", [])) + said))

    @property
    def warnings(self) -> List[Diagnostic]:
        return [d for d in self.diagnostics if d.severity == "warning"]

    @property
    def check(self) -> Optional[Dict[str, Any]]:
        """What `check=N` compared; None if it was not asked for."""
        return self.statistics.get("check")

    @property
    def program(self) -> "Program":
        return Program(self._model)

    @property
    def model(self) -> Any:
        """An `onnx.ModelProto` if one was given, else the bytes of the file. For models of 2 GiB and more there are only files: `save`."""
        data = self.to_bytes()
        if self._proto is None:
            return data
        model = self._proto()
        model.ParseFromString(data)
        return model

    def to_bytes(self, format: str = "onnx") -> bytes:
        """The bytes of a file of this format: "onnx", "rwir" or "mlir". Tensors in files beside the model stay there, and the bytes name those files."""
        return self._model.bytes(format)

    def to_onnx(self) -> "onnx.ModelProto":
        """The model as a message of the package `onnx`, which must be installed."""
        from onnx import ModelProto

        model = ModelProto()
        model.ParseFromString(self.to_bytes())
        return model

    def save(self, path: Union[str, "os.PathLike[str]"], *, external_data: Union[bool, str] = False, size_threshold: int = 1024) -> "Result":
        """Writes .onnx, .rwir or .mlir by extension: the whole file or nothing.

        external_data   the name of a file beside the model that tensors of `size_threshold` bytes or more go to; True: the model's name with ".data". What
                        is in files beside the model that was read goes there as well. False: tensors stay where they are
        """
        self.diagnostics += _write(self._model, path, external_data, size_threshold)
        return self

    def __repr__(self) -> str:
        if not self.statistics:
            return "rw.Result()"
        return f"rw.Result({self.ops_before} ops -> {self.ops_after}, {sum(self.patterns.values())} rewrites)"

    def _repr_html_(self) -> str:
        import html

        if self.report is not None:
            return f'<iframe srcdoc="{html.escape(self.report)}" style="width:100%;height:40em;border:0" title="rw report"></iframe>'
        return f"<pre>{html.escape(self.table)}</pre>"


def _names(given: Iterable[str]) -> List[str]:
    """A single name need not stand in a list."""
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise TypeError(f"names are a text or a list of texts, not {type(given).__name__}")
    return [given] if isinstance(given, str) else list(given)


def _dimensions(shapes: Optional[Mapping[str, Sequence[Dimension]]]) -> Optional[Dict[str, List[Dimension]]]:
    if not shapes:
        return None
    if not isinstance(shapes, Mapping) or any(isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable) for shape in shapes.values()):
        raise TypeError(f'shapes are a dict of lists, such as {{"x": [1, 3, 224, "W"]}}, not {shapes!r}')
    return {name: list(shape) for name, shape in shapes.items()}


def _freedoms(given: Union[bool, str, Iterable[str], None]) -> Union[bool, str, None]:
    return given if isinstance(given, (bool, str)) or not isinstance(given, Iterable) else ",".join(map(str, given))


def _own_passes(given: Union[Pass, Iterable[Pass]]) -> List[Pass]:
    passes = [given] if isinstance(given, Pass) else list(given) if isinstance(given, Iterable) else [given]
    for one in passes:
        if isinstance(one, type) and issubclass(one, Pass):
            raise TypeError(f"passes are objects: {one.__name__}() in place of the class {one.__name__}")
        if not isinstance(one, Pass):
            raise TypeError(f"passes are objects of classes that derive from rw.Pass, not {one!r}")
    return passes


def optimize(model: ModelLike, *, pipeline: Optional[str] = None, patterns: Optional[PatternsLike] = None, only: Iterable[str] = (),
             disable: Iterable[str] = (), fastmath: Union[bool, str, Iterable[str], None] = None, strict: bool = False, check: int = 0,
             check_tolerance: Optional[float] = None, check_shapes: Optional[Mapping[str, Sequence[Dimension]]] = None,
             input_shapes: Optional[Mapping[str, Sequence[Dimension]]] = None, freeze_defaults: bool = False,
             inputs: Iterable[str] = (), outputs: Iterable[str] = (), keep: Iterable[str] = (), opset: Optional[int] = None,
             fp16: Union[bool, str] = False, keep_fp32: Iterable[str] = (), max_rewrites: Optional[int] = None,
             max_fold_bytes: Optional[int] = None, report: bool = False, rewrites: bool = False, timing: bool = False,
             passes: Union[Pass, Iterable[Pass]] = (), progress: Union[bool, ProgressFunction, None] = None) -> Result:
    """Optimises a model, as `rw-opt` does, and returns what came of it. The model that is given stays as it is, but for an `rw.Program`.

    pipeline      passes and pipelines, e.g. "onnx" or "canonicalize,repeat(4){cse,dce}"; None: what is usual for the format, or all patterns of
                  `patterns` if they are given; "none" only reads and writes
    patterns      an `rw.Rules`, the path of a .rw file, or its text; `pipeline` may name their passes
    only, disable patterns by name, glob ("Fold*") or label ("label:layout")
    fastmath      True, or "reassoc,contract", or these in a list: patterns that are right over the reals but not bit for bit
    strict        a pass that fails is an error, as is what cannot be checked
    check         compares the outputs before and after on so many random inputs, within `check_tolerance` (relative; 1e-4)
    check_shapes  shapes of inputs that `check` draws, as `input_shapes`
    input_shapes  {"x": [1, 3, 224, "W"]}: a size, the name of a symbol, or None for what it is
    freeze_defaults  inputs that have a default (an initializer of that name) are constants: nobody will give them another value
    inputs, outputs  cut the model at these values
    keep          ops that stay as they are, by name or by the name of a result
    opset         the version of ONNX's operator set that the model is converted to first, bodies and functions as well
    fp16          True: compute in floats of 16 bits, after all else, with inputs and results as they are; "io": these as well. Outputs that `check`
                  compares may then differ by 1e-2
    keep_fp32     ops that `fp16` leaves in 32 bits: kinds ("Softmax"), names, globs. `Result.remarks` says what else stays, and why
    max_rewrites  stop after so many rewrites and folds
    max_fold_bytes  no constant that is larger is computed beforehand; 0: none at all
    report        `Result.report` is a page about the run
    rewrites      `Result.rewrites` lists each one
    timing        `Result.statistics` has nanoseconds of passes and patterns
    passes        passes written in Python, which `pipeline` can name; without `pipeline` they run one after the other, behind the patterns of
                  `patterns` if there are any. What one raises is raised here, and an `rw.Program` is as it was before
    progress      called between passes with {"pass", "function", "passes", "ops"}; what it raises stops the run. None: a bar on a terminal or in a
                  notebook if the run takes long (with `tqdm`, if that is installed); False: none

    Raises `rw.Error` with diagnostics if the model, a pattern file or a name is wrong.
    """
    rules = None if patterns is None else patterns if isinstance(patterns, Rules) else Rules(patterns)
    session = rules._session if rules else _native.Session.base()
    own = _own_passes(passes)
    if own:
        session = session.copy()
        for one in own:
            session.add_pass(one._name(), (type(one).__doc__ or "").strip().split("\n")[0], one._run)
    native = _read(session, model)
    if pipeline is None and (rules is not None or own):
        pipeline = ",".join(([rules._pipeline()] if rules else []) + [one._name() for one in own])
    request = {
        "pipeline": pipeline, "only": _names(only) or None, "disable": _names(disable) or None, "fastmath": _freedoms(fastmath), "strict": strict or None,
        "check": check or None, "check_tolerance": check_tolerance, "max_rewrites": max_rewrites, "report": report or None,
        "rewrites": rewrites or None, "timing": timing or None, "inputs": _names(inputs) or None, "outputs": _names(outputs) or None,
        "keep": _names(keep) or None, "opset": opset, "fp16": fp16 or None, "keep_fp32": _names(keep_fp32) or None,
        "input_shapes": _dimensions(input_shapes), "check_shapes": _dimensions(check_shapes), "freeze_defaults": freeze_defaults or None,
        "max_fold_bytes": max_fold_bytes,
    }
    with shown_progress(progress) as tell:
        answer, diagnostics = session.optimize(native, request, tell)
    return Result(native, answer, diagnostics, type(model) if _is_proto(model) else None)


@dataclass(frozen=True)
class Value:
    """A value: its name in text ("%x") and its type ("f32[B, 3]"; "" if nothing is known)."""

    name: str
    type: str


Bound = Union[Value, List[Optional[Value]], str, None]


@dataclass(frozen=True)
class Match:
    """A place where a pattern matches. `op` is written as in text, "onnx.Relu %y".

    bound  what the names of the pattern stand for, if it was loaded from text or a file: a `Value`, a list of them, an op written as `op` is, or text
           for all else ("[0, 1]", "f32"); None for an operand that is left out
    """

    pattern: str
    function: str
    op: str
    bound: Dict[str, Bound] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Bound:
        """`match["x"]` is `match.bound["x"]`."""
        return self.bound[name]


def _bound(told: Optional[Dict[str, Any]]) -> Bound:
    if told is None:
        return None
    if "value" in told:
        return Value(told["value"], told["type"])
    if "values" in told:
        return [None if one is None else Value(one["value"], one["type"]) for one in told["values"]]
    return str(told["op"] if "op" in told else told["text"])


@dataclass(frozen=True)
class WhyNot:
    """What a pattern says of one op: that it matches (`bound` as of `Match`), or the conditions that fail, each with "condition", "file" and "line".
    `starts_at` are the kinds of op that it starts at, if this one is none of them."""

    pattern: str
    function: str
    op: str
    matches: bool
    reasons: List[Dict[str, Any]]
    starts_at: List[str]
    bound: Dict[str, Bound] = field(default_factory=dict)

    def __str__(self) -> str:
        where = f"@{self.function} {self.op}: {self.pattern}"
        if self.matches:
            return f"{where} matches"
        if self.starts_at:
            return f"{where} starts at {', '.join(self.starts_at)}"
        lines = [reason["condition"] + (f" at {reason['file']}:{reason['line']}" if reason["file"] else "") for reason in self.reasons]
        return f"{where} needs: " + "\n  or else: ".join(lines) if lines else f"{where} does not match and says no reason"


@dataclass(frozen=True)
class TestFailure:
    name: str
    file: str
    line: int
    why: str


@dataclass(frozen=True)
class TestReport:
    """What the `test` declarations of a file said. True if there were some and all passed."""

    passed: int
    failed: List[TestFailure]

    def __bool__(self) -> bool:
        return self.passed > 0 and not self.failed


@dataclass(frozen=True)
class Proof:
    """What the verifier says of a pattern: `verdict` is "proved", "checked", "refuted", "vacuous" or "tag", as docs/verification.md explains them.

    scope           ranks, sizes and element types that were decided
    arithmetic      "bit for bit" or "over the reals"
    reason          what a proof lacks, or what differs
    instances       programs at which the pattern fired
    counterexample  a `test` that fails, with the values at which it does; None if there is none
    cycle           patterns of the file that undo each other; None if none were seen
    """

    pattern: str
    file: str
    line: int
    verdict: str
    scope: str
    arithmetic: str
    reason: str
    instances: int
    branches: int
    counterexample: Optional[str]
    cycle: Optional[str]

    def __bool__(self) -> bool:
        return self.verdict == "proved"

    def __str__(self) -> str:
        parts = [part for part in (self.scope, self.arithmetic, self.reason) if part]
        text = f"{self.verdict.upper()} {self.pattern}" + (": " + "; ".join(parts) if parts else "")
        return text + (f"\n{self.counterexample}" if self.counterexample else "")


class Rules:
    """Patterns from a .rw file or its text, beside the built-in ones.

    source       a path (`os.PathLike`, or a text of one line that ends in ".rw" or names what is there), or the text of a file
    import_dirs  where the file's imports are looked for, beside its own folder and the built-in patterns
    """

    def __init__(self, source: Union[str, "os.PathLike[str]"], *, import_dirs: Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]] = (),
                 name: str = "rules.rw"):
        if not isinstance(source, (str, os.PathLike)):
            raise TypeError(f"patterns are an rw.Rules, the path of a .rw file or its text, not {type(source).__name__}")
        is_path = isinstance(source, os.PathLike) or ("\n" not in source and (source.strip().endswith(".rw") or os.path.exists(source)))
        if not isinstance(name, str):
            raise TypeError(f"`name` is what messages call the text, not {name!r}")
        file = {"path": os.fspath(source)} if is_path else {"path": name, "text": str(source)}
        self._session = _native.Session.base().copy()
        dirs = [import_dirs] if isinstance(import_dirs, (str, os.PathLike)) or not isinstance(import_dirs, Iterable) else list(import_dirs)
        if any(not isinstance(one, (str, os.PathLike)) for one in dirs):
            raise TypeError(f"`import_dirs` are paths of folders, not {import_dirs!r}")
        self._made_of = {"source": source, "import_dirs": dirs, "name": name}
        answer, self.diagnostics = self._session.load([file], [os.fspath(d) for d in dirs])
        self.patterns: List[str] = answer["patterns"]
        self.passes: List[str] = answer["passes"]
        self.pipelines: List[str] = answer["pipelines"]

    def __reduce__(self) -> Any:
        """Another process, or a copy, loads them again."""
        return (_rules_of, (self._made_of,))

    def _pipeline(self) -> str:
        return 'run_patterns{names="%s"}' % ",".join(self.patterns) if self.patterns else "none"

    def apply(self, model: ModelLike, **options: Any) -> Result:
        """Runs all patterns of the file until none matches; options as of `optimize`."""
        return optimize(model, patterns=self, **options)

    def matches(self, model: ModelLike, pattern: Optional[str] = None) -> List[Match]:
        """Where the patterns (or one of them) match in the model as it is, and what their names stand for there."""
        return [Match(found.pattern, found.function, found.op, found.bound)
                for found in self._answers(model, pattern, None, 1 << 30) if found.matches]

    def why_not(self, model: ModelLike, pattern: str, at: Optional[str] = None, limit: int = 200) -> List[WhyNot]:
        """What a pattern says of the ops that it could start at, or of the op or value `at` ("%y" or a name)."""
        return list(self._answers(model, pattern, at, limit))

    def _answers(self, model: ModelLike, pattern: Optional[str], at: Optional[str], limit: int) -> Iterator[WhyNot]:
        native = _read(self._session, model)
        for name in self.patterns if pattern is None else [pattern]:
            answer = self._session.match(native, {"pattern": name, "at": at, "limit": limit})
            for op in answer["ops"]:
                yield WhyNot(name, op["function"], op["op"], op["matches"], op["reasons"], op["starts_at"],
                             {bound: _bound(to) for bound, to in op["bound"].items()})

    def test(self, tests: str = "*") -> TestReport:
        """Runs the tests that the file declares, or those whose name the glob matches."""
        answer = self._session.test(tests)
        return TestReport(answer["passed"], [TestFailure(**failure) for failure in answer["failed"]])

    def verify(self, patterns: str = "*", progress: Optional[Callable[[Proof], None]] = None) -> List[Proof]:
        """Proves each pattern of the file (or those whose name the glob matches), or refutes it by an example. Takes a second or so for each;
        `progress` gets each answer as it comes, and what it raises ends the run."""
        tell = None if progress is None else lambda answer: progress(_proof(answer))
        proofs = [_proof(answer) for answer in self._session.verify(patterns, tell)]
        if not proofs and patterns != "*":
            raise ValueError(f"no pattern of {self!r} is named {patterns}, so that nothing is proved")
        return proofs

    def __repr__(self) -> str:
        shown = self.patterns if len(self.patterns) <= 6 else self.patterns[:5] + [f"and {len(self.patterns) - 5} more"]
        return f"rw.Rules({', '.join(shown)})"


def _rules_of(made_of: Dict[str, Any]) -> Rules:
    return Rules(**made_of)


def _proof(answer: Dict[str, Any]) -> Proof:
    return Proof(**{field: answer.get(field) for field in Proof.__dataclass_fields__})


@dataclass(frozen=True)
class Op:
    """An op. `attrs` are as text writes them; `operands` are names, None where an optional one is left out."""

    kind: str
    label: Optional[str]
    operands: List[Optional[str]]
    attrs: Dict[str, str]
    results: List[Value]
    regions: List[Dict[str, Any]]


class Function:
    """A function of a program: parameters, ops, results and uses."""

    def __init__(self, data: Dict[str, Any]):
        self.name: str = data["name"]
        self.params: List[Value] = [Value(p["name"], p["type"]) for p in data["params"]]
        self.ops: List[Op] = [Op(o["op"], o.get("label"), o["operands"], o["attrs"], [Value(r["name"], r["type"]) for r in o["results"]],
                                 o.get("regions", [])) for o in data["ops"]]
        self.result_names: List[str] = data.get("result_names", [])

    def users(self, value: Union[str, Value]) -> List[Op]:
        """The ops that have the value as an operand, those in regions not counted; `value` is one, or its name, with or without %."""
        name = value.name if isinstance(value, Value) else value
        names = {name, f"%{name}", f"%{json.dumps(name, ensure_ascii=False)}"}
        return [op for op in self.ops if not names.isdisjoint(op.operands)]

    def _count(self) -> str:
        """Ops as `Result.ops_before` counts them, and constants."""
        constants = sum(op.kind.rpartition(".")[2].lower() in ("constant", "initializer") for op in self.ops)
        ops = len(self.ops) - constants - sum(op.kind == "return" for op in self.ops)
        return f"{ops} op{'s' * (ops != 1)}" + (f", {constants} constant{'s' * (constants != 1)}" if constants else "")

    def __repr__(self) -> str:
        return f"rw.Function(@{self.name}, {self._count()})"


class Program:
    """A model that was read: its ops to look at, to write, to optimise in place."""

    def __init__(self, model: _native.Model):
        self._model = model
        self._described: Tuple[int, List[Function]] = (-1, [])  # as it was at that change

    @property
    def functions(self) -> List[Function]:
        """Those of the program as it is now. They are described once, and again when a run has changed it."""
        with self._model.lock:
            if self._model.is_running or self._model.is_spoilt or self._described[0] != self._model.changes:
                changes = -1 if self._model.is_running else self._model.changes  # a run that is under way goes on changing it
                self._described = (changes, [Function(f) for f in self._model.describe()["functions"]])
            return list(self._described[1])

    @property
    def main(self) -> Function:
        for function in self.functions:
            if function.name == "main":
                return function
        raise ValueError("the program has no function @main; `functions` has all that there are")

    @property
    def diagnostics(self) -> List[Diagnostic]:
        return self._model.diagnostics

    def text(self) -> str:
        """The program as .rwir text."""
        return self._model.bytes("rwir").decode("utf-8", "replace")

    def to_bytes(self, format: str = "onnx") -> bytes:
        return self._model.bytes(format)

    def save(self, path: Union[str, "os.PathLike[str]"], *, external_data: Union[bool, str] = False, size_threshold: int = 1024) -> None:
        """As `Result.save`."""
        _write(self._model, path, external_data, size_threshold)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        if self._model.is_spoilt:
            return f"rw.Program({self._model.name}, spoilt by a run that was stopped)"
        shown = [f"@{function.name} of {function._count()}" for function in self.functions]
        return f"rw.Program({self._model.name}: {', '.join(shown if len(shown) <= 4 else shown[:3] + [f'and {len(shown) - 3} functions more'])})"


def load(model: ModelLike, *, external_data: bool = False) -> Program:
    """Reads a model, to look at it. `external_data`: its tensors in other files are read as well, and are in the model from then on."""
    native = _read(_native.Session.base(), model)
    if external_data:
        native.read_tensors()
    return Program(native)


def extract(model: ModelLike, inputs: Iterable[str] = (), outputs: Iterable[str] = ()) -> Program:
    """The part of a model between these values, as it is: nothing is optimised. A side without names stays as it is."""
    return optimize(model, pipeline="none", inputs=inputs, outputs=outputs, progress=False).program


def report(model: ModelLike, **options: Any) -> str:
    """The page about a run of `optimize` with these options: counts, rewrites drawn before and after, near misses. HTML, of one piece."""
    return optimize(model, report=True, **options).report or ""


def diff(a: ModelLike, b: ModelLike) -> str:
    """What one model has that the other has not, as text; empty if nothing."""
    session = _native.Session.base()
    return _read(session, a).difference(_read(session, b))


def patterns() -> List[Dict[str, Any]]:
    """The built-in patterns: "name", "doc", "file", "line", "fastmath"."""
    return list(_native.Session.base().list()["patterns"])


def passes() -> List[Dict[str, Any]]:
    """The built-in passes and pipelines: "name", "doc", of a pipeline its "text"."""
    known = _native.Session.base().list()
    return list(known["passes"]) + list(known["pipelines"])
