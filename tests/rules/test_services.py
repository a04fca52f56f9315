import math
from datetime import timedelta
from typing import Any

import pytest

from reconciler.hedging import LIBRARIES
from reconciler.model import Batching, Fleet, FlowControl, TopicName, TopicSpec
from reconciler.rules.publishers import PUBLISHER_RULES
from tests.hedging.builders import STACK, fleet, ms, published, publisher, spec
from tests.rules.texts import found, shown


def test_every_rule_has_a_code_of_its_own_and_says_why() -> None:
    seen = [rule.code for rule in PUBLISHER_RULES]
    assert sorted(set(seen)) == sorted(seen)
    assert [rule.code for rule in PUBLISHER_RULES if not rule.because.endswith(".")] == []


@pytest.mark.parametrize("service", ["", "../checkout", "a/b", ".hidden", "-x", "a b", "é", "x" * 201])
def test_a_service_is_called_what_a_file_can_be_called(service: str) -> None:
    (finding,) = found(fleet(publisher(service=service)))
    assert (finding.code, finding.subject, finding.message, finding.hint) == (
        "service-name",
        service,
        f"`{service}`: a service's name is also a file's, and this cannot be one",
        "use letters, digits and `.`, `_`, `-`, starting with a letter or digit",
    )


def test_two_services_of_one_file_name_are_an_error_that_names_both() -> None:
    assert shown(found(fleet(publisher(service="Checkout"), publisher(service="checkout")))) == [
        (
            "checkout.yaml, `publishers[0]`: error: `checkout`: service `Checkout` in Checkout.yaml has the same file"
            "  [service-name] checkout\n"
            "  hint: rename one of the two, or merge their entries"
        )
    ]


def test_an_unknown_language_is_an_error_that_lists_the_known_ones() -> None:
    assert shown(found(fleet(publisher(published(), language="nodejs")))) == [
        (
            "checkout.yaml, `publishers[0]`: error: `checkout`: nothing is known about publishers in `nodejs`"
            "  [language-unknown] checkout\n"
            "  hint: write one of `java`, `go`, `rust`, `node`, `python`, `csharp`, `php`, `ruby`, `cpp`"
        )
    ]


def test_where_no_version_is_known_one_must_be_declared() -> None:
    assert shown(found(fleet(publisher(language="ruby")))) == [
        (
            "checkout.yaml, `publishers[0]`: error: `checkout`: no version of the Ruby library is known or declared"
            "  [client-version] checkout\n"
            "  hint: declare the version of `google-cloud-pubsub` as `clientVersion`"
        )
    ]


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        (
            "java",
            (
                "write the version of `com.google.cloud:google-cloud-pubsub` that the service is built with, "
                "for example `1.160.0`"
            ),
        ),
        ("php", "write the version of `google/cloud-pubsub` that the service is built with"),
    ],
)
def test_a_version_that_is_no_number_is_an_error(language: str, hint: str) -> None:
    (finding,) = found(fleet(publisher(language=language, client_version="latest")))
    assert (finding.code, finding.message, finding.hint) == (
        "client-version",
        "`checkout`: client version `latest` is not a version number",
        hint,
    )


@pytest.mark.parametrize("language", LIBRARIES)
def test_a_service_without_topics_has_no_problem(language: str) -> None:
    assert found(fleet(publisher(language=language, client_version="1.0.0"))) == []


def test_a_topic_that_the_stack_does_not_declare_is_an_error() -> None:
    assert shown(found(fleet(publisher(published("ordres")), topics=()))) == [
        (
            "checkout.yaml, `publishers[0].topics.ordres`: error: `checkout`: topic "
            "`projects/acme-orders-prod/topics/ordres` is not declared in stack `production`  "
            "[topic-not-declared] checkout\n"
            "  topic: ordres\n"
            "  hint: declare it under `topics`, or correct its name"
        )
    ]


def test_a_topic_of_that_name_in_another_project_is_pointed_out() -> None:
    elsewhere = TopicName("acme-billing-prod", "orders")
    other = TopicSpec(name=elsewhere, policy=spec().policy, origin=spec().origin, policy_origin=spec().policy_origin)
    (finding,) = found(Fleet.of(STACK, [other], [publisher(published("orders"))]))
    assert (finding.code, finding.details, finding.hint) == (
        "topic-not-declared",
        ("topic: orders", "declared: `orders` in acme-billing-prod"),
        "declare it under `topics`, or correct its project",
    )


