"""Nine Men's Morris: 24 cells, mills of three, after Galassi (2017) and Chesani et al. (2018)."""

from __future__ import annotations

from understudy.games.kind import GameKind
from understudy.games.morris import rules
from understudy.games.morris.deepmill import DEEPMILL, DeepMill, deepmill_value
from understudy.games.morris.evaluators import EVALUATORS, Phased, phased_value
from understudy.games.morris.network_inputs import counted
from understudy.games.morris.notation import Morris

KIND = GameKind(
    name="morris",
    folder=__name__,
    variant=rules.variant,
    rules={Morris: rules},
    evaluators={**EVALUATORS, "deepmill": DEEPMILL},
    usual_evaluator="handmade",
    values={Phased: phased_value, DeepMill: deepmill_value},
    batches="batches",
    encoders="inputs",
    network_inputs="network_inputs",
    counted=counted,
    legality="legality",
    fallback="fallback",
    mistakes="mistakes",
    truth="truth",
    tables="solving",
    starts="batches",
    counts="legality",
    texts="text",
    text_files="text",
    engine="engine",
    uci="uci",
    tells_turn=False,
)
