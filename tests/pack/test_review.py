"""One look for all policies, and none of them fails open where another was left out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reconciler.errors import InvalidInput
from reconciler.pulumi.pack.review import Review
from reconciler.pulumi.pack.settings import Settings
from tests.pack.resources import TODAY, stating, texts, topic

WRONG = topic(messageStoragePolicy=stating(["us-east1"], None))
OTHER = topic(urn="urn:other", name="other", messageStoragePolicy=stating(["us-east1"]))


@pytest.fixture
def review(snapshot: Path) -> Review:
    return Review(base=Settings(snapshot=snapshot), today=lambda: TODAY)


def test_after_the_first_look_only_policies_with_findings_are_concerned(review: Review) -> None:
    review.begin(WRONG.urn, WRONG)

    asked = ("in-transit-not-stated", "region-not-allowed", "region-unknown", "value-unknown")
    assert [code for code in asked if review.may_concern(code)] == ["in-transit-not-stated", "region-not-allowed"]


def test_a_resource_that_is_no_topic_concerns_nobody(review: Review) -> None:
    review.begin(WRONG.urn, WRONG)
    review.begin("urn:bucket", None)

    assert not review.may_concern("region-not-allowed")


def test_without_a_first_look_every_policy_is_concerned_and_looks_for_itself(review: Review) -> None:
    assert review.may_concern("region-not-allowed")
    assert [finding.code for finding in review.findings("region-not-allowed", WRONG)] == ["region-not-allowed"]
    assert review.findings("region-unknown", WRONG) == ()


def test_a_policy_that_is_asked_again_without_a_new_look_is_concerned(review: Review) -> None:
    review.begin("urn:bucket", None)

    assert [review.may_concern("region-not-allowed") for _ in range(2)] == [False, True]


def test_what_was_found_about_one_resource_is_never_told_of_another(review: Review) -> None:
    review.begin(WRONG.urn, WRONG)

    assert [text.partition("\n")[0] for text in texts(review.findings("region-not-allowed", OTHER))] == [
        "region-not-allowed: `other`: region `us-east1` is not allowed in `acme-orders-prod`"
    ]


def test_what_was_told_of_a_resource_is_forgotten_once_it_is_right(review: Review) -> None:
    review.begin(OTHER.urn, OTHER)
    assert review.told(OTHER.urn) == {"`other`: region `us-east1` is not allowed in `acme-orders-prod`"}

    review.begin(OTHER.urn, topic(urn=OTHER.urn, name="other"))
    assert review.told(OTHER.urn) == frozenset()


def test_settings_that_cannot_be_used_are_an_error_each_time_until_they_change(review: Review, snapshot: Path) -> None:
    review.configure({"snapshot": "nowhere.yaml"})

    for _ in range(2):
        with pytest.raises(InvalidInput, match=r"nowhere\.yaml"):
            review.begin(WRONG.urn, WRONG)
    assert not review.may_concern("region-not-allowed")

    review.configure({"snapshot": str(snapshot)})
    review.begin(WRONG.urn, WRONG)
    assert review.may_concern("region-not-allowed")


def test_nothing_is_configured_before_the_first_policy_was_asked(review: Review) -> None:
    before = review.is_configured
    review.configure({})

    assert (before, review.is_configured) == (False, True)


def test_resources_that_are_looked_at_at_once_are_kept_apart(review: Review) -> None:
    review.begin(WRONG.urn, WRONG)
    with ThreadPoolExecutor(1) as another:
        another.submit(review.begin, "urn:bucket", None).result()

        assert not another.submit(review.may_concern, "region-not-allowed").result()
    assert review.may_concern("in-transit-not-stated")
