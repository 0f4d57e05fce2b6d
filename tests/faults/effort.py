"""How hard tests of faults try: a little in the ordinary suite, much where UNDERSTUDY_FAULTS says `long`."""

from __future__ import annotations

import os

LONG_FORM = os.environ.get("UNDERSTUDY_FAULTS") == "long"


def times(short: int, long: int) -> int:
    """Return how often something is tried."""
    return long if LONG_FORM else short
