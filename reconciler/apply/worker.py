"""The life of one change.

Read the topic, and leave it alone unless it is as planned; journal the intent; send the write; read the topic back,
also when the answer was lost; only then say what became of it, and journal that.
"""

from __future__ import annotations

import random
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from reconciler.apply.journal import Journal
from reconciler.apply.pace import Pace
from reconciler.apply.trouble import Trouble, is_surely_not_done, trouble
from reconciler.errors import CallFailed, HedgerowError
from reconciler.model import LiveTopic, Resolution, StoragePolicy, TopicName
from reconciler.reconcile import Change, Outcome, Status, words

if TYPE_CHECKING:
    from reconciler.apply.executor import Execution

_FIRST_DELAY, _LONGEST_DELAY = 0.2, 10.0
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 120.0
"""Seconds between attempts: after passing trouble, and while the quota (counted by the minute) is used up.

The longest pause lets a whole minute pass: between shorter ones, what is granted might go to the look before the write,
each time, and nothing would be left for the write.
"""

_GONE = "the topic is gone"
_MADE_BY_OTHERS = "somebody else made the same change"
_CHANGED = "changed by someone else since it was read; the next run will look again"


class Topics(Protocol):
    """The topics that a run reads and writes; each call is one attempt."""

    def get(self, name: TopicName) -> LiveTopic | None:
        """One topic, or `None`; raises `CallFailed`."""
        ...

    def write_storage_policy(self, name: TopicName, policy: StoragePolicy) -> None:
        """Replaces the storage policy; raises `CallFailed`."""
        ...

    def recompute_storage_policy(self, name: TopicName) -> None:
        """Has the server compute the storage policy; raises `CallFailed`."""
        ...


class _Halted(Exception):
    """Nothing more is sent, for the reason given.

    `unsure` is what became of a write sent before that may have been done, or may yet be.
    """

    def __init__(self, reason: str, unsure: CallFailed | None = None) -> None:
        super().__init__(reason)
        self.unsure = unsure

    def outcome(self, change: Change) -> Outcome:
        """What is known of the change."""
        if self.unsure is None:
            return Outcome(change=change, status=Status.SKIPPED, message=str(self))
        message = f"{self.unsure.message}; not tried again: {self}"
        return Outcome(change=change, status=Status.FAILED, found=change.before, message=message)


