"""What a game says of itself, and what is said where it says nothing."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from understudy.errors import BadOption
from understudy.games import GAMES, find_kind
from understudy.games.kind import LACKS, GameKind

ROOMS = [field.name for field in fields(GameKind) if field.type == "str | None"]


@pytest.mark.parametrize("room", ROOMS)
def test_what_a_game_lacks_is_told_in_one_sentence(room: str) -> None:
    bare = replace(find_kind("morris"), **{room: None})
    with pytest.raises(BadOption, match=rf"^morris {LACKS[room]}$"):
        bare.load(room)


@pytest.mark.parametrize("game", GAMES)
def test_every_module_that_a_game_names_is_there(game: str) -> None:
    kind = find_kind(game)
    assert all(kind.load(room).__name__.startswith(kind.folder) for room in ROOMS if getattr(kind, room) is not None)
