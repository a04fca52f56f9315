"""What a run did with the files of publishing services, and why: values, text, JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from reconciler.report.diagnostics import Diagnostic, counted, diagnostics_document

_SHOWN = 20
"""Services of one status that text lists; JSON has all."""


class FileStatus(StrEnum):
    """What became of a service's files."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    """As they were: new ones would be refused by a rule, or hang on something undecided."""
    FAILED = "failed"
    """Not written, or not all of them: the place could not be written, or was somebody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFiles:
    """The files of one service.

    Attributes:
        files: the names of those that are meant: written ones, or all.
        why: what is different in them, or what stands against it.
        findings: of the rules that refuse new ones.
    """

    service: str
    status: FileStatus
    files: tuple[str, ...]
    why: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """The files of all services of a stack.

    Attributes:
        output: where they are.
        services: what became of each, in the order of their names.
        orphaned: files of services that left the specs, which stay.
        problem: why none could be looked at, if so.
    """

    output: str
    services: tuple[ServiceFiles, ...] = ()
    orphaned: tuple[str, ...] = ()
    problem: str = ""

    def count(self, status: FileStatus) -> int:
        """How many services' files ended like this."""
        return sum(service.status is status for service in self.services)


def rendering_text(rendering: Rendering) -> str:
    """A summary, then a line for every service that has something to tell."""
    where = f"publisher configuration in {rendering.output}"
    if rendering.problem:
        return f"{where}: nothing was rendered: {rendering.problem}\n"
    counts = ", ".join(f"{rendering.count(status):,} {status}" for status in FileStatus if rendering.count(status))
    lines = [f"{where}: {counted(len(rendering.services), 'service')}: {counts}"]
    told = [service for service in rendering.services if service.status is not FileStatus.UNCHANGED]
    width = max((len(service.service) for service in told), default=0)
    for status in (FileStatus.WRITTEN, FileStatus.KEPT, FileStatus.FAILED):
        lines += _listed([service for service in told if service.status is status], status, width)
    lines += [
        f"  {file} is of a service that left the specs; see `hedgerow render --prune`" for file in rendering.orphaned
    ]
    return "".join(f"{line}\n" for line in lines)


def rendering_document(rendering: Rendering) -> dict[str, Any]:
    """The same as JSON values, nothing cut."""
    return {
        "output": rendering.output,
        "problem": rendering.problem or None,
        "counts": {str(status): rendering.count(status) for status in FileStatus},
        "services": [
            {
                "service": service.service,
                "status": str(service.status),
                "files": list(service.files),
                "why": list(service.why),
                "findings": diagnostics_document(service.findings),
            }
            for service in rendering.services
        ],
        "orphaned": list(rendering.orphaned),
    }


def read_rendering(document: Mapping[str, Any]) -> Rendering:
    """A rendering from its JSON values, without the findings, which are told in `why`."""
    return Rendering(
        output=document["output"],
        services=tuple(
            ServiceFiles(
                service=service["service"],
                status=FileStatus(service["status"]),
                files=tuple(service["files"]),
                why=tuple(service["why"]),
            )
            for service in document["services"]
        ),
        orphaned=tuple(document["orphaned"]),
        problem=document["problem"] or "",
    )


def _listed(services: list[ServiceFiles], status: FileStatus, width: int) -> Iterable[str]:
    for service in services[:_SHOWN]:
        for index, why in enumerate(service.why):
            yield f"  {status if index == 0 else '':8} {service.service if index == 0 else '':{width}}  {why}"
    if len(services) > _SHOWN:
        yield f"  {status:8} {counted(len(services) - _SHOWN, 'service')} more, all in the run's record"
