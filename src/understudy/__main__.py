"""`python -m understudy` is `understudy`: the commands are loaded here, and Ctrl-C meanwhile leaves one line."""

import _signal  # type: ignore[import-not-found]  # `signal` loads others, and Ctrl-C meanwhile leaves a traceback
import os

TYPE_CHECKING = False  # typing's own, without loading it
if TYPE_CHECKING:
    from types import CodeType, FrameType

IMPORTING = "<frozen importlib._bootstrap>"
"""Where Python is while it loads a module."""
_answering: "CodeType | None" = None
"""The code that answers an interruption, once it is loaded."""


def _interrupt(number: int, frame: "FrameType | None") -> None:
    """Interrupt as usual, but not inside an import: its locks may swallow that, and half a module is no use."""
    answered = False
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            _stop()
        answered = answered or frame.f_code is _answering
        frame = frame.f_back
    if not answered:
        _stop()
    raise KeyboardInterrupt


def _stop() -> None:
    """End at once with one line; the cursor that a progress bar has hidden is shown again."""
    os.write(2, b"\x1b[?25hunderstudy: stopped\n" if os.isatty(2) else b"understudy: stopped\n")
    os._exit(130)


try:  # noqa: SIM105 (contextlib takes longer to load than all of this)
    _signal.signal(_signal.SIGINT, _interrupt)  # before anything else is loaded
except ValueError:  # somebody has loaded this in another thread, where nobody hears of signals
    pass


def main() -> None:
    """Run the command line; who stops it while something is being loaded reads one line, not where it was."""
    global _answering
    from understudy.cli import main as run

    _answering = run.__code__
    run()


if __name__ == "__main__":
    main()
