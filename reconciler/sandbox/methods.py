"""What a method of a service is: its messages, its function, and where REST has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from operator import attrgetter
from typing import Any

from reconciler.sandbox.calls import Call
from reconciler.sandbox.denials import Service
from reconciler.sandbox.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Where REST has a method: verb, path template, and the field that the body is (`*` for the request itself)."""

    verb: str
    template: str
    body: str = ""


class Trait(Flag):
    """What kind of operation a method is."""

    READ = 0
    WRITE = auto()
    """Changes resources."""
    ADMINISTRATOR = auto()
    """Counts against Pub/Sub's administrator quota."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method of one service."""

    service: str
    name: str
    kind: Service
    request: Any
    response: Any
    run: Callable[[World, Any, Call], Any]
    subject: Callable[[Any], str]
    traits: Trait
    bindings: tuple[Binding, ...] = ()

    @classmethod
    def of(
        cls,
        service: tuple[str, Service],
        run: Callable[[World, Any, Call], Any],
        messages: tuple[Any, Any],
        subject: str,
        traits: Trait,
        *bindings: Binding,
    ) -> Method:
        """The method that a function of its name carries out.

        Args:
            service: its full name, and its kind.
            run: `create_topic` for `CreateTopic`.
            messages: request and response, proto-plus or raw.
            subject: the request's field that names what it is about; empty for none.
            traits: what kind of operation it is.
            bindings: where REST has it.
        """
        request, response = (message.pb() if hasattr(message, "pb") else message for message in messages)
        return cls(
            service=service[0],
            name="".join(word.capitalize() for word in run.__name__.split("_")),
            kind=service[1],
            request=request,
            response=response,
            run=run,
            subject=attrgetter(subject) if subject else lambda _: "",
            traits=traits,
            bindings=bindings,
        )

    @property
    def full_name(self) -> str:
        """As on the gRPC wire, without the leading slash."""
        return f"{self.service}/{self.name}"