class Worker:
    """Carries out changes one by one, from several threads.

    Attributes:
        broken: what kept the run from being recorded, or a bug; nothing is written after it.
    """

    def __init__(self, topics: Topics, journal: Journal, pace: Pace, execution: Execution) -> None:
        self._topics = topics
        self._journal = journal
        self._pace = pace
        self._execution = execution
        self._lock = Lock()
        self._closed: dict[str, str] = {}
        self.broken: Exception | None = None

    def carry_out(self, change: Change) -> Outcome:
        """Makes a change, and returns what became of it. Never raises: the run is reported first, then `broken` is."""
        try:
            return self._lived(change)
        except _Halted as halted:
            return halted.outcome(change)
        except Exception as error:
            self._break(error)
            return Outcome(change=change, status=Status.FAILED, message=f"unexpected: {type(error).__name__}: {error}")

    def halt_reason(self) -> str | None:
        """Why no further change is begun, if so."""
        if self.broken is not None:
            message = self.broken.message if isinstance(self.broken, HedgerowError) else repr(self.broken)
            return f"the run broke: {message}"
        if self._execution.stop.is_set():
            return "stopped by a signal"
        return self._execution.obstacle()

    def _lived(self, change: Change) -> Outcome:
        self._check(change)
        try:
            found = self._read(change)
        except CallFailed as error:
            self._close_on(change, error)
            return self._ended(Outcome(change=change, status=Status.FAILED, message=error.message))
        if found is None:
            return self._ended(Outcome(change=change, status=Status.STALE, message=_GONE))
        if found.policy != change.before:
            return self._ended(Outcome(change=change, status=Status.STALE, found=found.policy, message=_CHANGED))
        self._check(change)
        try:
            self._journal.intent(change)
        except HedgerowError as error:
            self._break(error)
            raise _Halted(error.message) from error
        try:
            return self._ended(self._written(change))
        except _Halted as halted:
            return self._ended(halted.outcome(change))

    def _written(self, change: Change) -> Outcome:
        """Sends the write until it is known to have happened or to be refused, within the budget."""
        begun, attempt = self._execution.clock(), 0
        unsure: CallFailed | None = None
        while True:
            refused = self._write(change, unsure)
            if refused is not None and not is_surely_not_done(refused):
                unsure = refused
            if refused is not None and trouble(refused) in (Trouble.PERMANENT, Trouble.POLICY_CHANGING):
                if refused.code == "NOT_FOUND":
                    return Outcome(change=change, status=Status.STALE, message=_GONE)
                if is_surely_not_done(refused):
                    return self._refused(change, refused)
            if refused is not None and trouble(refused) is Trouble.THROTTLED:
                self._back_off(change, refused, attempt)
            try:
                found = self._read(change)
            except CallFailed as error:
                message = f"the write was sent and could not be read back: {error.message}"
                self._close_on(change, error)
                return Outcome(change=change, status=Status.FAILED, message=message)
            outcome = self._compared(change, found, refused)
            if outcome.status is Status.MADE and refused is not None and unsure is None:
                return replace(outcome, status=Status.STALE, message=_MADE_BY_OTHERS)
            # Sent again only while the topic is as it was: a lost answer may hide a success, or someone else's write.
            if found is not None and found.policy not in (change.before, change.after):
                return replace(outcome, status=Status.STALE if refused else outcome.status)
            if refused is None or outcome.status is not Status.FAILED:
                return outcome
            if not self._may_try_again(refused, begun):
                self._close_on(change, refused)
                return outcome
            if trouble(refused) is not Trouble.THROTTLED:
                self._back_off(change, refused, attempt)
            attempt += 1

    def _write(self, change: Change, unsure: CallFailed | None) -> CallFailed | None:
        self._pace.take(self._execution.payer(change.name.project))
        reason = self._execution.obstacle()
        if reason is not None:
            raise _Halted(reason, unsure)
        try:
            if change.resolution is Resolution.RECOMPUTE:
                self._topics.recompute_storage_policy(change.name)
            else:
                assert change.after is not None  # noqa: S101 - only recomputing comes to no policy
                self._topics.write_storage_policy(change.name, change.after)
        except CallFailed as error:
            return error
        return None

    def _read(self, change: Change) -> LiveTopic | None:
        """Reads the topic, again after passing trouble, within the budget."""
        begun, attempt = self._execution.clock(), 0
        while True:
            self._pace.take(self._execution.payer(change.name.project))
            try:
                return self._topics.get(change.name)
            except CallFailed as error:
                if not self._may_try_again(error, begun):
                    raise
                self._back_off(change, error, attempt)
                attempt += 1

    def _may_try_again(self, error: CallFailed, begun: float) -> bool:
        if self._execution.stop.is_set():
            return False
        spent = self._execution.clock() - begun
        match trouble(error):
            case Trouble.THROTTLED:
                return spent < self._execution.quota_budget
            case Trouble.PASSING:
                return spent < self._execution.retry_budget
            case _:
                return False

    def _back_off(self, change: Change, error: CallFailed, attempt: int) -> None:
        """Waits, longer with each attempt and never in step with others; the whole payer, if its quota is used up."""
        jitter = random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
        if trouble(error) is Trouble.THROTTLED:
            seconds = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
            self._pace.pause(self._execution.payer(change.name.project), seconds * jitter)
        else:
            self._execution.wait(min(_FIRST_DELAY * 2**attempt, _LONGEST_DELAY) * jitter)

    def _compared(self, change: Change, found: LiveTopic | None, refused: CallFailed | None) -> Outcome:
        policy = found.policy if found else None
        if found is not None and policy == change.after:
            return Outcome(change=change, status=Status.MADE, found=policy)
        if found is None:
            return Outcome(change=change, status=Status.STALE, message=_GONE)
        if refused is not None:
            return self._refused(change, refused, policy)
        hint = ""
        if change.resolution is Resolution.RECOMPUTE:
            hint = "; the policy is changing"
            self._close(change, "the policy is changing; the next run will look again")
        message = f"read back otherwise than written: the topic now has {words(policy)}{hint}"
        return Outcome(change=change, status=Status.FAILED, found=policy, message=message)

    def _refused(self, change: Change, refused: CallFailed, found: StoragePolicy | None = None) -> Outcome:
        message = refused.message
        match trouble(refused):
            case Trouble.POLICY_CHANGING:
                message += "; the policy is not the one that the plan was computed from"
                self._close(change, "the policy is changing; the next run will look again")
            case Trouble.THROTTLED:
                message += "; throttled, so the next run goes on where this one stopped"
            case _:
                pass
        return Outcome(change=change, status=Status.FAILED, found=found or change.before, message=message)

    def _close_on(self, change: Change, error: CallFailed) -> None:
        """Begins nothing more in a project whose calls fail for longer than the budget."""
        if trouble(error) in (Trouble.PASSING, Trouble.THROTTLED):
            self._close(change, f"the calls before it failed: {error.code}")

    def _close(self, change: Change, reason: str) -> None:
        with self._lock:
            self._closed.setdefault(change.name.project, reason)

    def _check(self, change: Change) -> None:
        reason = self.halt_reason() or self._closed.get(change.name.project)
        if reason is not None:
            raise _Halted(reason)

    def _break(self, error: Exception) -> None:
        with self._lock:
            self.broken = self.broken or error

    def _ended(self, outcome: Outcome) -> Outcome:
        """Journals an outcome. It stays what it is where that fails, and is the last."""
        try:
            self._journal.outcome(outcome)
        except HedgerowError as error:
            self._break(error)
        return outcome
