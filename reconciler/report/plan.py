"""A plan as text: projects, their drifting topics, what would happen to each, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from reconciler.model import Limits, RegionSet, Resolution
from reconciler.orgpolicy import EffectivePolicy
from reconciler.reconcile import (
    WIDENING,
    Drift,
    Hold,
    Kind,
    Plan,
    ProjectPolicy,
    Refusal,
    Row,
    Standing,
    Unavailable,
    differences,
)
from reconciler.report.diagnostics import counted

_SHOWN = 4
_LEGEND = "~ change   . reported only   ! needs a human   ? not evaluated"


def plan_text(plan: Plan, *, verbose: bool = False) -> str:
    """The projects of a plan with their topics that are not in sync, in the order of names."""
    lines: list[str] = []
    rows = {project: list(group) for project, group in groupby(plan.rows, key=lambda row: row.drift.name.project)}
    for project, policy in sorted(plan.policies.items()):
        lines += _project_lines(project, policy)
        lines += _table(rows.get(project, ()), plan, shown=None if verbose else _SHOWN)
    if plan.rows:
        lines += ["", _LEGEND]
    return "".join(f"{line}\n" for line in lines)


def plan_summary(
    plan: Plan,
    limits: Limits,
    refusals: Sequence[Refusal],
    digest: str,
    *,
    options: Sequence[str] = (),
    saved: str | None = None,
    mostly: str | None = None,
    is_applied: bool = False,
) -> list[str]:
    """What was looked at, what would change, what it costs, and (unless it is applied at once) what to type next.

    Args:
        plan: the plan.
        limits: those in force.
        refusals: the limits that it breaks.
        digest: of its document.
        options: what the same plan needs on the command line once more.
        saved: the file that it was saved in.
        mostly: what most of the changes have in common, for a refusal.
        is_applied: whether it is about to be carried out.
    """
    changed, in_sync = len(plan.changes), plan.counts.get(Kind.IN_SYNC, 0)
    projects = counted(len(plan.policies), "project")
    lines = [_changes_line(plan, limits)] if plan.rows else []
    lines.append(
        f"looked at {counted(plan.looked_at, 'topic')} in {projects}: {in_sync:,} in sync{_other_counts(plan)}"
    )
    if plan.flags_not_evaluated:
        topics = counted(plan.flags_not_evaluated, "topic")
        lines.append(f"in-transit enforcement not evaluated: {topics} from the Asset Inventory, which does not hold it")
        lines.append("  hint: `--reader pubsub` evaluates it")
    if plan.exempt:
        lines.append(f"exempt: {counted(len(plan.exempt), 'topic')}, left as they are")
    lines += held_text([hold for change in plan.held if (hold := plan.hold_on(change))])
    if changed:
        lines.append(cost(plan))
    specs, policies = _short(plan.specs), _short(plan.policies_digest)
    lines.append(f"plan {_short(digest)} from specs {specs}, live policies {policies}, catalogue of {plan.catalogue}")
    if not is_applied:
        lines += [f"would be refused: {refusal.message}  [{refusal.code}]" for refusal in refusals]
        lines += [f"  {mostly}"] * bool(refusals and mostly)
    if plan.not_evaluated:
        lines.append(f"not evaluated: {counted(len(plan.not_evaluated), 'topic')}")
        lines += [f"  hint: {hint}" for hint in _ways_out(plan)]
    if saved is not None:
        lines.append(f"saved in {saved}" + (f"; next: hedgerow apply {saved}" if changed else ""))
    elif changed and not is_applied:
        command = " ".join(["hedgerow plan", plan.stack, *options, "-o plan.json"])
        lines.append(f"next: {command}, then hedgerow apply plan.json")
    return lines


def held_text(holds: Iterable[Hold]) -> list[str]:
    """How many changes are held, and what each kind waits for."""
    lines = []
    for hold, count in Counter(holds).items():
        if hold == WIDENING:
            lines.append(
                f"held: {counted(count, 'change')} would widen; allow with `widening: allow` in stack.yaml "
                "or `--allow-widening`"
            )
        else:
            lines += [f"held: {counted(count, 'change')}: {hold.reason}  [{hold.code}]", f"  hint: {hold.hint}"]
    return lines


def _ways_out(plan: Plan) -> Iterable[str]:
    """The hints of topics that were not evaluated, each once; a whole project's stands beside the project."""
    reasons = (row.drift.reason for row in plan.not_evaluated if row.drift.reason)
    of_projects = [policy for policy in plan.policies.values() if isinstance(policy, Unavailable)]
    return dict.fromkeys(reason.hint for reason in reasons if reason.hint and reason not in of_projects)


def cost(plan: Plan) -> str:
    """What applying a plan costs, in operations and time."""
    seconds = 60 * plan.operations / plan.operations_per_minute
    time = "under 1 s" if seconds < 1 else f"about {seconds:,.0f} s"
    return (
        f"cost: {counted(plan.operations, 'administrator operation')}, "
        f"{time} at {plan.operations_per_minute:,} a minute"
    )


def _changes_line(plan: Plan, limits: Limits) -> str:
    changed = len(plan.changes)
    if not changed:
        # Nothing wrong and nothing seen must not look alike.
        is_clean = not plan.has_drift and not plan.not_evaluated and not plan.exempt
        return (
            "no changes proposed"
            + "; no drift" * is_clean
            + " in regions" * (is_clean and bool(plan.flags_not_evaluated))
        )
    share = 100 * changed / plan.looked_at
    limit = f"limit {limits.percent:g} %"
    if plan.looked_at < limits.minimum_population:
        limit = f"no limit below {counted(limits.minimum_population, 'topic')}"
    return f"{changed:,} of {counted(plan.looked_at, 'topic')} would change ({share:.1f} %, {limit})"


