"""What files mean: topics, defaults, `forEach`, the stack's settings, and the files that are read."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

from reconciler.errors import InvalidInput, Position
from reconciler.model import (
    LIVE,
    DeclaredPolicy,
    Endpoints,
    Explicit,
    Inherit,
    Limits,
    Origin,
    Reader,
    ReconcileSettings,
    RegionSet,
    Resolution,
    Resolutions,
    Stack,
    Subscriber,
    TopicName,
    TopicSpec,
    Unmanaged,
    UnmanagedTopics,
    Within,
)
from reconciler.spec import InvalidSpecs, load_fleet
from tests.spec.stacks import STACK, load, one_topic, orders, problem, problems, topics, write

NAME = "name: projects/acme-orders-prod/topics/orders"


def test_a_topic_is_read_whole(tmp_path: Path) -> None:
    text = """\
topics:
  - name: payments
    project: acme-orders-prod
    messageStoragePolicy:
      allowedPersistenceRegions: [europe-west4, europe-west1]
      enforceInTransit: true
    labels: {data: personal}
    resolutions: {missing: extend, inTransit: report}
    messageRetentionDuration: 86400.0s
    kmsKeyName: projects/p/locations/l/keyRings/r/cryptoKeys/k
    schemaSettings: {schema: projects/p/schemas/sent, encoding: JSON}
    messageTransforms: [{javascriptUdf: {functionName: f, code: "function f(m) { return `${m}{x}`; }"}}]
    ingestionDataSourceSettings: {cloudStorage: {bucket: b, matchGlob: "**.{txt}"}}
    tags: {123/env: prod}
    subscribers:
      - {name: billing, regions: [europe-west1], delivery: push}
      - {name: audit}
