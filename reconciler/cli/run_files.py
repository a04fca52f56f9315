"""The files of publishing services at the end of a run: rendered against what the topics are by then.

A file that may be wrong is worse than an old one. So a service whose new file a rule refuses, or for which something is
undecided, keeps the last; the others get theirs. Nothing here can keep a topic from being repaired: that has happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from reconciler.cli.output import located
from reconciler.cli.planning import Planned
from reconciler.cli.rendered_files import FileKind, FileState, attempt, compare
from reconciler.cli.surroundings import files_at, now
from reconciler.errors import ExitCode, HedgerowError
from reconciler.hedging import differences, file_names, render
from reconciler.model import Fleet, Publisher, RegionSet, StoragePolicy, TopicName, regions_of
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import Kind, Run, live_after
from reconciler.report import Diagnostic, FileStatus, Rendering, ServiceFiles, changes_of_a_file
from reconciler.rules import Finding, Severity, check_services, place_in, with_endpoints


def render_after(fleet: Fleet, result: Planned, done: Run) -> Rendering | None:
    """Renders the files of a stack's services once its topics are repaired, and writes those that differ.

    Returns `None` where the stack has no publishers, or does not say where their files go.
    """
    if not (fleet.publishers and fleet.stack.renders_nightly):
        return None
    ends = _Ends.of(fleet, result, done)
    against = ends.objections(fleet)
    good = tuple(publisher for publisher in ends.settled.publishers if publisher.service not in against)
    documents = render(replace(ends.settled, publishers=good))
    try:
        output = files_at(fleet.stack.publisher_output)
        states = {state.name: state for state in compare(output, documents, stack=fleet.stack.name)}
    except HedgerowError as error:
        return Rendering(output=fleet.stack.publisher_output, problem=error.message)
    due = [states[name] for publisher in good for name in file_names(publisher)]
    errors = {state.name: error for state, error in attempt(output, due, prune=False)}
    services = [
        against[publisher.service].kept(publisher, states)
        if publisher.service in against
        else _written(publisher, states, errors, ends)
        for publisher in ends.settled.publishers
    ]
    kept = {name for publisher in fleet.publishers for name in file_names(publisher)}
    orphans = (state.name for state in states.values() if state.kind is FileKind.ORPHANED and state.name not in kept)
    return Rendering(output=output.address, services=tuple(services), orphaned=tuple(map(output.place, orphans)))


def rendering_exit_code(rendering: Rendering | None) -> ExitCode:
    """6 where files could not be written, 3 where a rule refuses one, 4 where one is undecided, else 0."""
    if rendering is None:
        return ExitCode.OK
    kept = [service for service in rendering.services if service.status is FileStatus.KEPT]
    return ExitCode.severest(
        ExitCode.PARTIAL if rendering.problem or rendering.count(FileStatus.FAILED) else ExitCode.OK,
        ExitCode.INVALID if any(_is_refused(service) for service in kept) else ExitCode.OK,
        ExitCode.NOT_EVALUATED if any(not _is_refused(service) for service in kept) else ExitCode.OK,
    )


def _is_refused(service: ServiceFiles) -> bool:
    return any(finding.severity is Severity.ERROR for finding in service.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Objection:
    """What stands against a new file."""

    why: tuple[str, ...]
    findings: tuple[Diagnostic, ...] = ()

    def kept(self, publisher: Publisher, states: Mapping[str, FileState]) -> ServiceFiles:
        names = file_names(publisher)
        has_one = any(name in states for name in names)
        why = self.why if has_one else (*self.why, "it has no file yet")
        return ServiceFiles(
            service=publisher.service, status=FileStatus.KEPT, files=names, why=why, findings=self.findings
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """What the end of a run leaves to render from.

    Attributes:
        settled: the fleet with an endpoint for every published topic.
        regions: of each published topic, what its endpoint was chosen from, or held against.
        live: of each that is live, the regions that it has.
        findings: what the rules say while topics are as the run left them.
        lasting: what they say once all topics are as they should be.
        undecided: why nothing certain is known of some topics.
    """

    settled: Fleet
    regions: Mapping[TopicName, RegionSet]
    live: Mapping[TopicName, RegionSet]
    findings: list[Finding]
    lasting: list[Finding]
    undecided: Mapping[TopicName, str]

    @classmethod
    def of(cls, fleet: Fleet, result: Planned, done: Run) -> _Ends:
        policies: Mapping[str, EffectivePolicy | None] = result.wanted
        live: Mapping[TopicName, StoragePolicy | None] = live_after(result.live, done.outcomes)
        published = {topic.topic for publisher in fleet.publishers for topic in publisher.topics}
        places = {name: place_in(fleet, name, policies, result.catalogue, live) for name in published}
        return cls(
            settled=with_endpoints(fleet, policies, result.catalogue, live),
            regions={name: place.regions.possible for name, place in places.items() if place is not None},
            live={name: regions_of(policy) for name, policy in live.items()},
            findings=check_services(fleet, policies, result.catalogue, today=now().date(), live=live),
            lasting=check_services(fleet, policies, result.catalogue, today=now().date()),
            undecided={
                row.drift.name: row.drift.reason.reason if row.drift.reason else "its regions are undecided"
                for row in result.plan.rows
                if row.drift.kind is Kind.UNDECIDED and row.drift.name in published
            },
        )

    def objections(self, fleet: Fleet) -> dict[str, _Objection]:
        """What stands against new files, by service."""
        found = {}
        for publisher in fleet.publishers:
            against = [finding for finding in self.findings if _concerns(finding, publisher)]
            unsure = [
                f"{published.topic.topic}: not evaluated: {self.undecided[published.topic]}"
                for published in publisher.topics
                if published.topic in self.undecided
            ]
            if against or unsure:
                told = [line for finding in against for line in self._told(finding)]
                found[publisher.service] = _Objection(why=(*told, *unsure), findings=tuple(located(against)))
        return found

    def _told(self, finding: Finding) -> Iterator[str]:
        yield f"{finding.message}  [{finding.code}]"
        if finding not in self.lasting:
            yield f"until it is repaired: {'; '.join(finding.details)}"


def _concerns(finding: Finding, publisher: Publisher) -> bool:
    """Whether a finding stands against a service's file: it is about the service, or about a profile that it uses."""
    if finding.severity not in (Severity.ERROR, Severity.UNDECIDED):
        return False
    profiles = {published.hedging.name for published in publisher.topics if published.hedging is not None}
    return finding.subject == publisher.service or finding.subject in profiles


def _written(
    publisher: Publisher, states: Mapping[str, FileState], errors: Mapping[str, HedgerowError | None], ends: _Ends
) -> ServiceFiles:
    """What became of a service's files, of which those that differed were due to be written."""
    own = [states[name] for name in file_names(publisher)]
    due = tuple(state.name for state in own if state.name in errors)
    failures = tuple(error.message for name in due if (error := errors[name]) is not None)
    if failures:
        status, why = FileStatus.FAILED, failures
    elif due:
        status, why = FileStatus.WRITTEN, _why(own[0], publisher, ends)
    else:
        status, why = FileStatus.UNCHANGED, ()
    names = due or file_names(publisher)
    return ServiceFiles(service=publisher.service, status=status, files=names, why=why)


def _why(document: FileState, publisher: Publisher, ends: _Ends) -> tuple[str, ...]:
    """Why a service's files were written: its document is new, or differs from the last; else it is its second file."""
    match document.kind, document.found, document.wanted:
        case FileKind.CHANGED, bytes(found), bytes(wanted):
            return changes_of_a_file(differences(found, wanted), publisher, regions=ends.regions, live=ends.live)
        case FileKind.NEW, _, _:
            return ("new",)
        case _:
            return ("its second file was not as its document",)
