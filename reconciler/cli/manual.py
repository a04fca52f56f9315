"""`--explain CODE`: the manual page of a rule, instead of what the command does otherwise."""

from __future__ import annotations

import difflib

import click

from reconciler.cli.output import data
from reconciler.errors import ExitCode, UsageError
from reconciler.report import manual_list, manual_page
from reconciler.rules import ALL_RULES, RESOURCE_RULES

ALL = "all"
_RULES = {**ALL_RULES, **RESOURCE_RULES}


def _explain(context: click.Context, _option: click.Parameter, code: str | None) -> None:
    if code is None or context.resilient_parsing:
        return
    if code == ALL:
        data(manual_list(_RULES.values()))
    elif code in _RULES:
        data(manual_page(_RULES[code]))
    else:
        near = difflib.get_close_matches(code, _RULES, n=1)
        form = "codes about a file's form have no page, as their messages say what to write"
        hint = f"did you mean `{near[0]}`?" if near else f"list them with `--explain {ALL}`; {form}"
        raise UsageError(f"there is no rule `{code}`", hint=hint)
    context.exit(ExitCode.OK)


explain_option = click.option(
    "--explain",
    metavar="CODE",
    is_eager=True,
    expose_value=False,
    callback=_explain,
    help=f"Print the manual page of a rule, or with `{ALL}` the list of rules, and do nothing else.",
)
