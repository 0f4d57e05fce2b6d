"""Where tasks run: on this machine's cores."""

from understudy.backends.local import Local

__all__ = ["BACKENDS", "Local"]

BACKENDS = {"local": Local}
