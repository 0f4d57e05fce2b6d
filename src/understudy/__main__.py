"""`python -m understudy` is `understudy`: the commands are loaded here, and Ctrl-C meanwhile leaves one line."""

import os
import signal
from types import FrameType

IMPORTING = "<frozen importlib._bootstrap>"
"""Where Python is while it loads a module."""


def main() -> None:
    """Run the command line; who stops it while something is being loaded reads one line, not where it was."""
    signal.signal(signal.SIGINT, _interrupt)
    from understudy.cli import main as run

    run()


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Interrupt as usual, but not inside an import: its locks may swallow that, and half a module is no use."""
    while frame is not None:
        if frame.f_code.co_filename == IMPORTING:
            os.write(2, b"\x1b[?25hunderstudy: stopped\n" if os.isatty(2) else b"understudy: stopped\n")
            os._exit(130)  # the cursor that a progress bar has hidden is shown again
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
