"""A tiny experiment of each kind, done in seconds: what tests of several rooms run, change and break."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from understudy.lab.experiments import make_experiment

TEACHER = "searcher:evaluator=q,depth=1,method=minimax,ties=random"
OPPONENT = "searcher:evaluator=aloa,depth=1,method=minimax,ties=random"
"""Plain minimax, as it is named inside kernels."""

IMITATION: dict[str, Any] = {
    "experiment": {"title": "A test"},
    "watch": {"teacher": "searcher:depth=1", "opponents": ["random"], "regular": 24, "ply_limit": 40},
    "student": {"design": "whole", "order": "FTR"},
    "network": {"kind": "residual", "width": 50, "hidden": 50, "blocks": 1, "symmetric": True},
    "training": {
        "epochs": 2, "batch": 128, "images": "one", "learning_rate": 0.01, "beta1": 0.9, "schedule": "one_cycle",
    },
    "judging": {"states": "generate", "states_count": 300, "games": 4},
    "variations": {"FTR": {}, "TFR": {"student": {"order": "TFR", "design": "cascade"}}},
    "tune": {"network": {"blocks": [0, 1]}, "training": {"learning_rate": {"low": 1e-3, "high": 1e-2, "log": True}}},
}  # fmt: skip

SHORT: dict[str, Any] = {
    "watch": {"teacher": "searcher:depth=1", "opponents": ["random"], "regular": 12, "ply_limit": 40},
    "network": {"kind": "residual", "width": 26, "hidden": 26, "blocks": 1},
    "training": {"epochs": 1, "batch": 128, "learning_rate": 0.01, "beta1": 0.9, "legality": 0.5},
    "judging": {"states": "generate", "states_count": 60, "games": 2},
    "tune": {"network": {"blocks": [0, 1]}},
}

IMITATIONS: dict[str, dict[str, Any]] = {
    "morris": IMITATION,
    "konane": SHORT | {
        "experiment": {"title": "A test", "game": "konane", "size": "5x5"},
        "network": {**SHORT["network"], "symmetric": True},
        "variations": {"FT": {"student": {"design": "whole"}}, "TF": {"student": {"order": "TF"}}},
    },
    "lines_of_action": SHORT | {
        "experiment": {"title": "A test", "game": "lines_of_action", "size": "5x5"},
        "variations": {"FT": {}, "TF": {"student": {"order": "TF", "design": "whole", "encoder": "features"}}},
    },
    "chess": SHORT | {
        "experiment": {"title": "A test", "game": "chess"},
        "variations": {"FTP": {"student": {"design": "whole"}}, "PFT": {"student": {"order": "PFT"}}},
    },
}  # fmt: skip
"""The tiny imitation of each game; parts of moves are two or three, alike in size or not, in several orders."""

EVALUATORS: dict[str, Any] = {
    "experiment": {"kind": "evaluators", "game": "konane", "size": "4x4", "title": "A test"},
    "evaluators": {
        "names": "aqr",
        "depths": [1, 2],
        "games": 60,
        "robin": "gkqr",
        "robin_games": 40,
        "seed": 3,
        "opening_plies": 0,
    },
    "quick": {"evaluators": {"games": 10, "depths": [1]}},
    "paper": {
        "averages": {"g": [30.0, 30.0], "q": [60.0, 60.0]},
        "depth_1": {
            "g": {"k": 99, "q": 10, "r": 20},
            "k": {"g": 1, "q": 45, "r": 50},
            "q": {"g": 90, "k": 55, "r": 40},
            "r": {"g": 80, "k": 50, "q": 60},
        },
    },
}

ONLINE: dict[str, Any] = {
    "experiment": {"kind": "online", "game": "konane", "size": "4x4", "title": "Tiny", "study": "thompson"},
    "training": {"games": 600, "snapshot": 200, "repeats": 2, "rate": 0.1},
    "judging": {"games": 40, "snapshots": 2, "snapshot_games": 20},
    "variations": {"A": {"student": {"representation": "A", "hidden": [4]}}, "C": {"student": {"hidden": [6]}}},
    "paper": {"A": {"random": 0.72}, TEACHER: {"random": 0.83}},
}

VALUES: dict[str, Any] = {
    "experiment": {"kind": "values", "game": "konane", "size": "4x4"},
    "network": {"hidden": [32]},
    "training": {"optimiser": "adamw", "learning_rate": 0.01, "beta1": 0.9, "batch": 64, "epochs": 6, "patience": 9},
    "judging": {"games": 40, "value_kept": 500},
}

WATCHED: dict[str, Any] = {
    "watch": {
        "teacher": "searcher:depth=1,ties=random", "opponents": ["self", "random"], "regular": 24, "opening_plies": 4,
        "ply_limit": 60,
    },
    "network": {"hidden": 6},
    "training": {"epochs": 3, "batch": 64},
    "judging": {"games": 4, "opponents": ["random"]},
    "variations": {way: {"examples": {"learn": way}} for way in ("search", "outcome", "td")},
}  # fmt: skip
VALUED: dict[str, dict[str, Any]] = {
    game: WATCHED | {"experiment": {"kind": "values", "game": game, "size": size, "title": "A test"}}
    for game, size in (("morris", ""), ("konane", "5x5"), ("lines_of_action", "5x5"), ("chess", ""))
}
"""The tiny experiment of each game in which values are learned by watching."""

EVOLVERS = ("thesis", "steady", "strategy")
EVOLUTION: dict[str, Any] = {
    "experiment": {"kind": "evolution", "game": "lines_of_action", "size": "4x4", "title": "Tiny"},
    "student": {"depth": 2},
    "network": {"inputs": ["sides", "turn"], "hidden": 3},
    "trainer": {
        "generations": 4, "population": 4, "depth": 1, "limit": 20, "epoch": 2, "opponents": ["random"], "famous": 1,
        "lag": 3, "opening_plies": 2,
    },
    "judging": {
        "monitors": ["searcher:depth=1,evaluator=aloa"], "benchmarks": ["stochastic:depth=1"], "measured": 3,
        "baselines": ["random_network v random"], "baseline_matches": 4, "opponents": ["random"], "matches": 4,
    },
    "variations": {kind: {"trainer": {"kind": kind}} for kind in EVOLVERS},
}  # fmt: skip

STAGES: dict[str, Any] = {
    "small": {"trainer": {"generations": 2}},
    "wide": {
        "network": {"inputs": ["mobility", "sides", "turn"], "hidden": 4},
        "trainer": {"generations": 3, "matches": 4, "width": 0.1},
    },
}
"""Stages of an evolution, for the strategy."""

OFFLINE: dict[str, Any] = {
    "experiment": {"kind": "offline", "game": "lines_of_action", "size": "5x5", "study": "miller"},
    "sampling": {"games": 120, "snapshot": 60, "sampler": "random", "opponent": OPPONENT, "step": 0},
    "training": {"cycles": 4, "batch": 16},
    "judging": {"games": 20, "opponents": ["random"]},
}

STANDINGS: dict[str, Any] = {
    "inputs": {"kind": "standings"}, "target": {"dataset": "win"},
    "network": {"design": "standings", "hidden": [256, 32, 32], "stages": [4]},
}  # fmt: skip
SMALL = {"hidden": [16]}
LABELS: dict[str, Any] = {
    "experiment": {"kind": "labels", "game": "chess"},
    "positions": {"files": ["table.parquet"]},
    "training": {"epochs": 3, "batch": 64},
    "judging": {"suites": []},
    "variations": {"standings": STANDINGS, "small": {"network": SMALL}},
}

SERIES: dict[str, Any] = {
    "experiment": {"kind": "series", "title": "Tiny"},
    "shared": {"few": {"judging": {"states": "generate", "states_count": 20, "games": 2}}},
    "cells": {
        "watched": SHORT | {
            "like": "few",
            "experiment": {"game": "konane", "size": "4x4"},
            "watch": {"teacher": "searcher:depth=1", "opponents": ["random"], "ply_limit": 20},
            "grid": {"watch": {"regular": [6, 12]}},
        },
        "met": {
            "experiment": {"kind": "evaluators", "game": "konane", "size": "4x4"},
            "evaluators": {"names": "q", "robin": "qr", "games": 4, "robin_games": 4, "depths": [1]},
        },
    },
    "quick": {"cells": {"watched": {"grid": {"watch": {"regular": [4]}}}}},
}  # fmt: skip
for key in ("tune", "judging"):
    del SERIES["cells"]["watched"][key]

TINY = {
    "imitation": IMITATION, "evaluators": EVALUATORS, "online": ONLINE, "values": VALUES, "evolution": EVOLUTION,
    "offline": OFFLINE, "labels": LABELS, "series": SERIES,
}  # fmt: skip


def changed(settings: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Return settings with some keys changed, each written `section__key`."""
    result: dict[str, Any] = json.loads(json.dumps(settings))
    for name, value in changes.items():
        section, key = name.split("__")
        result.setdefault(section, {})[key] = value
    return result


def tiny(kind: str, **changes: Any) -> Any:
    """Return the tiny experiment of a kind with some keys changed, each written `section__key`."""
    return make_experiment("tiny", changed(TINY[kind], **changes), folder=Path())


def save_material_table(path: Path) -> None:
    """Write a table of random games of chess whose labels are the material on the board: no engine is needed."""
    from tests.games.chess.test_label_examples_chess import table_of
    from understudy.games.chess.records.positions import save_positions

    made = table_of(range(40))
    positions: Any = made.positions
    sides = [np.bitwise_count(side & positions.pawns) + 3 * np.bitwise_count(side & ~positions.pawns)
             for side in (positions.mine, positions.theirs)]  # fmt: skip
    score = 100 * (sides[0].astype(np.int32) - sides[1])
    save_positions(replace(made, score=score.astype(np.int32)), path)
