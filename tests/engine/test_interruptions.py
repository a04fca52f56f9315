"""`pulumi up` at the same time as the nightly job, and cut off in the middle: then a night, then `pulumi up` again."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from reconciler.errors import ExitCode
from reconciler.sandbox import Answer, Call, Fault, Transport
from reconciler.sandbox.methods import Method
from tests.engine.workshop import ALLOWED, PATIENCE, STACK, Workshop, explicit, finish, stored

pytestmark = [pytest.mark.engine, pytest.mark.network]

UP = ("up", "--yes", "--skip-preview")
PREVIEW = ("preview", "--refresh", "--expect-no-changes")
AT_ONCE = 2
TOPICS = [{"name": f"orders-{number}"} for number in range(1, 7)]


@pytest.mark.parametrize(
    ("held", "code"),
    [
        pytest.param(Transport.REST, ExitCode.OK, id="the-night-writes-first"),
        pytest.param(Transport.GRPC, ExitCode.STALE, id="up-writes-first"),
    ],
)
def test_both_at_once_write_the_same_and_leave_nothing_to_do(
    workshop: Workshop, held: Transport, code: ExitCode
) -> None:
    """Neither waits for the other. A night that finds a topic changed since it was read leaves it to the next one."""
    workshop.declare({"name": "inherits"}, {"name": "payments", **explicit("europe-west1")})
    workshop.pulumi(*UP).succeeded()
    workshop.declare({"name": "inherits"}, {"name": "payments", **explicit("europe-west1", "europe-west4")})
    workshop.edit("inherits", "europe-west1", "us-east1")
    workshop.writes()
    arrived, go_on = {Transport.REST: Event(), Transport.GRPC: Event()}, Event()

    def hold(method: Method, _: Any, call: Call, carry_out: Callable[[], Any]) -> Any:
        if method.name == "UpdateTopic":
            arrived[call.transport].set()
            assert call.transport is not held or go_on.wait(PATIENCE)
        return carry_out()

    workshop.box.stand_by(hold)
    up = workshop.start("pulumi", *UP)
    assert held is Transport.GRPC or arrived[held].wait(PATIENCE)
    night = workshop.start("hedgerow", "reconcile", STACK, "--allow-widening")
    assert arrived[held].wait(PATIENCE)
    if held is Transport.REST:
        assert finish(night).code == code
        locked = workshop.pulumi(*UP)
        assert (locked.code, locked.err.partition(".")[0]) == (1, "error: the stack is currently locked by 1 lock(s)")
        go_on.set()
        finish(up).succeeded()
    else:
        finish(up).succeeded()
        go_on.set()
        told = finish(night)
        assert told.code == code
        assert "payments  changed by someone else since it was read; the next run will look again\n" in told.err

    sent = [request for request in workshop.box.log.requests if request.writes]
    assert {request.resource.rpartition("/")[2]: request.body["topic"]["messageStoragePolicy"] for request in sent} == {
        "inherits": {"allowedPersistenceRegions": ["europe-west1"]},
        "payments": {"allowedPersistenceRegions": ["europe-west1", "europe-west4"]},
    }
    assert workshop.live() == {"inherits": stored("europe-west1"), "payments": stored("europe-west1", "europe-west4")}
    workshop.writes()
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["4 unchanged"]
    workshop.hedgerow("reconcile", STACK).succeeded()
    assert workshop.writes() == []


def test_an_up_that_was_cancelled_is_finished_by_the_next_one_after_a_night(workshop: Workshop) -> None:
    """Ctrl-C: what is in work is finished and recorded; the night repairs what exists and makes nothing."""
    workshop.declare(*TOPICS)
    cancelling = Event()

    def hold(method: Method, _: Any, __: Call, carry_out: Callable[[], Any]) -> Any:
        if method.name == "CreateTopic":
            assert len(workshop.live()) < AT_ONCE or cancelling.wait(PATIENCE)
        return carry_out()

    workshop.box.stand_by(hold)
    up = workshop.start("pulumi", *UP, "--parallel", str(AT_ONCE))
    workshop.wait(lambda: len(workshop.live()) >= AT_ONCE)
    up.send_signal(signal.SIGINT)
    time.sleep(1)  # so that the engine starts nothing new before what is in work may go on
    cancelling.set()
    cancelled = finish(up)
    assert cancelled.code == 1
    assert "error: update canceled\n" in cancelled.out
    made = workshop.live()
    assert AT_ONCE <= len(made) < len(TOPICS)
    assert {name.partition("/")[2] for name in workshop.state() if "/" in name} == made.keys()

    _night_repairs(workshop, next(iter(made)))
    assert workshop.live().keys() == made.keys()

    finished = workshop.pulumi(*UP).succeeded()
    assert f"+ {len(TOPICS) - len(made)} created" in finished.summary
    assert workshop.live().keys() == {topic["name"] for topic in TOPICS}
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["8 unchanged"]


def test_an_up_that_was_killed_leaves_a_lock_and_a_topic_to_import_and_the_night_does_not_mind(
    workshop: Workshop,
) -> None:
    """kill -9: a topic was made and never recorded. The night treats it as any other; `pulumi up` says that it is there
    already, and is clean once that has been imported."""
    workshop.declare(*TOPICS)
    workshop.box.faults.add(Fault(method="CreateTopic", resource="*/orders-3", answer=Answer.SILENT))
    up = workshop.start("pulumi", *UP)
    workshop.wait(lambda: len(workshop.live()) == len(TOPICS))
    workshop.wait(lambda: _recorded(workshop) == len(TOPICS) - 1)
    up.kill()
    assert finish(up).code == -signal.SIGKILL
    workshop.box.faults.clear()

    _night_repairs(workshop, "orders-3")

    locked = workshop.pulumi(*UP)
    assert (locked.code, locked.err.partition(".")[0]) == (1, "error: the stack is currently locked by 1 lock(s)")
    workshop.pulumi("cancel", "--yes").succeeded()
    refused = workshop.pulumi(*UP, "--continue-on-error")
    assert refused.code == 1
    assert "warning: Attempting to deploy or update resources with 1 pending operations" in refused.out
    assert "* Error creating Topic: googleapi: Error 409: Topic already exists\n" in refused.out

    workshop.pulumi(
        *("import", "gcp:pubsub/topic:Topic", "acme-orders-prod/orders-3"),
        *("projects/acme-orders-prod/topics/orders-3", "--parent", f"fleet={workshop.state()['fleet']['urn']}"),
        *("--yes", "--skip-preview", "--generate-code=false"),
    ).succeeded()
    workshop.writes()
    assert workshop.pulumi(*UP).succeeded().summary == ["~ 1 updated", "7 unchanged"]  # its deletion policy
    assert workshop.writes() == []
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["8 unchanged"]


def test_a_change_that_was_lost_with_its_up_is_made_by_the_night_and_found_by_the_next_up(workshop: Workshop) -> None:
    """kill -9 during an update that has reached the service: nobody writes it twice."""
    workshop.declare({"name": "payments", **explicit("europe-west1")})
    workshop.pulumi(*UP).succeeded()
    workshop.declare({"name": "payments", **explicit("europe-west4")})
    workshop.box.faults.add(Fault(method="UpdateTopic", answer=Answer.SILENT))
    up = workshop.start("pulumi", *UP)
    workshop.wait(lambda: workshop.live() == {"payments": stored("europe-west4")})
    up.kill()
    finish(up)
    workshop.box.faults.clear()
    workshop.writes()
    workshop.hedgerow("reconcile", STACK).succeeded()
    workshop.pulumi("cancel", "--yes").succeeded()
    workshop.pulumi(*UP, "--refresh").succeeded()
    assert workshop.writes() == []
    assert workshop.pulumi(*PREVIEW).succeeded().summary == ["3 unchanged"]


def _recorded(workshop: Workshop) -> int:
    """How many topics are in Pulumi's state, which may be being written."""
    exported = workshop.pulumi("stack", "export")
    if exported.code != 0:
        return 0
    return sum("topic:Topic" in found["type"] for found in json.loads(exported.out)["deployment"]["resources"])


def _night_repairs(workshop: Workshop, topic: str) -> None:
    """Somebody lets a topic into a region that is not allowed, and the night takes that back."""
    workshop.edit(topic, *ALLOWED, "us-east1")
    workshop.writes()
    night = json.loads(workshop.hedgerow("reconcile", STACK, "--format", "json").succeeded().out)
    assert workshop.writes() == [f"UpdateTopic {topic} message_storage_policy"], night
    assert workshop.live()[topic] == stored(*ALLOWED)
