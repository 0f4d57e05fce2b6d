"""Positions as numbers: for each game the layouts of inputs that networks may see."""

from __future__ import annotations

from understudy.errors import UnknownName
from understudy.games.layout import Encoder
from understudy.games.morris.inputs import AUGMENTED, INTEGER, RAW, RAWER, RAWEST

__all__ = ["ENCODERS", "Encoder", "find_encoder"]

ENCODERS: dict[str, dict[str, Encoder]] = {
    "morris": {encoder.name: encoder for encoder in (RAWEST, RAWER, RAW, INTEGER, AUGMENTED)},
}


def find_encoder(game: str, name: str) -> Encoder:
    """Return the encoder of that name for a game."""
    if game not in ENCODERS:
        raise UnknownName("game with encoders", game, ENCODERS)
    if name not in ENCODERS[game]:
        raise UnknownName(f"encoder for {game}", name, ENCODERS[game])
    return ENCODERS[game][name]
