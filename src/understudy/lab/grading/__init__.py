"""How the cells of a series are graded together, each way in a module of its own.

A module has the `Options` of `[grading]`; `check(experiment)`, which raises before anything runs if the series cannot
be graded so; maybe `check_ready(experiment)`, which asks, when a run begins, for what the experiment's file does not
hold; and `grade(run)`, which reads the cells' folders and returns what `graded.json` keeps for the report.
"""
