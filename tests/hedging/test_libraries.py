import pytest

from reconciler.hedging import LIBRARIES, ClientLibrary, Hedging, Version


@pytest.mark.parametrize(
    ("language", "version", "hedging"),
    [
        ("java", "1.155.0", Hedging.ABSENT),
        ("java", "1.156.0-rc1", Hedging.ABSENT),
        ("java", "1.156.0", Hedging.WALL_CLOCK),
        ("java", "1.158.9", Hedging.WALL_CLOCK),
        ("java", "1.159.0", Hedging.PRESENT),
        ("java", "1.999.0", Hedging.PRESENT),
        ("go", "v2.7.0", Hedging.ABSENT),
        ("go", "v2.8.0", Hedging.PRESENT),
        ("go", "2.9.0", Hedging.PRESENT),
        ("rust", "1.4.9", Hedging.ABSENT),
        ("rust", "1.5.0", Hedging.PRESENT),
        ("node", "6.3.2", Hedging.ABSENT),
        ("node", "6.4.1", Hedging.PRESENT),
        ("python", "2.44.0", Hedging.ABSENT),
        ("csharp", "3.0.0", Hedging.ABSENT),
        ("php", "2.0.0", Hedging.ABSENT),
        ("ruby", "3.0.0", Hedging.ABSENT),
        ("cpp", "2.30.0", Hedging.ABSENT),
    ],
)
def test_a_version_can_hedge_from_the_first_release_that_has_it(language: str, version: str, hedging: Hedging) -> None:
    assert LIBRARIES[language].hedging_in(version) is hedging


def test_something_that_is_no_version_has_no_answer() -> None:
    with pytest.raises(ValueError, match=r"^'latest' is not a version number$"):
        LIBRARIES["java"].hedging_in("latest")


def test_the_first_release_with_hedging_is_not_always_the_recommended_one() -> None:
    def since(language: str) -> tuple[str | None, str | None]:
        library = LIBRARIES[language]
        first, recommended = library.hedging_since, library.recommended
        return first.since if first else None, recommended.since if recommended else None

    assert since("java") == ("1.156.0", "1.159.0")
    assert since("go") == ("v2.8.0", "v2.8.0")
    assert since("python") == (None, None)


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
def test_the_table_is_sound(library: ClientLibrary) -> None:
    assert LIBRARIES[library.language] is library
    versions = [Version.parse(release.since) for release in library.releases]
    assert None not in versions
    assert sorted(version for version in versions if version) == versions
    assert all(release.source for release in library.releases)
    assert library.source
    assert library.newest is None or Version.parse(library.newest)
    assert bool(library.reactions) == bool(library.releases)
