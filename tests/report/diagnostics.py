from __future__ import annotations

from reconciler.errors import Position
from reconciler.report import Diagnostic
from reconciler.rules import Severity

PLACE = Position("stacks/production/topics.yaml", 4, 56)


def diagnostic(
    message: str = "`orders`: region `us-east1` is not allowed in `acme-orders-prod`",
    *,
    code: str = "region-not-allowed",
    severity: Severity = Severity.ERROR,
    subject: str = "projects/acme-orders-prod/topics/orders",
    position: Position = PLACE,
    details: tuple[str, ...] = ("allowed: europe-west1",),
    hint: str | None = "remove the region",
) -> Diagnostic:
    return Diagnostic(
        position=position,
        severity=severity,
        code=code,
        subject=subject,
        message=message,
        details=details,
        hint=hint,
    )