"""
    origin = Origin("s/t.yaml", ("topics", 0))

    assert load(tmp_path, {"t.yaml": text}).fleet.topics == (
        TopicSpec(
            name=orders("payments"),
            policy=Explicit(regions=RegionSet.of("europe-west1", "europe-west4"), enforce_in_transit=True),
            labels={"data": "personal"},
            resolutions=Resolutions(missing=Resolution.EXTEND, in_transit=Resolution.REPORT),
            fields={
                "messageRetentionDuration": "86400s",
                "kmsKeyName": "projects/p/locations/l/keyRings/r/cryptoKeys/k",
                "schemaSettings": {"schema": "projects/p/schemas/sent", "encoding": "JSON"},
                "messageTransforms": [
                    {"javascriptUdf": {"functionName": "f", "code": "function f(m) { return `${m}{x}`; }"}}
                ],
                "ingestionDataSourceSettings": {"cloudStorage": {"bucket": "b", "matchGlob": "**.{txt}"}},
                "tags": {"123/env": "prod"},
            },
            subscribers=(
                Subscriber(name="billing", regions=("europe-west1",), delivery="push"),
                Subscriber(name="audit"),
            ),
            origin=origin,
            policy_origin=origin.at("messageStoragePolicy"),
        ),
    )


@pytest.mark.parametrize(
    ("declared", "policy"),
    [
        ("inherit", Inherit()),
        ("unmanaged", Unmanaged()),
        ("{allowedPersistenceRegions: [europe-west1]}", Explicit(regions=RegionSet.of("europe-west1"))),
        (
            "{allowedPersistenceRegions: [europe-west1], enforceInTransit: inherit}",
            Explicit(regions=RegionSet.of("europe-west1")),
        ),
        (
            "{allowedPersistenceRegions: [europe-west99], enforceInTransit: false}",
            Explicit(regions=RegionSet.of("europe-west99"), enforce_in_transit=False),
        ),
        ("{within: [in:us-locations, in:eu-locations]}", Within(groups=("in:eu-locations", "in:us-locations"))),
        (
            "{within: [in:eu-locations], enforceInTransit: true}",
            Within(groups=("in:eu-locations",), enforce_in_transit=True),
        ),
    ],
)
def test_declared_policies(tmp_path: Path, declared: str, policy: DeclaredPolicy) -> None:
    assert one_topic(tmp_path, f"{{{NAME}, messageStoragePolicy: {declared}}}").policy == policy


def test_a_topic_that_says_nothing_inherits_and_takes_the_stacks_resolutions(tmp_path: Path) -> None:
    stack = STACK + "reconcile: {resolutions: {missing: recompute}}\n"
    topic = load(tmp_path, {"stack.yaml": stack, "t.yaml": f"topics: [{{{NAME}}}]"}).fleet.topics[0]

    assert topic == TopicSpec(
        name=orders("orders"),
        policy=Inherit(),
        resolutions=Resolutions(missing=Resolution.RECOMPUTE),
        origin=Origin("s/t.yaml", ("topics", 0)),
        policy_origin=Origin("s/t.yaml", ("topics", 0)),
    )


def test_a_region_listed_twice_counts_once_with_a_warning(tmp_path: Path) -> None:
    text = f"topics:\n  - {NAME}\n    messageStoragePolicy: {{allowedPersistenceRegions: [us-east1, us-east1]}}\n"
    loaded = load(tmp_path, {"t.yaml": text})

    assert loaded.fleet.topics[0].policy == Explicit(regions=RegionSet.of("us-east1"))
    assert [str(warning) for warning in loaded.warnings] == [
        (
            "s/t.yaml:3:66: warning: `orders`: region `us-east1` is listed twice  [regions-duplicate]\n"
            "  hint: keep one of them"
        )
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [("600s", "600s"), ("2678400s", "2678400s"), ("86400.50s", "86400.5s"), ("86400.000s", "86400s")],
)
def test_retention_is_carried_in_its_shortest_form(tmp_path: Path, written: str, read: str) -> None:
    topic = one_topic(tmp_path, f"{{{NAME}, messageRetentionDuration: {written}}}")

    assert topic.fields == {"messageRetentionDuration": read}


def test_words_that_older_yaml_takes_for_other_things_stay_text(tmp_path: Path) -> None:
    topic = one_topic(tmp_path, f"{{{NAME}, labels: {{a: no, b: on, c: 12-30}}}}")

    assert topic.labels == {"a": "no", "b": "on", "c": "12-30"}


def test_a_quoted_date_is_text(tmp_path: Path) -> None:
    assert one_topic(tmp_path, f'{{{NAME}, labels: {{since: "2026-01-01"}}}}').labels == {"since": "2026-01-01"}


def test_aliases_are_followed(tmp_path: Path) -> None:
    text = "topics:\n  - {name: aaa, project: &p acme-orders-prod}\n  - {name: bbb, project: *p}\n"

    assert sorted(topics(tmp_path, {"t.yaml": text})) == ["aaa", "bbb"]


def test_json_is_read_alike(tmp_path: Path) -> None:
    text = '{\n\t"$schema": "x",\n\t"topics": [{"name": "projects/acme-orders-prod/topics/orders"}]\n}'

    assert list(topics(tmp_path, {"t.json": text})) == ["orders"]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert list(topics(tmp_path, {"t.yaml": b"\xef\xbb\xbftopics: [{" + NAME.encode() + b"}]"})) == ["orders"]


class TestDefaults:
    ENTRY = "topics: [{name: %s}]\n"

    def test_hold_for_their_file_and_for_folders_below_but_not_beside(self, tmp_path: Path) -> None:
        files = {
            "base.yaml": "defaults: {project: acme-orders-prod, labels: {team: base}}\n" + self.ENTRY % "own",
            "below/t.yaml": self.ENTRY % "one-below",
            "below/deep/t.yaml": self.ENTRY % "two-below",
        }
        assert {id_: topic.labels for id_, topic in topics(tmp_path, files).items()} == {
            "own": {"team": "base"},
            "one-below": {"team": "base"},
            "two-below": {"team": "base"},
        }

        assert problem_codes(tmp_path, {"beside.yaml": self.ENTRY % "beside"}) == ["topic-project"]

    def test_the_nearest_wins_key_by_key_and_labels_merge(self, tmp_path: Path) -> None:
        files = {
            "base.yaml": (
                "defaults:\n"
                "  project: acme-orders-prod\n"
                "  labels: {team: base, tier: gold}\n"
                "  messageStoragePolicy: unmanaged\n"
                "  resolutions: {missing: extend, empty: recompute}\n"
                "  messageRetentionDuration: 600s\n"
            ),
            "below/t.yaml": (
                "defaults: {labels: {team: below}, messageStoragePolicy: inherit, resolutions: {missing: report}}\n"
                "topics: [{name: orders, labels: {own: 'yes'}, messageRetentionDuration: 700s}]\n"
            ),
        }
        topic = topics(tmp_path, files)["orders"]

        assert topic.labels == {"team": "below", "tier": "gold", "own": "yes"}
        assert topic.policy == Inherit()
        assert topic.policy_origin == Origin("s/below/t.yaml", ("defaults", "messageStoragePolicy"))
        assert topic.resolutions == Resolutions(missing=Resolution.REPORT, empty=Resolution.RECOMPUTE)
        assert topic.fields == {"messageRetentionDuration": "700s"}

    def test_an_entry_takes_the_policy_with_its_origin(self, tmp_path: Path) -> None:
        text = (
            "defaults:\n"
            "  project: acme-orders-prod\n"
            "  messageStoragePolicy: {allowedPersistenceRegions: [europe-west1]}\n"
            "topics: [{name: orders}]\n"
        )
        loaded = load(tmp_path, {"t.yaml": text})
        topic = loaded.fleet.topics[0]

        assert topic.policy_origin == Origin("s/t.yaml", ("defaults", "messageStoragePolicy"))
        assert loaded.locate(topic.policy_origin) == Position("s/t.yaml", 3, 3)

    def test_two_files_of_one_folder_cannot_disagree_about_the_folders_below(self, tmp_path: Path) -> None:
        files = {
            "a.yaml": "defaults: {project: acme-orders-prod, labels: {team: a, tier: gold}}",
            "b.yaml": "defaults: {labels: {team: b, tier: gold}}",
            "below/t.yaml": self.ENTRY % "orders",
        }

        assert problems(tmp_path, files) == [
            (
                "s/b.yaml:1:21: error: two files of this folder give the folders below different "
                "defaults for `labels.team`  "
                "[defaults-conflict]\n  first at s/a.yaml:1:48\n  hint: keep one of them"
            )
        ]

    def test_that_reach_nothing_are_a_warning(self, tmp_path: Path) -> None:
        files = {"a.yaml": "defaults: {labels: {team: a}}", "b.yaml": "topics: []"}

        assert [str(warning) for warning in load(tmp_path, files).warnings] == [
            (
                "s/a.yaml:1:1: warning: these defaults reach no entry: there is none in this file, "
                "and no folder below it  "
                "[defaults-unused]\n"
                "  hint: move the file to the folder above, or the defaults to where the entries are"
            )
        ]

    def test_that_are_wrong_are_reported_once_where_they_stand(self, tmp_path: Path) -> None:
        text = (
            "defaults:\n"
            "  project: acme-orders-prod\n"
            "  messageStoragePolicy: {allowedPersistenceRegions: [eu]}\n"
            "  messageRetentionDuration: 10s\n"
            "  labels: {Team: a}\n"
            "  subscribers: [{name: billing, regions: [eu]}]\n"
            "topics: [{name: aaa}, {name: bbb}]\n"
        )

        assert [line.splitlines()[0] for line in problems(tmp_path, {"t.yaml": text})] == [
            (
                "s/t.yaml:3:54: error: `eu` is a multi-region, and Pub/Sub keeps messages in single "
                "regions  [region-multi]"
            ),
            "s/t.yaml:4:3: error: `messageRetentionDuration`: `10s` is not within 600s to 2678400s  [spec-range]",
            "s/t.yaml:5:12: error: `Team` is not a label key  [label-key]",
            (
                "s/t.yaml:6:43: error: `eu` is a multi-region, and Pub/Sub keeps messages in single "
                "regions  [region-multi]"
            ),
        ]

    def test_take_no_placeholders(self, tmp_path: Path) -> None:
        assert problem(tmp_path, 'defaults: {labels: {team: "{x}"}}\ntopics: []') == (
            "s/t.yaml:1:21: error: nothing fills in the placeholder `{x}`  [spec-placeholder]\n"
            "  hint: declare it in the entry's `forEach`, or write the value out"
        )


class TestForEach:
    def test_declares_one_topic_for_each_combination(self, tmp_path: Path) -> None:
        text = """\
