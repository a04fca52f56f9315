"""What is remembered from run to run: each project's policy since when, and the last repair of each topic.

A value that the caller keeps (beside the journal) and passes in, like the time. Guardrails ask it how long a policy has
stood, and whether a policy has come back after topics were repaired under another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from reconciler.model import TopicName

FORMAT_VERSION = "1"

REMEMBERED = timedelta(days=30)
"""How long former policies and repairs are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """A policy that a project once had; `until` is when a run first saw another."""

    fingerprint: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenure:
    """A project's effective policy, and since when it has it.

    Attributes:
        fingerprint: `EffectivePolicy.fingerprint`.
        since: when a run first saw it after another; `None` where no other was ever seen.
        former: the policies before it, the latest first.
    """

    fingerprint: str
    since: datetime | None = None
    former: tuple[Former, ...] = ()

    def held_before(self, moment: datetime) -> bool:
        """Whether the project had this very policy before, until some time up to `moment`."""
        return any(one.fingerprint == self.fingerprint and one.until <= moment for one in self.former)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The last change of a topic: when it was made, and under which policy of its project."""

    at: datetime
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What runs remember, by project id and by topic."""

    projects: Mapping[str, Tenure] = field(default_factory=dict)
    repairs: Mapping[TopicName, Repair] = field(default_factory=dict)

    def observed(self, fingerprints: Mapping[str, str | None], now: datetime) -> History:
        """The history with the policies of now; a project that could not be read keeps what is known of it.

        A policy that was first seen in the future, by a clock that was wrong, counts from now on.
        """
        projects = dict(self.projects)
        for project, fingerprint in fingerprints.items():
            known = projects.get(project)
            if fingerprint is None:
                continue
            if known is not None and known.fingerprint == fingerprint:
                if known.since is not None and known.since > now:
                    projects[project] = replace(known, since=now)
                continue
            if known is None:
                projects[project] = Tenure(fingerprint=fingerprint)
                continue
            former = (Former(fingerprint=known.fingerprint, until=now), *known.former)
            kept = tuple(one for one in former if now - one.until < REMEMBERED)
            projects[project] = Tenure(fingerprint=fingerprint, since=now, former=kept)
        return replace(self, projects=projects)

    def repaired(self, topics: Iterable[TopicName], now: datetime) -> History:
        """The history after these topics were changed, under the policies last observed."""
        repairs = {name: repair for name, repair in self.repairs.items() if now - repair.at < REMEMBERED}
        for name in topics:
            if name.project in self.projects:
                repairs[name] = Repair(at=now, fingerprint=self.projects[name.project].fingerprint)
        return replace(self, repairs=repairs)

    def to_json(self) -> dict[str, Any]:
        """As JSON values, times in ISO 8601, UTC."""
        return {
            "formatVersion": FORMAT_VERSION,
            "projects": {
                project: {
                    "fingerprint": tenure.fingerprint,
                    "since": tenure.since and _text(tenure.since),
                    "former": [{"fingerprint": f.fingerprint, "until": _text(f.until)} for f in tenure.former],
                }
                for project, tenure in sorted(self.projects.items())
            },
            "repairs": {
                str(name): {"at": _text(repair.at), "fingerprint": repair.fingerprint}
                for name, repair in sorted(self.repairs.items())
            },
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> History:
        """From `to_json`.

        Raises:
            ValueError: for anything else.
        """
        try:
            if body["formatVersion"] != FORMAT_VERSION:
                raise ValueError(f"format version {body['formatVersion']!r}, not {FORMAT_VERSION!r}")
            return cls(
                projects={project: _tenure(one) for project, one in body["projects"].items()},
                repairs={
                    TopicName.parse(name): Repair(at=_time(one["at"]), fingerprint=one["fingerprint"])
                    for name, one in body["repairs"].items()
                },
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a history of policies: {type(error).__name__}: {error}") from error


def _tenure(body: Mapping[str, Any]) -> Tenure:
    return Tenure(
        fingerprint=body["fingerprint"],
        since=_time(body["since"]) if body["since"] else None,
        former=tuple(Former(fingerprint=f["fingerprint"], until=_time(f["until"])) for f in body["former"]),
    )


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"`{text}` has no time zone")
    return moment
