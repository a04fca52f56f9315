"""Update masks: required, of known top-level fields, without the immutable ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reconciler.sandbox.errors import ApiError, invalid


def checked(paths: Sequence[str], *, request: str, resource: str, known: Iterable[str], fixed: Iterable[str]) -> None:
    """Whether a mask says what to change.

    A field inside another (`message_storage_policy.enforce_in_transit`) is not known: storage policies are replaced
    as a whole.

    Args:
        paths: as gRPC spells them.
        request: the request's name, for the text.
        resource: the resource's name, for the text.
        known: fields that can change.
        fixed: fields that exist and cannot.

    Raises:
        ApiError: `INVALID_ARGUMENT`; the texts are those of Google's emulator, but for immutable fields.
    """
    if not paths:
        raise invalid(f"The update_mask in the {request} must be set, and must contain a non-empty paths list.")
    known, fixed = frozenset(known), frozenset(fixed)
    for path in paths:
        if path in fixed:
            raise invalid(f"Invalid update_mask provided in the {request}: {path} cannot be changed.")
        if path not in known:
            raise unknown_path(path, request=request, resource=resource)


def unknown_path(path: str, *, request: str, resource: str) -> ApiError:
    """The refusal of a path that names no field, which over gRPC one in camelCase does not."""
    # The slip in the last word is the service's: https://github.com/googleapis/google-cloud-cpp/pull/13560.
    return _unknown(path, request, resource, "'schema_settings' rather than 'schemaSetings'")


def wrong_spelling(path: str, *, request: str, resource: str) -> ApiError:
    """The refusal of a snake_case path over REST. No source has its text; it is modelled on the other."""
    return _unknown(path, request, resource, "'schemaSettings' rather than 'schema_settings'")


def _unknown(path: str, request: str, resource: str, form: str) -> ApiError:
    return invalid(
        f"Invalid update_mask provided in the {request}: {path} is not a known {resource} field. "
        f"Note that field paths must be of the form {form}."
    )
