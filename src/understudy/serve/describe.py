"""The API described for programs, as OpenAPI: made of the table of endpoints and of the types that are checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from understudy import __version__
from understudy.games import game_names
from understudy.serve.answers import Failure
from understudy.serve.endpoints import Endpoint

FAILURES = {
    "400": "Something in the request cannot be; the sentence says what.",
    "401": "The token is missing.",
    "403": "Asked from another site.",
    "404": "Nothing of this name is here.",
    "409": "It does not fit how things stand now.",
    "413": "The request is too large.",
    "415": "The request is not JSON.",
    "503": "Too many questions wait already.",
}
"""Every answer that is not what was asked for: one sentence under "error"."""


def describe_api(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description."""
    types = {kind for endpoint in endpoints for kind in (endpoint.gives, endpoint.takes) if kind is not None} | {
        Failure
    }
    ordered = sorted(types, key=lambda kind: kind.__name__)
    refs, components = msgspec.json.schema_components(ordered, ref_template="#/components/schemas/{name}")
    schemas = dict(zip(ordered, refs, strict=True))
    _name_games(components)
    paths: dict[str, Any] = {}
    for endpoint in endpoints:
        path = re.sub(r":\w+}", "}", endpoint.path)
        paths.setdefault(path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    about = "What the page of Understudy asks its server, for scripts, too. A socket at /api/live tells of changes."
    return {
        "openapi": "3.1.0",
        "info": {"title": "Understudy", "version": __version__, "description": about},
        "paths": paths | {"/api/runs/{name}/report": {"get": _describe_report(schemas[Failure])}},
        "components": {"schemas": components},
    }


def _describe_report(failure: Any) -> dict[str, Any]:
    """Return what is said of the one answer that is no JSON."""
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    page = {"description": "As asked.", "content": {"text/html": {"schema": {"type": "string"}}}}
    failures = {status: _content(words, failure) for status, words in FAILURES.items()}
    return {
        "operationId": "get_runs_name_report",
        "summary": "The report of a run, a page of its own.",
        "parameters": [name],
        "responses": {"200": page, **failures},
    }


def _name_games(components: dict[str, Any]) -> None:
    """Say wherever a request names a game which there are."""
    for kind in components.values():
        asked = not kind.get("additionalProperties", True)
        if asked and "game" in kind.get("properties", {}):
            kind["properties"]["game"] = {"enum": game_names()}


def _operation(endpoint: Endpoint, schemas: dict[type, Any]) -> dict[str, Any]:
    name = re.sub(r"\W+", "_", f"{endpoint.method.lower()}{endpoint.path.removeprefix('/api')}").strip("_")
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": endpoint.about,
        "parameters": _parameters(endpoint),
        "responses": {str(endpoint.status): _content("As asked.", schemas[endpoint.gives])}
        | {status: _content(words, schemas[Failure]) for status, words in FAILURES.items()},
    }
    if endpoint.takes is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[endpoint.takes]}},
        }
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    within = [
        {"name": name, "in": "path", "required": True, "schema": _schema_of(endpoint.path, kind)}
        for name, kind in re.findall(r"{(\w+)(:\w+)?}", endpoint.path)
    ]
    behind = [
        {"name": query.name, "in": "query", "required": query.name == "game", "description": query.about,
         "schema": {"enum": game_names()} if query.name == "game" else {"type": query.kind}}
        for query in endpoint.query
    ]  # fmt: skip
    return within + behind


def _schema_of(path: str, kind: str) -> dict[str, Any]:
    if path.startswith("/api/games/"):
        return {"enum": game_names()}
    return {"type": "integer", "minimum": 0} if kind == ":int" else {"type": "string"}


def _content(words: str, schema: Any) -> dict[str, Any]:
    return {"description": words, "content": {"application/json": {"schema": schema}}}
