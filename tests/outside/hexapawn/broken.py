"""A game whose package cannot be loaded."""

raise RuntimeError("nobody has written this game yet")
