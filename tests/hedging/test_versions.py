import pytest

from reconciler.hedging import Version


@pytest.mark.parametrize(
    ("text", "numbers", "is_release"),
    [
        ("1.160.0", (1, 160, 0, 0), True),
        ("v2.9.0", (2, 9, 0, 0), True),
        ("6.4", (6, 4, 0, 0), True),
        ("1.2.3.4", (1, 2, 3, 4), True),
        ("1.160.0+build.7", (1, 160, 0, 0), True),
        ("1.160.0-SNAPSHOT", (1, 160, 0, 0), False),
        ("2.0.0rc1", (2, 0, 0, 0), False),
        ("2.0.0.dev3", (2, 0, 0, 0), False),
    ],
)
def test_a_version_is_read_as_its_ecosystem_spells_it(
    text: str,
    numbers: tuple[int, int, int, int],
    is_release: bool,
) -> None:
    assert Version.parse(text) == Version(numbers, is_release)


@pytest.mark.parametrize("text", ["", "latest", "1.", "1.2.3.4.5", "^1.2", "1.2 ", "1,2", "-1", "1.2.3 || 2"])
def test_anything_else_is_no_version(text: str) -> None:
    assert Version.parse(text) is None


def test_versions_are_ordered_by_number_not_by_text() -> None:
    texts = ["1.9.0", "1.155.0", "1.156.0-rc1", "1.156.0", "1.159.0", "v2.0.0"]
    versions = [Version.parse(text) for text in texts]
    assert sorted(version for version in versions if version) == versions
