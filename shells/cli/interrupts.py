"""Ctrl-C and a request to end always reach the command, whatever ran at that moment.

Python raises the interrupt in whatever code is running. In a finaliser (`__del__`, a weak
reference's callback) it cannot leave: Python prints it as "ignored" and the run goes on. Such an
interrupt is asked for again a moment later, when the finaliser is done.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_AGAIN_AFTER = 0.02  # seconds: longer than a finaliser takes
_DAGSTER_RAISES = "DagsterExecutionInterruptedError"  # named: this module is free of Dagster


def listen() -> None:
    """Take SIGTERM as Ctrl-C, and let no finaliser swallow either."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.unraisablehook = _ask_again


def _ask_again(lost: sys.UnraisableHookArgs) -> None:
    kind = lost.exc_type
    if not issubclass(kind, KeyboardInterrupt) and kind.__name__ != _DAGSTER_RAISES:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(_AGAIN_AFTER, _interrupt)
    again.daemon = True
    again.start()


def _interrupt() -> None:
    # A true signal, not `interrupt_main`: it also ends a blocking wait of the main thread. Where
    # it can be, SIGTERM: a process started in the background may have to ignore SIGINT.
    if os.name == "nt":
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGTERM)
