"""The way of a request, the same through both transports: log, weather, permission, quota, method."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from reconciler.sandbox.calls import Call
from reconciler.sandbox.denials import Service
from reconciler.sandbox.errors import ApiError, Code, Gone
from reconciler.sandbox.faults import Answer, Faults, Weather
from reconciler.sandbox.log import RequestLog
from reconciler.sandbox.methods import Method, Trait
from reconciler.sandbox.organization import Organization
from reconciler.sandbox.world import World

Bystander = Callable[[Method, Any, Call, Callable[[], Any]], Any]
"""Stands by when a request is carried out: gets method, request and call, and what carries it out and returns the
response. Returns the response, this one or another; may raise `ApiError`."""


class Gateway:
    """Answers requests from a world, under its permissions and quota, in the faults' weather. Thread-safe."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.faults = Faults()
        self.log = RequestLog()
        self._bystanders: tuple[Bystander, ...] = ()

    def stand_by(self, bystander: Bystander) -> None:
        """Has somebody stand by whenever a request is carried out; who came last is nearest to the client."""
        self._bystanders = (*self._bystanders, bystander)

    def answer(self, method: Method, request: Any, call: Call) -> Any:
        """The response to a request.

        Raises:
            ApiError: when it is refused, or a fault says so.
            Gone: when nobody waits for the answer any more.
        """
        resource = method.subject(request)
        has_mask = "update_mask" in method.request.DESCRIPTOR.fields_by_name
        number = self.log.open(
            time=self.world.clock.now(),
            service=method.service,
            method=method.name,
            resource=resource,
            mask=tuple(request.update_mask.paths) if has_mask else None,
            writes=Trait.WRITE in method.traits,
            principal=call.principal,
            quota_project=call.quota_project,
            region=call.region,
            transport=call.transport,
            metadata=call.metadata,
            message=request,
        )
        done, told = Code.INTERNAL, None
        try:
            weather = self.faults.meet(method.full_name, resource)
            _before(weather, call)
            carry_out: Callable[[], Any] = partial(self._carry_out, method, request, resource, call)
            for bystander in self._bystanders:
                carry_out = partial(bystander, method, request, call, carry_out)
            response = carry_out()
            done = Code.OK
            _after(weather, call)
            told = Code.OK
        except ApiError as error:
            done = Code.OK if done is Code.OK else error.code
            told = error.code
            raise
        except Gone:
            done = Code.OK if done is Code.OK else Code.CANCELLED
            raise
        finally:
            self.log.close(number, status=done.name, told=told and told.name)
        return response

    def _carry_out(self, method: Method, request: Any, resource: str, call: Call) -> Any:
        collection, _, rest = resource.partition("/")
        owner_name = f"{collection}/{rest.partition('/')[0]}"
        owner = self.world.organization.find(owner_name) if rest else None
        self.world.denials.check(owner.name if owner else owner_name, method.kind)
        if method.kind is Service.PUBSUB and Trait.ADMINISTRATOR in method.traits:
            self._charge(call.quota_project or owner_name.removeprefix("projects/"))
        return method.run(self.world, request, call)

    def _charge(self, project: str) -> None:
        found = self.world.organization.find(f"projects/{project}")
        consumer = found.name if found else f"projects/{project}"
        self.world.quota.spend(consumer, Organization.number(found) if found else project)


def _before(weather: Weather, call: Call) -> None:
    """What happens to a request before it is looked at."""
    if weather.latency:
        call.wait(weather.latency)
    match weather.answer:
        case Answer.STALLED:
            call.hang()
        case Answer.GIVEN if weather.error is not None:
            raise ApiError(weather.error, weather.message)


def _after(weather: Weather, call: Call) -> None:
    """What happens to the answer of a request that was carried out."""
    match weather.answer:
        case Answer.SILENT:
            call.hang()
        case Answer.LOST:
            raise ApiError(weather.error or Code.UNAVAILABLE, weather.message or "the answer was lost")
