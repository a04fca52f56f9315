"""The client libraries that a stack can publish with: hedgerow's own table, and what the stack adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reconciler.hedging.clients import ClientLibrary, DefaultTimeouts, Evidence, Hedging, Release
from reconciler.hedging.libraries import LIBRARIES
from reconciler.hedging.versions import Version
from reconciler.model import ClientFacts, RetrySettings


def known_libraries(facts: Iterable[ClientFacts]) -> Mapping[str, ClientLibrary]:
    """The table with a stack's facts put over it: each that is stated replaces what was there.

    Hedging from a stated version on replaces what was known about that version and later ones.
    """
    libraries = dict(LIBRARIES)
    for stated in facts:
        base = libraries.get(stated.language) or ClientLibrary(
            language=stated.language,
            title=stated.language,
            coordinates=stated.language,
            newest=None,
            source=stated.source,
        )
        libraries[stated.language] = replace(
            base,
            coordinates=stated.coordinates or base.coordinates,
            newest=stated.newest or base.newest,
            releases=_releases(base, stated),
            defaults=_defaults(base.defaults, stated.defaults),
            source=stated.source,
        )
    return libraries


def _releases(base: ClientLibrary, stated: ClientFacts) -> tuple[Release, ...]:
    since = stated.hedging_since and Version.parse(stated.hedging_since)
    if not since or stated.hedging_since is None:
        return base.releases
    before = (release for release in base.releases if (version := Version.parse(release.since)) and version < since)
    added = Release(
        since=stated.hedging_since, hedging=Hedging.PRESENT, evidence=Evidence.DOCUMENTED, source=stated.source
    )
    return (*before, added)


def _defaults(base: DefaultTimeouts | None, stated: RetrySettings) -> DefaultTimeouts | None:
    """Timeouts of which the total is known; without it nothing is."""
    total = stated.total_timeout or (base.total if base else None)
    if total is None:
        return None
    return DefaultTimeouts(
        initial=stated.initial_rpc_timeout or (base.initial if base else None),
        multiplier=stated.rpc_timeout_multiplier or (base.multiplier if base else 1),
        maximum=stated.max_rpc_timeout or (base.maximum if base else None),
        total=total,
    )
