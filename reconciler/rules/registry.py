"""Every rule there is, by its code."""

from __future__ import annotations

from collections.abc import Mapping

from reconciler.rules.findings import Rule
from reconciler.rules.publishers import PUBLISHER_RULES
from reconciler.rules.setting_rules import SETTING_RULES
from reconciler.rules.topic_rules import TOPIC_RULES

ALL_RULES: Mapping[str, Rule] = {rule.code: rule for rule in (*TOPIC_RULES, *PUBLISHER_RULES, *SETTING_RULES)}
"""The rules by code, those on topics first, then on publishers, then on what a stack says about rules."""
