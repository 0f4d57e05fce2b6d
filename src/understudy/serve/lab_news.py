"""Lets pages hear of the runs that they look at: whoever is at work in a run folder, it is looked at every second."""

from __future__ import annotations

import asyncio

from understudy.errors import UnderstudyError
from understudy.serve.answers import write_answer
from understudy.serve.endpoints import Server
from understudy.serve.lab_endpoints import show_run

OFTEN = 1.0
"""Seconds between two looks: an epoch takes longer."""
TOPIC = "runs/"


async def tell_of_runs(server: Server) -> None:
    """Tell the followers of each run whenever something about it has changed."""
    told: dict[str, bytes] = {}
    while True:
        await asyncio.sleep(OFTEN)
        topics = [topic for topic in server.hall.news.followers if topic.startswith(TOPIC)]
        told = {topic: told.get(topic, b"") for topic in topics}
        for topic in topics:
            try:
                view = await show_run(server, topic.removeprefix(TOPIC))
            except UnderstudyError:  # its folder was deleted
                continue
            written = write_answer(view)
            if written != told[topic]:
                told[topic] = written
                server.hall.news.tell(topic, "state", state=view)
