"""Requests that nobody thought of: whatever is sent, the server answers and never fails."""

from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error

from tests.web.conftest import LIMITS, TOKEN, RunningServer, make_settings

HEADERS = {"Authorization": f"Bearer {TOKEN}"}
FEWEST = 40  # routes


@pytest.fixture(scope="module")
def small_server(tmp_path_factory):
    """A server that starts few workers, with a run whose name is known."""
    made = make_settings(tmp_path_factory.mktemp("runs"))
    server = RunningServer(replace(made, limits=replace(LIMITS, sessions=2)))
    server.start(preset="commons", paused=True)
    yield server
    server.close()


@pytest.mark.slow
def test_no_request_makes_the_server_fail(small_server):
    schema = schemathesis.openapi.from_url(f"{small_server.url}/api/openapi.json", headers=HEADERS)
    seen = 0
    for found in schema.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=25,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def check(case):
            for kind in {"run", "replay"} & set(case.path_parameters or {}):
                if len(case.path_parameters[kind]) % 2:
                    case.path_parameters[kind] = "commons-default-1"
            answer = case.call(headers=HEADERS, timeout=120)
            case.validate_response(answer, checks=[not_a_server_error])

        check()
        seen += 1
    assert seen >= FEWEST
    assert small_server.get("server")["version"]
