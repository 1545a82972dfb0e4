"""Ctrl-C while the library runs.

A signal's handler runs when Python does next, which is where the library calls back, perhaps before the first line of what it calls: an exception
there would be lost, and the run go on. So while the library runs what the handler raises is kept, for whoever calls back next to stop the run.

    with Interrupts() as interrupts:
        status = library.run(callback(interrupts))      # in the callback: `with interrupts.allowed(): …`
    interrupts.raise_what_came()
"""
import signal
import threading
from contextlib import contextmanager
from typing import Any, Iterator, List


class Interrupts:
    def __init__(self) -> None:
        self.raised: List[BaseException] = []
        self._allowed = 0
        self._previous: Any = None
        self._installed = False

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():  # others get no signals
            self._previous = signal.getsignal(signal.SIGINT)
            if callable(self._previous):
                signal.signal(signal.SIGINT, self._handle)
                self._installed = True
        return self

    def __exit__(self, *_: Any) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, self._previous)

    def _handle(self, number: int, frame: Any) -> None:
        if self._allowed:  # in code of the caller's, which ends where it is
            self._previous(number, frame)
            return
        try:
            self._previous(number, frame)
        except BaseException as why:  # noqa: B902: raised again when the library has come back
            self.raised.append(why)

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Around code of the caller's: exceptions go their way. What came before is raised at once."""
        self._allowed += 1
        try:
            if self.raised:
                raise self.raised.pop(0)
            yield
        finally:
            self._allowed -= 1

    def raise_what_came(self) -> None:
        if self.raised:
            raise self.raised[0]
