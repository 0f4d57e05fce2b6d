"""The board in the browser: a page, and the JSON under it, for people and for scripts; on this machine alone."""
