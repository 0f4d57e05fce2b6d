"""What can be asked over HTTP about experiments, runs and studies: lines for the table of endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from understudy.serve.bodies import Nothing, Starting
from understudy.serve.endpoints import Call, Endpoint, Server
from understudy.serve.experiments import list_offers
from understudy.serve.lab_answers import Experiments, PlayNow, Runs, RunView, Studies, Study, Toml
from understudy.serve.runs import describe_run, find_run, list_runs
from understudy.serve.stories import list_studies, tell_study

T = TypeVar("T")


async def _aside(work: Callable[[], T]) -> T:
    """Do what reads many files, or waits for a program, beside the event loop."""
    return await asyncio.to_thread(work)


async def _experiments(server: Server, call: Call) -> Experiments:
    return Experiments(experiments=await _aside(list_offers))


async def _runs(server: Server, call: Call) -> Runs:
    return Runs(runs=await _aside(lambda: list_runs(server.labs.runs, server.labs.jobs())))


async def show_run(server: Server, name: str) -> RunView:
    """Return all that a page shows of a run."""
    return await _aside(lambda: describe_run(server.labs.runs, name, server.labs.jobs().get(name)))


async def _run(server: Server, call: Call) -> RunView:
    return await show_run(server, call.path["name"])


async def _start(server: Server, call: Call) -> RunView:
    body: Starting = call.body
    start = partial(server.labs.start, body.experiment, quick=body.quick, changes=body.changes, name=body.name)
    return await show_run(server, await _aside(start))


async def _pause(server: Server, call: Call) -> RunView:
    await _aside(lambda: server.labs.pause(call.path["name"]))
    return await show_run(server, call.path["name"])


async def _go(server: Server, call: Call) -> RunView:
    await _aside(lambda: server.labs.go(call.path["name"]))
    return await show_run(server, call.path["name"])


async def _student(server: Server, call: Call) -> PlayNow:
    player, title = await _aside(lambda: server.labs.export(call.path["name"]))
    return PlayNow(player=player, title=title)


async def _toml(server: Server, call: Call) -> Toml:
    folder = find_run(server.labs.runs, call.path["name"])
    return Toml(text=await _aside(lambda: (folder / "experiment.toml").read_text(encoding="utf-8", errors="replace")))


async def _studies(server: Server, call: Call) -> Studies:
    return Studies(studies=await _aside(list_studies))


async def _study(server: Server, call: Call) -> Study:
    return await _aside(lambda: tell_study(call.path["name"]))


LAB_ENDPOINTS: tuple[Any, ...] = (
    Endpoint("GET", "/api/experiments", _experiments, "Experiments that ship.", Experiments),
    Endpoint("GET", "/api/runs", _runs, "All runs.", Runs),
    Endpoint("POST", "/api/runs", _start, "Begin a run of an experiment.", RunView, Starting, status=201),
    Endpoint("GET", "/api/runs/{name}", _run, "A run: how far it is, its curves, its students.", RunView),
    Endpoint("POST", "/api/runs/{name}/pause", _pause, "Let a run end where it is.", RunView, Nothing),
    Endpoint("POST", "/api/runs/{name}/go", _go, "Go on with a run.", RunView, Nothing),
    Endpoint("POST", "/api/runs/{name}/student", _student, "The student of a run as it is now.", PlayNow, Nothing),
    Endpoint("GET", "/api/runs/{name}/toml", _toml, "The experiment of a run.", Toml),
    Endpoint("GET", "/api/studies", _studies, "The papers that are repeated here.", Studies),
    Endpoint("GET", "/api/studies/{name}", _study, "A paper: its story, its numbers beside ours.", Study),
)
