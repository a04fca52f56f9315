"""Everybody who comes and goes in a soak: weather, administrators, Pulumi, people, and the runs themselves."""

from __future__ import annotations

import random
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import google.pubsub_v1.types as pubsub

from reconciler.model import StoragePolicy
from reconciler.sandbox import Answer, ApiError, Call, Fault, Sandbox, World, publisher
from reconciler.sandbox.storage import to_message
from tests.nights.nursery import Nursery, Process
from tests.nights.places import ORGANIZATION, allowing, organization_file, policy, surroundings, world_of, written
from tests.nights.warden import Warden

EUROPE = ("europe-west1", "europe-west3", "europe-west4", "europe-north1")
PROJECTS = {"careful": ("acme-billing-prod", "acme-orders-prod"), "eager": ("acme-lab-dev", "acme-lab-prod")}
IN_TRANSIT = f"{ORGANIZATION}/policies/pubsub.enforceInTransitRegions"
TOPICS = 8
"""Declared topics of each project: half inherit, half are explicit."""

LATENCIES: tuple[float | tuple[tuple[float, float], ...], ...] = (0.0, 0.0, 0.02, ((0.9, 0.0), (0.1, 0.3)))
RUN_CODES = {0, 3, 4, 5, 6, 7, 8}
"""How a run may end that was not killed. 1 is for those that are interrupted while they plan."""

IGNORED = "Exception ignored in"
"""What Python says where a signal meets a destructor. The signal must not be lost by it, but this is none of ours."""

STACK = """\
apiVersion: hedgerow/v1
organization: {organization}
policySource: live
projects: [{projects}]
reconcile: {{journal: ../../runs, waves: [2, 50%, 100%], settle: {settle}, operationsPerMinute: 60000, limits: {limits}{more}}}
"""
MORE = {
    "careful": "",
    "eager": ", widening: allow, resolutions: {missing: extend, mixed: recompute, empty: recompute}",
}
LIMITS = "{percent: 75, minimumPopulation: 4}"


@dataclass
class Soak:
    """The stage: a checkout, a cloud, and everybody who changes it."""

    folder: Path
    world: World
    box: Sandbox
    warden: Warden
    nursery: Nursery
    seed: int
    ended: threading.Event = field(default_factory=threading.Event)
    counts: Counter[str] = field(default_factory=Counter)
    killed: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def blame(self, what: str) -> None:
        with self.lock:
            self.wrong.append(what)

    def run(self, name: str, *arguments: str, timeout: str = "2") -> Process:
        """Starts a command."""
        environment = surroundings(self.box, HEDGEROW_RETRY_BUDGET="2", HEDGEROW_CALL_TIMEOUT=timeout)
        return self.nursery.start(self.folder, *arguments, environment=environment, output=self.folder / name)

    # Those who come and go. Each is a thread with its own chance.

    def weather(self, chance: random.Random) -> None:
        """Faults come and go; for a while a project answers nobody."""
        self.box.faults.clear()
        for project in sum(PROJECTS.values(), ()):
            self.world.allow(project)
            self.world.allow(project, "orgpolicy")
        for _ in range(chance.randrange(4)):
            self.box.faults.add(_fault(chance))
            self.count("faults")
        if chance.random() < 0.1:
            project = chance.choice(sum(PROJECTS.values(), ()))
            self.world.deny(project, chance.choice(["pubsub", "orgpolicy"]))
            self.count("denials")

    def administrator(self, chance: random.Random) -> None:
        """The organization changes its mind."""
        regions = chance.sample(EUROPE, chance.randint(1, len(EUROPE)))
        if chance.random() < 0.2:
            self.world.set_policy({"name": IN_TRANSIT, "spec": {"rules": [{"enforce": chance.random() < 0.5}]}})
        if chance.random() < 0.3:
            project = chance.choice(sum(PROJECTS.values(), ()))
            self.world.set_policy(allowing(*regions, on=f"projects/{project}"))
        else:
            self.world.set_policy(allowing(*regions))
        self.count("policy changes")

    def pulumi(self, chance: random.Random) -> None:
        """`pulumi up` of a stack: a full PATCH of each declared topic; what is inherited stays out of the mask."""
        for name in _declared(chance.choice(sorted(PROJECTS))):
            topic = {"labels": {"team": chance.choice(["blue", "green"])}, "message_retention_duration": "86400s"}
            wanted = _explicit(name)
            self._patch("pulumi", name, wanted, list(topic) + ["message_storage_policy"] * (wanted is not None))
        self.count("pulumi ups")

    def hands(self, chance: random.Random) -> None:
        """Somebody edits, deletes or creates a topic in the console."""
        stack = chance.choice(sorted(PROJECTS))
        name = chance.choice([*_declared(stack), *_others(stack)])
        act = chance.random()
        if act < 0.1:
            self._patch("somebody", name, None, ["labels"])
        elif act < 0.15 and self.world.topic(name):
            self._attempt(name, lambda: self.world.delete_topic(name))
        elif self.world.topic(name) is None:
            request = pubsub.Topic.pb()(name=name)
            self._attempt(name, lambda: publisher.create_topic(self.world, request, Call(principal="somebody")))
        elif act < 0.3:
            wanted = policy(*chance.sample((*EUROPE, "us-east1"), 2), flag=chance.random() < 0.3)
            self._attempt(name, lambda: self.world.put_topic(name, wanted))
        else:
            regions = chance.sample(EUROPE, chance.randint(1, 3))
            wanted = policy(*regions, flag=chance.random() < 0.2)
            self._patch("somebody", name, wanted, ["message_storage_policy"])
        self.count("hand edits")

    def _patch(self, who: str, name: str, wanted: StoragePolicy | None, mask: list[str]) -> None:
        request = pubsub.UpdateTopicRequest.pb()(update_mask={"paths": mask})
        request.topic.name = name
        request.topic.labels["team"] = "blue"
        request.topic.message_retention_duration.seconds = 86_400
        if wanted is not None:
            request.topic.message_storage_policy.CopyFrom(to_message(wanted))
        self._attempt(name, lambda: publisher.update_topic(self.world, request, Call(principal=who)))

    def _attempt(self, name: str, act: Callable[[], object]) -> None:
        try:
            act()
        except ApiError:
            self.count("refused to others")
        else:
            topic = self.world.topic(name)
            self.warden.edited(name, topic.policy if topic else None)

    def nights(self, chance: random.Random, stack: str, number: int) -> None:
        """A run, with another that wants the same stack beside it, or a signal, now and then."""
        name = f"{stack}-{number}-{chance.randrange(10**12)}.out"
        process = self.run(name, "reconcile", stack, *(["--force"] if chance.random() < 0.3 else []))
        signalled = chance.choices([None, signal.SIGTERM, signal.SIGKILL], [70, 10, 20])[0]
        if signalled is not None and not self.ended.wait(chance.uniform(0.05, 1.0)):
            process.kill(signalled)
        status = process.wait(120)
        err = process.err
        run = re.findall(r"^run (\S+)", err, re.MULTILINE)
        if status == -signal.SIGKILL:
            self.killed |= set(run)
            self.count("runs killed")
        elif status == -signal.SIGTERM:
            # Before and after its work a run leaves signals to the system; in between, its journal would not end.
            self.count("runs ended after they were done" if run else "runs ended before they began")
        elif ("Traceback" in err and IGNORED not in err) or status not in RUN_CODES | (
            {1} if "error: interrupted" in err else set()
        ):
            self.blame(f"a run ended with {status}: {err}")
        else:
            self.count(f"runs ended with {status}")
        process.output.unlink(missing_ok=True)


