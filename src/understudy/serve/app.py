"""The app: every endpoint of the table, the socket, the files of the page; and the server around it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from understudy.errors import MissingPackage, UnderstudyError
from understudy.games import find_game, game_names
from understudy.games.drawing import STYLE
from understudy.serve.answers import Failure, write_answer
from understudy.serve.bodies import read_body
from understudy.serve.contests import Contests
from understudy.serve.describe import describe_api
from understudy.serve.endpoints import ENDPOINTS, Call, Endpoint, Server
from understudy.serve.guard import Guard, Refused
from understudy.serve.hall import Absent, Hall
from understudy.serve.lab_endpoints import LAB_ENDPOINTS, show_run
from understudy.serve.lab_news import tell_of_runs
from understudy.serve.labs import Labs
from understudy.serve.live import Live
from understudy.serve.news import News
from understudy.serve.players import Roster
from understudy.serve.runs import find_report
from understudy.serve.sittings import Conflict
from understudy.serve.store import Store
from understudy.serve.thinking import Busy, Lanes

STATIC = Path(__file__).parent / "static"
STATUSES: dict[type[UnderstudyError], int] = {Absent: 404, Conflict: 409, Busy: 503}
"""Which status an error has that is not plainly a bad request."""
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
"""What a report may do: one file with styles and pictures inside, which comes from a folder of the user's."""
HOUR = 3_600.0
"""Seconds between two times of forgetting games that nobody has touched for a day."""
log = logging.getLogger("understudy.serve")


def make_app(
    *,
    runs: Path,
    games: Path,
    hosts: tuple[str, ...],
    token: str | None = None,
    trust: bool = False,
) -> Guard:
    """Return the app of a server that keeps games in the file *games* and finds students in the folder *runs*."""
    lanes, news = Lanes(), News()
    hall = Hall(Store(games), Roster(runs, trust=trust), lanes, news)
    server = Server(hall, Contests(hall), Labs(runs, trust=trust))
    endpoints = (*ENDPOINTS, *LAB_ENDPOINTS)
    description = write_answer(describe_api(endpoints))

    async def describe(request: Request) -> Response:
        return Response(description, media_type="application/json")

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def board_style(request: Request) -> Response:
        return Response(STYLE, media_type="text/css", headers={"cache-control": "no-cache"})

    async def report(request: Request) -> Response:
        return await _show_report(server, request.path_params["name"])

    routes = [
        Route("/", page),
        Route("/static/board.css", board_style),
        Mount("/static", _Files(directory=STATIC)),
        Route("/api/openapi.json", describe),
        WebSocketRoute("/api/live", Live(hall, lambda topic: _describe_topic(server, topic)).meet),
        Route("/api/runs/{name}/report", report),
        *(Route(one.path, _handler(server, one), methods=[one.method]) for one in endpoints),
    ]
    app = Starlette(
        routes=routes, lifespan=lambda app: _alive(server), exception_handlers={404: _absent, 405: _unknown}
    )
    return Guard(app, hosts=hosts, token=token)


class _Files(StaticFiles):
    """Files of the page; a browser asks each time whether there is a newer one."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        response = super().file_response(*arguments, **options)
        response.headers["cache-control"] = "no-cache"
        return response


async def _describe_topic(server: Server, topic: str) -> Any:
    """Return how that stands which a page follows."""
    kind, _, name = topic.partition("/")
    if kind == "play":
        return (await server.hall.find(name)).state()
    if kind == "tournaments":
        return server.contests.find(name)
    if kind == "runs":
        return await show_run(server, name)
    raise Absent(f"there is nothing to follow called {topic!r}")


@contextlib.asynccontextmanager
async def _alive(server: Server) -> AsyncIterator[None]:
    aside = [asyncio.create_task(work(server.hall)) for work in (_forget, _warm_up)]
    aside.append(asyncio.create_task(tell_of_runs(server)))
    try:
        yield
    finally:
        for task in aside:
            task.cancel()
        await asyncio.to_thread(server.labs.close)
        await server.contests.close()
        await server.hall.close()
        server.hall.lanes.close()
        server.hall.store.close()


async def _show_report(server: Server, name: str) -> Response:
    """Show the report of a run: a page of its own, which may have styles inside, and neither scripts nor links."""
    try:
        path = await asyncio.to_thread(find_report, server.labs.runs, name)
    except UnderstudyError as error:
        return _json(Failure(error=str(error)), STATUSES.get(type(error), 400))
    headers = {"cache-control": "no-store", "content-security-policy": REPORT_POLICY}
    return FileResponse(path, media_type="text/html", headers=headers)


async def _warm_up(hall: Hall) -> None:
    """Have all games loaded before anybody asks for them; a game that cannot be loaded says so when it is asked for."""
    for name in game_names():
        with contextlib.suppress(UnderstudyError):
            await hall.prepare(find_game(name), lane=hall.lanes.long)


async def _forget(hall: Hall) -> None:
    while True:
        await asyncio.sleep(HOUR)
        hall.store.forget()


def _handler(server: Server, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        try:
            body = None if endpoint.takes is None else read_body(endpoint.takes, await request.body())
            rules = dict(rule.partition("=")[::2] for rule in request.query_params.getlist("rule"))
            call = Call(request.path_params, request.query_params, rules, body)
            answer = await _unless_left(request, endpoint.answer(server, call))
            return _json(answer, endpoint.status)
        except ClientDisconnect:
            return Response(status_code=499)
        except Refused as refused:
            return _json(Failure(error=refused.sentence), refused.status)
        except UnderstudyError as error:
            return _json(Failure(error=str(error)), STATUSES.get(type(error), 400))
        except ModuleNotFoundError as error:
            missing = MissingPackage("this", error.name or "a package", "learn")
            return _json(Failure(error=str(missing)), 400)
        except Exception:
            log.exception("%s %s failed", request.method, request.url.path)
            return _json(Failure(error="this is a fault of the server; its log tells more"), 500)

    return handle


async def _unless_left(request: Request, work: Awaitable[Any]) -> Any:
    """Return what *work* returns; if whoever asked leaves, it is cancelled."""
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_left(request))
    done, _ = await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
    watching.cancel()
    if working in done:
        return working.result()
    working.cancel()
    raise ClientDisconnect


async def _left(request: Request) -> None:
    """Return when whoever asked is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(answer: Any, status: int) -> Response:
    return Response(write_answer(answer), status, media_type="application/json", headers={"cache-control": "no-store"})


async def _absent(request: Request, error: Exception) -> Response:
    return _json(Failure(error=f"there is nothing at {request.url.path!r}"), 404)


async def _unknown(request: Request, error: Exception) -> Response:
    return _json(Failure(error=f"{request.url.path!r} cannot be asked by {request.method}"), 405)
