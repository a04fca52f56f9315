"""`hedgerow apply`: a saved plan, or a stack planned and applied at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from reconciler.cli.applying import (
    Overrides,
    carry_out,
    force_option,
    hold_exit_code,
    max_percent_option,
    max_topics_option,
    run_exit_code,
    run_on,
    unheld,
)
from reconciler.cli.holding import holds_on
from reconciler.cli.output import as_json, data, format_option, say
from reconciler.cli.planning import project_policies
from reconciler.cli.reconcile import plan_and_apply
from reconciler.cli.stacks import find_stack, read_stack
from reconciler.cli.surroundings import now
from reconciler.errors import ExitCode, HedgerowError, StalePlan, UsageError
from reconciler.model import Fleet
from reconciler.reconcile import ProjectPolicy, SavedPlan, Unavailable, fingerprints, mostly, read_plan
from reconciler.report import held_text, run_document


@click.command()
@click.argument("target", required=False, metavar="[FILE | STACK]")
@click.option("--yes", is_flag=True, help="Apply a stack without asking.")
@click.option("--allow-widening", is_flag=True, help="Make changes that add regions as well (STACK only).")
@max_topics_option
@max_percent_option
@force_option
@format_option
def apply(
    target: str | None,
    max_topics: int | None,
    max_percent: float | None,
    format_: str,
    *,
    yes: bool,
    allow_widening: bool,
    force: bool,
) -> ExitCode:
    """Carry out a saved plan, or plan and apply a stack.

    A saved plan is refused as a whole when the specs or the policies have changed since (7); a topic that has changed
    since is left alone.
    """
    overrides = Overrides(max_topics=max_topics, max_percent=max_percent, force=force)
    if target is not None and Path(target).is_file():
        return _apply_saved(Path(target), overrides, format_)
    if target is not None and target.endswith(".json") and not Path(target).exists():
        raise UsageError(
            f"there is no plan `{target}`",
            hint=f"make one with `hedgerow plan -o {target}`, or name a stack",
        )
    folder = find_stack(target)
    if not yes and not _confirmed(folder):
        raise UsageError(
            f"applying {folder} writes to the cloud",
            hint=f"look first with `hedgerow plan {folder}`, then add `--yes`",
        )
    fleet = read_stack(str(folder), format_=format_).fleet
    return plan_and_apply(fleet, overrides, format_=format_, allow_widening=allow_widening)


def _confirmed(folder: Path) -> bool:
    return sys.stdin.isatty() and click.confirm(f"Plan and apply {folder}?", default=False, err=True)


def _apply_saved(file: Path, overrides: Overrides, format_: str) -> ExitCode:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HedgerowError(f"{file} cannot be read: {error}") from error
    saved = read_plan(text, file=str(file))
    fleet = read_stack(saved.folder, format_=format_).fleet
    with run_on(fleet.stack) as run:
        policies = _refuse_if_stale(saved, fleet, file)
        moment = now()
        history = run.history.observed(fingerprints(policies), moment)
        held = holds_on(saved.changes, fleet, history, moment)
        say(*held_text(held.values()))
        changes = unheld(saved.changes, held)
        done = carry_out(
            run,
            fleet.stack,
            changes,
            total=saved.looked_at,
            overrides=overrides,
            computed_from={"file": str(file), "digest": saved.digest, "specs": saved.specs},
            history=history,
            mostly=mostly(changes, policies, history),
        )
    if format_ == "json":
        data(as_json({"formatVersion": "1", **run_document(done)}))
    return ExitCode.severest(run_exit_code(done), hold_exit_code(held))


def _refuse_if_stale(saved: SavedPlan, fleet: Fleet, file: Path) -> Mapping[str, ProjectPolicy | Unavailable]:
    """Compares what the plan was computed from with what is there now, and returns the policies of now.

    Raises:
        StalePlan: when the specs or a project's policy changed, or a policy can no longer be read.
    """
    hint = f"plan again: hedgerow plan {fleet.stack.name} -o {file}"
    if fleet.fingerprint != saved.specs:
        raise StalePlan(f"the specs of {fleet.stack.folder} have changed since {file} was made", hint=hint)
    catalogue, policies = project_policies(fleet)
    if catalogue.as_of != saved.catalogue:
        raise StalePlan(f"{file} was made with the catalogue of {saved.catalogue}, not {catalogue.as_of}", hint=hint)
    for project in sorted({change.name.project for change in saved.changes}):
        policy = policies.get(project)
        if isinstance(policy, Unavailable):
            raise StalePlan(f"it cannot be told whether {file} still holds: {policy.reason}", hint=policy.hint)
        if not isinstance(policy, ProjectPolicy) or policy.live.fingerprint != saved.policies.get(project):
            raise StalePlan(f"the policy of {project} has changed since {file} was made", hint=hint)
    return policies
