from dataclasses import replace

import pytest

from reconciler.hedging import LIBRARIES, Hedging, known_libraries
from reconciler.model import ClientFacts, RetrySettings
from tests.hedging.builders import STACK, fleet, ms, profile, published, publisher, seconds
from tests.rules.texts import codes, found

SOURCE = "release notes of 2027-01-12"


def facts(language: str, **stated: object) -> ClientFacts:
    return ClientFacts(language=language, source=SOURCE, **stated)  # type: ignore[arg-type]


def test_without_facts_of_its_own_a_stack_has_hedgerows_table() -> None:
    assert known_libraries(()) == LIBRARIES


def test_what_is_stated_replaces_what_was_there_and_nothing_else() -> None:
    java = known_libraries([facts("java", newest="1.170.0")])["java"]
    assert java == replace(LIBRARIES["java"], newest="1.170.0", source=SOURCE)


@pytest.mark.parametrize(
    ("version", "hedging"),
    [("1.155.9", Hedging.ABSENT), ("1.156.0", Hedging.WALL_CLOCK), ("1.158.0", Hedging.PRESENT)],
)
def test_hedging_from_a_stated_version_on_replaces_what_was_known_of_later_ones(version: str, hedging: Hedging) -> None:
    assert known_libraries([facts("java", hedging_since="1.158.0")])["java"].hedging_in(version) is hedging


def test_python_can_hedge_once_somebody_knows_that_it_does() -> None:
    service = publisher(published(hedging=profile()), language="python", client_version="3.0.0")
    assert codes(found(fleet(service))) == ["hedging-unsupported"]
    knowing = replace(STACK, client_libraries=(facts("python", hedging_since="3.0.0"),))
    assert codes(found(replace(fleet(service), stack=knowing))) == []


def test_a_language_that_hedgerow_does_not_know_can_be_added() -> None:
    total, initial = seconds(60), ms(20_000)
    library = known_libraries(
        [
            facts(
                "kotlin",
                coordinates="acme:pubsub-kt",
                newest="2.0.0",
                defaults=RetrySettings(initial_rpc_timeout=initial, total_timeout=total),
            )
        ]
    )["kotlin"]
    assert (library.title, library.coordinates, library.newest) == ("kotlin", "acme:pubsub-kt", "2.0.0")
    assert library.defaults is not None
    assert (library.defaults.initial, library.defaults.multiplier, library.defaults.maximum) == (initial, 1, None)


def test_timeouts_without_a_total_are_not_known() -> None:
    assert known_libraries([facts("kotlin")])["kotlin"].defaults is None


def test_the_defaults_of_a_known_library_are_corrected_one_by_one() -> None:
    library = known_libraries([facts("java", defaults=RetrySettings(initial_rpc_timeout=seconds(8)))])["java"]
    assert LIBRARIES["java"].defaults is not None
    assert library.defaults == replace(LIBRARIES["java"].defaults, initial=seconds(8))
