"""`stack.yaml` to the model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from reconciler.model import (
    LIVE,
    ClientFacts,
    Endpoints,
    Limits,
    Origin,
    Reader,
    ReconcileSettings,
    Resolution,
    Resolutions,
    RetrySettings,
    RuleLevel,
    Stack,
    UnmanagedTopics,
)
from reconciler.spec.files import Document
from reconciler.spec.placeholders import unresolved
from reconciler.spec.problems import Problems
from reconciler.spec.pulumi import read_pulumi
from reconciler.spec.quantities import parse_duration

_KINDS = {"inTransit": "in_transit"}


def read_resolutions(declared: Mapping[str, str], base: Resolutions) -> Resolutions:
    """The resolutions of `base` with declared ones put over them."""
    return replace(base, **{_KINDS.get(kind, kind): Resolution(name) for kind, name in declared.items()})


def read_stack(document: Document, folder: Path, shown: str, problems: Problems) -> Stack | None:
    """The stack that a valid `stack.yaml` describes; `None` where something in it was noted as wrong.

    Paths in it count from the stack's folder; in the model they count from where `folder` does.
    """
    body, origin = document.body, Origin(document.file)
    errors = problems.error_count
    for place, placeholder in unresolved(body, origin):
        problems.error("spec-placeholder", place, f"nothing fills in the placeholder `{placeholder}`")
    settings = _read_settings(body.get("reconcile", {}), folder, origin.at("reconcile"), problems)
    libraries = _read_libraries(body.get("publishers", {}).get("clientLibraries", {}), origin, problems)
    if problems.error_count > errors or settings is None:
        return None
    source = body["policySource"]
    endpoints = body.get("endpoints", {})
    return Stack(
        name=Path(os.path.abspath(folder)).name,  # noqa: PTH100 - `resolve` would follow links, and the name is the user's
        folder=shown,
        organization=body["organization"],
        policy_source=LIVE if source == LIVE else inside(folder, source),
        projects=tuple(sorted(body["projects"])),
        reconcile=settings,
        rules={code: RuleLevel(level) for code, level in sorted(body.get("rules", {}).items())},
        publisher_output=_place(folder, body.get("publishers", {}).get("output", "dist/publishers")),
        renders_nightly="output" in body.get("publishers", {}),
        client_libraries=libraries,
        endpoints=Endpoints(
            pubsub=endpoints.get("pubsub"),
            org_policy=endpoints.get("orgPolicy"),
            resource_manager=endpoints.get("resourceManager"),
            asset=endpoints.get("asset"),
        ),
        pulumi=read_pulumi(body.get("pulumi", {}), origin.at("pulumi")),
        origin=origin,
    )


def _read_libraries(
    body: Mapping[str, Mapping[str, Any]], origin: Origin, problems: Problems
) -> tuple[ClientFacts, ...]:
    """Facts about client libraries, by language."""

    def duration(language: str, key: str) -> timedelta | None:
        text = body[language].get("defaults", {}).get(key)
        try:
            return None if text is None else parse_duration(text)
        except ValueError as error:
            at = origin.at("publishers", "clientLibraries", language, "defaults", key)
            problems.error("spec-value", at, f"`{language}`: `{key}`: {error}")
            return None

    return tuple(
        ClientFacts(
            language=language,
            coordinates=facts.get("coordinates"),
            newest=facts.get("newest"),
            hedging_since=facts.get("hedgingSince"),
            defaults=RetrySettings(
                initial_rpc_timeout=duration(language, "initialRpcTimeout"),
                max_rpc_timeout=duration(language, "maxRpcTimeout"),
                rpc_timeout_multiplier=facts.get("defaults", {}).get("rpcTimeoutMultiplier"),
                total_timeout=duration(language, "totalTimeout"),
            ),
            source=facts["source"],
        )
        for language, facts in sorted(body.items())
    )


def inside(folder: Path, path: str) -> str:
    """A path that is written from a folder, as it is written from where that folder is."""
    return os.path.normpath(folder / path).replace(os.sep, "/")


def _place(folder: Path, address: str) -> str:
    """Where something is kept: a folder, as it is written from where `folder` is; or a bucket, as it stands."""
    return address.rstrip("/") if address.startswith("gs://") else inside(folder, address)


def _read_settings(
    body: Mapping[str, Any], folder: Path, origin: Origin, problems: Problems
) -> ReconcileSettings | None:
    base = ReconcileSettings()
    limits = body.get("limits", {})
    percent = limits.get("percent", base.limits.percent)
    if not 0 <= percent <= 100:  # NaN passes a schema's bounds
        problems.error(
            "spec-range", origin.at("limits", "percent"), f"`percent` is {percent}, not a number from 0 to 100"
        )
        return None
    try:
        settle = parse_duration(body["settle"]) if "settle" in body else base.settle
    except ValueError as error:
        problems.error("spec-value", origin.at("settle"), f"`settle`: {error}")
        return None
    return ReconcileSettings(
        resolutions=read_resolutions(body.get("resolutions", {}), base.resolutions),
        widening=body.get("widening", "refuse") == "allow",
        limits=Limits(
            topics=limits.get("topics", base.limits.topics),
            percent=percent,
            minimum_population=limits.get("minimumPopulation", base.limits.minimum_population),
        ),
        waves=tuple(str(wave) for wave in body.get("waves", base.waves)),
        operations_per_minute=body.get("operationsPerMinute", base.operations_per_minute),
        quota_project=body.get("quotaProject"),
        settle=settle,
        unmanaged=UnmanagedTopics(body.get("unmanaged", base.unmanaged)),
        reader=Reader(body.get("reader", base.reader)),
        journal=_place(folder, body.get("journal", base.journal)),
    )
