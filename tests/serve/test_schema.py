"""The API against its own description: schemathesis makes requests of it, good and bad, and looks at every answer."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

pytest.importorskip("schemathesis", reason="schemathesis is not installed: the API is not fuzzed")
pytest.importorskip("msgspec")
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.conftest import LONG
from understudy.serve.describe import describe_api
from understudy.serve.endpoints import ENDPOINTS
from understudy.serve.lab_endpoints import LAB_ENDPOINTS

EXAMPLES = int(os.environ.get("UNDERSTUDY_EXAMPLES", "10"))
"""Requests of each kind to each address; more by hand."""
CHECKS = [
    not_a_server_error,
    checks.content_type_conformance,
    checks.negative_data_rejection,
    checks.response_schema_conformance,
    checks.status_code_conformance,
]
API = schemathesis.openapi.from_dict(describe_api((*ENDPOINTS, *LAB_ENDPOINTS)))
OPERATIONS = {operation.ok().label: operation.ok() for operation in API.get_all_operations()}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_answers_are_as_described(name: str, mode: str, server: Any) -> None:
    operation = OPERATIONS[name]
    if mode == "negative" and not (operation.body or operation.query):
        pytest.skip("it takes nothing that could be wrong")

    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    def ask(case: Any) -> None:
        answer = case.call(base_url=server.address, timeout=LONG)
        # What is too large is refused as well, which schemathesis does not count as a refusal.
        wanted = [check for check in CHECKS if answer.status_code != 413 or check is not checks.negative_data_rejection]
        case.validate_response(answer, checks=wanted)

    ask()
