"""Programs of stacks with a section `pulumi`: their parts, their provider, and what they take over."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pytest

from reconciler.errors import UsageError
from reconciler.model import TopicName
from reconciler.pulumi import ViolatedRules, load_declaration, run
from reconciler.sandbox import Sandbox, World
from reconciler.spec import load_catalogue, load_snapshot
from tests.pulumi.conftest import Ran, RunProgram
from tests.pulumi.test_program import NOT_ALLOWED, ORGANIZATION, STACK, TODAY, TOPICS

ORDERS, PAYMENTS = TopicName("acme-orders", "orders"), TopicName("acme-orders", "payments")


@pytest.fixture
def stacks(tmp_path: Path) -> Path:
    """A folder with the stack `production` of two topics; the Pulumi stack of the tests is `demo`."""
    folder = tmp_path / "stacks" / "production"
    folder.mkdir(parents=True)
    (tmp_path / "organization.yaml").write_text(ORGANIZATION)
    (folder / "stack.yaml").write_text(STACK)
    (folder / "topics.yaml").write_text(TOPICS)
    return tmp_path / "stacks"


def say(stacks: Path, section: str, file: str = "production") -> None:
    (stacks / file / "stack.yaml").write_text(f"{STACK}pulumi: {section}\n")


def names(stacks: Path, pulumi_stack: str) -> list[str]:
    return [topic.name.topic for topic in load_declaration(stacks, pulumi_stack, today=TODAY).topics]


def test_each_shard_declares_its_part_and_all_of_them_everything(stacks: Path) -> None:
    say(stacks, "{shards: 2}")
    parts = [names(stacks, f"production-{index}-of-2") for index in range(2)]

    assert sorted(parts) == [["orders"], ["payments"]]


def test_each_projects_topics_can_be_a_part(stacks: Path) -> None:
    say(stacks, "{shards: project}")

    assert names(stacks, "production-acme-orders") == ["orders", "payments"]


def test_the_folder_with_the_longest_name_is_meant(stacks: Path) -> None:
    (stacks / "production").rename(stacks / "production-eu")
    say(stacks, "{shards: project}", "production-eu")
    (stacks / "production").mkdir()
    (stacks / "production" / "stack.yaml").write_text(STACK)

    assert names(stacks, "production-eu-acme-orders") == ["orders", "payments"]
    assert names(stacks, "production") == []


def test_a_part_that_there_is_not_is_told_with_those_that_are(stacks: Path) -> None:
    say(stacks, "{shards: 9}")
    with pytest.raises(UsageError) as refused:
        load_declaration(stacks, "production-0-of-8", today=TODAY)

    assert str(refused.value) == (
        "error: the Pulumi stack `production-0-of-8` declares nothing of `production`, which is declared by "
        "`production-0-of-9`, `production-1-of-9`, `production-2-of-9` and 6 more\n"
        "  hint: hedgerow pulumi stacks production; docs/pulumi.md says how topics move from one to another"
    )


@pytest.mark.parametrize("pulumi_stack", ["production", "else"])
def test_the_whole_of_a_stack_that_is_split_is_declared_by_no_pulumi_stack(stacks: Path, pulumi_stack: str) -> None:
    say(stacks, "{shards: project}")
    with pytest.raises(UsageError) as refused:
        load_declaration(stacks, pulumi_stack, folder="production", today=TODAY)

    assert refused.value.message == (
        f"the Pulumi stack `{pulumi_stack}` declares nothing of `production`, which is declared by "
        "`production-acme-orders`"
    )


def test_a_stack_that_is_not_split_has_no_parts_but_may_be_named(stacks: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load_declaration(stacks, "production-test", today=TODAY)

    assert str(refused.value) == (
        "error: the Pulumi stack `production-test` declares nothing of `production`, which is declared by "
        "`production`\n  hint: `pulumi config set hedgerow:stack production`, if it is to declare that stack"
    )
    named = load_declaration(stacks, "production-test", folder="production", today=TODAY)
    assert [topic.name for topic in named.topics] == [ORDERS, PAYMENTS]


def test_what_is_wrong_elsewhere_does_not_stop_a_part(stacks: Path) -> None:
    two = STACK.replace("[acme-orders]", "[acme-orders, acme-lab]")
    (stacks / "production" / "stack.yaml").write_text(f"{two}pulumi: {{shards: project}}\n")
    (stacks / "production" / "lab.yaml").write_text("topics: [{name: projects/acme-lab/topics/trial}]")

    assert names(stacks, "production-acme-orders") == ["orders", "payments"]
    with pytest.raises(ViolatedRules, match="no topic was declared"):
        load_declaration(stacks, "production-acme-lab", today=TODAY)


def test_a_broken_rule_stops_the_shard_that_breaks_it_and_no_other(stacks: Path) -> None:
    say(stacks, "{shards: 2}")
    (stacks / "production" / "ledger.yaml").write_text(NOT_ALLOWED)
    outcomes = []
    for index in range(2):
        try:
            outcomes.append(" ".join(names(stacks, f"production-{index}-of-2")))
        except ViolatedRules as error:
            outcomes.append(str(error).splitlines()[-1])

    assert sorted(outcomes) == ["error: 1 finding; no topic was declared", "payments"]


def test_a_change_moves_the_fingerprint_of_its_part_alone(stacks: Path) -> None:
    say(stacks, "{shards: 2}")
    before = [load_declaration(stacks, f"production-{i}-of-2", today=TODAY).fingerprint for i in range(2)]
    (stacks / "production" / "topics.yaml").write_text(TOPICS.replace("86400s", "90000s"))
    after = [load_declaration(stacks, f"production-{i}-of-2", today=TODAY).fingerprint for i in range(2)]

    assert [one != other for one, other in zip(before, after, strict=True)].count(True) == 1


def declared(stacks: Path, run_program: RunProgram, **config: str) -> Ran:
    return run_program(
        lambda: run(stacks), config={"hedgerow:stack": "production", **{f"hedgerow:{k}": v for k, v in config.items()}}
    )


def test_provider_settings_are_a_provider_that_every_topic_uses(stacks: Path, run_program: RunProgram) -> None:
    say(
        stacks,
        "{provider: {project: acme-platform, billingProject: acme-billing, userProjectOverride: true, "
        "impersonateServiceAccount: pulumi@acme.example, pubsubCustomEndpoint: 'http://127.0.0.1:8086/v1/', "
        "defaultLabels: {owner: platform}, addPulumiAttributionLabel: false, universeDomain: example.test}}",
    )
    ran = declared(stacks, run_program)

    assert ran.by_name["gcp"].inputs == {
        "project": "acme-platform",
        "billingProject": "acme-billing",
        "userProjectOverride": "true",
        "impersonateServiceAccount": "pulumi@acme.example",
        "pubsubCustomEndpoint": "http://127.0.0.1:8086/v1/",
        "defaultLabels": '{"owner": "platform"}',
        "addPulumiAttributionLabel": "false",
        "universeDomain": "example.test",
    }
    assert {ran.by_name[topic].provider for topic in ran.topics} == {f"{ran.by_name['gcp'].urn}::gcp-id"}


def test_without_settings_there_is_no_provider_of_its_own(stacks: Path, run_program: RunProgram) -> None:
    ran = declared(stacks, run_program)

    assert "gcp" not in ran.by_name
    assert {ran.by_name[topic].provider for topic in ran.topics} == {""}


def test_a_provider_is_no_part_of_a_topics_name(stacks: Path, run_program: RunProgram) -> None:
    plain = declared(stacks, run_program)
    say(stacks, "{provider: {project: acme-platform}}")
    own = declared(stacks, run_program)

    assert [own.by_name[topic].urn for topic in own.topics] == [plain.by_name[topic].urn for topic in plain.topics]


@pytest.fixture
def cloud(stacks: Path, run_program: RunProgram) -> object:
    """The organization live, with the topic `orders`, and a program that is told where by its environment alone."""
    world = World(catalogue=load_catalogue())
    world.load_snapshot(load_snapshot(stacks.parent / "organization.yaml"))
    world.put_topic(str(ORDERS), None)
    with Sandbox(world) as box:
        yield (
            world,
            lambda **config: run_program(
                lambda: run(stacks, box.environment()),
                config={"hedgerow:stack": "production", **{f"hedgerow:{key}": value for key, value in config.items()}},
            ),
        )


@pytest.mark.network
def test_topics_that_are_live_are_taken_over_where_that_is_asked_for(cloud: tuple[World, RunProgram]) -> None:
    _, program = cloud

    def imports(ran: Ran) -> list[str]:
        return [ran.by_name[topic].import_id for topic in ran.topics]

    assert imports(program()) == ["", ""]
    assert imports(program(adopt="false")) == ["", ""]
    assert imports(program(adopt="true")) == ["projects/acme-orders/topics/orders", ""]


@pytest.mark.network
def test_what_cannot_be_listed_is_not_taken_for_absent(cloud: tuple[World, RunProgram]) -> None:
    world, program = cloud
    world.deny("acme-orders", "pubsub", "not yours")
    with pytest.raises(pulumi.RunError) as refused:
        program(adopt="true")

    assert str(refused.value) == (
        "`acme-orders`: the topics could not be read: PERMISSION_DENIED: not yours\n"
        "  hint: the caller needs `pubsub.topics.list`, held by roles/pubsub.viewer"
    )


@pytest.mark.network
def test_the_environment_says_where_live_policies_are(stacks: Path, cloud: tuple[World, RunProgram]) -> None:
    (stacks / "production" / "stack.yaml").write_text(STACK.replace("../../organization.yaml", "live"))
    _, program = cloud

    assert set(program().topics) == {"acme-orders/orders", "acme-orders/payments"}


def test_a_choice_that_is_none_is_told(stacks: Path, run_program: RunProgram) -> None:
    with pytest.raises(pulumi.RunError, match="'hedgerow:adopt' value 'perhaps' is not a valid 'bool'"):
        declared(stacks, run_program, adopt="perhaps")


def test_what_a_file_says_forges_no_line_of_a_finding(stacks: Path, run_program: RunProgram) -> None:
    (stacks / "production" / "bad.yaml").write_text(
        "exemptions: [{topics: [projects/acme-orders/topics/orders], rule: region-not-allowed, "
        'reason: "r\\nerror: forged\\e[31m", owner: o, expires: 2027-01-01}]\n' + NOT_ALLOWED
    )
    with pytest.raises(pulumi.RunError) as refused:
        declared(stacks, run_program)

    assert "\nerror: forged" not in str(refused.value)
    assert "\x1b" not in str(refused.value)
