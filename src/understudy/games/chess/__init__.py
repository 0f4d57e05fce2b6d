"""Chess; its text speaks FEN, SAN and UCI by way of python-chess, its labels come from UCI engines."""

from __future__ import annotations

from understudy.games.chess import rules
from understudy.games.chess.evaluators import EVALUATORS, Material, Standing, material_value, standing_value
from understudy.games.chess.position import Chess
from understudy.games.kind import GameKind
from understudy.search.evaluators import quiescent

KIND = GameKind(
    name="chess",
    folder=__name__,
    variant=rules.variant,
    rules={Chess: rules},
    # A position in the middle of an exchange says little: captures are played out first unless one asks for `_static`.
    evaluators={
        **{name: quiescent(evaluator) for name, evaluator in EVALUATORS.items()},
        **{f"{name}_static": evaluator for name, evaluator in EVALUATORS.items()},
    },
    usual_evaluator="piece_square",
    values={Material: material_value, Standing: standing_value},
    batches="batches",
    encoders="encoders",
    mistakes="mistakes",
    datasets="datasets",
    students="players.students",
    engine="players.engine",
    uci="players.uci",
    text_files="records.pgn_records",
    exports="exports",
    truth="truth",
    checks="checks",
    watching={"opening_plies": 8, "ply_limit": 400},  # long games from many openings
    illegal_code=0,
)