def _other_counts(plan: Plan) -> str:
    others = [f"{count:,} {kind}" for kind, count in plan.counts.items() if kind is not Kind.IN_SYNC]
    flags = sum(row.drift.kind is Kind.IN_SYNC for row in plan.rows)
    if flags:
        others.insert(0, f"{flags:,} of them but for in-transit enforcement")
    return "".join(f", {other}" for other in others)


def _project_lines(project: str, policy: ProjectPolicy | Unavailable) -> Iterable[str]:
    if isinstance(policy, Unavailable):
        yield f"{project:38} not evaluated: {policy.reason}"
        if policy.hint:
            yield f"{'':38} hint: {policy.hint}"
        return
    yield f"{project:38} allowed: {allowed_text(policy.live)}"
    if policy.live.in_transit:
        yield f"{'':38} in-transit enforcement is required"
    if policy.differs:
        assert policy.declared is not None  # noqa: S101 - only then it differs
        yield f"{'':38} the snapshot says: {allowed_text(policy.declared)}"
        yield f"{'':38} until it is refreshed, topics get only what both allow, and nothing is widened"


def allowed_text(policy: EffectivePolicy) -> str:
    """What a policy allows, and what decided it: `europe-west1, europe-west4   (folders/456, rule 1: in:eu-core)`."""
    allowed = policy.allowed.certain
    text = _names(allowed)
    if policy.allowed.undecided:
        text += f"; undecided: {_names(policy.allowed.undecided)}"
    if not policy.steps:
        return text
    nearest = policy.steps[0]
    values = [step.words for step in policy.steps if (step.node, step.rule) == (nearest.node, nearest.rule)]
    what = values[0] if len(values) == 1 else counted(len(values), "value")
    return f"{text}   ({nearest.node}, rule {nearest.rule}: {what})"


def _names(regions: RegionSet, shown: int = _SHOWN) -> str:
    if regions.complement or len(regions) <= shown + 1:
        return str(regions)
    names = list(regions)
    return f"{', '.join(names[:shown])} and {len(names) - shown} more"


def _table(rows: Iterable[Row], plan: Plan, *, shown: int | None) -> Iterable[str]:
    cells = [_cells(row, plan, shown) for row in rows]
    if shown is not None:
        cells = _together(cells)
    widths = [max((len(row[column]) for row in cells), default=0) for column in range(4)]
    for mark, *columns in cells:
        padded = "  ".join(text.ljust(width) for text, width in zip(columns, widths[1:], strict=False))
        yield f"  {mark} {padded}  {columns[-1]}".rstrip()


def _together(cells: Sequence[list[str]]) -> list[list[str]]:
    """The same lines, those of topics that are not evaluated for one and the same reason drawn into one."""
    alike = Counter((kind, reason) for mark, _, kind, _, reason in cells if mark == "?")
    drawn: dict[tuple[str, ...], list[str]] = {}
    for mark, topic, kind, what, reason in cells:
        count = alike[kind, reason] if mark == "?" else 1
        name = counted(count, "topic") if count > 1 else topic
        drawn.setdefault((mark, name, kind, reason), [mark, name, kind, what, reason])
    return list(drawn.values())


def _cells(row: Row, plan: Plan, shown: int | None) -> list[str]:
    drift, decision = row.drift, row.decision
    parts = differences(drift)
    if row.change is not None and row.change.resolution is Resolution.RESTRICT:
        parts = tuple(f"{part} (not added)" if part.startswith("+") else part for part in parts)
    if shown is not None and len(parts) > shown + 1:
        parts = (*parts[:shown], f"and {len(parts) - shown} more")
    kind = "in-transit" if drift.kind is Kind.IN_SYNC else str(drift.kind)
    what, action = "  ".join(parts), str(decision.resolution)
    match drift.kind:
        case Kind.UNDECIDED:
            # In the last column, whose width does not push anything aside; a project's own reason stands above.
            told = drift.reason == plan.policies[drift.name.project]
            kind, what, action = "not evaluated", "", drift.reason.reason if drift.reason and not told else ""
        case Kind.EMPTY:
            what = "publishing fails: the policy allows no region"
        case Kind.ABSENT:
            what, action = "declared, not live", "created by `pulumi up`"
        case Kind.UNMANAGED:
            kind = f"unmanaged, {drift.standing}"
            action = "never written"
        case _:
            pass
    if decision.exemption:
        action = str(decision.exemption)
    elif decision.refusal:
        action = f"{decision.resolution} refused: {decision.refusal}"
    elif decision.change is not None:
        action = str(decision.change.resolution)
        hold = plan.hold_on(decision.change)
        if decision.change.widening:
            action += "   widening" + (", held" if hold else "")
        elif hold:
            action += f"   held: {hold.code}"
    return [_mark(row, plan), drift.name.topic, kind, what, action]


def _mark(row: Row, plan: Plan) -> str:
    drift: Drift = row.drift
    if drift.kind is Kind.UNDECIDED or drift.standing is Standing.UNDECIDED:
        return "?"
    if row.change is not None and plan.hold_on(row.change) is None:
        return "~"
    if row.is_exempt:
        return "."
    needs_human = row.decision.refusal or drift.kind is Kind.EMPTY or drift.standing is Standing.EMPTY
    unresolved = drift.disallowed and row.decision.resolution is Resolution.REPORT and drift.kind is not Kind.UNMANAGED
    return "!" if needs_human or unresolved else "."


def _short(digest: str) -> str:
    algorithm, _, value = digest.partition(":")
    return f"{algorithm}:{value[:8]}"