defaults: {project: acme-orders-prod}
topics:
  - forEach: {region: [europe-west1, us-east1], kind: [in, out]}
    name: events-{kind}-{region}
    messageStoragePolicy: {allowedPersistenceRegions: ["{region}"], enforceInTransit: true}
    labels: {kind: "{kind}"}
    resolutions: {missing: extend}
    subscribers: [{name: "s-{kind}"}]
    messageTransforms: [{javascriptUdf: {functionName: f, code: "{region}"}}]
"""
        found = topics(tmp_path, {"t.yaml": text})

        assert sorted(found) == [
            "events-in-europe-west1",
            "events-in-us-east1",
            "events-out-europe-west1",
            "events-out-us-east1",
        ]
        topic = found["events-out-us-east1"]
        assert topic.policy == Explicit(regions=RegionSet.of("us-east1"), enforce_in_transit=True)
        assert topic.labels == {"kind": "out"}
        assert topic.resolutions == Resolutions(missing=Resolution.EXTEND)
        assert topic.subscribers == (Subscriber(name="s-out"),)
        assert topic.fields == {"messageTransforms": [{"javascriptUdf": {"functionName": "f", "code": "{region}"}}]}
        assert topic.origin == Origin("s/t.yaml", ("topics", 0))

    def test_needs_its_keys_in_the_name(self, tmp_path: Path) -> None:
        assert problem(tmp_path, f"topics: [{{{NAME}, forEach: {{region: [a, b]}}}}]") == (
            "s/t.yaml:1:11: error: `orders`: several topics of this `forEach` have this name  [topic-duplicate]\n"
            "  hint: use `{region}` in the name"
        )

    def test_reports_a_placeholder_that_it_does_not_fill_once(self, tmp_path: Path) -> None:
        text = "topics: [{name: 'projects/acme-orders-prod/topics/e-{zone}', forEach: {region: [a, b]}}]"

        assert problem(tmp_path, text) == (
            "s/t.yaml:1:11: error: `e-{zone}`: nothing fills in the placeholder `{zone}`  [spec-placeholder]\n"
            "  hint: declare it in the entry's `forEach`, or write the value out"
        )

    @pytest.mark.parametrize(
        ("declared", "expected"),
        [
            ("{}", "1:58: error: `orders`: `forEach` is empty  [spec-empty-value]"),
            ("{region: []}", "1:68: error: `orders`: `region` is empty  [spec-empty-value]"),
            (
                "{region: [1]}",
                "1:77: error: `orders`: `region[0]` is the number 1 where text belongs  [spec-type]",
            ),
            ("{a-b: [x]}", "1:58: error: `orders`: `a-b` in `forEach` is no name for a placeholder  [spec-value]"),
        ],
    )
    def test_takes_lists_of_text(self, tmp_path: Path, declared: str, expected: str) -> None:
        text = f"topics: [{{{NAME}, forEach: {declared}}}]"

        assert problem(tmp_path, text).splitlines()[0] == f"s/t.yaml:{expected}"


class TestStack:
    def test_is_read_whole(self, tmp_path: Path) -> None:
        text = """\
