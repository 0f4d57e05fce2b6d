"""Lines of Action: whoever connects all own stones wins, after Miller (2010)."""

from __future__ import annotations

from understudy.games.kind import GameKind
from understudy.games.lines_of_action import rules
from understudy.games.lines_of_action.evaluators import EVALUATORS, Aloa, Quads, aloa_value, quads_value
from understudy.games.lines_of_action.inputs import counted
from understudy.games.lines_of_action.notation import LinesOfAction

KIND = GameKind(
    name="lines_of_action",
    folder=__name__,
    variant=rules.variant,
    rules={LinesOfAction: rules},
    evaluators=EVALUATORS,
    usual_evaluator="aloa",
    values={Aloa: aloa_value, Quads: quads_value},
    counted=counted,
    batches="batches",
    encoders="encoders",
    mistakes="mistakes",
    boards="inputs",
    network_inputs="inputs",
    solver="solving",
)