def test_a_topic_listed_twice_by_a_service_is_an_error() -> None:
    assert shown(found(fleet(publisher(published("orders"), published("orders"), published("returns"))))) == [
        (
            "checkout.yaml, `publishers[0].topics.orders`: error: `checkout`: topic `orders` is listed 2 times"
            "  [published-twice] checkout\n"
            "  hint: keep one entry"
        )
    ]


@pytest.mark.parametrize("rate", [0, -1, math.nan, math.inf])
def test_a_request_rate_is_a_number_above_0(rate: float) -> None:
    (finding,) = found(fleet(publisher(expected_requests_per_second=rate)))
    assert (finding.code, finding.message, finding.hint) == (
        "publisher-value-range",
        f"`checkout`: {rate} for `expectedRequestsPerSecond` is not a number above 0",
        "declare the publish requests a second of one publisher object, or leave it out",
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"batching": Batching(max_messages=0)}, "0 for `batching.maxMessages` is not above 0"),
        ({"batching": Batching(max_bytes=-1)}, "-1 for `batching.maxBytes` is not above 0"),
        ({"batching": Batching(max_latency=timedelta())}, "0ms for `batching.maxLatency` is not above 0"),
        (
            {"flow_control": FlowControl(max_outstanding_messages=0, max_outstanding_bytes=1)},
            "0 for `flowControl.maxOutstandingMessages` is not above 0",
        ),
        (
            {"flow_control": FlowControl(max_outstanding_messages=1, max_outstanding_bytes=0)},
            "0 for `flowControl.maxOutstandingBytes` is not above 0",
        ),
    ],
)
def test_a_limit_is_never_0(fields: dict[str, Any], text: str) -> None:
    (finding,) = found(fleet(publisher(published(**fields))))
    assert (finding.code, finding.message, finding.hint) == (
        "publisher-value-range",
        f"`checkout`: {text}",
        "leave it out for the library's default",
    )


def test_limits_above_0_are_valid() -> None:
    topic = published(
        batching=Batching(max_messages=1, max_bytes=1, max_latency=ms(1)),
        flow_control=FlowControl(max_outstanding_messages=1, max_outstanding_bytes=1),
    )
    assert found(fleet(publisher(topic, expected_requests_per_second=0.1))) == []


def test_findings_are_sorted_by_place_whatever_finds_them() -> None:
    services = [publisher(published(), service=service, language="cobol") for service in ("b", "a", "c")]
    findings = found(fleet(*services, publisher(service="Z!")))
    assert [(finding.origin.file, finding.code) for finding in findings] == [
        ("Z!.yaml", "service-name"),
        ("a.yaml", "language-unknown"),
        ("b.yaml", "language-unknown"),
        ("c.yaml", "language-unknown"),
    ]


@pytest.mark.parametrize("adapter", ["spring", "properties"])
def test_javas_own_forms_are_for_java(adapter: str) -> None:
    assert found(fleet(publisher(adapter=adapter))) == []
    assert shown(found(fleet(publisher(adapter=adapter, language="go")))) == [
        (
            f"checkout.yaml, `publishers[0].adapter`: error: `checkout`: adapter `{adapter}` is for Java, and the "
            "service is written in `go`  [adapter-unsuitable] checkout\n"
            "  hint: declare `configmap` or `env`, or leave `adapter` out: the JSON document is for every language"
        )
    ]


def test_a_configmap_needs_a_name_that_kubernetes_takes() -> None:
    assert found(fleet(publisher(adapter="configmap", service="checkout-2.eu"))) == []
    (finding,) = found(fleet(publisher(adapter="configmap", service="Checkout")))
    assert (finding.code, finding.message, finding.hint) == (
        "adapter-unsuitable",
        "`Checkout`: a ConfigMap cannot be called after this service",
        "name the service in lower-case letters, digits, `-` and `.`, or leave `adapter` out",
    )