apiVersion: hedgerow/v1
organization: organizations/123456789012
policySource: ../../policies/organization.yaml
projects: [acme-orders-prod, acme-billing-prod]
endpoints: {pubsub: "http://127.0.0.1:8085", orgPolicy: example.test, resourceManager: "example.test:443", asset: a.test}
reconcile:
  resolutions: {disallowed: report, mixed: enforce}
  widening: allow
  limits: {topics: 7, percent: 12.5, minimumPopulation: 3}
  waves: [1, 10%, 100%]
  operationsPerMinute: 60
  quotaProject: topic
  settle: 30m
  unmanaged: reconcile
  reader: asset
  journal: journal/
publishers: {output: ../out}
"""
        folder = write(tmp_path / "stacks" / "production", {"stack.yaml": text})

        assert load_fleet(folder, display="stacks/production").fleet.stack == Stack(
            name="production",
            folder="stacks/production",
            organization="organizations/123456789012",
            policy_source="",
            projects=("acme-billing-prod", "acme-orders-prod"),
            reconcile=ReconcileSettings(
                resolutions=Resolutions(disallowed=Resolution.REPORT, mixed=Resolution.ENFORCE),
                widening=True,
                limits=Limits(topics=7, percent=12.5, minimum_population=3),
                waves=("1", "10%", "100%"),
                operations_per_minute=60,
                quota_project="topic",
                settle=timedelta(minutes=30),
                unmanaged=UnmanagedTopics.RECONCILE,
                journal="journal",
            ),
            origin=Origin("stacks/production/stack.yaml"),
        )

    @pytest.mark.parametrize(
        ("written", "read"),
        [("gs://acme-runs/night/", "gs://acme-runs/night"), ("gs://acme-runs", "gs://acme-runs"), ("../runs/", "runs")],
    )
    def test_keeps_its_runs_in_a_folder_or_a_bucket(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, read: str
    ) -> None:
        write(tmp_path / "production", {"stack.yaml": f"{STACK}reconcile: {{journal: '{written}'}}\n"})
        monkeypatch.chdir(tmp_path)

        assert load_fleet(Path("production")).fleet.stack.reconcile.journal == read

    def test_keeps_its_runs_nowhere_else(self, tmp_path: Path) -> None:
        folder = write(tmp_path, {"stack.yaml": f"{STACK}reconcile: {{journal: 's3://acme-runs'}}\n"})

        with pytest.raises(InvalidSpecs) as refused:
            load_fleet(folder)

        assert [problem.message for problem in refused.value.problems] == [
            '`journal` is the text "s3://acme-runs", not a folder, or `gs://BUCKET/PREFIX`'
        ]

    def test_says_where_topics_are_read_from_which_changes_nothing_about_what_is_declared(self, tmp_path: Path) -> None:
        plain = load_fleet(write(tmp_path / "a" / "production", {"stack.yaml": STACK})).fleet
        text = f"{STACK}reconcile: {{reader: asset}}\nendpoints: {{asset: 'http://127.0.0.1:1'}}\n"
        read = load_fleet(write(tmp_path / "b" / "production", {"stack.yaml": text})).fleet

        assert (plain.stack.reconcile.reader, plain.stack.endpoints.asset) == (Reader.PUBSUB, None)
        assert (read.stack.reconcile.reader, read.stack.endpoints.asset) == (Reader.ASSET, "http://127.0.0.1:1")
        assert read.fingerprint == plain.fingerprint

    def test_says_where_files_and_apis_are(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = STACK.replace("live", "../../policies/organization.yaml") + "endpoints: {pubsub: 'http://127.0.0.1:1'}\n"
        write(tmp_path / "stacks" / "production", {"stack.yaml": text})
        monkeypatch.chdir(tmp_path)

        stack = load_fleet(Path("stacks/production")).fleet.stack

        assert stack.folder == "stacks/production"
        assert stack.policy_source == "policies/organization.yaml"
        assert stack.publisher_output == "stacks/production/dist/publishers"
        assert stack.endpoints == Endpoints(pubsub="http://127.0.0.1:1")
        assert stack.origin == Origin("stacks/production/stack.yaml")

    def test_that_says_little_gets_the_defaults(self, tmp_path: Path) -> None:
        stack = load(tmp_path, {}).fleet.stack

        assert (stack.policy_source, stack.reconcile) == (LIVE, ReconcileSettings())

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "organization: organizations/1\n",
                [
                    "s/stack.yaml: error: the file has no `policySource`  [spec-missing-key]",
                    "s/stack.yaml: error: the file has no `projects`  [spec-missing-key]",
                ],
            ),
            (
                STACK + "reconcile: {waves: [0, 0%, ten]}\n",
                [
                    "s/stack.yaml:5:21: error: `waves[0]` is 0, and has to be at least 1  [spec-range]",
                    (
                        's/stack.yaml:5:24: error: `waves[1]` is the text "0%", not a number of '
                        "topics or a share from 1% to "
                        "100%  [spec-value]\n  hint: write for example `10` or `25%`"
                    ),
                    (
                        's/stack.yaml:5:28: error: `waves[2]` is the text "ten", not a number of '
                        "topics or a share from 1% to "
                        "100%  [spec-value]\n  hint: write for example `10` or `25%`"
                    ),
                ],
            ),
            (
                STACK + "reconcile: {limits: {percent: 120}}\n",
                ["s/stack.yaml:5:22: error: `percent` is 120, and has to be at most 100  [spec-range]"],
            ),
            (
                STACK + "reconcile: {limits: {percent: .nan}}\n",
                ["s/stack.yaml:5:22: error: `percent` is nan, not a number from 0 to 100  [spec-range]"],
            ),
            (
                STACK + "reconcile: {settle: 0.0000001s}\n",
                [
                    (
                        "s/stack.yaml:5:13: error: `settle`: `0.0000001s` is not a whole number of "
                        "microseconds  [spec-value]"
                    )
                ],
            ),
            (
                STACK.replace("[acme-billing-prod", "[acme-orders-prod"),
                [
                    (
                        "s/stack.yaml:4:1: error: `projects` lists `acme-orders-prod` more than once  "
                        "[spec-duplicate-item]\n"
                        "  hint: keep one of them"
                    )
                ],
            ),
            (
                STACK.replace("hedgerow/v1", "hedgerow/v2"),
                ['s/stack.yaml:1:1: error: `apiVersion` is the text "hedgerow/v2", not `hedgerow/v1`  [spec-value]'],
            ),
            (
                STACK + 'publishers: {output: "${OUT}"}\n',
                ["s/stack.yaml:5:14: error: nothing fills in the placeholder `${OUT}`  [spec-placeholder]"],
            ),
            (
                STACK + "resolutions: {missing: report}\n",
                [
                    (
                        "s/stack.yaml:5:1: error: unknown key `resolutions`  [spec-unknown-key]\n"
                        "  hint: `resolutions` belongs in `reconcile`"
                    )
                ],
            ),
        ],
    )
    def test_that_is_wrong(self, tmp_path: Path, text: str, expected: list[str]) -> None:
        assert problems(tmp_path, {"stack.yaml": text}) == expected


def test_a_stack_that_is_not_there_is_refused(tmp_path: Path) -> None:
    missing, file, empty, two = tmp_path / "missing", tmp_path / "file", tmp_path / "empty", tmp_path / "two"
    file.write_text("")
    empty.mkdir()
    write(two, {"stack.json": "{}"})

    assert [refusal(folder) for folder in (missing, file, empty, two)] == [
        f"error: `{missing}` does not exist\n  hint: name a folder that holds a `stack.yaml`",
        f"error: `{file}` is not a folder\n  hint: name a folder that holds a `stack.yaml`",
        f"error: `{empty}` is not a stack: it has no `stack.yaml`\n  hint: name a folder that holds one",
        f"error: `{two}` holds `stack.yaml` and `stack.json`\n  hint: keep one of them",
    ]


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (write(tmp_path, {}) / "t.yaml").symlink_to(tmp_path / "nowhere")

    assert problems(tmp_path, {}) == [
        "s/t.yaml: error: the file cannot be read: No such file or directory  [spec-unreadable]"
    ]


def test_files_of_other_content_are_not_read(tmp_path: Path) -> None:
    files = {
        "stack.yaml": STACK.replace("live", "policies/organization.yaml")
        + "publishers: {output: out}\nreconcile: {journal: journal}\n",
        "a.yml": f"topics: [{{{NAME}}}]",
        "out/checkout.json": "[]",
        "journal/run.json": "[]",
        "policies/organization.yaml": "[]",
        ".hidden/x.yaml": "[]",
        ".hidden.yaml": "[]",
        "README.md": "[]",
    }

    assert load(tmp_path, files).files == ("s/stack.yaml", "s/a.yml")


def test_the_result_depends_neither_on_files_nor_on_order(tmp_path: Path) -> None:
    entries = [
        f"  - {{name: projects/acme-orders-prod/topics/topic-{n}, labels: {{n: 'l{n}'}}, "
        "messageStoragePolicy: {allowedPersistenceRegions: [%s]}}\n"
        for n in range(12)
    ]
    regions = ["europe-west1", "europe-west4", "us-east1"]
    turn = random.Random(7)  # noqa: S311 - a fixed shuffle
    fingerprints = set()
    for number in range(5):
        turn.shuffle(entries)
        turn.shuffle(regions)
        filled = [entry % ", ".join(regions) for entry in entries]
        cut = turn.randrange(1, 11)
        files = {"a.yaml": "topics:\n" + "".join(filled[:cut]), "z/b.yaml": "topics:\n" + "".join(filled[cut:])}
        fingerprints.add(load(tmp_path / str(number) / "same", files).fleet.fingerprint)

    assert len(fingerprints) == 1


def problem_codes(folder: Path, files: dict[str, str]) -> list[str]:
    return [text.splitlines()[0].rpartition("[")[2].rstrip("]") for text in problems(folder, files)]


def refusal(folder: Path) -> str:
    with pytest.raises(InvalidInput) as refused:
        load_fleet(folder)
    return str(refused.value)


def test_a_full_name_needs_no_project(tmp_path: Path) -> None:
    text = "defaults: {project: acme-billing-prod}\ntopics: [{name: projects/acme-orders-prod/topics/orders}]"

    assert [topic.name for topic in load(tmp_path, {"t.yaml": text}).fleet.topics] == [
        TopicName("acme-orders-prod", "orders")
    ]
