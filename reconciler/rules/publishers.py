"""All rules on publishers: what must hold before a configuration file is written.

They hold for every language alike, so that a file is never valid in one client and fatal in another, and are enforced
by `check` and `render` alike. What differs by language, the timeouts in force where none are declared, is data
(`reconciler.hedging.libraries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reconciler.hedging import ClientLibrary, known_libraries
from reconciler.model import (
    NO_EXEMPTIONS,
    Exemptions,
    Fleet,
    Origin,
    PublishedTopic,
    Publisher,
    StoragePolicy,
    TopicName,
)
from reconciler.orgpolicy import Catalogue, EffectivePolicy
from reconciler.rules.complaints import findings_of as findings_by_default
from reconciler.rules.effect import effect_problems, limit_problems
from reconciler.rules.effect_rules import EFFECT_RULES
from reconciler.rules.endpoints import with_endpoints
from reconciler.rules.findings import Finding
from reconciler.rules.hedging import check_hedging, ordering_problems
from reconciler.rules.hedging_rules import HEDGING_RULES
from reconciler.rules.placement import (
    endpoint_problems,
    placement_problems,
    single_region_complaints,
    subscriber_complaints,
)
from reconciler.rules.placement_rules import PLACEMENT_RULES
from reconciler.rules.places import NOT_LIVE, place_in
from reconciler.rules.profile_rules import PROFILE_RULES
from reconciler.rules.profiles import check_profiles
from reconciler.rules.published import Problem, findings_of
from reconciler.rules.service_rules import SERVICE_RULES
from reconciler.rules.services import (
    check_adapter,
    check_library,
    check_names,
    check_repeats,
    check_statements,
    declaration_problems,
)
from reconciler.rules.timeout_rules import TIMEOUT_RULES
from reconciler.rules.timeouts import timeout_problems

PUBLISHER_RULES = (
    *SERVICE_RULES,
    *PROFILE_RULES,
    *TIMEOUT_RULES,
    *HEDGING_RULES,
    *EFFECT_RULES,
    *PLACEMENT_RULES,
)


def check_publishers(
    fleet: Fleet,
    policies: Mapping[str, EffectivePolicy | None],
    catalogue: Catalogue,
    *,
    libraries: Mapping[str, ClientLibrary] | None = None,
    exemptions: Exemptions = NO_EXEMPTIONS,
    live: Mapping[TopicName, StoragePolicy | None] = NOT_LIVE,
) -> list[Finding]:
    """Everything that is wrong with a fleet's profiles and publishers, by place.

    Args:
        fleet: what the stack declares.
        policies: effective policies by project id; `None` or absent where a project's is not known, which is never
            taken for a restriction or for the lack of one here: the rules on topics report it.
        catalogue: what value groups contain, and which regions are known.
        libraries: what is known about client libraries; `None` for hedgerow's own table with the stack's facts.
        exemptions: those that count.
        live: the storage policies of live topics, where it matters that some may not be as they should be yet.
    """
    libraries = known_libraries(fleet.stack.client_libraries) if libraries is None else libraries
    fleet = with_endpoints(fleet, policies, catalogue, live)
    published_to = {published.topic for publisher in fleet.publishers for published in publisher.topics}
    places = {
        spec.name: place
        for spec in fleet.topics
        if spec.subscribers or (published_to and spec.name in published_to)
        if (place := place_in(fleet, spec.name, policies, catalogue, live))
    }
    projects: dict[str, list[str]] = {}
    ids = {name.topic for name in published_to}
    for spec in fleet.topics:
        if spec.name.topic in ids:
            projects.setdefault(spec.name.topic, []).append(spec.name.project)

    def problems(publisher: Publisher) -> Iterator[tuple[PublishedTopic, Problem]]:
        library = libraries.get(publisher.language)
        for published in publisher.topics:
            found = [
                *declaration_problems(published, fleet, projects),
                *ordering_problems(published, library),
                *endpoint_problems(published, catalogue),
                *limit_problems(published),
            ]
            if library is not None:
                found += timeout_problems(published, library, libraries, give_up_after=publisher.give_up_after)
                found += effect_problems(published, library)
            if published.topic in places:
                found += placement_problems(publisher, published, places[published.topic])
            yield from ((published, problem) for problem in found)

    complaints = [
        *(c for spec in fleet.topics if spec.subscribers for c in subscriber_complaints(spec, places[spec.name])),
        *single_region_complaints(fleet, places),
    ]
    findings = [
        *check_names(fleet),
        *check_profiles(fleet, libraries),
        *findings_by_default(complaints, exemptions),
    ]
    for publisher in fleet.publishers:
        findings += check_library(publisher, libraries)
        findings += check_adapter(publisher)
        findings += check_statements(publisher)
        findings += check_repeats(publisher)
        findings += check_hedging(publisher, fleet, libraries)
        findings += findings_of(publisher, problems(publisher), exemptions)
    return sorted(findings, key=lambda finding: (*_order(finding.origin), finding.code, finding.message))


def _order(origin: Origin) -> tuple[str, tuple[str, ...]]:
    """Files by name, inside them keys by name and indexes by number."""
    return origin.file, tuple(f"{key:09}" if isinstance(key, int) else key for key in origin.path)
