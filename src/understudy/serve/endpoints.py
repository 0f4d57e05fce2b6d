"""The table of what can be asked over HTTP: each line has its address, what it takes, what it gives and who answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from understudy.errors import BadOption
from understudy.serve.answers import BoardForm, Contest, Games, Place, Players, Record, State, ThoughtForm, Truth
from understudy.serve.asking import ask, find_truth
from understudy.serve.bodies import (
    Arranging,
    Asking,
    Contesting,
    Forking,
    Moving,
    NewGame,
    Nothing,
    Pacing,
    Seating,
    Where,
)
from understudy.serve.contests import Contests
from understudy.serve.hall import Hall, topic_of
from understudy.serve.labs import Labs
from understudy.serve.players import list_players
from understudy.serve.records import write_record
from understudy.serve.students import list_students
from understudy.serve.views import arrange, choose_game, describe_board, describe_place, list_games, read_position

LONGEST_WAIT = 30.0
"""Seconds after which a question for news is answered without any."""


class Server(NamedTuple):
    """All that answers need."""

    hall: Hall
    contests: Contests
    labs: Labs


class Call(NamedTuple):
    """One request."""

    path: Mapping[str, Any]
    query: Mapping[str, str]
    rules: Mapping[str, str]
    """Rules of a game in the address, as `rule=NAME=VALUE`."""
    body: Any


class Query(NamedTuple):
    """Something that may stand behind the question mark of an address."""

    name: str
    about: str
    kind: str = "string"


class Endpoint(NamedTuple):
    """A line of the table."""

    method: str
    path: str
    answer: Callable[[Server, Call], Awaitable[Any]]
    about: str
    gives: type
    takes: type | None = None
    query: tuple[Query, ...] = ()
    status: int = 200


SIZE = Query("size", "Rows and columns, such as 6x6.")
RULE = Query("rule", "A switch of the rules, as NAME=VALUE.")
GAME = Query("game", "The name of a game.")


async def _games(server: Server, call: Call) -> Games:
    return Games(games=await server.hall.lanes.quick.do(lambda halt: list_games()))


async def _board(server: Server, call: Call) -> BoardForm:
    game = await server.hall.prepare(choose_game(call.path["name"], call.query.get("size"), call.rules))
    return describe_board(game)


async def _players(server: Server, call: Call) -> Players:
    game = choose_game(_need(call, "game"), call.query.get("size"), call.rules)
    roster = server.hall.roster
    await server.hall.prepare(game)
    return await server.hall.lanes.quick.do(
        lambda halt: Players(players=list_players(game, roster), students=list_students(game, roster))
    )


async def _open(server: Server, call: Call) -> State:
    return (await server.hall.open(call.body)).state()


async def _state(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    if call.query.get("since", "").isdigit() and int(call.query["since"]) == sitting.version:
        await server.hall.news.wait(topic_of(sitting.id), min(_seconds(call, "wait"), LONGEST_WAIT))
    return sitting.state()


def _seconds(call: Call, name: str) -> float:
    try:
        seconds = float(call.query.get(name, "0"))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise BadOption(f"{name} {call.query.get(name)!r} is no number of seconds")
    return seconds


async def _move(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    sitting.move(call.body.move, call.body.ply)
    server.hall.changed(sitting)
    return sitting.state()


async def _undo(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    server.hall.interrupt(sitting)
    try:
        sitting.go_back()
    finally:
        server.hall.changed(sitting)
    return sitting.state()


async def _resign(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    sitting.resign()
    server.hall.interrupt(sitting)
    server.hall.changed(sitting)
    return sitting.state()


async def _pause(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    server.hall.interrupt(sitting)
    sitting.pause(paused=True)
    server.hall.changed(sitting)
    return sitting.state()


async def _go(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    sitting.pace = sitting.pace if call.body.pace is None else call.body.pace
    sitting.pause(paused=False)
    server.hall.changed(sitting)
    return sitting.state()


async def _step(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    server.hall.interrupt(sitting)
    sitting.pause(paused=True)
    server.hall.changed(sitting)
    server.hall.wake(sitting, once=True)
    return sitting.state()


async def _seat(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    for name in call.body.players.values():
        server.hall.roster.check(name, sitting.game)
    server.hall.interrupt(sitting)
    sitting.seat(call.body.players)
    server.hall.changed(sitting)
    return sitting.state()


async def _fork(server: Server, call: Call) -> State:
    sitting = await server.hall.find(call.path["id"])
    return (await server.hall.fork(sitting, call.body.ply, call.body.players)).state()


async def _ply(server: Server, call: Call) -> Place:
    return server.hall.look_back(await server.hall.find(call.path["id"]), call.path["ply"])


async def _record(server: Server, call: Call) -> Record:
    sitting = await server.hall.find(call.path["id"])
    return write_record(sitting.save(), call.query.get("form", "json"))


async def _place(server: Server, call: Call) -> Place:
    where = Where(game=_need(call, "game"), size=call.query.get("size"), position=call.query.get("position"),
                  turn=call.query.get("turn"))  # fmt: skip
    game = await server.hall.prepare(choose_game(where.game, where.size, call.rules))
    return describe_place(game, read_position(game, where))


def _need(call: Call, name: str) -> str:
    if name not in call.query:
        raise BadOption(f"the address must name a {name}: ?{name}=...")
    return call.query[name]


async def _arrange(server: Server, call: Call) -> Place:
    body: Arranging = call.body
    game = await server.hall.prepare(choose_game(body.game, body.size, body.rules))
    return describe_place(game, arrange(game, body.stones, body.turn, body.extras))


async def _think(server: Server, call: Call) -> dict[str, Any]:
    return await ask(server.hall, call.body)


async def _truth(server: Server, call: Call) -> Truth:
    return await find_truth(server.hall, call.body)


async def _contest(server: Server, call: Call) -> Contest:
    return await server.contests.open(call.body)


async def _standing(server: Server, call: Call) -> Contest:
    return server.contests.find(call.path["id"])


async def _end_contest(server: Server, call: Call) -> Contest:
    return server.contests.stop(call.path["id"])


SEEN = (
    Query("wait", "Seconds to wait for news, at most 30.", "number"),
    Query("since", "The version that is known already: answered when there is a newer one.", "integer"),
)
WHERE = (GAME, SIZE, RULE, Query("position", "As text; the start if not said."), Query("turn", "Who is to move."))

ENDPOINTS = (
    Endpoint("GET", "/api/games", _games, "All games.", Games),
    Endpoint("GET", "/api/games/{name}", _board, "A board: all that is needed to draw it.", BoardForm,
             query=(SIZE, RULE)),
    Endpoint("GET", "/api/players", _players, "Who can play a game.", Players, query=(GAME, SIZE, RULE)),
    Endpoint("GET", "/api/place", _place, "A position as a page shows it.", Place, query=WHERE),
    Endpoint("POST", "/api/setup", _arrange, "A position from stones on cells.", Place, Arranging),
    Endpoint("POST", "/api/think", _think, "What a player thinks of a position.", ThoughtForm, Asking),
    Endpoint("POST", "/api/truth", _truth, "What every move is truly worth, where that is known.", Truth, Where),
    Endpoint("POST", "/api/play", _open, "Begin a game.", State, NewGame, status=201),
    Endpoint("GET", "/api/play/{id}", _state, "How a game stands.", State, query=SEEN),
    Endpoint("POST", "/api/play/{id}/move", _move, "Make a person's move.", State, Moving),
    Endpoint("POST", "/api/play/{id}/undo", _undo, "Take back to where a person was to move.", State, Nothing),
    Endpoint("POST", "/api/play/{id}/resign", _resign, "Give the game up.", State, Nothing),
    Endpoint("POST", "/api/play/{id}/pause", _pause, "Let machines wait.", State, Nothing),
    Endpoint("POST", "/api/play/{id}/go", _go, "Let machines go on.", State, Pacing),
    Endpoint("POST", "/api/play/{id}/step", _step, "Let a machine make one move.", State, Nothing),
    Endpoint("POST", "/api/play/{id}/players", _seat, "Let others play on.", State, Seating),
    Endpoint("POST", "/api/play/{id}/fork", _fork, "Begin another game where this one stood.", State, Forking,
             status=201),
    Endpoint("GET", "/api/play/{id}/plies/{ply:int}", _ply, "How a game stood after so many plies.", Place),
    Endpoint("GET", "/api/play/{id}/record", _record, "A game as text.", Record,
             query=(Query("form", "json, moves, or what others write the game in, such as pgn."),)),
    Endpoint("POST", "/api/tournaments", _contest, "Begin a small tournament.", Contest, Contesting, status=201),
    Endpoint("GET", "/api/tournaments/{id}", _standing, "How a tournament stands.", Contest),
    Endpoint("DELETE", "/api/tournaments/{id}", _end_contest, "End a tournament early.", Contest),
)  # fmt: skip
