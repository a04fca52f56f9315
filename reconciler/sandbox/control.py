"""The control endpoint: what a script in any language can ask of a running sandbox, under `/sandbox/v1/` on the REST port.

| request | what it does |
| --- | --- |
| `GET log?method=GLOB&writes=true` | `{"requests": [...]}`, oldest first; both filters may be left out |
| `DELETE log` | forgets the logged requests |
| `GET faults`, `POST faults`, `DELETE faults` | lists, adds (one fault, or `{"faults": [...]}`), ends all; fields as in `Fault` |
| `GET denials`, `POST denials`, `DELETE denials` | `{"project", "service", "message"}`, as in `World.deny` |
| `GET topics`, `POST topics` | `{"topics": [...]}` as `gcloud pubsub topics describe` prints them; posted ones are put as they are, bypassing the rules |
| `POST inventory` | `{"frozen": true}`: Cloud Asset goes on showing the topics of now; `false`: it catches up |
| `POST clock` | `{"advanceSeconds": N}` |
| `POST reset` | ends faults and denials, lets the inventory catch up, refills quotas, forgets the log; topics and policies stay |

Organization policies are changed through their own API. Errors are `{"error": {"code", "message", "status"}}`, as those
of the services. Requests to this endpoint are not logged.
"""  # noqa: E501 - a table

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from google.protobuf.json_format import MessageToDict
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route

from reconciler.errors import InvalidInput
from reconciler.sandbox.errors import invalid
from reconciler.sandbox.faults import Fault
from reconciler.sandbox.gateway import Gateway
from reconciler.sandbox.seeds import seed_topics

_Body = dict[str, Any]
_Action = Callable[[Gateway, Request, _Body], _Body | None]


def control_routes(gateway: Gateway) -> list[Mount]:
    """The endpoint's routes, for the REST server."""
    routes = [
        Route(f"/{name}", _endpoint(gateway, action), methods=[verb]) for (verb, name), action in _ACTIONS.items()
    ]
    return [Mount("/sandbox/v1", routes=routes)]


def _endpoint(gateway: Gateway, action: _Action) -> Callable[[Request], Awaitable[JSONResponse]]:
    async def endpoint(request: Request) -> JSONResponse:
        try:
            text = await request.body()
            body = json.loads(text) if text.strip() else {}
            return JSONResponse(action(gateway, request, body) or {})
        except (InvalidInput, KeyError, TypeError, ValueError) as error:
            message = error.message if isinstance(error, InvalidInput) else f"the request cannot be used: {error}"
            refusal = invalid(message)
            return JSONResponse(refusal.to_json(), status_code=refusal.code.http_status)

    return endpoint


def _get_log(gateway: Gateway, request: Request, _: _Body) -> _Body:
    method = request.query_params.get("method", "*")
    entries = gateway.log.writes() if request.query_params.get("writes") == "true" else gateway.log.requests
    return {"requests": [entry.to_json() for entry in entries if fnmatchcase(entry.method, method)]}


def _delete_log(gateway: Gateway, _request: Request, _: _Body) -> None:
    gateway.log.clear()


def _get_faults(gateway: Gateway, _request: Request, _: _Body) -> _Body:
    return {"faults": [fault.to_json() for fault in gateway.faults.all]}


def _post_faults(gateway: Gateway, _request: Request, body: _Body) -> None:
    gateway.faults.add(*(Fault.from_json(fault) for fault in body.get("faults", [body])))


def _delete_faults(gateway: Gateway, _request: Request, _: _Body) -> None:
    gateway.faults.clear()


def _get_denials(gateway: Gateway, _request: Request, _: _Body) -> _Body:
    denials = gateway.world.denials.all
    return {
        "denials": [
            {"resource": resource, "service": service, "message": message}
            for (resource, service), message in sorted(denials.items())
        ]
    }


def _post_denials(gateway: Gateway, _request: Request, body: _Body) -> None:
    gateway.world.deny(body["project"], body.get("service", "pubsub"), body.get("message"))


def _delete_denials(gateway: Gateway, _request: Request, _: _Body) -> None:
    gateway.world.denials.clear()


def _get_topics(gateway: Gateway, _request: Request, _: _Body) -> _Body:
    return {"topics": [MessageToDict(topic) for _, topic in gateway.world.topic_store]}


def _post_topics(gateway: Gateway, _request: Request, body: _Body) -> None:
    for seed in seed_topics(body):
        gateway.world.put_topic(seed.name, seed.policy, seed.labels, seed.fields)


def _post_inventory(gateway: Gateway, _request: Request, body: _Body) -> None:
    if body["frozen"]:
        gateway.world.inventory.freeze()
    else:
        gateway.world.inventory.catch_up()


def _post_clock(gateway: Gateway, _request: Request, body: _Body) -> _Body:
    gateway.world.clock.advance(timedelta(seconds=float(body["advanceSeconds"])))
    return {"now": gateway.world.clock.now().isoformat()}


def _post_reset(gateway: Gateway, _request: Request, _: _Body) -> None:
    gateway.faults.clear()
    gateway.world.denials.clear()
    gateway.world.inventory.catch_up()
    gateway.world.quota.refill()
    gateway.log.clear()


_ACTIONS: dict[tuple[str, str], _Action] = {
    ("GET", "log"): _get_log,
    ("DELETE", "log"): _delete_log,
    ("GET", "faults"): _get_faults,
    ("POST", "faults"): _post_faults,
    ("DELETE", "faults"): _delete_faults,
    ("GET", "denials"): _get_denials,
    ("POST", "denials"): _post_denials,
    ("DELETE", "denials"): _delete_denials,
    ("GET", "topics"): _get_topics,
    ("POST", "topics"): _post_topics,
    ("POST", "inventory"): _post_inventory,
    ("POST", "clock"): _post_clock,
    ("POST", "reset"): _post_reset,
}
