"""Progress of a long run: the caller's function, or a bar where people look."""
import sys
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Optional, Union

_QUIET = 2.0  # seconds before a bar is shown


def _is_watched() -> bool:
    if "ipykernel" in sys.modules:
        return True
    return bool(sys.stderr and sys.stderr.isatty())


class _Bar:
    """A line on the terminal; tqdm's if it is installed."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar: Any = None
        self._line = False

    def __call__(self, told: Dict[str, Any]) -> None:
        if time.monotonic() - self._start < _QUIET:
            return
        if self._bar is None and not self._line:
            try:
                from tqdm.auto import tqdm

                self._bar = tqdm(desc="rw", unit=" passes", leave=False)
            except ImportError:
                self._line = True
        if self._bar is not None:
            self._bar.set_postfix_str(f"{told['pass']}, {told['ops']} ops")
            self._bar.update()
        else:
            sys.stderr.write(f"\r\x1b[Krw: {told['pass']} (pass {told['passes']}, {told['ops']} ops)")
            sys.stderr.flush()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def shown_progress(progress: Union[bool, Callable[[Dict[str, Any]], None], None]) -> Iterator[Optional[Callable[[Dict[str, Any]], None]]]:
    """What is told of each pass. Something always is: Python looks for Ctrl-C there."""
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool) and progress is not None:
        raise TypeError(f"`progress` is a function, True, False or None, not {progress!r}")
    if progress is False or (progress is None and not _is_watched()):
        yield lambda told: None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()
