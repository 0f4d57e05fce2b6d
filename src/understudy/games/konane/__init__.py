"""Konane: Hawaiian checkers, whoever cannot jump loses, after Thompson (2005)."""

from __future__ import annotations

from understudy.games.kind import GameKind
from understudy.games.konane import large, rules
from understudy.games.konane.evaluators import EVALUATORS, TWINS, Tally, scaled, tally_value
from understudy.games.konane.large import KonaneLarge
from understudy.games.konane.rules import Konane

KIND = GameKind(
    name="konane",
    folder=__name__,
    variant=rules.variant,
    rules={Konane: rules, KonaneLarge: large},
    evaluators=EVALUATORS,
    usual_evaluator="movable_ratio",
    twins=TWINS,
    values={Tally: tally_value},
    scaled=scaled,
    batches="batches",
    encoders="encoders",
    mistakes="mistakes",
    boards="inputs",
    solver="solving",
)