def _fault(chance: random.Random) -> Fault:
    method = chance.choice(["UpdateTopic", "UpdateTopic", "GetTopic", "ListTopics", "GetEffectivePolicy", "*"])
    error = chance.choice(
        ["UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED", "INTERNAL", "ABORTED", "PERMISSION_DENIED", None]
    )
    answer = chance.choices([Answer.GIVEN, Answer.LOST, Answer.SILENT, Answer.STALLED], [5, 3, 1, 1])[0]
    latency = chance.choice(LATENCIES)
    times = 1 if error == "RESOURCE_EXHAUSTED" else chance.choice([1, 2, 5, None])
    return Fault(
        method=method,
        error=error,
        answer=answer,
        latency=latency,
        times=times,
        rate=chance.choice([0.05, 0.3, 1.0]),
        seed=chance.randrange(10**6),
    )


def _declared(stack: str) -> list[str]:
    return [f"projects/{p}/topics/events-{n}" for p in PROJECTS[stack] for n in range(TOPICS)]


def _others(stack: str) -> list[str]:
    return [f"projects/{p}/topics/{kind}" for p in PROJECTS[stack] for kind in ("foreign", "unmanaged")]


def _explicit(name: str) -> StoragePolicy | None:
    """What the stack declares for a topic; `None` where it inherits."""
    number = int(name[-1])
    return policy(EUROPE[number % 3], EUROPE[3]) if number >= TOPICS // 2 else None


def _topics_file(stack: str) -> str:
    lines = ["apiVersion: hedgerow/v1", "topics:"]
    for name in _declared(stack):
        wanted = _explicit(name)
        regions = (
            f"\n    messageStoragePolicy: {{allowedPersistenceRegions: [{', '.join(wanted.regions)}]}}"
            if wanted
            else ""
        )
        lines.append(f"  - name: {name}{regions}")
    lines += [
        f"  - {{name: {name}, messageStoragePolicy: unmanaged}}" for name in _others(stack) if "unmanaged" in name
    ]
    return "\n".join(lines) + "\n"


@contextmanager
def staged(folder: Path, seed: int, settle: str) -> Iterator[Soak]:
    """The stage, set."""
    files = {"policies/organization.yaml": organization_file(sum(PROJECTS.values(), ()), EUROPE)}
    for stack, projects in PROJECTS.items():
        files[f"stacks/{stack}/stack.yaml"] = STACK.format(
            organization=ORGANIZATION, projects=", ".join(projects), settle=settle, limits=LIMITS, more=MORE[stack]
        )
        files[f"stacks/{stack}/topics.yaml"] = _topics_file(stack)
    written(folder, files)
    world = world_of(folder)
    for stack in PROJECTS:
        for name in [*_declared(stack), *_others(stack)]:
            world.put_topic(name, policy("europe-west1", "us-east1"))
    warden = Warden(
        world=world,
        journals=folder / "runs",
        may_write=frozenset(_declared("careful") + _declared("eager")),
        may_widen=frozenset(_declared("eager")),
        is_calm=False,
    )
    with Sandbox(world) as box, Nursery() as nursery:
        box.stand_by(warden)
        yield Soak(folder=folder, world=world, box=box, warden=warden, nursery=nursery, seed=seed)
