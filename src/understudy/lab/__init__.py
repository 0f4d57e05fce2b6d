"""Experiments end to end, one lab for each kind: the only modules that know every part."""

from __future__ import annotations

from importlib import import_module
from typing import Any

LABS = {
    "imitation": "understudy.lab.kinds.imitation",
    "evaluators": "understudy.lab.kinds.evaluators",
    "online": "understudy.lab.kinds.online",
    "values": "understudy.lab.kinds.values",
    "evolution": "understudy.lab.kinds.evolution",
    "offline": "understudy.lab.kinds.offline",
    "labels": "understudy.lab.kinds.labels",
}
"""The lab of each kind of experiment: a module with `run`, `train_students` and `report`.

The first two take the backend on which games are played. What learns stays with the driver, and what learns while it
plays (`online`) stays in its threads.
"""


def find_lab(kind: str) -> Any:
    """Return the lab for a kind of experiment; only it is imported, so a study without PyTorch never waits for it."""
    return import_module(LABS[kind])
