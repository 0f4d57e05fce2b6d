"""The papers: their numbers, what only they need, and what shows their results beside ours."""
