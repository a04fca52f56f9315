"""What bad input gets: the table of the format's documentation, line by line, with whole messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from reconciler.errors import ExitCode
from reconciler.spec import InvalidSpecs, load_fleet
from tests.spec.stacks import STACK, problem, problems, write


def entry(body: str) -> str:
    """A file with one topic, whose mapping starts in line 3."""
    return f"topics:\n  - name: projects/acme-orders-prod/topics/orders\n    {body}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            entry("messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enableInTransit: true}"),
            (
                "s/t.yaml:3:71: error: `orders`: unknown key `enableInTransit` in `messageStoragePolicy`  "
                "[spec-unknown-key]\n  hint: write `enforceInTransit`"
            ),
        ),
        (
            entry("messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforce_in_transit: true}"),
            (
                "s/t.yaml:3:71: error: `orders`: unknown key `enforce_in_transit` in `messageStoragePolicy`  "
                "[spec-unknown-key]\n  hint: write `enforceInTransit`"
            ),
        ),
        (
            entry("enforceInTransit: true"),
            (
                "s/t.yaml:3:5: error: `orders`: unknown key `enforceInTransit`  [spec-unknown-key]\n"
                "  hint: `enforceInTransit` belongs in `messageStoragePolicy`"
            ),
        ),
        (
            entry("enforceTransit: true"),
            (
                "s/t.yaml:3:5: error: `orders`: unknown key `enforceTransit`  [spec-unknown-key]\n"
                "  hint: write `enforceInTransit`, which belongs in `messageStoragePolicy`"
            ),
        ),
        (
            entry("messageStoragePolicy: {regions: [europe-west1]}"),
            (
                "s/t.yaml:3:28: error: `orders`: unknown key `regions` in `messageStoragePolicy`  [spec-unknown-key]\n"
                "  hint: write `allowedPersistenceRegions`"
            ),
        ),
        (
            entry("schemaSettings: {schema: projects/p/schemas/sent, colour: red}"),
            (
                "s/t.yaml:3:55: error: `orders`: unknown key `colour` in `schemaSettings`  [spec-unknown-key]\n"
                "  hint: known here: `schema`, `encoding`, `firstRevisionId`, `lastRevisionId`"
            ),
        ),
        (
            "projects: [acme-orders-prod]",
            (
                "s/t.yaml:1:1: error: unknown key `projects`  [spec-unknown-key]\n"
                "  hint: `projects` belongs in `stack.yaml`"
            ),
        ),
        (
            "topic: []",
            "s/t.yaml:1:1: error: unknown key `topic`  [spec-unknown-key]\n  hint: write `topics`",
        ),
        (
            "defaults: &d {project: acme-orders-prod}\ntopics:\n  - <<: *d\n    name: orders",
            (
                "s/t.yaml:3:5: error: `orders`: unknown key `<<`  [spec-unknown-key]\n"
                "  hint: merge keys are not read; use `defaults`, or write the values out"
            ),
        ),
    ],
    ids=[
        "another word",
        "snake case",
        "elsewhere",
        "similar and elsewhere",
        "other tools' word",
        "not alike",
        "of stack.yaml",
        "singular",
        "merge key",
    ],
)
def test_an_unknown_key_names_the_right_one_and_where_it_belongs(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == expected


def test_an_empty_region_list_is_an_error_that_says_what_empty_means(tmp_path: Path) -> None:
    assert problem(tmp_path, entry("messageStoragePolicy: {allowedPersistenceRegions: []}")) == (
        "s/t.yaml:3:28: error: `orders`: `allowedPersistenceRegions` is empty, which means that no region may store "
        "messages  [spec-empty-regions]\n"
        "  hint: list at least one region, or leave the policy out to inherit the organization's"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "messageStoragePolicy: {allowedPersistenceRegions: europe-west1}",
            (
                's/t.yaml:3:28: error: `orders`: `allowedPersistenceRegions` is the text "europe-west1" where a list '
                "belongs  [spec-type]\n  hint: write a list: `[europe-west1]`"
            ),
        ),
        (
            'messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], enforceInTransit: "true"}',
            (
                's/t.yaml:3:71: error: `orders`: `enforceInTransit` is the text "true" where `true`, '
                "`false` or `inherit` "
                "belongs  [spec-type]\n  hint: write `true` without quotes"
            ),
        ),
        (
            "labels: [team]",
            "s/t.yaml:3:5: error: `orders`: `labels` is a list where a mapping belongs  [spec-type]",
        ),
        (
            "labels: {team: 7}",
            (
                "s/t.yaml:3:14: error: `orders`: `team` is the number 7 where text belongs  [spec-type]\n"
                "  hint: put quotes around it"
            ),
        ),
        (
            "labels: {team: true}",
            (
                "s/t.yaml:3:14: error: `orders`: `team` is `true` where text belongs  [spec-type]\n"
                '  hint: put quotes around it: `"true"`'
            ),
        ),
        (
            "labels:",
            (
                "s/t.yaml:3:5: error: `orders`: `labels` has no value  [spec-type]\n"
                "  hint: write a mapping, or leave the key out"
            ),
        ),
        (
            "messageStoragePolicy: none",
            (
                's/t.yaml:3:5: error: `orders`: `messageStoragePolicy` is the text "none", not '
                "`inherit` or `unmanaged`  "
                "[spec-value]"
            ),
        ),
        (
            "messageStoragePolicy: {enforceInTransit: true}",
            (
                "s/t.yaml:3:5: error: `orders`: `messageStoragePolicy` has neither "
                "`allowedPersistenceRegions` nor `within`  "
                "[spec-storage-policy]\n  hint: write one of them, or `inherit` or `unmanaged` instead of the mapping"
            ),
        ),
        (
            "messageStoragePolicy: {allowedPersistenceRegions: [europe-west1], within: [in:eu-locations]}",
            (
                "s/t.yaml:3:5: error: `orders`: `messageStoragePolicy` has both "
                "`allowedPersistenceRegions` and `within`  "
                "[spec-storage-policy]\n  hint: write one of them, or `inherit` or `unmanaged` instead of the mapping"
            ),
        ),
        (
            "resolutions: {mixed: extend}",
            (
                's/t.yaml:3:19: error: `orders`: `mixed` is the text "extend", not `restrict`, `recompute`, `enforce` or '
                "`report`  [spec-value]\n"
                "  hint: extending keeps what is not allowed, and the API refuses that; `restrict` takes it away"
            ),
        ),
        (
            "resolutions: {missing: restrict}",
            (
                's/t.yaml:3:19: error: `orders`: `missing` is the text "restrict", not `extend`, '
                "`recompute` or `report`  "
                "[spec-value]"
            ),
        ),
        (
            "kmsKeyName: my-key",
            (
                's/t.yaml:3:5: error: `orders`: `kmsKeyName` is the text "my-key", not the name of a '
                "key  [spec-value]\n"
                "  hint: write for example `projects/P/locations/L/keyRings/R/cryptoKeys/K`"
            ),
        ),
    ],
)
def test_the_wrong_type_or_value_is_an_error_and_never_coerced(tmp_path: Path, body: str, expected: str) -> None:
    assert problem(tmp_path, entry(body)) == expected


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        (
            "us-east1-a",
            "`us-east1-a` is a zone, and Pub/Sub keeps messages in regions  [region-zone]\n  hint: write `us-east1`",
        ),
        (
            "EU",
            (
                "`EU` is a multi-region, and Pub/Sub keeps messages in single regions  [region-multi]\n"
                "  hint: list the regions one by one"
            ),
        ),
        (
            "global",
            (
                "`global` is a multi-region, and Pub/Sub keeps messages in single regions  [region-multi]\n"
                "  hint: list the regions one by one"
            ),
        ),
        (
            "in:us-locations",
            (
                "`in:us-locations` is a value of organization policies, not a region  [region-group]\n"
                "  hint: declare `messageStoragePolicy: {within: [in:us-locations]}`, or list its regions"
            ),
        ),
        (
            "in:us-east1-locations",
            (
                "`in:us-east1-locations` is a value of organization policies, not a region  [region-group]\n"
                "  hint: write `us-east1`"
            ),
        ),
        (
            "-us-east1",
            (
                "`-us-east1` is an exclusion; a storage policy lists what it allows  [region-exclusion]\n"
                "  hint: list the regions that remain"
            ),
        ),
        (
            '"!us-east1"',
            (
                "`!us-east1` is an exclusion; a storage policy lists what it allows  [region-exclusion]\n"
                "  hint: list the regions that remain"
            ),
        ),
        ("US_East1", "`US_East1` is not a region  [region-malformed]\n  hint: did you mean `us-east1`?"),
        (
            "asia-south",
            "`asia-south` is not a region  [region-malformed]\n  hint: did you mean `asia-south1` or `asia-south2`?",
        ),
        (
            "mars north",
            "`mars north` is not a region  [region-malformed]\n  hint: write one such as `europe-west1`",
        ),
    ],
)
def test_every_class_of_what_is_no_region_gets_its_own_error(tmp_path: Path, region: str, expected: str) -> None:
    text = entry(f"messageStoragePolicy:\n      allowedPersistenceRegions:\n        - europe-west1\n        - {region}")

    assert problem(tmp_path, text) == f"s/t.yaml:6:11: error: `orders`: {expected}"


def test_an_unquoted_exclusion_is_recognized_although_yaml_takes_it_for_a_tag(tmp_path: Path) -> None:
    text = entry("messageStoragePolicy: {allowedPersistenceRegions: [europe-west1, !us-east1]}")

    assert problem(tmp_path, text) == (
        "s/t.yaml:3:70: error: `!us-east1` is an exclusion; a storage policy lists what it allows  "
        "[region-exclusion]\n  hint: list the regions that remain"
    )


@pytest.mark.parametrize(
    ("group", "hint"),
    [
        ("eu-locations", "in:eu-locations"),
        ("in:eu", "in:eu-locations"),
        ("europe-west1", "in:europe-west1-locations"),
        ("in:europ-location", "in:europe-locations"),
        ("zzz", "in:eu-locations"),
    ],
)
def test_within_takes_value_groups_alone(tmp_path: Path, group: str, hint: str) -> None:
    assert problem(tmp_path, entry(f"messageStoragePolicy: {{within: ['{group}']}}")) == (
        f"s/t.yaml:3:37: error: `orders`: `{group}` is not a value group  [group-malformed]\n"
        f"  hint: write for example `{hint}`"
    )


def test_the_same_topic_twice_names_both_places(tmp_path: Path) -> None:
    files = {"a.yaml": entry("labels: {}"), "b.yaml": "defaults: {project: acme-orders-prod}\ntopics: [{name: orders}]"}

    assert problems(tmp_path, files) == [
        (
            "s/b.yaml:2:10: error: `orders`: the topic `projects/acme-orders-prod/topics/orders` is declared twice  "
            "[topic-duplicate]\n  first at s/a.yaml:2:5\n  hint: keep one of the entries"
        )
    ]


def test_a_duplicate_key_names_both_places(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics:\n  - name: orders\n    labels: {a: b}\n    labels: {c: d}\n") == (
        "s/t.yaml:4:5: error: the key `labels` is written twice in one mapping  [spec-duplicate-key]\n"
        "  first at s/t.yaml:3:5\n  hint: keep one of them"
    )


@pytest.mark.parametrize("tag", ["!foo", "!!str", "!!python/object"])
def test_tags_are_refused(tmp_path: Path, tag: str) -> None:
    assert problem(tmp_path, entry(f"labels: {{team: {tag} orders}}")) == (
        f"s/t.yaml:3:20: error: `{tag}` is a YAML tag, and tags are not read  [spec-tag]\n"
        "  hint: put quotes around a text that starts with `!`; otherwise leave the tag out"
    )


def test_aliases_that_expand_without_bound_are_refused(tmp_path: Path) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9))

    assert problem(tmp_path, bomb) == (
        "s/t.yaml:2:10: error: aliases expand to more than 1,000,000 values  [spec-too-large]\n"
        "  hint: write the values out, or use `defaults` and `forEach`"
    )


def test_an_alias_inside_what_it_names_is_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics: &all [*all]") == (
        "s/t.yaml:1:15: error: the alias `*all` stands inside what it names  [spec-alias]\n  hint: write the value out"
    )


def test_a_file_that_is_not_utf_8_is_refused_at_the_byte(tmp_path: Path) -> None:
    assert problem(tmp_path, b"topics:\n  - name: \xc3\xbc\xff\n") == (
        "s/t.yaml:2:12: error: the file is not UTF-8: byte 0xff at offset 20  [spec-encoding]\n  hint: save it as UTF-8"
    )


@pytest.mark.parametrize(
    ("duration", "expected"),
    [
        (
            "86400",
            (
                "`messageRetentionDuration` is the number 86400 where a duration in seconds from "
                "600s to 2678400s belongs  "
                "[spec-type]\n  hint: write the unit too, for example `86400s`"
            ),
        ),
        (
            "1d",
            (
                '`messageRetentionDuration` is the text "1d", not a duration in seconds from 600s to 2678400s  '
                "[spec-value]\n  hint: write for example `86400s`"
            ),
        ),
        ("599s", "`messageRetentionDuration`: `599s` is not within 600s to 2678400s  [spec-range]"),
        ("2678401s", "`messageRetentionDuration`: `2678401s` is not within 600s to 2678400s  [spec-range]"),
        ("2678400.5s", "`messageRetentionDuration`: `2678400.5s` is not within 600s to 2678400s  [spec-range]"),
    ],
)
def test_a_wrong_duration_gets_the_range(tmp_path: Path, duration: str, expected: str) -> None:
    assert (
        problem(tmp_path, entry(f"messageRetentionDuration: {duration}"))
        == f"s/t.yaml:3:5: error: `orders`: {expected}"
    )


def test_a_hedge_delay_without_its_unit_is_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, "hedgingProfiles:\n  eager: {hedgeDelay: 1, maxTokens: 50, refillRatio: 0.1}\n") == (
        "s/t.yaml:2:11: error: `eager`: `hedgeDelay` is the number 1 where a duration with its unit belongs  "
        "[spec-type]\n  hint: write the unit too, for example `1ms` or `1s`"
    )


@pytest.mark.parametrize("placeholder", ["{region}", "${x}", "$x", "{{x}}"])
def test_an_unresolved_placeholder_is_an_error(tmp_path: Path, placeholder: str) -> None:
    assert problem(tmp_path, entry(f'kmsKeyName: "projects/{placeholder}/locations/l/keyRings/r/cryptoKeys/k"')) == (
        f"s/t.yaml:3:5: error: `orders`: nothing fills in the placeholder `{placeholder}`  [spec-placeholder]\n"
        "  hint: declare it in the entry's `forEach`, or write the value out"
    )


def test_a_placeholder_spelled_with_an_escape_is_found_too(tmp_path: Path) -> None:
    assert "nothing fills in the placeholder `{x}`" in problem(tmp_path, entry('labels: {team: "\\x7bx}"}'))


def test_a_placeholder_without_quotes_is_explained(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics:\n  - name: {region}\n") == (
        "s/t.yaml:2:5: error: `topics[0]`: `name` is a mapping where a topic id or full name belongs  [spec-type]\n"
        '  hint: put quotes around a text with a placeholder: `"{region}"`'
    )


def test_a_text_that_goes_on_after_an_unquoted_placeholder_is_explained(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics:\n  - name: {region}-events\n") == (
        "s/t.yaml:2:19: error: not readable as YAML: while parsing a block mapping, did not find expected key  "
        '[spec-syntax]\n  hint: put quotes around a text with a placeholder: `"{region}"`'
    )


def test_a_date_where_text_belongs_asks_for_quotes(tmp_path: Path) -> None:
    assert problem(tmp_path, entry("labels: {since: 2026-01-01}")) == (
        "s/t.yaml:3:21: error: `2026-01-01` is a date where text belongs  [spec-date]\n"
        '  hint: put quotes around it: `"2026-01-01"`'
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (
            "{Team: orders}",
            (
                "3:14: error: `orders`: `Team` is not a label key  [label-key]\n"
                "  hint: write 1 to 63 lower-case letters, digits, `_` and `-`, starting with a letter"
            ),
        ),
        (
            "{1st: orders}",
            (
                "3:14: error: `orders`: `1st` is not a label key  [label-key]\n"
                "  hint: write 1 to 63 lower-case letters, digits, `_` and `-`, starting with a letter"
            ),
        ),
        (
            "{team: Big Orders}",
            (
                "3:14: error: `orders`: `Big Orders` is not a value for label `team`  [label-value]\n"
                "  hint: write up to 63 lower-case letters, digits, `_` and `-`"
            ),
        ),
        (
            "{goog-x: y}",
            (
                "3:14: error: `orders`: label `goog-x`: keys that start with `goog` are Google's own  [label-key]\n"
                "  hint: choose another key"
            ),
        ),
        (
            "{" + ", ".join(f"k{n}: v" for n in range(65)) + "}",
            "3:5: error: `orders`: 65 labels, and a topic takes at most 64  [label-count]",
        ),
        (
            "{team: " + "x" * 64 + "}",
            (
                f"3:14: error: `orders`: `{'x' * 64}` is not a value for label `team`  [label-value]\n"
                "  hint: write up to 63 lower-case letters, digits, `_` and `-`"
            ),
        ),
    ],
)
def test_labels_keep_the_apis_rules(tmp_path: Path, labels: str, expected: str) -> None:
    assert problem(tmp_path, entry(f"labels: {labels}")) == f"s/t.yaml:{expected}"


def test_labels_that_come_from_defaults_count_too(tmp_path: Path) -> None:
    text = (
        f"defaults: {{labels: {{{', '.join(f'd{n}: v' for n in range(64))}}}}}\n"
        "topics:\n  - {name: projects/acme-orders-prod/topics/orders, labels: {own: v}}\n"
    )

    assert problem(tmp_path, text) == (
        "s/t.yaml:3:53: error: `orders`: 65 labels, and a topic takes at most 64  [label-count]"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "topics: [{name: orders}]",
            (
                "s/t.yaml:1:10: error: `orders`: no project is given  [topic-project]\n"
                "  hint: write `project: ...` here or in `defaults`, or the topic's full name"
            ),
        ),
        (
            "topics: [{name: orders, project: My Project}]",
            (
                "s/t.yaml:1:25: error: `orders`: `My Project` is not a project id  [topic-project]\n"
                "  hint: write the id: 6 to 30 lower-case letters, digits and hyphens; not the display "
                "name, not the number"
            ),
        ),
        (
            "topics: [{name: orders, project: acme-other}]",
            (
                "s/t.yaml:1:25: error: `orders`: project `acme-other` is not in the stack's scope  [topic-project]\n"
                "  hint: add it to `projects` in `s/stack.yaml`, or declare the topic in another stack"
            ),
        ),
        (
            "topics: [{name: projects/acme-other/topics/orders}]",
            (
                "s/t.yaml:1:11: error: `orders`: project `acme-other` is not in the stack's scope  [topic-project]\n"
                "  hint: add it to `projects` in `s/stack.yaml`, or declare the topic in another stack"
            ),
        ),
        (
            "defaults: {project: acme-other}\ntopics: [{name: orders}, {name: returns}]",
            (
                "s/t.yaml:1:12: error: project `acme-other` is not in the stack's scope  [topic-project]\n"
                "  hint: add it to `projects` in `s/stack.yaml`, or declare the topic in another stack"
            ),
        ),
        (
            "topics: [{name: projects/acme-orders-prod/topics/orders, project: acme-orders-prod}]",
            (
                "s/t.yaml:1:58: error: `orders`: the full name and `project` both say where the "
                "topic is  [topic-project]\n"
                "  hint: leave `project` out"
            ),
        ),
        (
            "topics: [{name: projects/acme-orders-prod/orders}]",
            (
                "s/t.yaml:1:11: error: `projects/acme-orders-prod/orders` is not a topic name  [topic-name]\n"
                "  hint: write `projects/PROJECT/topics/TOPIC`"
            ),
        ),
        (
            "topics: [{name: projects/acme-orders-prod/topics/google-x}]",
            (
                "s/t.yaml:1:11: error: `google-x` is not a topic id  [topic-name]\n"
                "  hint: write 3 to 255 letters, digits and `-._~+%`, starting with a letter, but not with `goog`"
            ),
        ),
        (
            "topics: [{project: acme-orders-prod}]",
            "s/t.yaml:1:10: error: `topics[0]`: the entry has no `name`  [spec-missing-key]",
        ),
        (
            "topics: [orders]",
            's/t.yaml:1:10: error: `topics[0]`: `topics[0]` is the text "orders" where a mapping belongs  [spec-type]',
        ),
    ],
)
def test_where_a_topic_is_has_to_be_clear(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == expected


def test_every_problem_of_every_file_is_reported_at_once(tmp_path: Path) -> None:
    files = {
        "stack.yaml": STACK + "colour: red\n",
        "a.yaml": (
            "topics:\n"
            "  - {name: projects/acme-orders-prod/topics/aaa, colour: red, labels: {Team: x}}\n"
            "  - {name: 7}\n"
            "  - {name: projects/acme-orders-prod/topics/bbb, messageStoragePolicy: "
            "{allowedPersistenceRegions: [eu]}}\n"
        ),
        "b/c.yaml": "topics: [",
        "publishers.json": '{"publishers": [{"service": "checkout", "language": "java"}]}',
    }

    found = problems(tmp_path, files)

    assert [line.partition(": error: ")[::2] for line in (text.splitlines()[0] for text in found)] == [
        ("s/a.yaml:2:50", "`aaa`: unknown key `colour`  [spec-unknown-key]"),
        ("s/a.yaml:2:72", "`aaa`: `Team` is not a label key  [label-key]"),
        ("s/a.yaml:3:6", "`topics[1]`: `name` is the number 7 where a topic id or full name belongs  [spec-type]"),
        (
            "s/a.yaml:4:101",
            "`bbb`: `eu` is a multi-region, and Pub/Sub keeps messages in single regions  [region-multi]",
        ),
        ("s/b/c.yaml:1:9", "not readable as YAML: unclosed bracket '['  [spec-syntax]"),
        ("s/publishers.json:1:17", "`checkout`: the entry has no `topics`  [spec-missing-key]"),
        ("s/stack.yaml:5:1", "unknown key `colour`  [spec-unknown-key]"),
    ]


def test_the_error_counts_and_ends_with_its_exit_code(tmp_path: Path) -> None:
    write(tmp_path, {"t.yaml": "topics: [orders]"})

    with pytest.raises(InvalidSpecs) as invalid:
        load_fleet(tmp_path, display="s")

    assert invalid.value.exit_code is ExitCode.INVALID
    assert str(invalid.value).splitlines()[-1] == "1 error in 1 file"


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    assert problem(tmp_path, b"# " + b"x" * (10 * 2**20)) == (
        "s/t.yaml: error: the file has 10.0 MiB; the limit is 10 MiB  [spec-too-large]\n"
        "  hint: split it; files are read in any number"
    )


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, f"topics: {'[' * 101}{']' * 101}") == (
        "s/t.yaml: error: the file nests deeper than 100 levels  [spec-too-large]"
    )


def test_nesting_that_no_parser_follows_is_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, f"topics: {'[' * 20000}") == (
        "s/t.yaml:1:264: error: not readable as YAML: recursion limit exceeded  [spec-syntax]"
    )


def test_too_many_values_are_refused(tmp_path: Path) -> None:
    assert problem(tmp_path, f"topics: [{'a,' * 1_000_001}]") == (
        "s/t.yaml: error: the file holds more than 1,000,000 values  [spec-too-large]"
    )


@pytest.mark.parametrize("text", ["", "# nothing here\n", "---\n"])
def test_an_empty_file_is_an_error_since_it_would_undeclare_its_topics(tmp_path: Path, text: str) -> None:
    assert problem(tmp_path, text) == (
        "s/t.yaml: error: the file is empty  [spec-empty]\n  hint: write entries, or delete the file"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "topics: []\n---\ntopics: []\n",
            "the file holds several documents  [spec-shape]\n  hint: write one file for each",
        ),
        ("- topics\n", "the file does not hold a mapping  [spec-shape]\n  hint: begin with a key such as `topics:`"),
        ("topics\n", "the file does not hold a mapping  [spec-shape]\n  hint: begin with a key such as `topics:`"),
        (
            "1: 2\n",
            (
                "`1` is a key where text belongs  [spec-key]\n"
                "  hint: put quotes around a key that is no text, and around a text with a placeholder"
            ),
        ),
    ],
)
def test_a_file_holds_one_mapping_with_text_keys(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == f"s/t.yaml: error: {expected}"


def test_tabs_are_explained(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics:\n\t- name: orders\n") == (
        "s/t.yaml:2:2: error: not readable as YAML: tabs disallowed within this context (block indentation)  "
        "[spec-syntax]\n  hint: indent with spaces"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("topics:\n  - name: {{region}}\n", "s/t.yaml:2:5"),
        ("defaults:\n  labels: {? [a] : b}\n", "s/t.yaml:2:3"),
        ("defaults: {? {a: [b]} : c}\n", "s/t.yaml"),
    ],
    ids=["template", "list", "mapping of lists"],
)
def test_a_key_that_is_a_list_or_mapping_is_refused(tmp_path: Path, text: str, place: str) -> None:
    assert problem(tmp_path, text) == (
        f"{place}: error: a list or mapping is a key where text belongs  [spec-key]\n"
        "  hint: put quotes around a key that is no text, and around a text with a placeholder"
    )


def test_duplicate_keys_are_found_around_an_alias_inside_what_it_names(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics: &all [*all]\ndefaults: {}\ndefaults: {? [a] : b}\n") == (
        "s/t.yaml:3:1: error: the key `defaults` is written twice in one mapping  [spec-duplicate-key]\n"
        "  first at s/t.yaml:2:1\n  hint: keep one of them"
    )


def test_duplicate_keys_in_a_file_without_positions_are_still_an_error(tmp_path: Path) -> None:
    assert problem(tmp_path, "topics: [!us-east1]\ntopics: []\n") == (
        "s/t.yaml: error: not readable as YAML: duplicate mapping key: 'topics'  [spec-syntax]"
    )


def test_a_choice_without_a_value_lists_what_may_be_chosen(tmp_path: Path) -> None:
    assert problem(tmp_path, entry("schemaSettings: {schema: projects/p/schemas/sent, encoding: }")) == (
        "s/t.yaml:3:55: error: `orders`: `encoding` has no value  [spec-type]\n"
        "  hint: write `JSON` or `BINARY`, or leave the key out"
    )


def test_a_newline_at_the_end_is_part_of_a_text(tmp_path: Path) -> None:
    assert problem(tmp_path, entry("messageRetentionDuration: |\n      600s")) == (
        's/t.yaml:3:5: error: `orders`: `messageRetentionDuration` is the text "600s\\n", not a duration in seconds '
        "from 600s to 2678400s  [spec-value]\n  hint: write for example `86400s`"
    )


def test_what_only_the_deciding_library_refuses_is_an_error_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reconciler.spec.explain.fits", lambda *_: False)

    assert problem(tmp_path, "hedgingProfiles: {odd: {hedgeDelay: 1s, maxTokens: .nan, refillRatio: 1}}") == (
        "s/t.yaml: error: the file does not fit its schema  [spec-shape]\n  hint: see `hedgerow schema fleet`"
    )


def test_without_a_readable_stack_the_scope_of_projects_is_not_judged(tmp_path: Path) -> None:
    files = {
        "stack.yaml": STACK + "colour: red\n",
        "t.yaml": "topics: [{name: orders, project: acme-other}]",
        "u.yaml": "defaults: {project: acme-other}\ntopics: [{name: orders}]",
    }

    assert problem_files(problems(tmp_path, files)) == ["s/stack.yaml:5:1", "s/u.yaml:2:10"]


def problem_files(found: list[str]) -> list[str]:
    return [text.partition(": ")[0] for text in found]


def test_what_a_file_holds_cannot_break_up_a_message(tmp_path: Path) -> None:
    assert problem(tmp_path, entry('labels: {team: "a\\nb\\x1b[31m"}')) == (
        "s/t.yaml:3:14: error: `orders`: `a\\nb\\x1b[31m` is not a value for label `team`  [label-value]\n"
        "  hint: write up to 63 lower-case letters, digits, `_` and `-`"
    )
