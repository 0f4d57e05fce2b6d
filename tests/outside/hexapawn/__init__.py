"""Hexapawn: pawns on both edges of a small board; whoever gets one across, or leaves the other without a move, wins.

A game of a package of its own, as somebody outside would write one: it says all of itself in KIND, and Understudy
finds it by the entry point `understudy.games`.
"""

from __future__ import annotations

from hexapawn import rules
from hexapawn.evaluators import EVALUATORS, Race, race_value
from hexapawn.rules import Hexapawn
from understudy.games.kind import GameKind

KIND = GameKind(
    name="hexapawn",
    folder=__name__,
    variant=rules.variant,
    rules={Hexapawn: rules},
    evaluators=EVALUATORS,
    usual_evaluator="race",
    values={Race: race_value},
)
