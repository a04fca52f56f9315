"""Rules on hedging profiles: values that every client accepts and takes as they were meant."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.hedging import ClientLibrary, Mistake, Setting, value_problems
from reconciler.model import Fleet, HedgingProfile, Origin
from reconciler.rules.findings import Finding
from reconciler.rules.profile_rules import HEDGE_DELAY_RANGE, MAX_TOKENS_RANGE, REFILL_RATIO_RANGE
from reconciler.rules.published import enumeration

_RULE_OF = {
    Setting.HEDGE_DELAY: HEDGE_DELAY_RANGE,
    Setting.MAX_TOKENS: MAX_TOKENS_RANGE,
    Setting.REFILL_RATIO: REFILL_RATIO_RANGE,
}


def check_profiles(fleet: Fleet, libraries: Mapping[str, ClientLibrary]) -> list[Finding]:
    """One finding for each bad value of each profile, used or not, placed at the profile."""
    profiles = {_key(profile): profile for profile in fleet.profiles}
    users: dict[tuple[str, Origin], list[str]] = {}
    for publisher in fleet.publishers:
        for published in publisher.topics:
            if published.hedging is not None:
                profiles.setdefault(_key(published.hedging), published.hedging)
                users.setdefault(_key(published.hedging), []).append(publisher.service)
    return [
        _RULE_OF[problem.setting].finding(
            subject=profile.name,
            origin=profile.origin.at(problem.setting.value),
            message=f"`{profile.name}`: {problem.text}",
            details=(_used_by(users.get(key, [])), *_reactions(problem.mistake, libraries)),
            hint=problem.hint,
        )
        for key, profile in profiles.items()
        for problem in value_problems(profile)
    ]


def _key(profile: HedgingProfile) -> tuple[str, Origin]:
    """Which entry of which file a profile is; its values would not do, as NaN equals nothing."""
    return profile.name, profile.origin


def _used_by(services: list[str]) -> str:
    if not services:
        return "used by: no publisher"
    distinct = sorted(set(services))
    count = f"{len(services)} topics" if len(services) > 1 else "1 topic"
    return f"used by: {enumeration(f'`{service}`' for service in distinct)} ({count})"


def _reactions(mistake: Mistake, libraries: Mapping[str, ClientLibrary]) -> tuple[str, ...]:
    """What the libraries would do with such a value, one line for all that are known."""
    known = [
        f"{library.title} {reaction}"
        for library in libraries.values()
        if (reaction := library.reactions.get(mistake)) is not None
    ]
    return (f"clients: {'; '.join(known)}",) if known else ()
