"""Questions to players: what they think of a position, and what is true of it where somebody knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame
from understudy.match import Course, Opening, begin
from understudy.pictures.overlays import overlay_thought
from understudy.players import check_position, think
from understudy.players.looking import Halt
from understudy.players.parts import think_given
from understudy.saved import play_texts
from understudy.serve.answers import Truth
from understudy.serve.bodies import Asking, Where
from understudy.serve.hall import Hall
from understudy.serve.thinking import bounded
from understudy.serve.views import choose_game, read_position
from understudy.solve import know
from understudy.thoughts import Thought

Tell = Callable[[Thought], None]


async def ask(hall: Hall, asking: Asking, tell: Tell | None = None) -> dict[str, Any]:
    """Return what a player thinks; *tell* hears of it meanwhile, in another thread."""
    game = await hall.prepare(choose_game(asking.game, asking.size, asking.rules))
    course = _follow(game, asking)
    check_position(game, course.position)
    hall.roster.check(asking.player, game)

    def work(halt: Halt) -> dict[str, Any]:
        thought = _think(hall, asking, game, course, halt, tell)
        pictures = {"pictures": overlay_thought(thought)} if asking.pictures else {}
        return thought.to_json() | pictures

    return await hall.lanes.lane_of(asking.player, game).do(work)


def _follow(game: CompiledGame, asking: Asking) -> Course:
    """Return the game that leads to the position which is asked about."""
    start = None if asking.position is None else read_position(game, asking)
    course = begin(game, Opening((), start))
    play_texts(game, course, asking.moves)
    return course


def _think(hall: Hall, asking: Asking, game: CompiledGame, course: Course, halt: Halt, tell: Tell | None) -> Thought:
    made: Any = hall.roster.keep(asking.player, game)
    if not asking.given:
        with bounded(halt):
            return think(made, game, course.position, course.history, tell=tell, halt=halt)
    if not hasattr(made, "score_parts"):
        raise BadOption(f"player {asking.player!r} does not choose part by part, so no part can be given")
    return think_given(made, course.position, asking.given)


async def find_truth(hall: Hall, where: Where) -> Truth:
    """Return what every move is truly worth, where somebody knows."""
    game = await hall.prepare(choose_game(where.game, where.size, where.rules))
    position = read_position(game, where)
    try:
        check_position(game, position)
        worths = await hall.lanes.quick.do(lambda halt: know(game, position, only_best=True))
    except UnderstudyError as error:
        return Truth(known=False, moves=[], note=str(error))
    ranked = sorted(worths.items(), key=lambda item: item[1].rank, reverse=True)
    moves = [{"move": game.write_move(position, move), "number": float(worth.value), "note": str(worth)}
             for move, worth in ranked]  # fmt: skip
    return Truth(known=True, moves=moves, note="true values: known to the end of the game")
