"""One look at each resource for all policies: what was found about the one at hand, by code.

Pulumi's policy SDK decodes a resource's properties anew for each policy that validates it, which for as many policies
as there are rules costs more than all of the rules together (measured: 0.03 ms a policy and topic, with pulumi-policy
1.21). It asks the policies one after the other, in the order of the pack and each first whether it has anything to
validate. So the first one looks at the resource for all, and the others have something to validate only where
something of theirs was found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from reconciler.errors import HedgerowError
from reconciler.pulumi.pack.judge import Judge, load_judge
from reconciler.pulumi.pack.settings import Settings, read_settings
from reconciler.pulumi.pack.topics import TopicResource
from reconciler.rules import Finding

Found = Mapping[str, tuple[Finding, ...]]


@dataclass
class _Turn(threading.local):
    """The resource that the first policy looked at last in this thread. Without slots, which threads would share.

    Attributes:
        urn: `None` before the first.
        found: what was found about it, by code.
        asked: the codes whose policies were asked about it.
    """

    urn: str | None = None
    found: Found = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(slots=True, kw_only=True)
class Review:
    """What all policies of a pack share: the settings, the judge, and the resource at hand.

    Attributes:
        base: the settings of a pack without configuration.
        today: the day, in UTC.
    """

    base: Settings
    today: Callable[[], date] = _today
    _turn: _Turn = field(default_factory=_Turn)
    _config: Mapping[str, Any] | None = None
    _judge: Judge | HedgerowError | None = None
    _told: dict[str, frozenset[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def configure(self, config: Mapping[str, Any]) -> None:
        """Takes the configuration of the policy `organization`; does nothing where that has not changed."""
        if config != self._config:
            with self._lock:
                self._config, self._judge = dict(config), None

    @property
    def is_configured(self) -> bool:
        """Whether the policy `organization` was asked yet, so that the configuration is known."""
        return self._config is not None

    @property
    def judge(self) -> Judge:
        """The judge for the settings at hand.

        Raises:
            HedgerowError: when settings or snapshot cannot be used; the same each time.
        """
        with self._lock:
            if self._judge is None:
                try:
                    self._judge = load_judge(read_settings(self._config or {}, self.base), self.today)
                except HedgerowError as error:
                    self._judge = error
            if isinstance(self._judge, HedgerowError):
                raise self._judge
            return self._judge

    def begin(self, urn: str, resource: TopicResource | None) -> None:
        """Looks at a resource for all policies; `None` for one that is no topic, about which there is nothing to say.

        Raises:
            HedgerowError: when topics cannot be judged; the other policies have nothing to say then.
        """
        self._turn.urn, self._turn.asked, self._turn.found = urn, set(), {}
        self._told.pop(urn, None)
        if resource is not None and (findings := self.judge.findings(resource)):
            self._turn.found = by_code(findings)
            self._told[urn] = frozenset(finding.message for finding in findings)

    def told(self, urn: str) -> frozenset[str]:
        """The messages of what was found about a resource as it is declared."""
        return self._told.get(urn, frozenset())

    def may_concern(self, code: str) -> bool:
        """Whether a policy has to validate the resource at hand.

        Where the first policy did not look at it (it is disabled, or an SDK asks otherwise than described above), the
        answer is yes: then the policy looks for itself.
        """
        turn = self._turn
        if turn.urn is None or code in turn.asked:
            return True
        turn.asked.add(code)
        return code in turn.found

    def findings(self, code: str, resource: TopicResource) -> tuple[Finding, ...]:
        """What was found for a policy's code about a topic; looked for now, where the first policy did not.

        Raises:
            HedgerowError: when topics cannot be judged.
        """
        if self._turn.urn == resource.urn and code in self._turn.found:
            return self._turn.found[code]
        return by_code(self.judge.findings(resource)).get(code, ())


def by_code(findings: tuple[Finding, ...]) -> Found:
    """Findings by the codes of their rules."""
    found: dict[str, tuple[Finding, ...]] = {}
    for finding in findings:
        found[finding.code] = (*found.get(finding.code, ()), finding)
    return found
