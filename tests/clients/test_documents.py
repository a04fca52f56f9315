import os

import pytest

from tests.clients.services import CLIENTS, LANGUAGES, checkout, document
from tests.hedging.builders import fleet
from tests.rules.texts import found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loaders_own_tests_read_what_is_rendered(language: str) -> None:
    file = CLIENTS / "testdata" / f"{language}.json"
    rendered = document(checkout(language))
    if os.environ.get("HEDGEROW_UPDATE") == "1":
        file.write_bytes(rendered)
    assert file.read_bytes() == rendered


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_loaders_own_tests_read_what_no_rule_objects_to(language: str) -> None:
    assert found(fleet(checkout(language))) == []
