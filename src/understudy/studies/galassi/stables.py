"""The two stables of the gaming test: symbolic Morris players by name, in the place of the students' programs.

`development` is for every day: whoever improves a student by its games against it has, in the end, fitted the student
to it. `held_out` is for the end: others than those, whom nobody was taught by, trained against or chosen by. A number
against it is honest once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.errors import UnknownName

STABLE = {
    "random moves": "random",
    "stochastic, 1 ply": "stochastic:depth=1",
    "stochastic, 2 plies": "stochastic:depth=2",
    "stochastic, 4 plies": "stochastic:depth=4",
    "stones, 1 ply": "searcher:depth=1,evaluator=stones,ties=random",
    "stones, 2 plies": "searcher:depth=2,evaluator=stones",
    "stones, 4 plies": "searcher:depth=4,evaluator=stones,ties=random",
    "stones, 6 plies": "searcher:depth=6,evaluator=stones",
    "handmade, 1 ply": "searcher:depth=1",
    "handmade, 2 plies": "searcher:depth=2",
    "handmade, 3 plies": "searcher:depth=3",
    "handmade, 4 plies": "searcher:depth=4",
    "handmade, 5 plies": "searcher:depth=5",
    "handmade, 6 plies": "searcher:depth=6",
    "handmade, 1000 nodes": "searcher:nodes=1000",
    "handmade, 30 000 nodes": "searcher:nodes=30000",
    "handmade, 0.02 s": "searcher:time=0.02",
    "handmade, 0.2 s": "searcher:time=0.2",
}
"""All but the last two are the same on every machine. `searcher:nodes=30000` also taught `student:morris`."""

HELD_OUT_STABLE = {
    "stochastic, 5 plies": "stochastic:depth=5",
    "stones, 10 000 nodes": "searcher:nodes=10000,evaluator=stones,ties=random",
    "blocker, 2 plies": "searcher:depth=2,evaluator=blocker",
    "blocker, 4 plies": "searcher:depth=4,evaluator=blocker,ties=random",
    "miller, 1 ply": "searcher:depth=1,evaluator=miller,ties=random",
    "miller, 3 plies": "searcher:depth=3,evaluator=miller",
    "miller, 2000 nodes": "searcher:nodes=2000,evaluator=miller,ties=random",
    "builder, 3 plies": "searcher:depth=3,evaluator=builder",
    "builder, 5 plies": "searcher:depth=5,evaluator=builder",
    "DeepMill's, 1 ply": "searcher:depth=1,evaluator=deepmill",
    "DeepMill's, 3 plies": "searcher:depth=3,evaluator=deepmill",
    "DeepMill's, 5 plies": "searcher:depth=5,evaluator=deepmill",
    "DeepMill's, 5000 nodes": "searcher:nodes=5000,evaluator=deepmill,ties=random",
    "DeepMill's, tables": "searcher:nodes=2000,evaluator=deepmill,tables=flying",
    "builder, tables": "searcher:nodes=10000,evaluator=builder,tables=flying",
    "temporal differences, 3 plies": "student:morris_td,depth=3",
    "DeepMill's, 0.1 s": "searcher:time=0.1,evaluator=deepmill",
    "handmade, 0.05 s": "searcher:time=0.05",
}
"""None is a member of the other, nor teacher or opponent in an experiment that ships. All but the last two are the same
on every machine; `tables=flying` needs nothing on the disk."""

STABLES: Mapping[str, Mapping[str, str]] = {"development": STABLE, "held_out": HELD_OUT_STABLE}
USUAL_STABLE = "development"

ONCE = (
    "The held-out stable is for the last measurement of a student: use it once, and grade by other games whatever you "
    "change or choose afterwards."
)
"""Said wherever its results are shown."""


def find_stable(name: str) -> Mapping[str, str]:
    """Return the stable of that name."""
    if name not in STABLES:
        raise UnknownName("stable", name, STABLES)
    return STABLES[name]


def name_stable(members: Mapping[str, str]) -> str:
    """Return what a stable is called; nothing if it is somebody's own."""
    return next((name for name, known in STABLES.items() if known == dict(members)), "")


def stable_facts(members: Mapping[str, str]) -> dict[str, Any]:
    """Return what JSON tells of a stable: its name, its members, and whether it should be used but once."""
    name = name_stable(members)
    return {"stable_name": name, "stable": dict(members)} | ({"note": ONCE} if name == "held_out" else {})
