"""The shared library behind the package, by ctypes (rw/c/rw.h).

In:  requests as dictionaries. Out: answers as dictionaries, or an exception (`Error`, `Stopped`).
The library is loaded when it is first needed, so importing the package costs little; ctypes releases the GIL while it runs.
"""
import ctypes
import json
import os
import sys
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._diagnostics import Diagnostic, Error, Stopped
from ._interrupts import Interrupts

C_VERSION = 3
_OK, _WRONG_INPUT, _WRONG_REQUEST, _STOPPED, _INTERNAL, _PASS_FAILED = range(6)
_Progress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_Pass = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_lock = threading.Lock()
_library: Optional[ctypes.CDLL] = None
_base: Optional["Session"] = None


def _path() -> str:
    """Where the library lies: RW_LIBRARY names it for a package that is used from a source tree."""
    return os.environ.get("RW_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "librw.so")


def _open() -> ctypes.CDLL:
    path = _path()
    # What it needs it finds in itself first: another package's Protobuf in the same process is not meant.
    mode = getattr(os, "RTLD_LOCAL", 0) | getattr(os, "RTLD_NOW", 0) | getattr(os, "RTLD_DEEPBIND", 0)
    try:
        lib = ctypes.CDLL(path, mode=mode)
    except OSError as why:
        raise ImportError(f"rw cannot load its library {path}: {why}; RW_LIBRARY names another one") from why
    handle, text, buffer = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
    functions = {
        "rw_c_version": (ctypes.c_uint32, []),
        "rw_version": (text, []),
        "rw_buffer_data": (handle, [handle]),
        "rw_buffer_size": (ctypes.c_size_t, [handle]),
        "rw_buffer_free": (None, [handle]),
        "rw_session_new": (handle, []),
        "rw_session_copy": (handle, [handle]),
        "rw_session_free": (None, [handle]),
        "rw_session_load": (ctypes.c_int, [handle, text, buffer]),
        "rw_session_list": (ctypes.c_int, [handle, buffer]),
        "rw_session_add_pass": (ctypes.c_int, [handle, text, _Pass, ctypes.c_void_p, buffer]),
        "rw_edit_do": (ctypes.c_int, [handle, text, ctypes.c_char_p, ctypes.c_size_t, buffer, buffer]),
        "rw_session_test": (ctypes.c_int, [handle, text, buffer]),
        "rw_session_verify": (ctypes.c_int, [handle, text, _Progress, ctypes.c_void_p, buffer]),
        "rw_model_read": (handle, [handle, text, buffer]),
        "rw_model_from_bytes": (handle, [handle, ctypes.c_char_p, ctypes.c_size_t, text, buffer]),
        "rw_model_free": (None, [handle]),
        "rw_model_write": (ctypes.c_int, [handle, text, buffer]),
        "rw_model_write_as": (ctypes.c_int, [handle, text, text, buffer]),
        "rw_model_read_tensors": (ctypes.c_int, [handle, handle, buffer]),
        "rw_model_bytes": (ctypes.c_int, [handle, text, buffer, buffer]),
        "rw_model_describe": (ctypes.c_int, [handle, buffer]),
        "rw_optimize": (ctypes.c_int, [handle, handle, text, _Progress, ctypes.c_void_p, buffer]),
        "rw_match": (ctypes.c_int, [handle, handle, text, buffer]),
        "rw_diff": (ctypes.c_int, [handle, handle, buffer]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    if lib.rw_c_version() < C_VERSION:
        raise ImportError(f"{path} is of interface {lib.rw_c_version()}, this package needs {C_VERSION}")
    return lib


def library() -> ctypes.CDLL:
    global _library
    with _lock:
        if _library is None:
            _library = _open()
        return _library


def _take(buffer: ctypes.c_void_p) -> bytes:
    """The bytes of a buffer, which is freed."""
    lib = library()
    try:
        size = lib.rw_buffer_size(buffer)
        return ctypes.string_at(lib.rw_buffer_data(buffer), size) if buffer else b""
    finally:
        lib.rw_buffer_free(buffer)


def _answer(buffer: ctypes.c_void_p) -> Tuple[Dict[str, Any], List[Diagnostic]]:
    data = _take(buffer)
    answer = json.loads(data) if data else {}
    return answer, [Diagnostic(**_known(d)) for d in answer.pop("diagnostics", [])]


def _known(diagnostic: Dict[str, Any]) -> Dict[str, Any]:
    fields = {"severity", "tag", "message", "file", "line", "column", "endLine", "endColumn", "notes", "fixIts"}
    names = {"endLine": "end_line", "endColumn": "end_column", "fixIts": "fix_its"}
    return {names.get(key, key): value for key, value in diagnostic.items() if key in fields}


def _check(status: int, diagnostics: List[Diagnostic]) -> None:
    if status == _OK:
        return
    if status == _STOPPED:
        raise Stopped()
    if not any(d.severity == "error" for d in diagnostics):
        diagnostics = diagnostics + [Diagnostic("error", "internal", "rw failed and says no reason; is memory left?")]
    raise Error(diagnostics)


def _callback(progress: Optional[Callable[[Dict[str, Any]], None]], interrupts: Interrupts) -> Any:
    """A function for C that calls `progress` and stops the run where that raises, or something came in between: `interrupts` has what."""

    def tell(data: bytes, _user: Any) -> int:
        try:
            with interrupts.allowed():
                if progress is not None:
                    progress(json.loads(data))
            return 0
        except BaseException as why:  # noqa: B902: the caller raises it again
            interrupts.raised.insert(0, why)
            return 1

    return _Progress(tell)


def _check_path(path: Any) -> None:
    if ("\0" if isinstance(path, str) else b"\0") in path:
        raise ValueError(f"a path has no zero byte in it: {path!r}")


def _plain(value: Any) -> Any:
    """Numbers of numpy, and paths, as what JSON has."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if type(value).__name__ in ("bool_", "bool") and hasattr(value, "dtype"):
        return bool(value)
    for method, plain in (("__index__", int), ("__float__", float)):
        if hasattr(type(value), method):
            return plain(value)
    raise TypeError(f"{value!r} is no number, text or list of these")


def _encode(request: Dict[str, Any]) -> bytes:
    given = {key: value for key, value in request.items() if value is not None}
    try:
        return json.dumps(given, default=_plain, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        for key, value in given.items():  # which one it was
            try:
                json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False).encode()
            except UnicodeEncodeError:
                raise ValueError(f"`{key}` is no text that UTF-8 can hold: {value!r}") from None
            except ValueError:
                raise ValueError(f"`{key}` is no finite number: {value!r}") from None
        raise


class Edit:
    """A function while a pass of the caller's runs over it."""

    def __init__(self, handle: int):
        self._handle: Optional[int] = handle

    def end(self) -> None:
        self._handle = None

    def call(self, request: Dict[str, Any], data: bytes = b"") -> Dict[str, Any]:
        return self._do(request, data, None)

    def call_for_data(self, request: Dict[str, Any]) -> Tuple[Dict[str, Any], bytes]:
        out = ctypes.c_void_p()
        answer = self._do(request, b"", ctypes.byref(out))
        return answer, _take(out)

    def _do(self, request: Dict[str, Any], data: bytes, out: Any) -> Dict[str, Any]:
        if self._handle is None:
            raise ValueError("the pass that this op, value or function belongs to has ended")
        buffer = ctypes.c_void_p()
        status = library().rw_edit_do(self._handle, _encode(request), data, len(data), out, ctypes.byref(buffer))
        answer, diagnostics = _answer(buffer)
        _check(status, diagnostics)
        return answer


class Session:
    """Patterns, passes and ops: the built-in ones and those that were loaded."""

    def __init__(self, handle: Optional[int]):
        if not handle:
            raise MemoryError("rw: no session")
        self._handle = handle
        self._passes: List[Any] = []  # functions that the library calls
        self._running = threading.local()  # the run of this thread, for passes

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and _library is not None:
            _library.rw_session_free(self._handle)

    @staticmethod
    def base() -> "Session":
        """The built-in patterns; nothing is loaded into it."""
        global _base
        lib = library()
        with _lock:
            if _base is None:
                _base = Session(lib.rw_session_new())
            return _base

    def copy(self) -> "Session":
        copy = Session(library().rw_session_copy(self._handle))
        copy._passes += self._passes
        return copy

    def add_pass(self, name: str, doc: str, run: Callable[[Edit, Dict[str, str]], None]) -> None:
        """A pass that calls `run`. What that raises ends a run of `optimize`, which raises it again."""

        def call(handle: int, options: bytes, _user: Any) -> int:
            interrupts: Interrupts = self._running.interrupts
            try:
                with interrupts.allowed():
                    run(Edit(handle), json.loads(options))
                return 0
            except BaseException as why:  # noqa: B902: the caller raises it again
                interrupts.raised.insert(0, why)
                return 1

        function = _Pass(call)
        self._passes.append(function)
        self._call("rw_session_add_pass", _encode({"name": name, "doc": doc}), function, None)

    def _call(self, name: str, *arguments: Any) -> Tuple[Dict[str, Any], List[Diagnostic]]:
        buffer = ctypes.c_void_p()
        status = getattr(library(), name)(self._handle, *arguments, ctypes.byref(buffer))
        answer, diagnostics = _answer(buffer)
        _check(status, diagnostics)
        return answer, diagnostics

    def load(self, files: List[Dict[str, Any]], import_dirs: List[str]) -> Tuple[Dict[str, Any], List[Diagnostic]]:
        return self._call("rw_session_load", _encode({"files": files, "import_dirs": import_dirs}))

    def list(self) -> Dict[str, Any]:
        return self._call("rw_session_list")[0]

    def test(self, glob: str) -> Dict[str, Any]:
        return self._call("rw_session_test", _encode({"tests": glob}))[0]

    def verify(self, glob: str, progress: Optional[Callable[[Dict[str, Any]], None]]) -> List[Dict[str, Any]]:
        """An answer for each pattern of loaded files. What `progress` raises, Ctrl-C as well, is raised here."""
        buffer = ctypes.c_void_p()
        with Interrupts() as interrupts:
            status = library().rw_session_verify(self._handle, _encode({"patterns": glob}), _callback(progress, interrupts), None, ctypes.byref(buffer))
        answer, diagnostics = _answer(buffer)
        interrupts.raise_what_came()
        _check(status, diagnostics)
        return list(answer["answers"])

    def read(self, path: str) -> "Model":
        buffer = ctypes.c_void_p()
        _check_path(path)
        handle = library().rw_model_read(self._handle, os.fsencode(path), ctypes.byref(buffer))
        return self._model(handle, buffer, path)

    def read_bytes(self, data: bytes, name: str) -> "Model":
        buffer = ctypes.c_void_p()
        handle = library().rw_model_from_bytes(self._handle, data, len(data), name.encode(), ctypes.byref(buffer))
        return self._model(handle, buffer, name)

    def _model(self, handle: Optional[int], buffer: ctypes.c_void_p, name: str) -> "Model":
        _, diagnostics = _answer(buffer)
        if not handle:
            _check(_WRONG_INPUT, diagnostics)
        return Model(self, handle, diagnostics, name)

    def match(self, model: "Model", request: Dict[str, Any]) -> Dict[str, Any]:
        with model.lock:
            return self._call("rw_match", model.handle, _encode(request))[0]

    def optimize(self, model: "Model", request: Dict[str, Any],
                 progress: Optional[Callable[[Dict[str, Any]], None]]) -> Tuple[Dict[str, Any], List[Diagnostic]]:
        """Optimises in place. What `progress` raises, Ctrl-C as well, stops the run and is raised here."""
        with model.lock:
            if model.is_running:  # in this thread: a callback asks for it
                raise ValueError("a run on this model is under way; its callbacks can look at it only")
            model.is_running = True
            model.changes += 1
            try:
                return self._optimize(model, request, progress)
            finally:
                model.is_running = False

    def _optimize(self, model: "Model", request: Dict[str, Any],
                  progress: Optional[Callable[[Dict[str, Any]], None]]) -> Tuple[Dict[str, Any], List[Diagnostic]]:
        buffer = ctypes.c_void_p()
        with Interrupts() as interrupts:
            outer, self._running.interrupts = getattr(self._running, "interrupts", None), interrupts
            callback = _callback(progress, interrupts)
            status = library().rw_optimize(self._handle, model.handle, _encode(request), callback, None, ctypes.byref(buffer))
            self._running.interrupts = outer
        answer, diagnostics = _answer(buffer)
        if status in (_STOPPED, _INTERNAL):
            model.spoil()
        interrupts.raise_what_came()
        _check(status, diagnostics)
        return answer, diagnostics


class Model:
    """A model that the library holds. One thread at a time uses it; a callback of a run may look at it."""

    def __init__(self, session: Session, handle: Optional[int], diagnostics: List[Diagnostic], name: str):
        self.lock = threading.RLock()
        self.name = name  # where it came from
        self.is_running = False
        self.changes = 0  # how often something was done to it
        self._session = session  # whose ops it is made of
        self._handle = handle
        self.diagnostics = diagnostics

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and _library is not None:
            _library.rw_model_free(self._handle)

    def __reduce__(self) -> Any:
        raise TypeError("a model that rw holds stays in its process: hand over what to_bytes() gives, or the path that save() wrote, and read that")

    @property
    def session(self) -> Session:
        return self._session

    @property
    def is_spoilt(self) -> bool:
        return not self._handle

    @property
    def handle(self) -> int:
        if not self._handle:
            raise ValueError("the run on this model was stopped; read it again")
        return self._handle

    def spoil(self) -> None:
        library().rw_model_free(self._handle)
        self._handle = None

    def write(self, path: str, request: Dict[str, Any]) -> List[Diagnostic]:
        _check_path(path)
        with self.lock:
            buffer = ctypes.c_void_p()
            status = library().rw_model_write_as(self.handle, os.fsencode(path), _encode(request), ctypes.byref(buffer))
            _, diagnostics = _answer(buffer)
            _check(status, diagnostics)
            return diagnostics

    def read_tensors(self) -> None:
        with self.lock:
            self.changes += 1
            buffer = ctypes.c_void_p()
            status = library().rw_model_read_tensors(self._session._handle, self.handle, ctypes.byref(buffer))
            _, diagnostics = _answer(buffer)
            _check(status, diagnostics)

    def bytes(self, format: str) -> bytes:
        with self.lock:
            data, buffer = ctypes.c_void_p(), ctypes.c_void_p()
            status = library().rw_model_bytes(self.handle, format.encode(), ctypes.byref(data), ctypes.byref(buffer))
            _, diagnostics = _answer(buffer)
            _check(status, diagnostics)
            return _take(data)

    def describe(self) -> Dict[str, Any]:
        with self.lock:
            buffer = ctypes.c_void_p()
            status = library().rw_model_describe(self.handle, ctypes.byref(buffer))
            answer, diagnostics = _answer(buffer)
            _check(status, diagnostics)
            return answer

    def difference(self, other: "Model") -> str:
        first, second = sorted((self, other), key=id)  # the same order in every thread
        with first.lock, second.lock:
            buffer = ctypes.c_void_p()
            status = library().rw_diff(self.handle, other.handle, ctypes.byref(buffer))
            answer, diagnostics = _answer(buffer)
            _check(status, diagnostics)
            return str(answer["difference"])


def version() -> str:
    return library().rw_version().decode()


if sys.platform != "linux" and not os.environ.get("RW_LIBRARY"):
    raise ImportError("rw's package holds a library for Linux; RW_LIBRARY names one built for this system")
